package sokoban

// obstacles counts the boxes in the way of a box to the target to be filled next: the
// fewest that its path crosses, those on the player's cells included, and those that
// the player must cross to begin.
type obstacles struct {
	*level
	distances *distances

	walks  [cellsMax]uint8
	pushes [cellsMax][directions]uint8
	now    []obstacleAt
	later  []obstacleAt
	third  []obstacleAt
}

type obstacleAt struct {
	cell, region uint8
}

const noPath = 0xff

func newObstacles(l *level, d *distances) *obstacles { return &obstacles{level: l, distances: d} }

// between returns the least obstacles between boxes that are not fixed and a target,
// or noPath.
func (o *obstacles) between(boxes, fixed *cellSet, player, target int) uint8 {
	o.walk(boxes, fixed, player)
	for c := range o.live {
		o.pushes[c] = [directions]uint8{noPath, noPath, noPath, noPath}
	}
	o.now, o.later, o.third = o.now[:0], o.later[:0], o.third[:0]
	for _, p := range o.next[target] {
		if p >= 0 && !fixed.has(int(p)) {
			o.now = append(o.now, obstacleAt{uint8(target), o.distances.region[target][p]})
		}
	}
	best := uint8(noPath)
	for cost := uint8(0); len(o.now)+len(o.later)+len(o.third) > 0 && cost < best; cost++ {
		for i := 0; i < len(o.now); i++ {
			at := o.now[i]
			c := int(at.cell)
			if o.pushes[c][at.region] <= cost {
				continue
			}
			o.pushes[c][at.region] = cost
			here := uint8(0)
			if boxes.has(c) {
				here = 1
				for side, p := range o.next[c] {
					if p >= 0 && o.distances.region[c][p] == at.region && c != target && o.walks[p] != noPath && o.next[c][direction(side).opposite()] >= 0 {
						best = min(best, cost+o.walks[p])
					}
				}
			}
			for side, p := range o.next[c] {
				if p < 0 || int(p) >= o.live || o.distances.region[c][p] != at.region || fixed.has(int(p)) {
					continue
				}
				back := o.next[p][side]
				if back < 0 || fixed.has(int(back)) {
					continue
				}
				step := here
				if boxes.has(int(back)) {
					step++
				}
				next := obstacleAt{uint8(p), o.distances.region[p][back]}
				if o.pushes[p][next.region] <= cost+step {
					continue
				}
				switch step {
				case 0:
					o.now = append(o.now, next)
				case 1:
					o.later = append(o.later, next)
				default:
					o.third = append(o.third, next)
				}
			}
		}
		o.now, o.later, o.third = o.later, o.third, o.now[:0]
	}
	return best
}

// walk sets walks to the boxes that the player must cross to each cell.
func (o *obstacles) walk(boxes, fixed *cellSet, player int) {
	for c := range o.cells {
		o.walks[c] = noPath
	}
	o.now, o.later = append(o.now[:0], obstacleAt{cell: uint8(player)}), o.later[:0]
	for cost := uint8(0); len(o.now) > 0; cost++ {
		for i := 0; i < len(o.now); i++ {
			c := o.now[i].cell
			if o.walks[c] <= cost {
				continue
			}
			o.walks[c] = cost
			for _, to := range o.next[c] {
				if to < 0 || o.walks[to] <= cost || fixed.has(int(to)) {
					continue
				}
				if boxes.has(int(to)) {
					o.later = append(o.later, obstacleAt{cell: uint8(to)})
				} else {
					o.now = append(o.now, obstacleAt{cell: uint8(to)})
				}
			}
		}
		o.now, o.later = o.later, o.now[:0]
	}
}
