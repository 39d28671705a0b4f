package sokoban

import (
	"math/bits"

	"github.com/everystate/everystate/puzzle"
)

// The moves of levels whose sets of cells are more than a word.

// widePushes appends what pushes lead to.
func (g *game) widePushes(states []uint64, out *puzzle.Edges) {
	words := g.words()
	var boxes cellSet
	for ; len(states) > 0; states = states[words:] {
		man, _ := g.decode(states[:words], &boxes)
		walked, _ := g.region(&boxes, man)
		lowest := lowestOf(&walked)
		for w := range boxes {
			for word := boxes[w]; word != 0; word &= word - 1 {
				from := w<<6 + bits.TrailingZeros64(word)
				for d := range directions {
					to, behind := int(g.next[d][from]), int(g.next[d.opposite()][from])
					if to < 0 || behind < 0 || !walked.has(behind) || boxes.has(to) {
						continue
					}
					same := g.sameRegion(&walked, &boxes, from, d, to)
					boxes.remove(from)
					boxes.add(to)
					if !g.lost.after(&boxes, to) {
						least := lowest.after(from, to)
						if !same {
							_, least = g.region(&boxes, from)
						}
						g.emit(out, &boxes, least, 4*from+int(d))
					}
					boxes.remove(to)
					boxes.add(from)
				}
			}
		}
	}
}

// widePulls appends what pushes lead from.
func (g *game) widePulls(states []uint64, out *puzzle.Edges) {
	words := g.words()
	var boxes cellSet
	for ; len(states) > 0; states = states[words:] {
		man, _ := g.decode(states[:words], &boxes)
		walked, _ := g.region(&boxes, man)
		lowest := lowestOf(&walked)
		for w := range walked {
			for word := walked[w]; word != 0; word &= word - 1 {
				from := w<<6 + bits.TrailingZeros64(word)
				for d := range directions {
					to, behind := int(g.next[d][from]), int(g.next[d.opposite()][from])
					if to < 0 || behind < 0 || !boxes.has(to) || boxes.has(behind) || g.lost.after(&boxes, to) {
						continue
					}
					same := g.sameRegion(&walked, &boxes, to, d.opposite(), from)
					boxes.remove(to)
					boxes.add(from)
					least := lowest.after(to, from)
					if !same {
						_, least = g.region(&boxes, behind)
					}
					g.emit(out, &boxes, least, 4*from+int(d))
					boxes.remove(from)
					boxes.add(to)
				}
			}
		}
	}
}

// sameRegion reports whether a box that goes from x to y, beside it, leaves the
// region that the player can walk in as it is, but for x and y themselves:
// [narrow.regionAfter] says how that is seen. If not, the region may be another.
func (g *game) sameRegion(walked, boxes *cellSet, x int, d direction, y int) bool {
	for dir := range g.next {
		if c := int(g.next[dir][x]); c >= 0 && !boxes.has(c) && !walked.has(c) {
			return false
		}
	}
	front := int(g.next[d][y])
	around := front < 0 || boxes.has(front)
	for _, side := range [2]direction{d.lateral(), d.lateral().opposite()} {
		ySide := int(g.next[side][y])
		if ySide < 0 || boxes.has(ySide) {
			continue
		}
		if xSide := int(g.next[side][x]); xSide < 0 || boxes.has(xSide) {
			return false
		}
		if !around {
			corner := int(g.next[side][front])
			around = corner >= 0 && !boxes.has(corner)
		}
	}
	return around
}

// lowest are the two least cells of a region, the second -1 if there is one.
type lowest [2]int

func lowestOf(set *cellSet) lowest {
	found, n := lowest{-1, -1}, 0
	for w := range set {
		for word := set[w]; word != 0; word &= word - 1 {
			found[n] = w<<6 + bits.TrailingZeros64(word)
			if n++; n == len(found) {
				return found
			}
		}
	}
	return found
}

// after returns the least cell with x in the region and without y.
func (l lowest) after(x, y int) int {
	least := l[0]
	if least == y {
		least = l[1]
	}
	if least < 0 {
		return x
	}
	return min(least, x)
}

// wideSteps appends what steps lead to.
func (g *game) wideSteps(states []uint64, out *puzzle.Edges) {
	g.wideEach(states, out, g.step)
}

// wideBacksteps appends what steps lead from.
func (g *game) wideBacksteps(states []uint64, out *puzzle.Edges) {
	g.wideEach(states, out, g.backstep)
}

// wideEach appends what a function of one step gives for each state and id.
func (g *game) wideEach(states []uint64, out *puzzle.Edges, one func(dst, state []uint64, m puzzle.Move) bool) {
	words := g.words()
	for ; len(states) > 0; states = states[words:] {
		for m := range 2 * puzzle.Move(directions) {
			size := len(out.Keys)
			out.Keys = grow(out.Keys, words)
			if one(out.Keys[size:], states[:words], m) {
				out.Moves = append(out.Moves, m)
			} else {
				out.Keys = out.Keys[:size]
			}
		}
	}
}

// emit appends an edge.
func (g *game) emit(out *puzzle.Edges, boxes *cellSet, man, move int) {
	size := len(out.Keys)
	out.Keys = grow(out.Keys, g.words())
	g.encode(out.Keys[size:], boxes, man)
	out.Moves = append(out.Moves, puzzle.Move(move))
}

// grow appends words whose values do not matter.
func grow(keys []uint64, words int) []uint64 {
	var none [puzzle.WordsMax]uint64
	return append(keys, none[:words]...)
}
