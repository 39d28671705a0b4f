package sokoban

import (
	"math/bits"

	"github.com/everystate/everystate/puzzle"
)

// state is a decoded key. Successive keys often have the same boxes.
type state struct {
	rank   uint64
	boxes  uint64
	player uint8 // the player's place
}

// load decodes a key, reusing the boxes of the previous key in s if they are the same.
func (n *narrow) load(s *state, key uint64) {
	rank := key / n.cells
	s.player = n.placeOf[(key-rank*n.cells)&63]
	if rank != s.rank || s.boxes == 0 {
		s.rank, s.boxes = rank, n.unrank(rank)
	}
}

// pushes appends the results of pushes, but for those that links prune if there are
// links, and returns how many these are.
func (n *narrow) pushes(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	var s state
	var p past
	for i, key := range states {
		n.load(&s, key)
		free := n.all &^ s.boxes
		walked := n.fill(1<<(s.player&63), free)
		if links != nil {
			p = n.beforePush(walked, free, links[i])
		}
		var from [directions]uint64
		places := uint64(0)
		for d := range directions {
			from[d] = s.boxes & n.shifted(d, walked) & n.shifted(d.opposite(), free)
			places |= from[d]
		}
		for ; places != 0; places &= places - 1 {
			x := uint8(bits.TrailingZeros64(places))
			for d := range directions {
				if bit(from[d], x) == 0 {
					continue
				}
				y := n.next[d][x&63]
				if (n.cellsLost || n.freezes) && n.lostAfter(s.boxes&^(1<<(x&63))|1<<(y&63), y) {
					continue
				}
				region, move := n.regionAfter(walked, free, x, d, y, x), puzzle.Move(n.cellOf[x&63])<<2|puzzle.Move(d)
				if p.known && n.prunesPush(&p, move, x, y, region) {
					pruned++
					continue
				}
				least := n.cellOf[bits.TrailingZeros64(region)&63]
				out.Keys = append(out.Keys, n.rankAfter(s.rank, s.boxes, x, y)*n.cells+uint64(least))
				out.Moves = append(out.Moves, move)
			}
		}
	}
	return pruned
}

// pulls appends the states that pushes lead from, but for those that links prune if
// there are links, and returns how many these are.
func (n *narrow) pulls(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	var s state
	var p past
	for i, key := range states {
		n.load(&s, key)
		if n.freezes && n.frozen(s.boxes) {
			continue
		}
		free := n.all &^ s.boxes
		walked := n.fill(1<<(s.player&63), free)
		if links != nil {
			p = n.beforePull(walked, free, links[i])
		}
		boxes := s.boxes
		if n.cellsLost {
			boxes &^= n.dead
		}
		var to [directions]uint64
		places := uint64(0)
		for d := range directions {
			to[d] = walked & n.shifted(d.opposite(), boxes) & n.shifted(d, free)
			places |= to[d]
		}
		for ; places != 0; places &= places - 1 {
			y := uint8(bits.TrailingZeros64(places))
			for d := range directions {
				if bit(to[d], y) == 0 {
					continue
				}
				x, behind := n.next[d][y&63], n.next[d.opposite()][y&63]
				region, move := n.regionAfter(walked, free, x, d.opposite(), y, behind), puzzle.Move(n.cellOf[y&63])<<2|puzzle.Move(d)
				if p.known && n.prunesPull(&p, move, y, x, behind, region) {
					pruned++
					continue
				}
				least := n.cellOf[bits.TrailingZeros64(region)&63]
				out.Keys = append(out.Keys, n.rankAfter(s.rank, s.boxes, x, y)*n.cells+uint64(least))
				out.Moves = append(out.Moves, move)
			}
		}
	}
	return pruned
}

// steps appends the results of steps, but for those that links prune if there are
// links, and returns how many these are.
func (n *narrow) steps(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	var s state
	for i, key := range states {
		n.load(&s, key)
		free := n.all &^ s.boxes
		for d := range directions {
			to := n.next[d][s.player&63]
			if to == nowhere {
				continue
			}
			rank, move := s.rank, puzzle.Move(d)<<1
			if bit(s.boxes, to) != 0 {
				beyond := n.next[d][to&63]
				if bit(free, beyond) == 0 {
					continue
				}
				if (n.cellsLost || n.freezes) && n.lostAfter(s.boxes&^(1<<(to&63))|1<<(beyond&63), beyond) {
					continue
				}
				rank, move = n.rankAfter(rank, s.boxes, to, beyond), move|1
			}
			if links != nil {
				back := n.next[direction(links[i]>>1).opposite()][s.player&63]
				if prunesStep(links[i], move, bit(free, n.next[d][back&63]) != 0) {
					pruned++
					continue
				}
			}
			out.Keys = append(out.Keys, rank*n.cells+uint64(n.cellOf[to&63]))
			out.Moves = append(out.Moves, move)
		}
	}
	return pruned
}

// backsteps appends the states that steps lead from, but for those that links prune if
// there are links, and returns how many these are.
func (n *narrow) backsteps(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	var s state
	for i, key := range states {
		n.load(&s, key)
		free := n.all &^ s.boxes
		boxes := s.boxes
		if n.cellsLost {
			boxes &^= n.dead
		}
		if n.freezes && n.frozen(s.boxes) {
			boxes = 0
		}
		for d := range directions {
			back := n.next[d.opposite()][s.player&63]
			if bit(free, back) == 0 {
				continue
			}
			playerAt, move := uint64(n.cellOf[back&63]), puzzle.Move(d)<<1
			again := false
			if links != nil {
				before := n.next[direction(links[i]>>1)][s.player&63]
				again = prunesStep(links[i], move, bit(free, n.next[d.opposite()][before&63]) != 0)
			}
			if again {
				pruned++
			} else {
				out.Keys = append(out.Keys, s.rank*n.cells+playerAt)
				out.Moves = append(out.Moves, move)
			}
			if ahead := n.next[d][s.player&63]; bit(boxes, ahead) != 0 {
				out.Keys = append(out.Keys, n.rankAfter(s.rank, s.boxes, ahead, s.player)*n.cells+playerAt)
				out.Moves = append(out.Moves, move|1)
			}
		}
	}
	return pruned
}
