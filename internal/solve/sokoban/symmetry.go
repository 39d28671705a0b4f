package sokoban

import "github.com/everystate/everystate/puzzle"

// symmetry maps a level onto itself: cells onto cells and targets onto targets.
type symmetry struct {
	cells      [cellsMax]uint8
	directions [directions]direction
}

// findSymmetries returns the symmetries of a level, the identity first.
func (l *level) findSymmetries() []symmetry {
	first, last := l.places[0], l.places[0]
	number := map[puzzle.Cell]int{}
	for c, p := range l.places {
		number[p] = c
		first.Row, first.Col = min(first.Row, p.Row), min(first.Col, p.Col)
		last.Row, last.Col = max(last.Row, p.Row), max(last.Col, p.Col)
	}
	var all []symmetry
	for turn := range 8 {
		image := func(p puzzle.Cell) puzzle.Cell {
			r, c := p.Row-first.Row, p.Col-first.Col
			if turn&1 != 0 {
				r = last.Row - first.Row - r
			}
			if turn&2 != 0 {
				c = last.Col - first.Col - c
			}
			if turn&4 != 0 {
				r, c = c, r
			}
			return puzzle.Cell{Row: first.Row + r, Col: first.Col + c}
		}
		var s symmetry
		fits := true
		for c, p := range l.places {
			to, ok := number[image(p)]
			if !ok || l.targets.has(c) != l.targets.has(to) {
				fits = false
				break
			}
			s.cells[c] = uint8(to)
		}
		if !fits {
			continue
		}
		for d := range directions {
			to := d
			if d < left && turn&1 != 0 || d >= left && turn&2 != 0 {
				to = to.opposite()
			}
			if turn&4 != 0 {
				to ^= 2
			}
			s.directions[d] = to
		}
		all = append(all, s)
	}
	return all
}

// of returns the image of a set of cells.
func (s *symmetry) of(set *cellSet) (image cellSet) {
	for w, word := range set {
		for ; word != 0; word &= word - 1 {
			image.add(int(s.cells[w<<6+trailing(word)]))
		}
	}
	return image
}

// before orders sets of cells.
func (s *cellSet) before(o *cellSet) bool {
	for w := range s {
		if s[w] != o[w] {
			return s[w] < o[w]
		}
	}
	return false
}

// canonical returns the first of a position's images. If reached is nil, player is
// the player's cell; otherwise it is the least cell of the image of reached.
func canonical(symmetries []symmetry, boxes *cellSet, player uint8, reached *cellSet) (cellSet, uint8) {
	best, at := *boxes, player
	for i := range symmetries[1:] {
		s := &symmetries[1+i]
		image := s.of(boxes)
		if best.before(&image) {
			continue
		}
		there := s.cells[player]
		if reached != nil {
			cells := s.of(reached)
			there = uint8(cells.least())
		}
		if image != best || there < at {
			best, at = image, there
		}
	}
	return best, at
}
