package sokoban

import (
	"math/bits"

	"github.com/everystate/everystate/puzzle"
)

// Moves of levels whose sets of cells do not fit a word.

// widePushes is narrow.pushes.
func (g *game) widePushes(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	words := g.words()
	var boxes cellSet
	var p widePast
	for ; len(states) > 0; states = states[words:] {
		playerAt, _ := g.decode(states[:words], &boxes)
		walked, _ := g.region(&boxes, playerAt)
		if links != nil {
			p = g.widePastOf(&boxes, &walked, links[0], false)
			links = links[1:]
		}
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
					switch move := 4*from + int(d); {
					case g.deadlocks.after(&boxes, to):
					case p.known && g.prunesPush(&p, move, from, to, g.walkAfter(&walked, &boxes, from, to, from, same)):
						pruned++
					default:
						least := lowest.after(from, to)
						if !same {
							_, least = g.region(&boxes, from)
						}
						g.emit(out, &boxes, least, move)
					}
					boxes.remove(to)
					boxes.add(from)
				}
			}
		}
	}
	return pruned
}

// widePulls is narrow.pulls.
func (g *game) widePulls(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	words := g.words()
	var boxes cellSet
	var p widePast
	for ; len(states) > 0; states = states[words:] {
		playerAt, _ := g.decode(states[:words], &boxes)
		walked, _ := g.region(&boxes, playerAt)
		if links != nil {
			p = g.widePastOf(&boxes, &walked, links[0], true)
			links = links[1:]
		}
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
					if move := 4*from + int(d); p.known && g.prunesPull(&p, move, from, to, behind, g.walkAfter(&walked, &boxes, to, from, behind, same)) {
						pruned++
					} else {
						least := lowest.after(to, from)
						if !same {
							_, least = g.region(&boxes, behind)
						}
						g.emit(out, &boxes, least, move)
					}
					boxes.remove(from)
					boxes.add(to)
				}
			}
		}
	}
	return pruned
}

// sameRegion reports whether a box that goes from x to y, beside it, leaves the
// player's region unchanged except for x and y; the test is that of
// [narrow.regionAfter]. If it reports false, the region may have changed.
func (l *level) sameRegion(walked, boxes *cellSet, x int, d direction, y int) bool {
	for dir := range l.next {
		if c := int(l.next[dir][x]); c >= 0 && !boxes.has(c) && !walked.has(c) {
			return false
		}
	}
	front := int(l.next[d][y])
	around := front < 0 || boxes.has(front)
	for _, side := range [2]direction{d.lateral(), d.lateral().opposite()} {
		ySide := int(l.next[side][y])
		if ySide < 0 || boxes.has(ySide) {
			continue
		}
		if xSide := int(l.next[side][x]); xSide < 0 || boxes.has(xSide) {
			return false
		}
		if !around {
			corner := int(l.next[side][front])
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

// wideSteps is narrow.steps.
func (g *game) wideSteps(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	return g.wideEach(states, links, out, g.step, false)
}

// wideBacksteps is narrow.backsteps.
func (g *game) wideBacksteps(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	return g.wideEach(states, links, out, g.backstep, true)
}

// wideEach appends the results of a function of one step, made or undone, for each state
// and id.
func (g *game) wideEach(states []uint64, links []puzzle.Move, out *puzzle.Edges, one func(dst, state []uint64, m puzzle.Move) bool, undone bool) (pruned int) {
	words := g.words()
	for i := 0; len(states) > 0; i, states = i+1, states[words:] {
		for m := range 2 * puzzle.Move(directions) {
			size := len(out.Keys)
			out.Keys = grow(out.Keys, words)
			switch {
			case !one(out.Keys[size:], states[:words], m):
				out.Keys = out.Keys[:size]
			case i < len(links) && prunesStep(links[i], m, freeAside(g, states[:words], links[i], m, undone)):
				out.Keys = out.Keys[:size]
				pruned++
			default:
				out.Moves = append(out.Moves, m)
			}
		}
	}
	return pruned
}

// freeAside reports whether the cell beside the player's cell before the link is free,
// in the direction of m.
func freeAside(g *game, state []uint64, link, m puzzle.Move, undone bool) bool {
	var boxes cellSet
	playerAt, _ := g.decode(state, &boxes)
	back, d := direction(link>>1).opposite(), direction(m>>1)
	if undone {
		back, d = back.opposite(), d.opposite()
	}
	aside := g.next[d][g.next[back][playerAt]]
	return aside >= 0 && !boxes.has(int(aside))
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
