package core

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/everystate/everystate/coordinator/history"
)

// link is the path of candidates from one worker to another, or to itself.
type link struct{ from, to history.WorkerID }

// balance is what both ends of a link report as carried.
type balance struct{ sent, took Carried }

// tallies holds what each link carried in an attempt.
type tallies map[link]balance

// imbalancesMax bounds the attempts at a layer whose candidates taken differ from those
// sent: a fault that repeats this often is not an accident.
const imbalancesMax = 3

// A ConservationError reports that candidates were lost, repeated or changed between two
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

// checkCarried returns what is wrong with a worker's report of what it has sent to
// members of the attempt, or taken from them, or nil.
func checkCarried(members []history.WorkerID, w history.WorkerID, all []Carried) error {
	var peers []history.WorkerID
	for _, one := range all {
		if one.Records < 0 || !slices.Contains(members, one.Peer) || slices.Contains(peers, one.Peer) {
			return fmt.Errorf("worker %d reports an impossible exchange with worker %d", w, one.Peer)
		}
		peers = append(peers, one.Peer)
	}
	return nil
}

// note records such a report, which has been checked.
func (t tallies) note(w history.WorkerID, all []Carried, sent bool) {
	for _, one := range all {
		on := link{w, one.Peer}
		if !sent {
			on = link{one.Peer, w}
		}
		b := t[on]
		if sent {
			b.sent = one
		} else {
			b.took = one
		}
		t[on] = b
	}
}

// imbalance returns the first link, in the order of worker ids, whose candidates taken
// differ from those sent, or nil.
func (t tallies) imbalance() *ConservationError {
	var found []link
	for on, b := range t {
		if b.sent.Records != b.took.Records || b.sent.Sum != b.took.Sum {
			found = append(found, on)
		}
	}
	if len(found) == 0 {
		return nil
	}
	on := slices.MinFunc(found, func(a, b link) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	return &ConservationError{From: on.from, To: on.to, Sent: t[on].sent, Took: t[on].took}
}

// unbalanced gives the attempt up: a layer from which a candidate may be missing is
// never committed.
func (c *Core) unbalanced(err *ConservationError) []Effect {
	effects := append(c.abandon(), Unbalanced{err})
	if c.imbalances++; c.imbalances == imbalancesMax {
		c.imbalances = 0
		return append(effects, c.stop(history.CannotGoOn, err)...)
	}
	return append(effects, c.next()...)
}
