package exchange

import (
	"context"
	"sync"
	"sync/atomic"

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/worker"
)

// Roll is how the workers of an attempt agree that all candidates have been sent. The
// last lane of each that finishes tells all other workers. A nil Roll is that of an
// attempt whose workers do not. It is safe for concurrent use.
type Roll struct {
	lanes atomic.Int32  // of this worker, that have not finished
	all   chan struct{} // closed when nobody is missing

	mu      sync.Mutex // guards the fields below
	done    []bool     // by worker
	missing int
}

// NewRoll returns the roll of an attempt with so many workers, without the one whose
// number is self.
func NewRoll(workers, self int) *Roll {
	r := &Roll{all: make(chan struct{}), done: make([]bool, workers), missing: workers}
	r.Done(self)
	return r
}

// Done notes that a worker has sent everything. It may be said more than once.
func (r *Roll) Done(worker int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done[worker] {
		return
	}
	r.done[worker] = true
	if r.missing--; r.missing == 0 {
		close(r.all)
	}
}

// Lanes says how many lanes this worker has in the attempt, before they begin.
func (r *Roll) Lanes(n int) {
	if r != nil {
		r.lanes.Store(int32(n))
	}
}

// Wait waits until all have sent everything.
func (r *Roll) Wait(ctx context.Context) error {
	if r == nil {
		return nil
	}
	select {
	case <-r.all:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Tallies converts tallies by owner to messages. Empty ones are left out.
func Tallies(all []worker.Tally) []*everystatev1.CandidateTally {
	var out []*everystatev1.CandidateTally
	for owner, t := range all {
		if t != (worker.Tally{}) {
			out = append(out, &everystatev1.CandidateTally{Owner: uint32(owner), Candidates: uint64(t.Records), Sum: t.Sum})
		}
	}
	return out
}
