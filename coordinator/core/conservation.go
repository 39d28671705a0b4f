package core

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/everystate/everystate/coordinator/history"
)

// link is the way of candidates from a worker to another, or to itself.
type link struct{ from, to history.WorkerID }

// balance is what both ends of a link say was carried.
type balance struct{ sent, took Carried }

// imbalancesMax is how many attempts at a layer are made in which what was taken is
// not what was sent: what happens as often is not an accident.
const imbalancesMax = 3

// A ConservationError says that candidates were lost, repeated or changed between two
// workers.
type ConservationError struct {
	From, To   history.WorkerID
	Sent, Took Carried
}

func (e *ConservationError) Error() string {
	return e.Say(fmt.Sprintf("worker %d", e.From), fmt.Sprintf("worker %d", e.To))
}

// Say is Error with the workers' names.
func (e *ConservationError) Say(from, to string) string {
	return fmt.Sprintf("candidates were lost or duplicated: %s sent %d to %s (sum %016x), which received %d (sum %016x)",
		from, e.Sent.Records, to, e.Sent.Sum, e.Took.Records, e.Took.Sum)
}

// note notes what a worker has sent or taken. An error says that it cannot be that.
func (c *Core) note(w history.WorkerID, all []Carried, sent bool) error {
	var peers []history.WorkerID
	for _, one := range all {
		if one.Records < 0 || !slices.Contains(c.members, one.Peer) || slices.Contains(peers, one.Peer) {
			return fmt.Errorf("worker %d reports an impossible exchange with worker %d", w, one.Peer)
		}
		peers = append(peers, one.Peer)
	}
	for _, one := range all {
		on := link{w, one.Peer}
		if !sent {
			on = link{one.Peer, w}
		}
		b := c.carried[on]
		if sent {
			b.sent = one
		} else {
			b.took = one
		}
		c.carried[on] = b
	}
	return nil
}

// imbalance returns where what was taken is not what was sent, the first by number, or
// nil.
func (c *Core) imbalance() *ConservationError {
	var found []link
	for on, b := range c.carried {
		if b.sent.Records != b.took.Records || b.sent.Sum != b.took.Sum {
			found = append(found, on)
		}
	}
	if len(found) == 0 {
		return nil
	}
	on := slices.MinFunc(found, func(a, b link) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	return &ConservationError{From: on.from, To: on.to, Sent: c.carried[on].sent, Took: c.carried[on].took}
}

// unbalanced gives the attempt up: a layer is never committed of which a candidate may
// be missing.
func (c *Core) unbalanced(err *ConservationError) []Effect {
	effects := append(c.abandon(), Unbalanced{err})
	if c.imbalances++; c.imbalances == imbalancesMax {
		c.imbalances = 0
		return append(effects, c.stop(history.CannotGoOn, err)...)
	}
	return append(effects, c.next()...)
}
