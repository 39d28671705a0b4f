package sokoban

import "math/bits"

// deadlocks detects some of the states that cannot be solved, and never a solvable one.
type deadlocks struct {
	next    [directions][]int16
	targets *cellSet
	// dead are the cells from which a single box can reach no target, wherever the
	// player can walk.
	dead    cellSet
	cells   bool // report boxes pushed onto dead cells
	freezes bool // report boxes off targets that can never move again
}

func newDeadlocks(l *level, p prune) *deadlocks {
	return &deadlocks{
		next: l.next, targets: &l.targets, dead: l.deadCells(),
		cells: p&pruneDead != 0, freezes: p&pruneFreeze != 0,
	}
}

// deadCells pulls a box from every target over the empty level; the cells it does not
// reach are dead.
func (l *level) deadCells() cellSet {
	var live, dead cellSet
	var queue []int
	for c := range l.places {
		if l.targets.has(c) {
			live.add(c)
			queue = append(queue, c)
		}
	}
	for len(queue) > 0 {
		c := queue[0]
		queue = queue[1:]
		for d := range l.next {
			to := int(l.next[d][c])
			if to >= 0 && l.next[d][to] >= 0 && !live.has(to) {
				live.add(to)
				queue = append(queue, to)
			}
		}
	}
	for c := range l.places {
		if !live.has(c) {
			dead.add(c)
		}
	}
	return dead
}

// after reports whether a state is known to be unsolvable after a box was pushed to a
// cell.
func (k *deadlocks) after(boxes *cellSet, to int) bool {
	if k == nil {
		return false
	}
	return k.cells && k.dead.has(to) || k.freezes && k.frozen(boxes)
}

// frozen reports whether a box off the targets can never move again. It assumes that
// all boxes are frozen and repeatedly releases those that can move even so. Of the
// rest, the first to move would need another of them to have moved before, or would
// come to a dead cell.
func (k *deadlocks) frozen(boxes *cellSet) bool {
	frozen := *boxes
	for again := true; again; {
		again = false
		for w := range frozen {
			for word := frozen[w]; word != 0; word &= word - 1 {
				c := w<<6 + bits.TrailingZeros64(word)
				if k.free(&frozen, c, up) || k.free(&frozen, c, left) {
					frozen.remove(c)
					again = true
				}
			}
		}
	}
	for w := range frozen {
		if frozen[w]&^k.targets[w] != 0 {
			return true
		}
	}
	return false
}

// free reports whether a box may ever move along an axis.
func (k *deadlocks) free(frozen *cellSet, c int, d direction) bool {
	a, b := int(k.next[d][c]), int(k.next[d.opposite()][c])
	return a >= 0 && b >= 0 && !frozen.has(a) && !frozen.has(b) && !(k.dead.has(a) && k.dead.has(b))
}
