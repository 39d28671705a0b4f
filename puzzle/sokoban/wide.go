package sokoban

import (
	"math/bits"

	"github.com/everystate/everystate/puzzle"
)

// Moves of levels whose sets of cells do not fit a word.

// widePushes appends the results of pushes.
func (g *game) widePushes(states []uint64, out *puzzle.Edges) {
	words := g.words()
	var boxes cellSet
	for ; len(states) > 0; states = states[words:] {
		playerAt, _ := g.decode(states[:words], &boxes)
		walked, _ := g.region(&boxes, playerAt)
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
					if !g.deadlocks.after(&boxes, to) {
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

// widePulls appends the states that pushes lead from.
func (g *game) widePulls(states []uint64, out *puzzle.Edges) {
	words := g.words()
	var boxes cellSet
	for ; len(states) > 0; states = states[words:] {
		playerAt, _ := g.decode(states[:words], &boxes)
		walked, _ := g.region(&boxes, playerAt)
		lowest := lowestOf(&walked)
		for w := range walked {
			for word := walked[w]; word != 0; word &= word - 1 {
				from := w<<6 + bits.TrailingZeros64(word)
				for d := range directions {
					to, behind := int(g.next[d][from]), int(g.next[d.opposite()][from])
					if to < 0 || behind < 0 || !boxes.has(to) || boxes.has(behind) || g.deadlocks.after(&boxes, to) {
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
// player's region unchanged except for x and y; the test is that of
// [narrow.regionAfter]. If it reports false, the region may have changed.
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

// lowest are the two least cells of a region; the second is -1 if there is only one.
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

// after returns the least cell of the region with x added and y removed.
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

// wideSteps appends the results of steps.
func (g *game) wideSteps(states []uint64, out *puzzle.Edges) {
	g.wideEach(states, out, g.step)
}

// wideBacksteps appends the states that steps lead from.
func (g *game) wideBacksteps(states []uint64, out *puzzle.Edges) {
	g.wideEach(states, out, g.backstep)
}

// wideEach appends the results of a function of one step for each state and id.
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
func (g *game) emit(out *puzzle.Edges, boxes *cellSet, playerAt, move int) {
	size := len(out.Keys)
	out.Keys = grow(out.Keys, g.words())
	g.encode(out.Keys[size:], boxes, playerAt)
	out.Moves = append(out.Moves, puzzle.Move(move))
}

// grow appends words of unspecified value.
func grow(keys []uint64, words int) []uint64 {
	var none [puzzle.WordsMax]uint64
	return append(keys, none[:words]...)
}
