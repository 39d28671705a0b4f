package main

import (
	"math"

	"github.com/everystate/everystate/coordinator/core"
)

// A cluster is the cluster that explores a space.
type cluster struct {
	workers, partitions int
	machine             machine
	costs               costs
	local               float64 // share of the successors that stay with their worker, beyond chance
	together            bool    // all workers take part in all layers
	squeeze             float64 // bytes on the wire relative to uncompressed; zero means 1
}

// What a stage can wait for.
const (
	onCPU = iota
	onSpread
	onNetOut
	onNetIn
	onDiskRead
	onDiskWrite
	onLatency
	onCoordinator
	onBucket
	onMoving
	waits
)

var waitNames = [waits]string{
	"processor", "uneven shares", "network out", "network in", "disk read", "disk write",
	"agreements", "coordinator", "bucket", "moving",
}

// A load is what one machine does in one stage, in seconds of each of its resources.
type load [waits]float64

// bottleneck returns the resource that takes longest, and its time. For processors, the
// slowest lane counts.
func (l *load) bottleneck() (what int, seconds float64) {
	seconds = l[onCPU] + l[onSpread]
	for _, i := range []int{onNetOut, onNetIn, onDiskRead, onDiskWrite} {
		if l[i] > seconds {
			what, seconds = i, l[i]
		}
	}
	return what, seconds
}

// layerResult is the result of one layer.
type layerResult struct {
	seconds                   float64
	waited                    [waits]float64 // these add up to seconds
	wire                      float64        // bytes sent by all workers
	received                  float64        // the same, counted at the receivers
	spilled                   float64        // bytes, over all workers
	stored                    float64        // bytes of the new layer
	keepers                   int            // workers that keep partitions
	alone                     bool           // one worker makes it
	expand, write             float64        // seconds of the two stages
	journalBytes, calls       float64
	uploadSeconds, memoryPeak float64 // of the slowest worker; of the fullest machine, bytes
}

// result is the result of a whole run.
type result struct {
	space   *space
	cluster cluster
	layers  []layerResult

	seconds          float64
	waited           [waits]float64
	busy             [waits]float64 // seconds for which the average machine used a resource
	wire, spilled    float64
	stored           float64
	diskPerMachine   float64 // bytes at the end, and scratch at its peak
	memoryPerMachine float64
	coordinatorCalls float64
	journalBytes     float64
	others           float64 // processor seconds beside the stages, of all workers
}

// agreements is the number of agreements per layer: all is sent, all is written.
const agreements = 2

// aloneSeconds is how long a worker goes on alone.
const aloneSeconds = float64(core.AloneTicks) / 1e3

// simulation runs through the layers of a run.
type simulation struct {
	space   *space
	cluster cluster
	sized   [][]int64 // running sums of partitions, per layer
	result  *result

	keepers int     // workers that keep partitions
	widest  float64 // states of the largest layer so far
	states  float64 // so far
	stretch float64 // seconds for which one worker has been alone
	apart   int     // layers that it has made since, and the others do not have

	clock    float64
	uploaded []float64 // when each layer was in the bucket
	uplink   float64   // the time until which the slowest worker's upload is busy
}

// simulate simulates one layer after another.
func simulate(s *space, c cluster) *result {
	if c.squeeze == 0 {
		c.squeeze = 1
	}
	sim := simulation{
		space: s, cluster: c, sized: s.sized(c.partitions), keepers: 1,
		result: &result{space: s, cluster: c},
	}
	r := sim.result
	scratch := 0.0
	// After the last layer, one more attempt finds that there is none.
	for depth := 1; depth <= len(s.layers); depth++ {
		l := sim.layer(depth)
		r.layers = append(r.layers, l)
		for i, t := range l.waited {
			r.waited[i] += t
		}
		r.seconds += l.seconds
		r.wire += l.wire
		r.spilled += l.spilled
		r.stored += l.stored
		r.coordinatorCalls += l.calls
		r.journalBytes += l.journalBytes
		r.memoryPerMachine = max(r.memoryPerMachine, l.memoryPeak)
		scratch = max(scratch, l.spilled)
	}
	widest := 0.0
	for w := range sim.keepers {
		widest = max(widest, sim.shareOf(w))
	}
	r.diskPerMachine = widest*r.stored + scratch/float64(sim.keepers)
	return r
}

// shareOf returns a worker's share of the partitions.
func (s *simulation) shareOf(w int) float64 {
	p, n := s.cluster.partitions, s.keepers
	return float64(divide(p, n, w+1)-divide(p, n, w)) / float64(p)
}

// in returns how many states of a layer are in a range of partitions.
func (s *simulation) in(depth, from, to int) float64 {
	if depth < 0 || depth >= len(s.sized) {
		return 0
	}
	return float64(s.sized[depth][to] - s.sized[depth][from])
}

func (s *simulation) all(depth int) float64 { return s.in(depth, 0, s.cluster.partitions) }

// layer generates the layer at a depth from the one before.
func (s *simulation) layer(depth int) layerResult {
	var out layerResult
	c, m := s.cluster, s.cluster.machine
	onward := s.space.onward
	if depth == 1 {
		onward = s.space.moves // the starts have no links
	}
	s.states += s.all(depth - 1)
	s.widest = max(s.widest, s.all(depth-1))
	s.spreadOut(depth, &out)
	candidates := s.all(depth-1) * onward
	out.stored = s.space.stored(s.all(depth))
	out.keepers = s.keepers
	out.alone = s.all(depth-1) <= s.aloneStates()

	members := s.keepers
	if out.alone {
		members = 1
	}
	var expanding, writing slowest
	budget := newBudget(m, c.partitions)
	for w := range members {
		from, to := divide(c.partitions, members, w), divide(c.partitions, members, w+1)
		if from == to {
			continue
		}
		x := s.worker(depth, from, to, members, candidates, onward, budget)
		expanding.add(x.expand)
		writing.add(x.write)
		s.result.addBusy(x.expand, x.write, float64(c.workers))
		out.wire += x.sent
		out.received += x.received
		out.spilled += x.spilled
		out.memoryPeak = max(out.memoryPeak, x.memory)
	}
	out.expand, out.write = expanding.addTo(&out.waited), writing.addTo(&out.waited)
	own := float64(c.partitions) / float64(members)
	fixed := c.costs.layer + c.costs.partition*own/min(float64(m.Cores), own)
	s.result.others += float64(members)*c.costs.layer + c.costs.partition*float64(c.partitions)
	out.waited[onLatency] += fixed
	if members > 1 {
		out.waited[onLatency] += c.costs.member
		s.result.others += float64(members) * c.costs.member
		s.agree(&out, agreements, members)
	}
	out.journalBytes = messageBytes + partitionBytes*float64(c.partitions)
	if out.alone {
		s.apart++
		s.stretch += out.expand + out.write + fixed
	}
	if s.apart > 0 && (!out.alone || s.all(depth) > s.aloneStates() || depth == len(s.space.layers) ||
		s.apart == core.AloneLayers(c.partitions) || s.stretch > aloneSeconds) {
		s.shareOut(&out)
	}
	s.waitForBucket(depth, &out)
	for _, t := range out.waited {
		out.seconds += t
	}
	s.clock += out.seconds
	s.upload(depth, out.stored, &out)
	return out
}

// aloneStates is up to which size of the frontier one worker makes layers alone.
func (s *simulation) aloneStates() float64 {
	switch {
	case s.cluster.together:
		return 0
	case s.keepers == 1:
		return math.Inf(1)
	}
	return float64(core.AloneStates(s.keepers))
}

// agree has so many workers agree so often, with one call of each to the coordinator.
func (s *simulation) agree(out *layerResult, times, workers int) {
	c := s.cluster.costs
	if s.cluster.workers == 1 && c.agreement == 0 {
		return // one process
	}
	out.waited[onLatency] += float64(times) * (c.agreement + s.cluster.machine.LatencyMS/1e3)
	out.calls += float64(workers)
	out.waited[onCoordinator] += float64(workers) * c.call
}

// spreadOut moves partitions to more workers if layers have become worth them.
func (s *simulation) spreadOut(depth int, out *layerResult) {
	n := core.Spread(int64(s.widest), int64(s.states), s.cluster.workers, core.WorthTwo(s.cluster.machine.Cores))
	if s.cluster.together {
		n = s.cluster.workers
	}
	if n <= s.keepers {
		return
	}
	was := s.keepers
	s.keepers = n
	// Each of the new ones gets a share of all layers so far from the others. The run waits
	// until the bucket has everything.
	bytes := s.result.stored * float64(n-was) / float64(n)
	s.move(out, float64(depth), bytes, float64(n-was)/float64(n)*float64(s.cluster.partitions), float64(was), float64(n-was))
	if k := len(s.uploaded); k > 0 {
		out.waited[onBucket] += max(0, s.uploaded[k-1]-s.clock)
	}
}

// shareOut gives the other workers their shares of layers that one has made alone.
func (s *simulation) shareOut(out *layerResult) {
	layers := float64(s.apart)
	s.apart, s.stretch = 0, 0
	s.agree(out, 1, 1)
	if n := float64(s.keepers); n > 1 {
		s.move(out, layers, 0, (n-1)/n*float64(s.cluster.partitions), 1, n-1)
	}
}

// move adds what it takes until so many layers have gone from some workers to others, in
// all so many bytes and partitions of each layer.
func (s *simulation) move(out *layerResult, layers, bytes, partitions, from, to float64) {
	c, m := s.cluster.costs, s.cluster.machine
	const atOnce = 4
	cores := min(atOnce, float64(m.Cores))
	sending := layers * (c.fetch*max(from, to)/from + c.block*partitions/from) / cores
	taking := layers * (c.fetch*max(from, to)/to + c.block*partitions/to) / cores
	out.waited[onMoving] += max(sending, taking,
		over(bytes/min(from, to), m.NetGbit*gB/8), over(bytes/to, m.DiskWrite*mB), over(bytes/from, m.DiskRead*mB))
	s.result.others += layers * (2*c.fetch*max(from, to) + 2*c.block*partitions)
	s.agree(out, 1, int(to))
}

// share is a worker's work for a layer.
type share struct {
	expand, write  load
	sent, received float64 // bytes
	spilled        float64 // bytes
	memory         float64 // bytes
}

// worker returns the work of the worker with a range of partitions, one of so many.
func (s *simulation) worker(depth, from, to, members int, candidates, onward float64, b budget) (x share) {
	c, m, r := s.cluster, s.cluster.machine, s.space.rates
	lanes := min(m.Cores, to-from)
	mine := s.in(depth-1, from, to)

	// Candidates arrive in proportion to the states of the layer that they belong to.
	arrivals := func(from, to int) float64 {
		if s.all(depth) == 0 {
			return candidates * float64(to-from) / float64(c.partitions)
		}
		return candidates * s.in(depth, from, to) / s.all(depth)
	}
	arrived := arrivals(from, to)
	sending, receiving := s.exchanged(members, mine*onward, arrived, candidates)

	block := min(b.chunk/8, mine*onward/float64(lanes)/float64(c.partitions))
	wireBytes := s.space.packed(c.partitions, block) * c.squeeze
	if members > 1 {
		x.sent = sending * s.space.sent * wireBytes
		x.received = receiving * s.space.sent * wireBytes
	}

	// Each lane expands its partitions; what arrives is unpacked by any free core.
	// There is a stream from every lane to every other worker that it has anything to
	// send to.
	streams := 0.0
	if members > 1 {
		streams = min(float64(lanes)*float64(members-1), sending)
	}
	handling := (receiving*s.space.sent*r.unpack+(x.sent+x.received)*r.wire)*1e-9 + 2*streams*c.costs.stream
	perState := r.read + onward*(r.successor+r.partition)
	packing := 0.0
	if mine > 0 {
		packing = sending / (mine * onward) * onward * r.pack
	}

	inboxRecords := b.inbox / 8
	slowestExpand, expandSum, slowestWrite, writeSum, spilledRecords, again := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
	for lane := range lanes {
		lo, hi := from+divide(to-from, lanes, lane), from+divide(to-from, lanes, lane+1)
		f, a := s.in(depth-1, lo, hi), arrivals(lo, hi)
		a *= 1 - (1-s.space.sent)*receiving/max(1, arrived)
		spilledRecords += max(0, a-inboxRecords)
		again += mergedAgain(a, inboxRecords, hi-lo)
		e := f * (perState + packing) * 1e-9
		wr := (a*(r.split+r.dedup) + r.visited*(s.in(depth-1, lo, hi)+s.in(depth-2, lo, hi)) + r.write*s.in(depth, lo, hi)) * 1e-9
		slowestExpand, expandSum = max(slowestExpand, e), expandSum+e
		slowestWrite, writeSum = max(slowestWrite, wr), writeSum+wr
		// The inbox, a copy of one partition for sorting, and half-full chunks.
		x.memory += min(a, inboxRecords)*8*(1+1/float64(hi-lo)) + float64(c.partitions)*b.chunk/2
	}
	handling += (spilledRecords + again) * r.spill * 1e-9
	expandSum += handling

	width := s.space.packed(c.partitions, inboxRecords*float64(lanes)/float64(to-from))
	x.spilled = spilledRecords * width

	// Blocks of the last two layers that are not in memory are read from disk, once
	// to be expanded and once for comparison.
	share := func(d int) float64 { return s.space.stored(s.all(d)) * s.in(d, from, to) / max(1, s.all(d)) }
	before, frontier := share(depth-2), share(depth-1)
	missing := max(0, 1-b.layers*float64(lanes)/max(1, before+frontier))
	x.memory += min(b.layers*float64(lanes), before+frontier)

	cores := float64(m.Cores)
	mean := expandSum / cores
	x.expand[onCPU] = mean
	x.expand[onSpread] = max(0, slowestExpand-mean)
	x.expand[onNetOut] = over(x.sent, m.NetGbit*gB/8)
	x.expand[onNetIn] = over(x.received, m.NetGbit*gB/8)
	x.expand[onDiskRead] = over(frontier*missing+again*width, m.DiskRead*mB)
	x.expand[onDiskWrite] = over(x.spilled+again*width, m.DiskWrite*mB)

	mean = writeSum / cores
	x.write[onCPU] = mean
	x.write[onSpread] = max(0, slowestWrite-mean)
	x.write[onDiskRead] = over((before+frontier)*missing+x.spilled, m.DiskRead*mB)
	x.write[onDiskWrite] = over(share(depth), m.DiskWrite*mB)
	return x
}

// mergedAgain returns how many candidates are read and spilled once more. When an
// inbox is full, its fullest partition is spilled, at about twice the mean size; from
// 32 segments of a partition on, they are merged into one.
func mergedAgain(candidates, inbox float64, partitions int) float64 {
	const piecesMax = 32
	pieces := candidates / inbox * float64(partitions+1) / 2 / float64(partitions)
	if pieces < piecesMax {
		return 0
	}
	merges := math.Floor((pieces - 1) / (piecesMax - 1))
	return candidates / pieces * (piecesMax - 1) * merges * (merges + 1) / 2
}

// exchanged returns how many of the candidates that a worker generates go to other
// workers, and how many of those that arrive come from other workers.
func (s *simulation) exchanged(members int, made, arrived, all float64) (out, in float64) {
	if members == 1 || all == 0 {
		return 0, 0
	}
	apart := 1 - s.cluster.local
	return made * (1 - arrived/all) * apart, arrived * (1 - made/all) * apart
}

func over(bytes, perSecond float64) float64 {
	if perSecond == 0 {
		return 0
	}
	return bytes / perSecond
}

// slowest is the barrier at the end of a stage.
type slowest struct {
	what    int
	seconds float64
	mean    float64 // processor time of the machines
	n       int
}

func (s *slowest) add(l load) {
	what, seconds := l.bottleneck()
	if seconds > s.seconds {
		s.what, s.seconds = what, seconds
	}
	s.mean += l[onCPU]
	s.n++
}

// addTo records what the stage waited for. What the slowest machine needs beyond the
// mean processor time is attributed to uneven shares.
func (s *slowest) addTo(waited *[waits]float64) float64 {
	if s.n == 0 {
		return 0
	}
	if s.what != onCPU {
		waited[s.what] += s.seconds
		return s.seconds
	}
	mean := min(s.seconds, s.mean/float64(s.n))
	waited[onCPU] += mean
	waited[onSpread] += s.seconds - mean
	return s.seconds
}

func (r *result) addBusy(expand, write load, workers float64) {
	for i := range expand {
		r.busy[i] += (expand[i] + write[i]) / workers
	}
}

// lagBytes is how far the bucket may lag behind, not counting the newest layer.
const lagBytes = 64 << 20

// waitForBucket delays a layer until the layer before the last is in the bucket.
func (s *simulation) waitForBucket(depth int, out *layerResult) {
	if s.cluster.machine.BucketMB == 0 || depth < 3 {
		return
	}
	if s.space.stored(s.all(depth-2)) > lagBytes {
		out.waited[onBucket] += max(0, s.uploaded[depth-3]-s.clock)
	}
}

// upload sends a layer to the bucket, after those before it.
func (s *simulation) upload(depth int, bytes float64, out *layerResult) {
	if s.cluster.machine.BucketMB == 0 {
		return
	}
	widest := 0.0
	for w := range s.keepers {
		from, to := divide(s.cluster.partitions, s.keepers, w), divide(s.cluster.partitions, s.keepers, w+1)
		widest = max(widest, s.in(depth, from, to)/max(1, s.all(depth)))
	}
	out.uploadSeconds = widest * bytes / (s.cluster.machine.BucketMB * mB)
	s.uplink = max(s.uplink, s.clock) + out.uploadSeconds
	s.uploaded = append(s.uploaded, s.uplink)
}

// budget is how a lane's share of the memory is divided, as by worker.Divide.
type budget struct{ inbox, layers, chunk float64 }

func newBudget(m machine, partitions int) budget {
	share := m.MemoryGB * gB * 3 / 4 / float64(m.Cores)
	return budget{
		inbox: share / 2, layers: share / 4,
		chunk: min(max(share/8/float64(partitions), 2<<10), 32<<10),
	}
}

// cost returns what the run costs in money: the machines for its duration, and the
// bucket for a month.
func (r *result) cost() (machines, bucket float64) {
	m := r.cluster.machine
	machines = r.seconds / 3600 * m.HourPrice * float64(r.cluster.workers)
	if m.BucketMB > 0 {
		bucket = r.stored / gB * m.BucketPrice
	}
	return machines, bucket
}
