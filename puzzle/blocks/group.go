package blocks

import "bytes"

const (
	// groupStatesMax bounds the placements of a group of several classes. Larger
	// groups make smaller keys, but their tables leave the processor's caches.
	groupStatesMax = 1 << 13

	// classStatesMax bounds the placements of a group of one class.
	classStatesMax = 1 << 16

	// groupStepsMax bounds the work of listing a group's placements.
	groupStepsMax = 1 << 20
)

// group is some classes one after the other whose placements without overlaps are
// listed: its part of a key is the rank of its placement, in the order of the
// places of the first piece, then of the second and so on. The first group is
// most significant.
type group struct {
	classes []*class
	pieces  int     // how many
	piece   int     // the number of the first
	tuples  []uint8 // the places of the pieces, rank by rank
	shift   int
	mask    uint64
}

// groupsOf puts classes of a board of at most 64 cells into groups, and returns
// the bits of a key. Without groups that are small enough there are none.
func groupsOf(classes []*class, cells int) (groups []*group, keyBits int) {
	if cells > 64 {
		return nil, 0
	}
	for _, c := range classes {
		if n := len(groups); n > 0 {
			wider := group{classes: append(groups[n-1].classes[:len(groups[n-1].classes):len(groups[n-1].classes)], c)}
			if wider.list(groupStatesMax) {
				groups[n-1] = &wider
				continue
			}
		}
		own := group{classes: []*class{c}}
		if !own.list(classStatesMax) {
			return nil, 0
		}
		groups = append(groups, &own)
	}
	for i := len(groups) - 1; i >= 0; i-- {
		g := groups[i]
		width := widthOf(g.states())
		g.shift, g.mask = keyBits, 1<<width-1
		keyBits += width
	}
	if keyBits > 64 {
		return nil, 0
	}
	return groups, max(1, keyBits)
}

// states returns how many placements there are.
func (g *group) states() int { return len(g.tuples) / g.pieces }

// tuple returns the places of a placement.
func (g *group) tuple(rank int) []uint8 { return g.tuples[rank*g.pieces : (rank+1)*g.pieces] }

// list lists the placements of the group, unless there are too many.
func (g *group) list(statesMax int) bool {
	g.piece = g.classes[0].piece
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

// rank returns the rank of a placement. It is there.
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

// decodeGroups takes a key of groups apart.
func (g *game) decodeGroups(key uint64, p *placed) bool {
	for _, group := range g.groups {
		rank := key >> group.shift & group.mask
		if rank >= uint64(group.states()) {
			return false
		}
		copy(p[group.piece:], group.tuple(int(rank)))
	}
	return true
}

// encodeGroups returns the key of a state.
func (g *game) encodeGroups(p *placed) (key uint64) {
	for _, group := range g.groups {
		key |= uint64(group.rank(p[group.piece:group.piece+group.pieces])) << group.shift
	}
	return key
}
