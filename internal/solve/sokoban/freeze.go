package sokoban

// freezes reports whether the box just pushed to a cell can never move again, nor
// those that hold it, and one of them is off the targets. All boxes are taken to be
// frozen, and those that can move in spite of it are let go until there are none.
func (l *level) freezes(boxes *cellSet, pushed int) bool {
	if l.mayMove(boxes, pushed) {
		return false // and it holds nobody who was not held before
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

// mayMove reports whether a box may move along an axis one day, if the frozen boxes
// never move.
func (l *level) mayMove(frozen *cellSet, c int) bool {
	next := &l.next[c]
	return l.mayMoveAlong(frozen, int(next[up]), int(next[down])) || l.mayMoveAlong(frozen, int(next[left]), int(next[right]))
}

func (l *level) mayMoveAlong(frozen *cellSet, a, b int) bool {
	return a >= 0 && b >= 0 && !frozen.has(a) && !frozen.has(b) && (a < l.live || b < l.live)
}
