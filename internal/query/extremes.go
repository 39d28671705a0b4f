package query

import (
	"container/heap"
	"context"
	"slices"
	"strings"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/puzzle"
)

// Hardest holds the states farthest from their nearest goal.
type Hardest struct {
	Distance int
	Count    int64 // how many states are that far
	// Represented is how many states they stand for if symmetric states are merged, else 0.
	Represented int64
	States      [][]uint64 // some of them, in the order of their texts
}

// Hardest returns the first n, by their texts, of the states farthest from their
// nearest goal. It returns ErrNoGoal if the space has no goal.
func (s *Space) Hardest(ctx context.Context, n int) (Hardest, error) {
	if !s.HasDistances() {
		return Hardest{}, ErrNoDistances
	}
	layers := s.distanceLayers()
	if len(layers) == 0 {
		return Hardest{}, ErrNoGoal
	}
	last := layers[len(layers)-1]
	h := Hardest{Distance: int(last.Depth), Count: last.States}
	var weigh func(key []uint64) bool
	if weighted, ok := s.Board.Puzzle.(puzzle.Weighted); ok {
		weigh = func(key []uint64) bool {
			var weight [1]uint64
			weighted.Weights(key, weight[:])
			h.Represented += int64(weight[0])
			return true
		}
	}
	var err error
	h.States, err = s.firstByText(ctx, last, n, weigh)
	return h, err
}

// KnowsHardest reports whether a summary reads the hardest states for an example. It does
// not if there are very many, and goal distances are known without having been asked for.
func KnowsHardest(s *Space) bool {
	const readMax = 1 << 16 // what a table keeps beside it
	layers := s.distanceLayers()
	return s.DistancePhase() == history.Goal || puzzle.IsRetrograde(s.Board.Puzzle) || layers[len(layers)-1].States <= readMax
}

// Deepest returns the state at the greatest depth, the first by its text.
func (s *Space) Deepest(ctx context.Context) ([]uint64, error) {
	layers := s.History.Layers(history.Forward)
	if len(layers) == 0 {
		return nil, ErrUnreachable
	}
	states, err := s.firstByText(ctx, layers[len(layers)-1], 1, nil)
	if err != nil {
		return nil, err
	}
	return states[0], nil
}

// FirstGoal returns the goal state at the least depth, the first by its text.
func (s *Space) FirstGoal(ctx context.Context) ([]uint64, error) {
	depth := s.History.FirstGoal()
	if depth < 0 {
		return nil, ErrNoGoal
	}
	states, err := goalsOf(ctx, s, s.History.Layers(history.Forward)[depth], 0, 1, true)
	if err != nil {
		return nil, err
	}
	return states[0], nil
}

// firstByText returns the n states of a layer whose texts sort first, among those
// that keep accepts; keep may be nil. Texts are in byte order, or in the puzzle's
// own.
func (s *Space) firstByText(ctx context.Context, layer history.Layer, n int, keep func(key []uint64) bool) ([][]uint64, error) {
	best := newTextHeap(s, n)
	err := s.eachState(ctx, layer, func(key []uint64, _ puzzle.Move) error {
		if err := s.puzzleErrOr(nil); err != nil {
			return err
		}
		if keep == nil || keep(key) {
			best.offer(key)
		}
		return nil
	})
	return best.sorted(), err
}

type named struct {
	text string
	key  []uint64
}

// textHeap keeps the states whose texts sort first, with the text that sorts last on top.
type textHeap struct {
	list    []named
	compare func(a, b string) int
	format  func(key []uint64) string
	most    int // as many states
}

func newTextHeap(s *Space, most int) *textHeap {
	h := &textHeap{compare: strings.Compare, format: s.Board.Puzzle.Format, most: most}
	if ordered, ok := s.Board.Puzzle.(puzzle.Ordered); ok {
		h.compare = ordered.Compare
	}
	return h
}

// offer takes a state if it is among the first so far.
func (h *textHeap) offer(key []uint64) {
	text := h.format(key)
	switch {
	case h.Len() < h.most:
		heap.Push(h, named{text, slices.Clone(key)})
	case h.most > 0 && h.compare(text, h.list[0].text) < 0:
		h.list[0] = named{text, slices.Clone(key)}
		heap.Fix(h, 0)
	}
}

// sorted returns the states in the order of their texts, and empties the heap.
func (h *textHeap) sorted() [][]uint64 {
	slices.SortFunc(h.list, func(a, b named) int { return h.compare(a.text, b.text) })
	states := make([][]uint64, h.Len())
	for i, e := range h.list {
		states[i] = e.key
	}
	h.list = nil
	return states
}

func (h *textHeap) Len() int           { return len(h.list) }
func (h *textHeap) Less(i, j int) bool { return h.compare(h.list[i].text, h.list[j].text) > 0 }
func (h *textHeap) Swap(i, j int)      { h.list[i], h.list[j] = h.list[j], h.list[i] }
func (h *textHeap) Push(x any)         { h.list = append(h.list, x.(named)) } //nolint:errcheck // the heap holds nothing else
func (h *textHeap) Pop() any {
	last := h.list[h.Len()-1]
	h.list = h.list[:h.Len()-1]
	return last
}
