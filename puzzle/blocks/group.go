package blocks

import (
	"bytes"
	"math/bits"
	"slices"
)

const (
	// groupStatesMax bounds the placements of a group of several classes. Larger
	// groups make smaller keys, but their tables exceed the processor's caches.
	groupStatesMax = 1 << 13

	// classStatesMax bounds the placements of a group of one class.
	classStatesMax = 1 << 15

	// groupStepsMax bounds the work of listing a group's placements.
	groupStepsMax = 1 << 20
)

// group is a run of consecutive classes whose placements without overlaps are listed.
// Its part of a key is the rank of its placement, ordered by the place of the first
// piece, then of the second and so on. The first group is most significant.
type group struct {
	classes []*class
	pieces  int     // number of pieces
	tuples  []uint8 // the places of the pieces, by rank
	shift   int
	mask    uint64
}

// ranking is the layout of the key of a board of at most 64 cells: groups, and the
// rest.
type ranking struct {
	groups []*group
	rest   *rest
	floor  uint64
}

// newRanking puts classes into groups, except the class of the rest, and returns the
// bits of a key. It returns nil if the board is too large or a class has too many
// placements.
func newRanking(s *setup, classes []*class) (r *ranking, keyBits int) {
	if s.rows*s.cols > 64 {
		return nil, 0
	}
	r = &ranking{}
	for i, wall := range s.walls {
		if !wall {
			r.floor |= 1 << i
		}
	}
	var single *class
	for _, c := range classes {
		if len(c.kind.shape.cells) == 1 && (single == nil || c.count > single.count) {
			single = c
		}
	}
	open := bits.OnesCount64(r.floor)
	for _, c := range classes {
		if c == single {
			continue
		}
		open -= c.count * len(c.kind.shape.cells)
		if !r.addClass(c) {
			return nil, 0
		}
	}
	r.rest = newRest(single, open)
	keyBits = r.rest.width
	for i := len(r.groups) - 1; i >= 0; i-- {
		g := r.groups[i]
		width := widthOf(g.states())
		g.shift, g.mask = keyBits, 1<<width-1
		keyBits += width
	}
	if keyBits > 64 {
		return nil, 0
	}
	return r, max(1, keyBits)
}

// addClass adds a class to the last group, or as a group of its own.
func (r *ranking) addClass(c *class) bool {
	if n := len(r.groups); n > 0 {
		wider := group{classes: append(slices.Clone(r.groups[n-1].classes), c)}
		if wider.list(groupStatesMax) {
			r.groups[n-1] = &wider
			return true
		}
	}
	own := group{classes: []*class{c}}
	r.groups = append(r.groups, &own)
	return own.list(classStatesMax)
}

// states returns the number of placements.
func (g *group) states() int { return len(g.tuples) / g.pieces }

// tuple returns the places of a placement.
func (g *group) tuple(rank int) []uint8 { return g.tuples[rank*g.pieces : (rank+1)*g.pieces] }

// list lists the placements of the group, unless there are too many.
func (g *group) list(statesMax int) bool {
	for _, c := range g.classes {
		g.pieces += c.count
	}
	steps := 0
	var now [piecesMax]uint8
	var put func(class, piece, n int, taken uint64) bool
	put = func(class, piece, n int, taken uint64) bool {
		if class == len(g.classes) {
			g.tuples = append(g.tuples, now[:n]...)
			return len(g.tuples) <= statesMax*g.pieces
		}
		c := g.classes[class]
		if piece == c.count {
			return put(class+1, 0, n, taken)
		}
		from := 0
		if piece > 0 {
			from = int(now[n-1]) + 1
		}
		for p := from; p < len(c.places); p++ {
			if steps++; steps > groupStepsMax {
				return false
			}
			cells := c.places[p].cells[0]
			if cells&taken != 0 {
				continue
			}
			now[n] = uint8(p)
			if !put(class, piece+1, n+1, taken|cells) {
				return false
			}
		}
		return true
	}
	return put(0, 0, 0, 0)
}

// rank returns the rank of a placement, which must be listed.
func (g *group) rank(places []uint8) int {
	lo, hi := 0, g.states()-1
	for lo < hi {
		mid := (lo + hi) / 2
		if bytes.Compare(g.tuple(mid), places) < 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// decode decodes a key, and reports whether it is valid except for bits above the
// groups.
func (r *ranking) decode(key uint64, p *placed) bool {
	open := r.floor
	for _, g := range r.groups {
		rank := key >> g.shift & g.mask
		if rank >= uint64(g.states()) {
			return false
		}
		places := g.tuple(int(rank))
		at := 0
		for _, c := range g.classes {
			for i := range c.count {
				cells := c.places[places[at]].cells[0]
				if cells&^open != 0 {
					return false
				}
				open &^= cells
				p[c.piece+i] = places[at]
				at++
			}
		}
	}
	if r.rest.class == nil {
		return true
	}
	rank := key & (1<<r.rest.width - 1)
	if rank >= r.rest.states {
		return false
	}
	pieces := open &^ r.rest.empty(open, rank)
	places := p.of(r.rest.class)
	for i := range places {
		places[i] = uint8(r.rest.class.at[bits.TrailingZeros64(pieces)])
		pieces &= pieces - 1
	}
	return true
}

// encode returns the key of a state.
func (r *ranking) encode(p *placed) (key uint64) {
	open := r.floor
	var places [piecesMax]uint8
	for _, g := range r.groups {
		n := 0
		for _, c := range g.classes {
			n += copy(places[n:], p.of(c))
			for _, at := range p.of(c) {
				open &^= c.places[at].cells[0]
			}
		}
		key |= uint64(g.rank(places[:n])) << g.shift
	}
	empty := open
	if c := r.rest.class; c != nil {
		for _, at := range p.of(c) {
			empty &^= c.places[at].cells[0]
		}
	}
	return key | r.rest.rank(open, empty)
}
