package query

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/puzzle"
)

// NumberedStatesMax is the most states that can be numbered. In a narrow puzzle they
// take 12 bytes each, 768 MiB.
const NumberedStatesMax = 1 << 26

// TooManyToNumberError reports a space with too many states to number.
type TooManyToNumberError struct{ States int64 }

func (e *TooManyToNumberError) Error() string {
	return fmt.Sprintf("%d states: numbers are kept in memory, and there are at most %d", e.States, NumberedStatesMax)
}

// Numbers holds the number of every state: its row in Table, from 0.
type Numbers struct {
	words int
	keys  []uint64 // by number
	order []uint32 // numbers by key
}

// Numbers numbers the states.
func (s *Space) Numbers(ctx context.Context) (*Numbers, error) {
	states := s.History.States(history.Forward)
	if states > NumberedStatesMax {
		return nil, &TooManyToNumberError{states}
	}
	n := &Numbers{words: s.Scheme.Words()}
	n.keys = make([]uint64, 0, states*int64(n.words))
	for _, layer := range s.History.Layers(history.Forward) {
		err := s.eachState(ctx, layer, func(key []uint64, _ puzzle.Move) error {
			n.keys = append(n.keys, key...)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	n.order = make([]uint32, n.Len())
	for i := range n.order {
		n.order[i] = uint32(i) // at most NumberedStatesMax
	}
	slices.SortFunc(n.order, func(a, b uint32) int { return slices.Compare(n.Key(int(a)), n.Key(int(b))) })
	return n, nil
}

// Len returns how many states there are.
func (n *Numbers) Len() int { return len(n.keys) / n.words }

// Key returns the key of a state.
func (n *Numbers) Key(i int) []uint64 { return n.keys[i*n.words : (i+1)*n.words] }

// Of returns the number of a state, and whether it has one.
func (n *Numbers) Of(key []uint64) (int, bool) {
	i, ok := sort.Find(len(n.order), func(i int) int { return slices.Compare(key, n.Key(int(n.order[i]))) })
	if !ok {
		return 0, false
	}
	return int(n.order[i]), true
}
