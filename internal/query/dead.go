package query

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/puzzle"
)

// ErrNoDead reports that a goal can be reached from every state.
var ErrNoDead = errors.New("a goal can be reached from every state")

// DeadStates returns the number of dead states, from which no goal can be reached.
func (s *Space) DeadStates() int64 {
	return s.History.States(history.Forward) - s.History.States(s.DistancePhase())
}

// dead is a dead state.
type dead struct {
	depth uint32
	text  string
	key   []uint64
	last  uint32 // the depth of the last row read
}

// FirstDead returns the dead state nearest to the start, among equals the first by
// its text. On a shortest path to it, the last move is the fatal one, unless the
// state is a start. It returns ErrNoDead if there is none.
func (s *Space) FirstDead(ctx context.Context, opts TableOptions) ([]uint64, error) {
	if !s.HasDistances() {
		return nil, ErrNoDistances
	}
	if s.DeadStates() == 0 {
		return nil, ErrNoDead
	}
	compare := strings.Compare
	if ordered, ok := s.Board.Puzzle.(puzzle.Ordered); ok {
		compare = ordered.Compare
	}
	better := func(a, b *dead) bool {
		return a.key != nil && (b.key == nil || a.depth < b.depth || a.depth == b.depth && compare(a.text, b.text) < 0)
	}
	var first dead
	found := errors.New("found")
	err := Table(ctx, s, opts, func(_ dead, b *Batch) (best dead, err error) {
		for i, distance := range b.GoalDistances {
			if distance >= 0 || best.key != nil && b.Depths[i] > best.depth {
				continue
			}
			this := dead{depth: b.Depths[i], text: s.Board.Puzzle.Format(b.Key(i)), key: b.Key(i)}
			if better(&this, &best) {
				best = this
				best.key = slices.Clone(best.key)
			}
		}
		best.last = b.Depths[b.Len()-1]
		return best, nil
	}, func(batch dead) error {
		if better(&batch, &first) {
			first = batch
		}
		if first.key != nil && batch.last > first.depth {
			return found
		}
		return nil
	})
	if err != nil && !errors.Is(err, found) {
		return nil, err
	}
	return first.key, s.puzzleErrOr(nil)
}
