package sokoban

// A corral is a part of the level that the player cannot walk to. If at first its
// boxes can only be pushed into it, and the player can make every such push now, then
// some solution with the fewest pushes begins with one of them: in any solution, the
// first push of a corral's box could as well come first, as it hinders none of the
// pushes before it. All other pushes can wait. The literature calls this a PI-corral.

// corral returns the boxes of a corral whose pushes are the only ones that need
// expanding, or false if there is none.
func (l *level) corral(boxes, reached *cellSet) (fence cellSet, found bool) {
	closed := l.closed(reached, boxes)
	best := cellsMax + 1
	for rest := closed; rest != (cellSet{}); {
		inside, barrier, ok := l.corralAt(rest.least(), boxes, reached)
		for w := range rest {
			rest[w] &^= inside[w]
		}
		if !ok {
			continue
		}
		if count := barrier.count(); count < best {
			best, fence, found = count, barrier, true
		}
	}
	return fence, found && best < l.boxes
}

// closed returns the free cells that the player cannot walk to.
func (l *level) closed(reached, boxes *cellSet) cellSet {
	var s cellSet
	for w := range s {
		n := min(max(l.cells-w<<6, 0), 64)
		if n > 0 {
			s[w] = ^uint64(0) >> (64 - n) &^ reached[w] &^ boxes[w]
		}
	}
	return s
}

// corralAt grows a corral around a free cell and joins further cells to it as needed,
// until every push of its boxes is either inward and possible now, or never the
// first. It reports whether there is such a corral and it is unfinished.
func (l *level) corralAt(from int, boxes, reached *cellSet) (inside, barrier cellSet, ok bool) {
	var room [cellsMax]uint8
	stack := append(room[:0], uint8(from))
	inside.add(from)
	for {
		for len(stack) > 0 {
			c := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, to := range l.next[c] {
				switch {
				case to < 0 || inside.has(int(to)):
				case boxes.has(int(to)):
					barrier.add(int(to))
				default:
					inside.add(int(to))
					stack = append(stack, uint8(to))
				}
			}
		}
		joined := none
		for w := 0; w < len(barrier) && joined == none; w++ {
			for word := barrier[w]; word != 0 && joined == none; word &= word - 1 {
				joined, ok = l.fences(w<<6+trailing(word), reached, &inside, &barrier)
				if !ok {
					return inside, barrier, false
				}
			}
		}
		switch {
		case joined == none:
			ok = l.unfinished(&inside, &barrier)
			return inside, barrier, ok
		case boxes.has(joined):
			barrier.add(joined)
		default:
			inside.add(joined)
			stack = append(stack, uint8(joined))
		}
	}
}

// fences examines the pushes of a box of a corral. It returns a cell that must be
// joined to the corral so that the box can only be pushed inward, none if there is no
// need, or false if the box can be pushed elsewhere first.
func (l *level) fences(c int, reached, inside, barrier *cellSet) (joined int, ok bool) {
	for d := range directions {
		to, behind := int(l.next[c][d]), int(l.next[c][d.opposite()])
		switch {
		case to < 0 || behind < 0 || to >= l.live:
			// Never.
		case barrier.has(to) || barrier.has(behind) || inside.has(behind):
			// Not before another push of the corral.
		case inside.has(to) && reached.has(behind):
			// Inward, and now.
		case reached.has(to) && reached.has(behind):
			return none, false
		case !reached.has(behind):
			return behind, true
		default:
			return to, true
		}
	}
	return none, true
}

// unfinished reports whether a corral must be opened: a box is off the targets, or a
// target inside is free.
func (l *level) unfinished(inside, barrier *cellSet) bool {
	for w := range barrier {
		if barrier[w]&^l.targets[w] != 0 || inside[w]&l.targets[w] != 0 {
			return true
		}
	}
	return false
}
