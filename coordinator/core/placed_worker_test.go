package core

import (
	"fmt"
	"slices"

	"github.com/everystate/everystate/puzzle"

	"github.com/everystate/everystate/coordinator/history"
)

// A machine has a lasting name and a disk of its own. A process works on it, or
// none.
type machine struct {
	sim      *placedSimulation
	name     string
	weight   uint32
	boss     *coordinator
	disk     map[runKey]states
	diskLost bool // the machine never comes back
	draining bool
	left     bool // has drained
	proc     *placedWorker
}

// A placedWorker is a process on a machine: a fake of the pipeline, which does
// what it is ordered to on the graph. It tells its coordinator again and again
// what it has reached, and is told what it should reach.
type placedWorker struct {
	*machine
	incarnation int
	pausedUntil int
	heard       *process // who gave the last order,
	number      int      // and its number
	order       order    // of epoch

	epoch   uint32 // what it is or was at
	open    bool   // takes part in the attempt of epoch
	inbox   map[uint32]states
	started bool                         // is expanding, or has expanded
	wrote   bool                         // the last answer is Written
	answer  func(history.WorkerID) Event // the last answer, given again and again
	dropped bool                         // was told to do nothing instead
	broken  bool                         // the attempt of epoch failed, which is nobody's fault
}

// report is what a worker has reached.
type report struct {
	from        *machine
	incarnation int
	draining    bool
	epoch       uint32
	broken      bool
	answer      func(history.WorkerID) Event
}

// order is what a worker should reach. It is never changed once it is given.
type order struct {
	number  int
	leave   bool
	epoch   uint32 // 0: nothing
	stage   stage
	attempt Attempt
	past    history.History // as it was then
	parts   []uint32
	known   []made
	peers   []*machine // by partition: who has it, or whom to fetch it from
}

func (m *machine) starts() {
	m.sim.incarnations++
	w := &placedWorker{machine: m, incarnation: m.sim.incarnations}
	m.proc = w
	m.sim.logf("%s starts as %d", m.name, w.incarnation)
	w.beat()
}

func (w *placedWorker) alive() bool { return w.proc == w }

func (w *placedWorker) paused() bool { return w.pausedUntil > w.sim.now }

// reachable returns the process on a machine if it answers.
func (m *machine) reachable() *placedWorker {
	if m == nil || m.proc == nil || m.proc.paused() {
		return nil
	}
	return m.proc
}

// after lets f happen after a while, unless the process is gone by then.
func (w *placedWorker) after(f func()) { w.sim.after(func() { w.wake(f) }) }

func (w *placedWorker) wake(f func()) {
	switch {
	case !w.alive():
	case w.paused():
		w.sim.at(w.pausedUntil-w.sim.now, func() { w.wake(f) })
	default:
		f()
	}
}

func (w *placedWorker) beat() {
	w.call()
	w.sim.at(30+w.sim.rng.IntN(20), func() { w.wake(w.beat) })
}

func (w *placedWorker) call() {
	r := report{from: w.machine, incarnation: w.incarnation, draining: w.draining, epoch: w.epoch, broken: w.broken, answer: w.answer}
	boss := w.boss
	w.sim.send(func() { boss.receive(r) })
}

func (w *placedWorker) reply(answer func(history.WorkerID) Event) {
	w.answer = answer
	w.call()
}

// breaks gives the attempt up, some time after the worker began to try.
func (w *placedWorker) breaks(why string) {
	w.open = false
	epoch := w.epoch
	w.sim.at(20, func() {
		w.wake(func() {
			if w.epoch == epoch {
				w.sim.logf("%s: epoch %d: %s", w.name, epoch, why)
				w.broken = true
				w.call()
			}
		})
	})
}

func (w *placedWorker) fail() {
	w.open = false
	epoch := w.epoch
	w.reply(func(id history.WorkerID) Event { return Failed{Worker: id, Epoch: epoch, Err: errDiskFull} })
}

// obey takes an order of a coordinator's process.
func (w *placedWorker) obey(by *process, o order) {
	if by.coordinator != w.boss || !by.alive() || by == w.heard && o.number < w.number {
		return // an answer to an earlier call
	}
	w.heard, w.number = by, o.number
	switch {
	case o.leave:
		w.leaves()
		return
	case o.epoch == 0:
		w.dropped = w.dropped || w.open
		w.open = false
		return
	case o.epoch < w.epoch:
		return // of a coordinator that was overtaken: what the worker did for it is forgotten
	case o.epoch == w.epoch && w.dropped:
		w.broken = true // dropped for another coordinator, which was none
	case o.epoch > w.epoch:
		w.order, w.dropped = o, false
		w.epoch, w.open, w.started, w.wrote, w.broken, w.answer = o.epoch, true, false, false, false, nil
		if o.stage == moving {
			w.hold(0)
			return
		}
		w.begin()
	}
	w.order.stage = o.stage
	if w.open && o.stage >= expanding && o.stage != stopped && !w.started {
		w.started = true
		w.expand(0, 0)
	}
	if w.open && o.stage == writing {
		w.write()
	}
}

func (w *placedWorker) leaves() {
	w.sim.logf("%s leaves", w.name)
	w.left, w.proc = true, nil
	r := report{from: w.machine, incarnation: w.incarnation}
	boss := w.boss
	w.sim.send(func() { boss.goodbye(r) })
}

// hold fetches the i-th layer and, some time later, the rest.
func (w *placedWorker) hold(i int) {
	epoch := w.epoch
	w.after(func() {
		if !w.open || w.epoch != epoch {
			return
		}
		if i == len(w.order.known) {
			w.reply(func(id history.WorkerID) Event { return Held{Worker: id, Epoch: epoch} })
			return
		}
		for n, part := range w.order.parts {
			if err := w.fetch(w.order.known[i], part, w.order.peers[n]); err != nil {
				w.breaks(err.Error())
				return
			}
		}
		w.hold(i + 1)
	})
}

// fetch gets a partition of a layer from another worker or from the backup.
func (w *placedWorker) fetch(m made, part uint32, from *machine) error {
	key := m.key(part)
	if _, found := w.disk[key]; found {
		return nil
	}
	what := fmt.Sprintf("%v layer %d, epoch %d, partition %d", m.Phase, m.Depth, m.Epoch, part)
	var recs states
	found := false
	if p := from.reachable(); p != nil && w.sim.rng.IntN(20) > 0 {
		recs, found = p.disk[key]
		if found {
			w.sim.count["fetched"]++
		}
	}
	if b := w.sim.bucket; !found && b != nil && !b.away {
		recs, found = b.restore(m, part)
		if found {
			w.sim.count["restored"]++
		}
	}
	if !found && m.PartStates[part] == 0 {
		recs, found = states{}, true
	}
	if !found {
		return fmt.Errorf("%s is not to be had", what)
	}
	if int64(len(recs)) != m.PartStates[part] {
		w.sim.fatalf("%s: %d states, should be %d", what, len(recs), m.PartStates[part])
	}
	w.disk[key] = recs
	return nil
}

// begin takes part in an attempt: what attempts before it have left is dropped,
// and everything committed must be there.
func (w *placedWorker) begin() {
	var committed [history.Goal + 1]uint32
	for _, m := range w.order.known {
		committed[m.Phase]++
	}
	for key := range w.disk {
		// What a later attempt wrote may be committed elsewhere: whoever orders
		// this one does not know yet that another coordinator has the run.
		if key.depth >= committed[key.phase] && key.epoch < w.epoch {
			delete(w.disk, key)
		}
	}
	for _, m := range w.order.known {
		for _, part := range w.order.parts {
			if _, found := w.disk[m.key(part)]; !found {
				w.lacks(m, part)
				return
			}
		}
	}
	w.inbox = make(map[uint32]states)
	for _, part := range w.order.parts {
		w.inbox[part] = states{}
	}
	epoch := w.epoch
	w.reply(func(id history.WorkerID) Event { return Began{Worker: id, Epoch: epoch} })
}

// lacks is only right if the coordinator was overtaken by another, for which the
// worker has worked.
func (w *placedWorker) lacks(m made, part uint32) {
	if !w.heard.overtaken() {
		w.sim.fatalf("%s begins epoch %d without %v layer %d, epoch %d, partition %d",
			w.name, w.epoch, m.Phase, m.Depth, m.Epoch, part)
	}
	w.breaks("lacks a layer of a coordinator that was overtaken")
}

func (w *placedWorker) read(l history.Layer, part uint32) states {
	recs, found := w.disk[runKey{l.Phase, l.Depth, l.Epoch, part}]
	if !found || int64(len(recs)) != l.PartStates[part] {
		w.sim.fatalf("%s: %s: partition %d holds %d states", w.name, describeLayer(l), part, len(recs))
	}
	return recs
}

// expand expands the i-th of the worker's partitions and, some time later, the
// rest.
func (w *placedWorker) expand(i int, generated int64) {
	if w.sim.fault(80) {
		w.fail()
		return
	}
	epoch := w.epoch
	w.after(func() {
		if !w.open || w.epoch != epoch {
			return
		}
		if i == len(w.order.parts) {
			w.reply(func(id history.WorkerID) Event { return Expanded{Worker: id, Epoch: epoch, Generated: generated} })
			return
		}
		n, ok := w.sim.graph.expand(w.order.attempt, &w.order.past, w.order.parts[i], w.read, w.deliver)
		if !ok {
			w.breaks("exchange")
			return
		}
		w.expand(i+1, generated+n)
	})
}

// deliver hands a candidate to the worker that has its partition, if that one is
// at the same attempt.
func (w *placedWorker) deliver(node int, move puzzle.Move) bool {
	part := w.sim.graph.part(node)
	owner := w.order.peers[part].reachable()
	if owner == nil || !owner.open || owner.epoch != w.epoch {
		return false
	}
	if owner.wrote {
		w.sim.fatalf("a candidate of epoch %d comes after partition %d was written", w.epoch, part)
	}
	owner.inbox[part].add(node, move)
	return true
}

func (w *placedWorker) write() {
	if w.wrote {
		return
	}
	if w.sim.fault(80) {
		w.fail()
		return
	}
	a := w.order.attempt
	var parts []Part
	for _, p := range w.order.parts {
		parts = append(parts, w.sim.graph.deduplicate(a, &w.order.past, p, w.inbox[p], w.read))
	}
	for _, p := range w.order.parts {
		w.disk[runKey{a.Phase, a.Depth, a.Epoch, p}] = w.inbox[p]
	}
	w.wrote = true
	w.reply(func(id history.WorkerID) Event { return Written{Worker: id, Epoch: a.Epoch, Parts: parts} })
}

// upload uploads what the worker wrote of a layer, unless that was forgotten
// meanwhile.
func (w *placedWorker) upload(m made) {
	b := w.sim.bucket
	if b.away || w.sim.rng.IntN(4) == 0 {
		return
	}
	w.sim.count["uploads"]++
	committed := slices.ContainsFunc(w.boss.journal, func(e entry) bool { return e.layer != nil && e.layer.Epoch == m.Epoch })
	if !b.upload(m, w.name, w.disk) && committed && w.boss.proc != nil && !w.boss.proc.overtaken() {
		w.sim.fatalf("%s cannot upload its share of %v layer %d, epoch %d", w.name, m.Phase, m.Depth, m.Epoch)
	}
}
