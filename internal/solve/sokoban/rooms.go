package sokoban

// Rooms are parts of a level two cells wide and three long, or larger; links are the
// narrow parts between them. A box in a link obstructs it.

// findLinks returns the narrow parts of a level that join two cells of rooms.
func (l *level) findLinks() []cellSet {
	var roomy cellSet
	for c := range l.cells {
		for _, size := range [...][2]int{{2, 3}, {3, 2}} {
			if block, ok := l.block(c, size[0], size[1]); ok {
				for w := range roomy {
					roomy[w] |= block[w]
				}
			}
		}
	}
	var links []cellSet
	var done cellSet
	for c := range l.cells {
		if roomy.has(c) || done.has(c) {
			continue
		}
		part := l.walk(&roomy, c)
		var doors cellSet
		for w := range done {
			done[w] |= part[w]
		}
		for d := range l.cells {
			if !part.has(d) {
				continue
			}
			for _, to := range l.next[d] {
				if to >= 0 && roomy.has(int(to)) {
					doors.add(int(to))
				}
			}
		}
		if doors.count() > 1 {
			links = append(links, part)
		}
	}
	return links
}

// block returns the cells of a rectangle of floor whose first corner is given.
func (l *level) block(c, rows, cols int) (block cellSet, ok bool) {
	for range rows {
		at := c
		for col := range cols {
			block.add(at)
			if col == cols-1 {
				break
			}
			if at = int(l.next[at][right]); at < 0 {
				return block, false
			}
		}
		if block.count() == rows*cols {
			return block, true
		}
		if c = int(l.next[c][down]); c < 0 {
			return block, false
		}
	}
	return block, true
}
