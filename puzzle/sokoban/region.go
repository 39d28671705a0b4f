package sokoban

// region returns the cells that can be walked to from a free cell, and the least of
// them.
func (l *level) region(boxes *cellSet, from int) (cells cellSet, least int) {
	var queue [cellsMax]int16
	queue[0] = int16(from)
	cells.add(from)
	least = from
	for i, n := 0, 1; i < n; i++ {
		c := queue[i]
		for d := range l.next {
			to := int(l.next[d][c])
			if to < 0 || boxes.has(to) || cells.has(to) {
				continue
			}
			cells.add(to)
			queue[n] = int16(to)
			n++
			least = min(least, to)
		}
	}
	return cells, least
}

// regions returns the least cell of each region that the boxes leave free.
func (l *level) regions(boxes *cellSet) (least []int) {
	var seen cellSet
	for c := range l.places {
		if seen.has(c) || boxes.has(c) {
			continue
		}
		region, _ := l.region(boxes, c)
		for w := range seen {
			seen[w] |= region[w]
		}
		least = append(least, c)
	}
	return least
}
