package sokoban

import "math"

// deadPair is the excess of two boxes that can never both be brought to targets.
const deadPair = math.MaxUint8

// pairs holds, for two boxes with all others removed, how many more pushes they need
// than the sum of each alone, because one obstructs the other or the player.
type pairs struct {
	l    *level
	live int
	// regions[a*live+b] names, for each side of a box on a and then of one on b, the
	// region of a player there, by its first side; noRegion if no player can be
	// there.
	regions [][8]uint8
	// excess[a*live+b] holds the pushes beyond the sum for the same sides; least is
	// the minimum of them.
	excess [][8]uint8
	least  []uint8
}

const noRegion = 0xff

// pairWorkMax bounds the work for exact pairs; beyond it only dead pairs are found.
const pairWorkMax = 150_000_000

func newPairs(l *level, d *distances, exact bool) *pairs {
	n := l.live
	p := &pairs{l: l, live: n, regions: make([][8]uint8, n*n), excess: make([][8]uint8, n*n), least: make([]uint8, n*n)}
	for a := range n {
		for b := range n {
			if a < b {
				p.findRegions(a, b)
			}
		}
	}
	for i := range p.excess {
		p.excess[i] = [8]uint8{deadPair, deadPair, deadPair, deadPair, deadPair, deadPair, deadPair, deadPair}
	}
	s := pairSearch{pairs: p, d: d, pushes: make([][8]uint16, n*n)}
	goals := len(l.targetList)
	if work := goals * (goals - 1) / 2 * n * n; !exact || work > pairWorkMax/8 {
		s.searchAll()
	} else {
		for t := range goals {
			for u := range t {
				s.search(t, u)
			}
		}
	}
	for i := range p.excess {
		least := uint8(deadPair)
		for side, r := range p.regions[i] {
			if r != noRegion {
				p.excess[i][side] = p.excess[i][r]
				least = min(least, p.excess[i][r])
			}
		}
		p.least[i] = least
	}
	return p
}

// sides returns the cells beside the given boxes: the first box's four, then the next
// one's.
func (l *level) sides(boxes []uint8, to []int16) []int16 {
	for _, c := range boxes {
		to = append(to, l.next[c][:]...)
	}
	for i := range to {
		for _, c := range boxes {
			if to[i] == int16(c) {
				to[i] = none
			}
		}
	}
	return to
}

// nameRegions names the regions of the sides of the given boxes.
func (l *level) nameRegions(boxes []uint8, names []uint8) {
	var set cellSet
	for _, c := range boxes {
		set.add(int(c))
	}
	var room [12]int16
	cells := l.sides(boxes, room[:0])
	for i := range names {
		names[i] = noRegion
	}
	for i, p := range cells {
		if p < 0 || names[i] != noRegion {
			continue
		}
		reached := l.walk(&set, int(p))
		for j := i; j < len(cells); j++ {
			if cells[j] >= 0 && reached.has(int(cells[j])) {
				names[j] = uint8(i)
			}
		}
	}
}

// findRegions names the regions of both orders of a pair.
func (p *pairs) findRegions(a, b int) {
	there, back := &p.regions[a*p.live+b], &p.regions[b*p.live+a]
	p.l.nameRegions([]uint8{uint8(a), uint8(b)}, there[:])
	p.l.nameRegions([]uint8{uint8(b), uint8(a)}, back[:])
}

// pairSearch pulls two boxes from two targets.
type pairSearch struct {
	*pairs
	d      *distances
	pushes [][8]uint16 // of each pair and region
	queue  []pairAt
}

type pairAt struct {
	a, b   uint8
	region uint8
}

func (s *pairSearch) clear() {
	s.queue = s.queue[:0]
	for i := range s.pushes {
		s.pushes[i] = [8]uint16{unreachable, unreachable, unreachable, unreachable, unreachable, unreachable, unreachable, unreachable}
	}
}

func (s *pairSearch) reach(a, b uint8, side int, pushes uint16) {
	i := int(a)*s.live + int(b)
	r := s.regions[i][side]
	if r != noRegion && s.pushes[i][r] == unreachable {
		s.pushes[i][r] = pushes
		s.queue = append(s.queue, pairAt{a, b, r})
	}
}

// search starts with the first box on one target and the second on another.
func (s *pairSearch) search(t, u int) {
	s.clear()
	for side := range 8 {
		s.reach(s.l.targetList[t], s.l.targetList[u], side, 0)
	}
	s.run()
	for _, at := range s.queue {
		i := int(at.a)*s.live + int(at.b)
		box := at.a
		if at.region >= 4 {
			box = at.b
		}
		player := int(s.l.next[box][at.region&3])
		alone := s.d.of(int(at.a), player)[t] + s.d.of(int(at.b), player)[u]
		excess := uint8(min(s.pushes[i][at.region]-alone, deadPair-1))
		if old := s.excess[i][at.region]; excess < old {
			s.excess[i][at.region] = excess
		}
		// The same boxes in the other order.
		j := int(at.b)*s.live + int(at.a)
		r := s.regions[j][(at.region+4)&7]
		s.excess[j][r] = min(s.excess[j][r], excess)
	}
}

// searchAll starts from all pairs of targets at once, to find dead pairs.
func (s *pairSearch) searchAll() {
	s.clear()
	for _, t := range s.l.targetList {
		for _, u := range s.l.targetList {
			for side := range 8 {
				if t != u {
					s.reach(t, u, side, 0)
				}
			}
		}
	}
	s.run()
	for _, at := range s.queue {
		s.excess[int(at.a)*s.live+int(at.b)][at.region] = 0
	}
}

func (s *pairSearch) run() {
	l := s.l
	for i := 0; i < len(s.queue); i++ {
		at := s.queue[i]
		index := int(at.a)*s.live + int(at.b)
		pushes := min(s.pushes[index][at.region]+1, unreachable-1) // a smaller value stays admissible
		for side, r := range s.regions[index] {
			if r != at.region {
				continue
			}
			box, other := at.a, at.b
			if side >= 4 {
				box, other = at.b, at.a
			}
			to := l.next[box][side&3]
			if int(to) >= l.live {
				continue
			}
			if behind := l.next[to][side&3]; behind < 0 || behind == int16(other) {
				continue
			}
			if side < 4 {
				s.reach(uint8(to), at.b, side, pushes)
			} else {
				s.reach(at.a, uint8(to), side, pushes)
			}
		}
	}
}

// of returns the excess of two boxes with a player beside the first of them; side is
// unknownSide if it cannot reach a side.
func (p *pairs) of(a uint8, side int, b uint8) uint8 {
	i := int(a)*p.live + int(b)
	if side == unknownSide {
		return p.least[i]
	}
	return p.excess[i][side]
}

const unknownSide = -1
