package sokoban

// unreachable is the distance of anything unreachable, and a bound on sums of distances:
// n boxes on 256 cells cannot be as far from their targets, all together. It fits the 16
// bits that bounds have in tables.
const unreachable = 1 << 15

// distances holds the fewest pushes that bring a single box to each target, with all
// other boxes removed. Walls alone limit how the player walks around the box: sides
// of the box that it can walk between form a region, and the distance depends on the
// player's region.
type distances struct {
	l *level
	// region[c][p] is the region, among the sides of a box on c, of a player on p; a
	// region is named by its first side.
	region [][]uint8
	// from[c][region] holds the pushes to each target. All sides of a region hold the
	// same values.
	from [][directions][]uint16
	// least[c] is the same with the player in its best region.
	least [][]uint16
}

func newDistances(l *level) *distances {
	d := &distances{l: l, region: make([][]uint8, l.live), from: make([][directions][]uint16, l.live), least: make([][]uint16, l.live)}
	targets := len(l.targetList)
	for c := range l.live {
		d.region[c] = l.regionsAround(c)
		d.least[c] = fill(targets)
		for side := range directions {
			d.from[c][side] = fill(targets)
		}
	}
	for t := range l.targetList {
		d.search(t)
	}
	return d
}

func fill(n int) []uint16 {
	s := make([]uint16, n)
	for i := range s {
		s[i] = unreachable
	}
	return s
}

// regionsAround returns, for each cell of the player, its region beside a box on c.
func (l *level) regionsAround(c int) []uint8 {
	region := make([]uint8, l.cells)
	for side := int(directions) - 1; side >= 0; side-- {
		p := l.next[c][side]
		if p < 0 {
			continue
		}
		var box cellSet
		box.add(c)
		reached := l.walk(&box, int(p))
		for q := range l.cells {
			if reached.has(q) {
				region[q] = uint8(side)
			}
		}
	}
	return region
}

// search pulls a box from a target, breadth first over its cells and regions.
func (d *distances) search(t int) {
	l := d.l
	type at struct {
		cell   int16
		region uint8
	}
	var queue []at
	reach := func(cell, player int, pushes uint16) {
		r := d.region[cell][player]
		if d.from[cell][r][t] != unreachable {
			return
		}
		d.from[cell][r][t] = pushes
		d.least[cell][t] = min(d.least[cell][t], pushes)
		queue = append(queue, at{int16(cell), r})
	}
	home := int(l.targetList[t])
	for side := range directions {
		if p := l.next[home][side]; p >= 0 {
			reach(home, int(p), 0)
		}
	}
	for i := 0; i < len(queue); i++ {
		a := queue[i]
		pushes := d.from[a.cell][a.region][t]
		for side := range directions {
			// The player beside the box steps away from it and pulls it along.
			p := l.next[a.cell][side]
			if p < 0 || int(p) >= l.live || d.region[a.cell][p] != a.region {
				continue
			}
			if back := l.next[p][side]; back >= 0 {
				reach(int(p), int(back), pushes+1)
			}
		}
	}
	for c := range l.live {
		for side := range directions {
			if p := l.next[c][side]; p >= 0 {
				d.from[c][side][t] = d.from[c][d.region[c][p]][t]
			}
		}
	}
}

// of returns the pushes that bring a box to each target, with the player on a cell.
func (d *distances) of(cell, player int) []uint16 {
	return d.from[cell][d.region[cell][player]]
}

// nearest returns the least of them, or unreachable.
func nearest(row []uint16) int {
	n := unreachable
	for _, pushes := range row {
		n = min(n, int(pushes))
	}
	return n
}
