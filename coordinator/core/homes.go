package core

import (
	"errors"
	"slices"

	"github.com/everystate/everystate/coordinator/history"
)

var (
	errNotRewinding = errors.New("nothing to forget")
	errNotRetrying  = errors.New("nothing was to be tried again")
)

// eligible returns the workers that may have partitions: those that are present, do not want
// to leave, and can keep them as the run does.
func (c *Core) eligible() []weighted {
	var out []weighted
	for _, w := range c.workers {
		if !c.leaving[w] && (!c.oneTable || c.able[w].TableBytes > 0) {
			out = append(out, weighted{w, c.weights[w]})
		}
	}
	return out
}

// settle brings each partition to where it should be. It reports done if all are there, or
// if workers get them ahead while the run goes on; otherwise it returns the effects that
// bring them there, if anything can be done now.
func (c *Core) settle(goesOn bool) (effects []Effect, done bool) {
	homes := homesOf(&c.history, c.partitions)
	absent := c.absent(homes)
	if len(absent) > 0 {
		expected := slices.ContainsFunc(absent, func(w history.WorkerID) bool { return w != history.NoWorker && !c.gone[w] })
		switch {
		case !expected && (c.oneTable || restorable(&c.history, c.backup)):
		case !expected && c.backup != nil && c.backup.Stuck:
			return []Effect{forget(c, Rewind{})}, false
		default:
			return []Effect{Wait{For: absent}}, false
		}
	}
	if len(absent) == 0 && len(c.lacking) > 0 && !c.history.Empty() && len(c.eligible()) > 0 {
		return endAhead(c), true // until everybody has what it keeps, none of it moves
	}
	workers := sharers(c, homes)
	if len(workers) == 0 {
		return []Effect{Wait{For: absent}}, false
	}
	target := rebalance(homes, workers)
	if c.history.Placement() != nil && slices.Equal(target, homes) {
		return endAhead(c), true
	}
	if goesOn && len(absent) == 0 && !c.oneTable {
		if effects, goesOn = fetchAhead(c, homes, target); goesOn {
			return effects, true
		}
	}
	if !c.history.Empty() && c.backup != nil && !restorable(&c.history, c.backup) && !c.backup.Stuck {
		// A worker that has given its partitions away no longer uploads them.
		return append(effects, Wait{Backup: true}), false
	}
	c.target = target
	c.epoch++
	if c.history.Empty() {
		c.stage = placing
		return append(effects, CommitPlacement{Homes: target}), false
	}
	return append(effects, c.move(homes)...), false
}

// homesOf returns the worker that keeps each partition, NoWorker where there is
// none.
func homesOf(h *history.History, partitions int) []history.WorkerID {
	if place := h.Placement(); place != nil {
		return place.Homes
	}
	return slices.Repeat([]history.WorkerID{history.NoWorker}, partitions)
}

// absent returns the workers that keep partitions but are not there. It returns none as
// long as nothing has been committed.
func (c *Core) absent(homes []history.WorkerID) []history.WorkerID {
	if c.history.Empty() {
		return nil
	}
	var absent []history.WorkerID
	for _, h := range slices.Compact(slices.Sorted(slices.Values(homes))) {
		if !c.present(h) {
			absent = append(absent, h)
		}
	}
	return absent
}

// restorable reports whether all layers can be restored from the copy.
func restorable(h *history.History, copied *Durable) bool {
	return copied != nil && copied.Forward >= len(h.Layers(history.Forward)) && copied.Goal >= len(h.Layers(history.Goal))
}

// move lets every worker fetch the partitions that it is to keep and does not have. The
// members of the attempt are the workers that fetch and those they fetch from.
func (c *Core) move(homes []history.WorkerID) []Effect {
	holds := make(map[history.WorkerID]*Hold)
	first := firstRead(c, homes)
	c.members, c.partly = nil, nil
	for p, to := range c.target {
		from := homes[p]
		if from == to && !slices.Contains(c.mending, to) {
			continue
		}
		if from == to || !c.present(from) {
			from = history.NoWorker
		} else {
			c.members = append(c.members, from)
		}
		h := holds[to]
		if h == nil {
			h = &Hold{Worker: to, Epoch: c.epoch, Whole: slices.Contains(c.mending, to)}
			holds[to] = h
			c.members = append(c.members, to)
		}
		if h.First == nil && first != nil && !c.present(homes[p]) {
			h.First = first
			c.partly = append(c.partly, to)
		}
		h.Parts = append(h.Parts, uint32(p))
		h.From = append(h.From, from)
	}
	slices.Sort(c.members)
	c.members = slices.Compact(c.members)
	c.attempt = Attempt{Epoch: c.epoch}
	c.stage = moving
	var effects []Effect
	for _, w := range c.members {
		if h := holds[w]; h != nil {
			c.waiting[w] = true
			effects = append(effects, *h)
		}
	}
	return effects
}

func (c *Core) allHeld() []Effect {
	if len(c.mending) > 0 {
		return healed(c)
	}
	c.stage = placing
	return []Effect{CommitPlacement{Homes: c.target}}
}

// leaveOut leaves a worker out if others can restore its partitions.
func leaveOut(c *Core, ev Unreachable) []Effect {
	others := slices.DeleteFunc(c.eligible(), func(w weighted) bool { return w.id == ev.Worker })
	if !c.present(ev.Worker) || c.recording() || c.stage == stopped || len(others) == 0 || !c.oneTable && !restorable(&c.history, c.backup) {
		return nil
	}
	effects, _ := c.lost(Lost(ev)) // it never fails
	return append([]Effect{LeaveOut(ev)}, effects...)
}

// placed adopts the new homes.
func (c *Core) placed() ([]Effect, error) {
	c.history.SetHomes(c.target)
	nowLack(c)
	c.edges = 0
	c.target, c.retry.failures = nil, 0
	var effects []Effect
	if len(c.members) > 0 {
		effects = c.end(true)
	}
	c.stage = idle
	return append(effects, c.next()...), nil
}

// forget has layers forgotten.
func forget(c *Core, what Rewind) Effect {
	c.stage, c.forgotten, c.edges = rewinding, what, 0
	return what
}

// durable notes how much can be restored. A driver that could not forget layers, as the
// log was being written, is asked again.
func (c *Core) durable(ev Durable) []Effect {
	c.backup = &ev
	if c.stage == rewinding {
		return []Effect{c.forgotten}
	}
	return c.next()
}

// rewound continues with what is left.
func (c *Core) rewound(ev Rewound) ([]Effect, error) {
	if c.stage != rewinding {
		return nil, errNotRewinding
	}
	effects := endAhead(c)
	c.history, c.edges = ev.History, 0
	for w := range c.lacking {
		tellAgain(c, w)
	}
	c.epoch = max(c.epoch, c.history.LastEpoch()) // a session may have begun with it
	if c.backup != nil {
		c.backup = &Durable{Forward: len(c.history.Layers(history.Forward)), Goal: len(c.history.Layers(history.Goal))}
	}
	c.stage = idle
	return append(effects, c.next()...), nil
}
