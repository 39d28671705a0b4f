package table

import (
	"cmp"
	"context"
	"math/bits"

	"github.com/everystate/everystate/puzzle"
)

// BeginGoals makes layer 0 from the goals among the states of another table. There may be many:
// they are never listed.
func (s *numbered) BeginGoals(ctx context.Context, among *Table) (Layer, error) {
	var states int64
	clear(s.frontBusy)
	s.eachStretch(ctx, int64(len(s.front)), func(h *scout, first, end int) {
		h.markGoals(among, first, end)
	})
	for _, word := range s.frontBusy {
		states += int64(bits.OnesCount64(word))
	}
	if err := cmp.Or(ctx.Err(), among.Err()); err != nil {
		return Layer{}, err
	}
	return s.beginAtFront(ctx, states*wordBits)
}

// markGoals sets layer 0 in words from first to end: the goals among the states of a table.
func (h *scout) markGoals(among *Table, first, end int) {
	s := h.search
	front := s.front[first:end]
	clear(front)
	marking, marks := s.numbers.(puzzle.GoalNumbering)
	if marks {
		marking.MarkGoals(uint64(first)*wordBits, front)
	}
	for i := range front {
		low, high := among.word(first + i)
		if seen := low | high; marks {
			front[i] &= seen
		} else if seen != 0 {
			front[i] = h.goalsOf(first+i, seen)
		}
		if w := first + i; front[i] != 0 {
			s.frontBusy[w/wordBits] |= 1 << (w % wordBits)
			if !s.replay {
				s.table.mark(w, front[i], codeOf(0))
			}
		}
	}
}

// goalsOf returns the goals among states of a word, which the puzzle is asked for.
func (h *scout) goalsOf(w int, states uint64) (goals uint64) {
	h.numbers = h.numbers[:0]
	for word := states; word != 0; word &= word - 1 {
		h.numbers = append(h.numbers, uint64(w*wordBits+bits.TrailingZeros64(word)))
	}
	h.keys = h.search.numbers.AppendKeys(h.keys[:0], h.numbers)
	h.marks = append(h.marks[:0], make([]bool, len(h.keys))...)
	h.search.table.space.Puzzle.Goals(h.keys, h.marks)
	for i, goal := range h.marks {
		if goal {
			goals |= 1 << (h.numbers[i] % wordBits)
		}
	}
	return goals
}
