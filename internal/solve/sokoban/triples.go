package sokoban

// triples tells which three boxes are dead with all others removed.
type triples struct {
	l *level
	// saved[index(a,b,c)] has a bit for each side of a, b and c, in order of cells:
	// with the player there, all three can be brought to targets.
	saved []uint16
}

// triplesLiveMax bounds the box cells for which triples are tabulated.
const triplesLiveMax = 110

// newTriples returns nil if the table would be too large.
func newTriples(l *level) *triples {
	if l.live > triplesLiveMax || l.boxes < 3 {
		return nil
	}
	n := l.live
	t := &triples{l: l, saved: make([]uint16, n*(n-1)*(n-2)/6)}
	s := tripleSearch{triples: t, names: make([][12]uint8, len(t.saved)), named: make([]bool, len(t.saved))}
	goals := l.targetList
	for k := range goals {
		for j := range k {
			for i := range j {
				for side := range 12 {
					s.reach([3]uint8{goals[i], goals[j], goals[k]}, side)
				}
			}
		}
	}
	s.run()
	return t
}

// index ranks three cells in increasing order.
func (t *triples) index(c [3]uint8) int {
	a, b, d := int(c[0]), int(c[1]), int(c[2])
	return d*(d-1)*(d-2)/6 + b*(b-1)/2 + a
}

// dead reports whether three boxes are dead with the player at a side of the first.
func (t *triples) dead(a uint8, side int, b, c uint8) bool {
	if b > c {
		b, c = c, b
	}
	switch {
	case a < b:
		return t.saved[t.index([3]uint8{a, b, c})]>>side&1 == 0
	case a < c:
		return t.saved[t.index([3]uint8{b, a, c})]>>(side+4)&1 == 0
	}
	return t.saved[t.index([3]uint8{b, c, a})]>>(side+8)&1 == 0
}

type tripleSearch struct {
	*triples
	names [][12]uint8
	named []bool
	queue []tripleAt
}

type tripleAt struct {
	cells  [3]uint8
	region uint8
}

func (s *tripleSearch) reach(cells [3]uint8, side int) {
	i := s.index(cells)
	if s.saved[i]>>side&1 != 0 {
		return
	}
	if !s.named[i] {
		s.named[i] = true
		s.l.nameRegions(cells[:], s.names[i][:])
	}
	r := s.names[i][side]
	if r == noRegion {
		return
	}
	for other, name := range s.names[i] {
		if name == r {
			s.saved[i] |= 1 << other
		}
	}
	s.queue = append(s.queue, tripleAt{cells, r})
}

func (s *tripleSearch) run() {
	l := s.l
	for i := 0; i < len(s.queue); i++ {
		at := s.queue[i]
		for side, r := range s.names[s.index(at.cells)] {
			if r != at.region {
				continue
			}
			which := side >> 2
			to := l.next[at.cells[which]][side&3]
			if int(to) >= l.live {
				continue
			}
			behind := l.next[to][side&3]
			if behind < 0 || contains(at.cells, behind) {
				continue
			}
			cells := at.cells
			cells[which] = uint8(to)
			for ; which > 0 && cells[which] < cells[which-1]; which-- {
				cells[which], cells[which-1] = cells[which-1], cells[which]
			}
			for ; which < 2 && cells[which] > cells[which+1]; which++ {
				cells[which], cells[which+1] = cells[which+1], cells[which]
			}
			s.reach(cells, which<<2|side&3)
		}
	}
}

func contains(cells [3]uint8, c int16) bool {
	return c == int16(cells[0]) || c == int16(cells[1]) || c == int16(cells[2])
}
