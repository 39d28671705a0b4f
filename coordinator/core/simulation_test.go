package core

import (
	"errors"
	"slices"
	"testing"

	"github.com/everystate/everystate/puzzle"

	"github.com/everystate/everystate/coordinator/history"
)

// Whatever happens to messages, workers and the driver, a run ends with the
// layers of a plain breadth-first search.
//
// Everything is drawn from the seed. Messages between core and workers arrive
// late, twice, in any order, or never; then the worker is lost, sooner or later,
// and joins again under a new id, while what it was may go on for a while.
// Workers fail, more of them join, the driver crashes and starts again with what
// was committed, and what is wanted of the run changes.
func TestSimulation(t *testing.T) {
	simulateAll(t, 4000, simulate, "commits", "given up", "lost", "failed", "crashes", "lost while committing")
}

// A simulation is a driver with its network, its workers and its user.
type simulation struct {
	*world
	graph *graph
	truth space

	// What survives a crash of the driver.
	store   map[runKey]states
	history history.History
	lastID  history.WorkerID

	core       *Core
	driver     int // counts the crashes
	want       history.Want
	committing bool // CommitLayer or CommitEnd is not answered yet
	workers    map[history.WorkerID]*worker
	owner      []history.WorkerID // by partition
	done       bool
}

func simulate(t *testing.T, seed uint64) tally {
	t.Helper()
	w := newWorld(t, seed, 0)
	s := &simulation{
		world:   w,
		graph:   randomGraph(w.rng),
		store:   make(map[runKey]states),
		workers: make(map[history.WorkerID]*worker),
	}
	s.faults = s.rng.IntN(12)
	s.truth = s.graph.explore()
	s.owner = make([]history.WorkerID, s.graph.partitions)
	s.want = s.randomWant()
	s.start()
	for range s.rng.IntN(3) {
		s.at(s.rng.IntN(400), s.joins)
	}
	for range s.rng.IntN(3) {
		s.at(s.rng.IntN(600), s.ask)
	}
	for range s.rng.IntN(3) {
		s.at(s.rng.IntN(600), s.crash)
	}
	s.run(func() bool { return false })
	if !s.done {
		s.fatalf("is stuck at %s", s.core.describe())
	}
	s.compare()
	return s.count
}

// send carries a message from or to a worker.
func (s *simulation) send(w *worker, arrives func()) {
	if s.fault(40) {
		s.lose(w)
		return
	}
	s.after(arrives)
	if s.rng.IntN(10) == 0 {
		s.after(arrives)
	}
}

// lose makes a worker lost. It may go on for a while, not knowing.
func (s *simulation) lose(w *worker) {
	s.count["lost"]++
	lost := func() { s.step(Lost{Worker: w.id}) }
	if s.rng.IntN(2) == 0 {
		w.dead = true
	} else {
		// Should a late Joined bring it back meanwhile, its end is noticed again.
		s.after(func() { w.dead = true; s.after(lost) })
	}
	s.after(lost)
	s.after(s.joins)
}

// joins brings a new worker.
func (s *simulation) joins() {
	s.lastID++
	w := &worker{sim: s, id: s.lastID}
	s.workers[w.id] = w
	join := func() { s.step(Joined{Worker: w.id}) }
	s.after(join)
	if s.rng.IntN(8) == 0 {
		s.after(join)
	}
}

// start starts a driver, with its workers.
func (s *simulation) start() {
	s.committing = false
	// What attempts have left is removed.
	for key := range s.store {
		if int(key.depth) >= len(s.history.Layers(key.phase)) {
			delete(s.store, key)
		}
	}
	var past history.History
	for _, p := range []history.Phase{history.Forward, history.Goal} {
		for _, l := range s.history.Layers(p) {
			if !past.AddLayer(l) {
				s.fatalf("%s is not next", describeLayer(l))
			}
		}
		if end := s.history.End(p); end != nil && !past.AddEnd(*end) {
			s.fatalf("%s is not next", describeEnd(*end))
		}
	}
	s.core = New(history.Spec{Partitions: s.graph.partitions}, Options{Reversible: s.graph.reversible}, past, s.want)
	for range 1 + s.rng.IntN(4) {
		s.joins()
	}
}

// crash ends the driver's process and the workers in it. Messages of theirs are
// still under way.
func (s *simulation) crash() {
	if s.done || !s.fault(1) {
		return
	}
	s.logf("crash")
	s.count["crashes"]++
	s.driver++
	for _, w := range s.workers {
		w.dead = true
	}
	s.start()
}

func (s *simulation) randomWant() history.Want {
	w := history.Want{GoalDistance: s.graph.reversible}
	if s.calm {
		return w
	}
	switch s.rng.IntN(6) {
	case 0:
		w.MaxDepth = new(s.rng.IntN(6))
	case 1:
		w.MaxStates = 1 + s.rng.Int64N(30)
	case 2:
		w.StopAtGoal = true
	case 3:
		w.GoalDistance = false
	}
	return w
}

func (s *simulation) ask() {
	s.want = s.randomWant()
	s.step(Asked{Want: s.want})
}

// step feeds the core an event and performs the effects.
func (s *simulation) step(ev Event) {
	s.count["steps"]++
	if _, is := ev.(Committed); !is && !s.committing && s.rng.IntN(50) == 0 {
		s.refuses(Committed{})
	}
	s.logf("%T%+v", ev, ev)
	if lost, is := ev.(Lost); is && s.committing && slices.Contains(s.core.members, lost.Worker) {
		s.count["lost while committing"]++
	}
	effects, err := s.core.Step(ev)
	if err != nil {
		s.fatalf("%T%+v: %v", ev, ev, err)
	}
	var begun []uint32
	for _, e := range effects {
		s.logf("       %s", describeEffect(e))
		if begin, is := e.(Begin); is {
			begun = append(begun, begin.Parts...)
		}
	}
	s.checkShares(begun)
	for _, e := range effects {
		s.perform(e)
	}
}

// refuses feeds the core an event that cannot have happened.
func (s *simulation) refuses(ev Event) {
	before := s.core.describe()
	effects, err := s.core.Step(ev)
	if err == nil || len(effects) > 0 || s.core.describe() != before {
		s.fatalf("%T%+v is not refused", ev, ev)
	}
}

// checkShares checks that the workers of an attempt have each partition once.
func (s *simulation) checkShares(parts []uint32) {
	for i, p := range parts {
		if int(p) != i {
			s.fatalf("shares %v", parts)
		}
	}
	if len(parts) != 0 && len(parts) != s.graph.partitions {
		s.fatalf("shares %v", parts)
	}
}

func (s *simulation) perform(effect Effect) {
	switch e := effect.(type) {
	case Begin:
		for _, p := range e.Parts {
			s.owner[p] = e.Worker
		}
		s.command(e.Worker, e)
	case Expand:
		s.command(e.Worker, e)
	case Write:
		s.command(e.Worker, e)
	case End:
		if !e.Committed {
			s.count["given up"]++
		}
		s.command(e.Worker, e)
	case CommitLayer:
		s.checkLayer(e.Layer)
		s.commit(func() bool { return s.history.AddLayer(e.Layer) })
	case CommitEnd:
		if truth := s.truth.ends[e.End.Phase]; e.End != truth {
			s.fatalf("%s, should be %s", describeEnd(e.End), describeEnd(truth))
		}
		s.commit(func() bool { return s.history.AddEnd(e.End) })
	case Stop:
		s.stopped(e)
	}
}

// command sends a command to a worker. One that is not there is lost: that is
// how an id that joined late is got rid of.
func (s *simulation) command(id history.WorkerID, e Effect) {
	w := s.workers[id]
	if w.dead {
		s.after(func() { s.step(Lost{Worker: id}) })
		return
	}
	s.send(w, func() { w.perform(e) })
}

// commit records an entry, some time later, and says so, some time later.
func (s *simulation) commit(record func() bool) {
	if s.committing {
		s.fatalf("two commits at a time")
	}
	s.committing = true
	s.count["commits"]++
	driver := s.driver
	s.at(s.rng.IntN(60), func() {
		if s.driver != driver {
			return
		}
		if !record() {
			s.fatalf("what is committed is not next: %s", s.core.describe())
		}
		s.after(func() {
			if s.driver == driver {
				s.committing = false
				s.step(Committed{Nanos: 0})
			}
		})
	})
}

// checkLayer checks what is about to be committed against the store and the
// truth.
func (s *simulation) checkLayer(l history.Layer) {
	all := states{}
	for p := range s.graph.partitions {
		recs, found := s.store[runKey{l.Phase, l.Depth, l.Epoch, uint32(p)}]
		if !found {
			s.fatalf("%s: partition %d is not written", describeLayer(l), p)
		}
		for n, move := range recs {
			all[n] = move
		}
	}
	if d := s.graph.digest(l.Phase, l.Depth, all); d != l.Digest {
		s.fatalf("%s: digest %v, but %v is written", describeLayer(l), l.Digest, d)
	}
	layers := s.truth.layers[l.Phase]
	if int(l.Depth) >= len(layers) || !sameLayer(l, layers[l.Depth]) {
		s.fatalf("%s is not what it should be", describeLayer(l))
	}
	if l.Epoch <= s.history.LastEpoch() {
		s.fatalf("%s: the epoch does not rise", describeLayer(l))
	}
}

// read returns the records of a partition of a committed layer.
func (s *simulation) read(l history.Layer, part uint32) states {
	recs, found := s.store[runKey{l.Phase, l.Depth, l.Epoch, part}]
	if !found || int64(len(recs)) != l.PartStates[part] {
		s.fatalf("%s: partition %d holds %d states", describeLayer(l), part, len(recs))
	}
	return recs
}

// deliver hands a candidate to the worker that owns it. It reports false if that
// one is gone, or at another attempt.
func (s *simulation) deliver(epoch uint32, node int, move puzzle.Move) bool {
	part := s.graph.part(node)
	w := s.workers[s.owner[part]]
	if w.dead || !w.open || w.epoch != epoch {
		return false
	}
	if _, is := w.answer.(Written); is {
		s.fatalf("a candidate of epoch %d comes after partition %d was written", epoch, part)
	}
	if recs := w.inbox[part]; recs != nil {
		recs.add(node, move)
	}
	return true
}

// stopped looks whether the core is right to stop, and asks for more until all
// is found.
func (s *simulation) stopped(e Stop) {
	s.count["stops"]++
	layers := len(s.history.Layers(history.Forward))
	right := false
	switch e.Reason {
	case history.Exhausted:
		right = s.history.End(history.Forward) != nil && (!s.want.GoalDistance || s.history.End(history.Goal) != nil)
	case history.DepthReached:
		right = s.want.DepthReached(layers)
	case history.StatesReached:
		right = s.want.MaxStates > 0 && s.history.States(history.Forward) >= s.want.MaxStates
	case history.GoalReached:
		right = s.want.StopAtGoal && s.history.Goals() > 0
	case history.CannotGoOn:
		s.count["failed"]++
		right = errors.Is(e.Err, errDiskFull)
	}
	if !right {
		s.fatalf("%s with %d layers, though %+v is wanted", describeEffect(e), layers, s.want)
	}
	if s.calm && e.Reason == history.Exhausted {
		s.done = true
		return
	}
	if s.rng.IntN(3) == 0 {
		s.calm = true
	}
	s.after(s.ask)
}

// compare compares what was committed with the truth.
func (s *simulation) compare() {
	for _, h := range []*history.History{&s.history, s.core.History()} {
		if wrong := s.truth.disagrees(h, s.graph.phases()...); wrong != "" {
			s.fatalf("%s", wrong)
		}
	}
}
