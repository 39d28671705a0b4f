package sokoban

import "github.com/everystate/everystate/puzzle"

// Single moves, for levels of any size.

// pushOf decodes a move of push or backward-push.
func (l *level) pushOf(m puzzle.Move) (from, to, behind int, ok bool) {
	from, dir := int(m>>2), direction(m&3)
	if from >= len(l.places) {
		return 0, 0, 0, false
	}
	to, behind = int(l.next[dir][from]), int(l.next[dir.opposite()][from])
	return from, to, behind, to >= 0 && behind >= 0
}

// push pushes a box.
func (g *game) push(dst, state []uint64, m puzzle.Move) bool {
	from, to, behind, ok := g.pushOf(m)
	if !ok {
		return false
	}
	var boxes cellSet
	playerAt, _ := g.decode(state, &boxes)
	if !boxes.has(from) || boxes.has(to) || boxes.has(behind) {
		return false
	}
	if walked, _ := g.region(&boxes, playerAt); !walked.has(behind) {
		return false
	}
	boxes.remove(from)
	boxes.add(to)
	if g.deadlocks.after(&boxes, to) {
		return false
	}
	_, least := g.region(&boxes, from)
	g.encode(dst, &boxes, least)
	return true
}

// pull undoes a push.
func (g *game) pull(dst, state []uint64, m puzzle.Move) bool {
	from, to, behind, ok := g.pushOf(m)
	if !ok {
		return false
	}
	var boxes cellSet
	playerAt, _ := g.decode(state, &boxes)
	if !boxes.has(to) || boxes.has(from) || boxes.has(behind) {
		return false
	}
	if walked, _ := g.region(&boxes, playerAt); !walked.has(from) {
		return false
	}
	if g.deadlocks.after(&boxes, to) {
		return false
	}
	boxes.remove(to)
	boxes.add(from)
	_, least := g.region(&boxes, behind)
	g.encode(dst, &boxes, least)
	return true
}

// step moves the player.
func (g *game) step(dst, state []uint64, m puzzle.Move) bool {
	if m >= 2*puzzle.Move(directions) {
		return false
	}
	dir, pushing := direction(m>>1), m&1 != 0
	var boxes cellSet
	playerAt, _ := g.decode(state, &boxes)
	to := int(g.next[dir][playerAt])
	if to < 0 || boxes.has(to) != pushing {
		return false
	}
	if pushing {
		beyond := int(g.next[dir][to])
		if beyond < 0 || boxes.has(beyond) {
			return false
		}
		boxes.remove(to)
		boxes.add(beyond)
		if g.deadlocks.after(&boxes, beyond) {
			return false
		}
	}
	g.encode(dst, &boxes, to)
	return true
}

// backstep undoes a step.
func (g *game) backstep(dst, state []uint64, m puzzle.Move) bool {
	if m >= 2*puzzle.Move(directions) {
		return false
	}
	dir, pushed := direction(m>>1), m&1 != 0
	var boxes cellSet
	playerAt, _ := g.decode(state, &boxes)
	back := int(g.next[dir.opposite()][playerAt])
	if back < 0 || boxes.has(back) {
		return false
	}
	if pushed {
		ahead := int(g.next[dir][playerAt])
		if ahead < 0 || !boxes.has(ahead) || g.deadlocks.after(&boxes, ahead) {
			return false
		}
		boxes.remove(ahead)
		boxes.add(playerAt)
	}
	g.encode(dst, &boxes, back)
	return true
}
