package core

import (
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/puzzle"
)

// A worker is a fake of the pipeline: it does what an attempt asks for on the
// graph, keeps what it writes in the simulation's store, and is not troubled by
// commands that come twice or late.
type worker struct {
	sim  *simulation
	id   history.WorkerID
	dead bool

	epoch   uint32
	open    bool // takes part in the attempt of epoch
	begin   Begin
	past    history.History   // as it was then
	inbox   map[uint32]states // by partition
	started bool              // is expanding, or has expanded
	answer  Event             // the last answer, given again when asked again
}

// runKey names the records of a partition as an attempt wrote them.
type runKey struct {
	phase        history.Phase
	depth, epoch uint32
	part         uint32
}

func (w *worker) perform(command Effect) {
	if w.dead {
		return
	}
	switch c := command.(type) {
	case Begin:
		w.beginAttempt(c)
	case Expand:
		w.expand(c)
	case Write:
		w.write(c)
	case End:
		if c.Attempt.Epoch >= w.epoch {
			w.epoch, w.open = c.Attempt.Epoch, false
		}
	}
}

func (w *worker) reply(ev Event) {
	w.answer = ev
	w.sim.send(w, func() { w.sim.step(ev) })
}

func (w *worker) fail(epoch uint32) {
	w.open = false
	w.reply(Failed{Worker: w.id, Epoch: epoch, Err: errDiskFull})
}

func (w *worker) beginAttempt(c Begin) {
	switch {
	case c.Attempt.Epoch > w.epoch:
		w.epoch, w.open, w.begin, w.started = c.Attempt.Epoch, true, c, false
		w.past = *w.sim.core.History()
		w.inbox = make(map[uint32]states)
		for _, p := range c.Parts {
			w.inbox[p] = states{}
		}
		w.reply(Began{Worker: w.id, Epoch: w.epoch})
	case c.Attempt.Epoch == w.epoch && w.open:
		w.reply(w.answer)
	}
}

func (w *worker) expand(c Expand) {
	if c.Epoch != w.epoch || !w.open {
		return
	}
	if w.started {
		if _, is := w.answer.(Expanded); is {
			w.reply(w.answer)
		}
		return
	}
	w.started = true
	if w.sim.fault(60) {
		w.fail(c.Epoch)
		return
	}
	w.expandFrom(c.Epoch, 0, 0)
}

// expandFrom expands the i-th of the worker's partitions and, some time later,
// the rest.
func (w *worker) expandFrom(epoch uint32, i int, generated int64) {
	w.sim.after(func() {
		if w.dead || !w.open || w.epoch != epoch {
			return
		}
		if i == len(w.begin.Parts) {
			w.reply(Expanded{Worker: w.id, Epoch: epoch, Generated: generated})
			return
		}
		n, ok := w.expandPart(w.begin.Parts[i])
		if !ok {
			// Its candidates are not wanted any more: the attempt is lost.
			w.open = false
			return
		}
		w.expandFrom(epoch, i+1, generated+n)
	})
}

func (w *worker) expandPart(part uint32) (generated int64, ok bool) {
	return w.sim.graph.expand(w.begin.Attempt, &w.past, part, w.sim.read, func(node int, move puzzle.Move) bool {
		return w.sim.deliver(w.epoch, node, move)
	})
}

func (w *worker) write(c Write) {
	if c.Epoch != w.epoch || !w.open {
		return
	}
	if _, is := w.answer.(Written); is {
		w.reply(w.answer)
		return
	}
	if w.sim.fault(60) {
		w.fail(c.Epoch)
		return
	}
	a := w.begin.Attempt
	ev := Written{Worker: w.id, Epoch: c.Epoch}
	for _, p := range w.begin.Parts {
		part := w.sim.graph.deduplicate(a, &w.past, p, w.inbox[p], w.sim.read)
		w.sim.store[runKey{a.Phase, a.Depth, a.Epoch, p}] = w.inbox[p]
		ev.Parts = append(ev.Parts, part)
		ev.Bytes += 3 * part.States
	}
	w.reply(ev)
	if w.sim.fault(60) {
		// As when it finds out later that its disk is full.
		late := Failed{Worker: w.id, Epoch: c.Epoch, Err: errDiskFull}
		w.sim.send(w, func() { w.sim.step(late) })
	}
}
