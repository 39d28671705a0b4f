package table

import (
	"math/bits"

	"github.com/everystate/everystate/puzzle"
)

// skipsWork bounds the blocks looked at to find moves that commute or stand for others.
const skipsWork = 1 << 26

// skips returns, by action or flip and by link, whether the successors of states with that
// link need not be made: they are not in the layer after, or a lesser move leads there from
// it. See puzzle.Onward.
func (s *Space) skips() [][]bool {
	moves := s.Puzzle.Layout().Moves
	n := len(s.Ranks.Actions)
	if s.flips != nil {
		n = len(s.flips)
	}
	skips := make([][]bool, n)
	for i := range skips {
		skips[i] = make([]bool, moves)
	}
	switch {
	case s.flips != nil:
		for i := range s.flips {
			for link := range min(i, moves) {
				skips[i][link] = independent(&s.flips[i].Ifs, s.flips[link].Bits) && independent(&s.flips[link].Ifs, s.flips[i].Bits)
			}
		}
	case s.numbers == nil && s.folds == nil:
		s.actionSkips(skips)
	}
	return skips
}

// independent reports whether flipping bits changes no condition.
func independent(ifs *[]puzzle.Parity, flipped uint64) bool {
	for _, p := range *ifs {
		if bits.OnesCount64(p.Of&flipped)%2 == 1 {
			return false
		}
	}
	return true
}

// actionSkips sets what need not be made after a move that has one action: the way back,
// and, where all is always possible, what commutes with it or, after it, amounts to one move.
func (s *Space) actionSkips(skips [][]bool) {
	r := s.Ranks
	of, several := make(map[puzzle.Move]int), make(map[puzzle.Move]bool)
	total := make([]bool, len(r.Actions))
	for i := range r.Actions {
		_, known := of[r.Actions[i].Move]
		several[r.Actions[i].Move] = known
		of[r.Actions[i].Move] = i
		total[i] = s.total(i)
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
			if total[then] && (r.Actions[then].Move > move && s.same([]int{first, then}, []int{then, first}) || s.amounts(first, then, total)) {
				skips[then][move] = true
			}
		}
	}
}

// total reports whether an action is always possible.
func (s *Space) total(action int) bool {
	a := &s.Ranks.Actions[action]
	for block, to := range a.Blocks {
		if to < 0 || a.BlockRows != nil && !s.full(a.Row(block)) {
			return false
		}
	}
	return a.BlockRows != nil || s.full(a.OneRow)
}

// full reports whether a row maps every item.
func (s *Space) full(row int) bool {
	for w, domain := range s.domains[row] {
		all := ^uint64(0)
		if w == s.words-1 {
			all = s.lastWord
		}
		if domain != all {
			return false
		}
	}
	return true
}

// amounts reports whether two actions, one after the other, amount to one action or to none.
func (s *Space) amounts(first, then int, total []bool) bool {
	if s.same([]int{first, then}, nil) {
		return true
	}
	for one := range s.Ranks.Actions {
		if total[one] && s.same([]int{first, then}, []int{one}) {
			return true
		}
	}
	return false
}

// same reports whether two sequences of at most two actions that are always possible lead
// every state to the same one.
func (s *Space) same(a, b []int) bool {
	type rows [4]int
	known := make(map[rows]bool)
	for block := range s.Ranks.Blocks {
		toA, rowA := s.follow(block, a)
		toB, rowB := s.follow(block, b)
		if toA != toB {
			return false
		}
		key := rows{rowA[0], rowA[1], rowB[0], rowB[1]}
		if known[key] {
			continue
		}
		for item := range s.Ranks.Size {
			if s.mapped(item, rowA) != s.mapped(item, rowB) {
				return false
			}
		}
		known[key] = true
	}
	return true
}

// follow returns the block that actions lead to from one, and the rows that they apply, or
// -1 for none.
func (s *Space) follow(block int, actions []int) (to int, rows [2]int) {
	rows = [2]int{-1, -1}
	for i, action := range actions {
		a := &s.Ranks.Actions[action]
		rows[i] = a.Row(block)
		block = int(a.Blocks[block])
	}
	return block, rows
}

// mapped returns where rows lead an item.
func (s *Space) mapped(item int, rows [2]int) int {
	for _, row := range rows {
		if row >= 0 {
			item = int(s.Ranks.Rows[row][item])
		}
	}
	return item
}
