package sokoban

// hauler moves one box, with all others fixed, wherever pushes or pulls of it alone
// can bring it: a macro move is a box and where it ends. Its scratch is reused.
type hauler struct {
	*level
	ring [cellsMax][directions]int16 // the floor at a cell's corners, clockwise from up and right

	label   [cellsMax]uint8 // region of each free cell without the box; 0 if not free
	sizes   [cellsMax + 1]uint16
	regions int

	// Of a box on a cell, if stamp is epoch: the region of the player at each side,
	// by its first side, and how many they are.
	names [cellsMax][directions]uint8
	parts [cellsMax]uint8
	stamp [cellsMax]uint32
	seen  [cellsMax]uint8 // a bit for each region that was reached
	epoch uint32

	mark  [cellsMax]uint32
	flood uint32
	queue []stop
}

// stop is a position of the box hauled. The player is at the given side of it.
type stop struct {
	cell uint8
	side uint8
	from int16 // index of the stop before
}

// clockwise lists the sides of a cell; the corner after each lies between it and the
// next.
var clockwise = [directions]direction{up, right, down, left}

func newHauler(l *level) *hauler {
	h := &hauler{level: l}
	type place struct{ row, col int }
	cells := make(map[place]int16, l.cells)
	for c, p := range l.places {
		cells[place{p.Row, p.Col}] = int16(c)
	}
	corners := [directions]place{{-1, 1}, {1, 1}, {1, -1}, {-1, -1}}
	for c, p := range l.places {
		for i, corner := range corners {
			h.ring[c][i] = none
			if at, ok := cells[place{p.Row + corner.row, p.Col + corner.col}]; ok {
				h.ring[c][i] = at
			}
		}
	}
	return h
}

// fix prepares hauls with the given boxes fixed.
func (h *hauler) fix(others *cellSet) {
	h.epoch++
	h.regions = 0
	clear(h.label[:h.cells])
	var stack [cellsMax]uint8
	for c := range h.cells {
		if h.label[c] != 0 || others.has(c) {
			continue
		}
		h.regions++
		name, size := uint8(h.regions), uint16(1)
		h.label[c] = name
		stack[0] = uint8(c)
		for n := 1; n > 0; {
			n--
			for _, to := range &h.next[stack[n]] {
				if to >= 0 && h.label[to] == 0 && !others.has(int(to)) {
					h.label[to] = name
					size++
					stack[n] = uint8(to)
					n++
				}
			}
		}
		h.sizes[h.regions] = size
	}
}

// free reports whether a cell is floor without a fixed box.
func (h *hauler) free(c int16) bool { return c >= 0 && h.label[c] != 0 }

// sides names the regions of the player around the box on a cell.
func (h *hauler) sides(c int) *[directions]uint8 {
	names := &h.names[c]
	if h.stamp[c] == h.epoch {
		return names
	}
	h.stamp[c], h.seen[c] = h.epoch, 0
	next := &h.next[c]
	for d, to := range next {
		names[d] = noRegion
		if h.free(to) {
			names[d] = uint8(d)
		}
	}
	// Sides with a free corner between them are connected.
	for i, d := range clockwise {
		e := clockwise[(i+1)%len(clockwise)]
		if names[d] != noRegion && names[e] != noRegion && h.free(h.ring[c][i]) {
			h.merge(names, names[d], names[e])
		}
	}
	for d := range directions {
		if names[d] == uint8(d) {
			h.join(c, int(d))
		}
	}
	h.parts[c] = 0
	for d, name := range names {
		if int(name) == d {
			h.parts[c]++
		}
	}
	return names
}

func (h *hauler) merge(names *[directions]uint8, a, b uint8) {
	a, b = min(a, b), max(a, b)
	for d, name := range names {
		if name == b {
			names[d] = a
		}
	}
}

// join merges the regions of later sides with that of a side, if the player can walk
// between them around the box.
func (h *hauler) join(c, side int) {
	names, next := &h.names[c], &h.next[c]
	apart := 0
	for d := side + 1; d < int(directions); d++ {
		if int(names[d]) == d && h.label[next[d]] == h.label[next[side]] {
			apart++
		}
	}
	if apart == 0 {
		return
	}
	h.flood++
	h.mark[c] = h.flood
	var stack [cellsMax]uint8
	stack[0] = uint8(next[side])
	h.mark[next[side]] = h.flood
	for n := 1; n > 0; {
		n--
		at := stack[n]
		for _, to := range &h.next[at] {
			if to >= 0 && h.label[to] != 0 && h.mark[to] != h.flood {
				h.mark[to] = h.flood
				stack[n] = uint8(to)
				n++
			}
		}
	}
	for d := side + 1; d < int(directions); d++ {
		if int(names[d]) == d && h.mark[next[d]] == h.flood {
			h.merge(names, uint8(side), uint8(d))
		}
	}
}

// begin puts the box on a cell with the player at the sides where at holds a cell.
func (h *hauler) begin(c int, at *cellSet) {
	h.queue = h.queue[:0]
	names := h.sides(c)
	for d, to := range &h.next[c] {
		if to >= 0 && at.has(int(to)) && names[d] != noRegion {
			h.reach(c, uint8(d), none)
		}
	}
}

// reach adds a stop, unless it was reached before.
func (h *hauler) reach(c int, side uint8, from int16) {
	name := h.sides(c)[side]
	if name == noRegion || h.seen[c]>>name&1 != 0 {
		return
	}
	h.seen[c] |= 1 << name
	h.queue = append(h.queue, stop{uint8(c), side, from})
}

// pushes extends the i-th stop by all pushes. allowed decides where the box may go.
func (h *hauler) pushes(i int, allowed func(to, side int) bool) {
	at := h.queue[i]
	c := int(at.cell)
	names := h.names[c]
	for side, name := range names {
		if name == noRegion || name != names[at.side] {
			continue
		}
		to := int(h.next[c][direction(side).opposite()])
		if to < 0 || to >= h.live || h.label[to] == 0 || h.sides(to)[side] == noRegion {
			continue
		}
		if h.seen[to]>>h.names[to][side]&1 == 0 && allowed(to, side) {
			h.reach(to, uint8(side), int16(i))
		}
	}
}

// pulls extends the i-th stop by all pulls.
func (h *hauler) pulls(i int) {
	at := h.queue[i]
	c := int(at.cell)
	names := h.names[c]
	for side, name := range names {
		if name == noRegion || name != names[at.side] {
			continue
		}
		to := h.next[c][side]
		if int(to) < h.live && h.free(h.next[to][side]) {
			h.reach(int(to), uint8(side), int16(i))
		}
	}
}

// path returns the pushes of a haul that ends at the i-th stop.
func (h *hauler) path(i int) []push {
	var path []push
	for ; h.queue[i].from >= 0; i = int(h.queue[i].from) {
		before := h.queue[h.queue[i].from]
		path = append(path, push{before.cell, direction(h.queue[i].side).opposite()})
	}
	for a, b := 0, len(path)-1; a < b; a, b = a+1, b-1 {
		path[a], path[b] = path[b], path[a]
	}
	return path
}
