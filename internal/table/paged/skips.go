package paged

import (
	"math/bits"
	"slices"

	"github.com/everystate/everystate/internal/table"
	"github.com/everystate/everystate/puzzle"
)

// skipsWork bounds the blocks looked at to find moves that commute or stand for others.
const skipsWork = 1 << 26

// skipsOf returns, by action or flip and by link, whether the successors of states with that
// link need not be made: they are not in the layer after, or a lesser move leads there from
// it. See puzzle.Onward.
func skipsOf(space *table.Space) [][]bool {
	moves, flips := space.Puzzle.Layout().Moves, space.Flips()
	n := max(len(space.Ranks.Actions), len(flips))
	skips := make([][]bool, n)
	for i := range skips {
		skips[i] = make([]bool, moves)
	}
	switch {
	case flips != nil:
		for i := range flips {
			for link := range min(i, moves) {
				skips[i][link] = independent(flips[i].Ifs, flips[link].Bits) && independent(flips[link].Ifs, flips[i].Bits)
			}
		}
	case space.Numbers() == nil && space.Ranks.Fold == nil:
		actions{space.Ranks}.skips(skips)
	}
	return skips
}

// independent reports whether flipping bits changes no condition.
func independent(ifs []puzzle.Parity, flipped uint64) bool {
	for _, p := range ifs {
		if bits.OnesCount64(p.Of&flipped)%2 == 1 {
			return false
		}
	}
	return true
}

// actions are the moves of a space with ranks.
type actions struct{ *puzzle.Ranks }

// skips sets what need not be made after a move that has one action: the way back,
// and, where all is always possible, what commutes with it or, after it, amounts to one move.
func (r actions) skips(skips [][]bool) {
	of, several := make(map[puzzle.Move]int), make(map[puzzle.Move]bool)
	total := make([]bool, len(r.Actions))
	for i := range r.Actions {
		_, known := of[r.Actions[i].Move]
		several[r.Actions[i].Move] = known
		of[r.Actions[i].Move] = i
		total[i] = r.total(i)
	}
	few := len(r.Actions)*len(r.Actions)*r.Blocks <= skipsWork
	for move, first := range of {
		if several[move] {
			continue
		}
		skips[r.Actions[first].Inverse][move] = true
		if !few || !total[first] {
			continue
		}
		for then := range r.Actions {
			if total[then] && (r.Actions[then].Move > move && r.same([]int{first, then}, []int{then, first}) || r.amounts(first, then, total)) {
				skips[then][move] = true
			}
		}
	}
}

// total reports whether an action is always possible.
func (r actions) total(action int) bool {
	a := &r.Actions[action]
	for block, to := range a.Blocks {
		if to < 0 || a.BlockRows != nil && !r.full(a.Row(block)) {
			return false
		}
	}
	return a.BlockRows != nil || r.full(a.OneRow)
}

// full reports whether a row maps every item.
func (r actions) full(row int) bool {
	return !slices.Contains(r.Rows[row], puzzle.NoItem)
}

// amounts reports whether two actions, one after the other, amount to one action or to none.
func (r actions) amounts(first, then int, total []bool) bool {
	if r.same([]int{first, then}, nil) {
		return true
	}
	for one := range r.Actions {
		if total[one] && r.same([]int{first, then}, []int{one}) {
			return true
		}
	}
	return false
}

// same reports whether two sequences of at most two actions that are always possible lead
// every state to the same one.
func (r actions) same(a, b []int) bool {
	type rows [4]int
	known := make(map[rows]bool)
	for block := range r.Blocks {
		toA, rowA := r.follow(block, a)
		toB, rowB := r.follow(block, b)
		if toA != toB {
			return false
		}
		key := rows{rowA[0], rowA[1], rowB[0], rowB[1]}
		if known[key] {
			continue
		}
		for item := range r.Size {
			if r.mapped(item, rowA) != r.mapped(item, rowB) {
				return false
			}
		}
		known[key] = true
	}
	return true
}

// follow returns the block that actions lead to from one, and the rows that they apply, or
// -1 for none.
func (r actions) follow(block int, actions []int) (to int, rows [2]int) {
	rows = [2]int{-1, -1}
	for i, action := range actions {
		a := &r.Actions[action]
		rows[i] = a.Row(block)
		block = int(a.Blocks[block])
	}
	return block, rows
}

// mapped returns where rows lead an item.
func (r actions) mapped(item int, rows [2]int) int {
	for _, row := range rows {
		if row >= 0 {
			item = int(r.Rows[row][item])
		}
	}
	return item
}
