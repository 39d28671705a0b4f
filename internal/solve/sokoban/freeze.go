package sokoban

// freezes reports whether the box just pushed to a cell, and the boxes that block it,
// can never move again, while one of them is off the targets. It assumes that all
// boxes are frozen, then releases those that can move nevertheless, until none can.
func (l *level) freezes(boxes *cellSet, pushed int) bool {
	if l.mayMove(boxes, pushed) {
		return false // nor does it block a box that was free before
	}
	frozen := *boxes
	var list [cellsMax]uint8
	n := 0
	for _, c := range boxes.list(list[:0]) {
		list[n] = c
		n++
	}
	for again := true; again; {
		again = false
		kept := 0
		for _, c := range list[:n] {
			if l.mayMove(&frozen, int(c)) {
				if int(c) == pushed {
					return false
				}
				frozen.remove(int(c))
				again = true
				continue
			}
			list[kept] = c
			kept++
		}
		n = kept
	}
	for _, c := range list[:n] {
		if !l.targets.has(int(c)) {
			return true
		}
	}
	return false
}

// mayMove reports whether a box may ever move along an axis if the frozen boxes never
// move.
func (l *level) mayMove(frozen *cellSet, c int) bool {
	next := &l.next[c]
	return l.mayMoveAlong(frozen, int(next[up]), int(next[down])) || l.mayMoveAlong(frozen, int(next[left]), int(next[right]))
}

func (l *level) mayMoveAlong(frozen *cellSet, a, b int) bool {
	return a >= 0 && b >= 0 && !frozen.has(a) && !frozen.has(b) && (a < l.live || b < l.live)
}
