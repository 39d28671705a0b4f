package folding

import (
	"slices"

	"github.com/everystate/everystate/puzzle/permutation/structure"
)

// Bounds of folded ranks.
const (
	// outerMax bounds the blocks before folding, which take six bytes each while they
	// are grouped.
	outerMax = 1 << 28
	// entriesMax bounds the blocks after folding times the moves, at six bytes each.
	entriesMax = 1 << 25
	// listMax bounds the symmetries, turns of the whole included.
	listMax = 1 << 12
	// Items of a block: a row of them should stay in a cache, and fill most of its words.
	itemsMin, itemsMax = 48, 1 << 15
	// orbitsMax bounds the orbits that are divided between blocks and items.
	orbitsMax = 8
)

// orbit is the parts of an orbit; nil if it has no such part.
type orbit struct{ pieces, turns *numbering }

// place is where the parts of an orbit are.
type place uint8

const (
	outside place = iota
	turnsInside
	inside
)

// choice divides the parts between blocks and items.
type choice struct {
	at    []place // by orbit
	outer []*numbering
	inner []*numbering
	list  []structure.Automorphism

	// The parity of the inner pieces may follow from that of outer ones.
	classes           int
	deciding, decided []*numbering
	blocks, items     int
}

// choose returns the best division, or nil if there is none.
func choose(s *structure.System, list []structure.Automorphism, orbits []orbit) *choice {
	var best *choice
	if len(orbits) > orbitsMax {
		return nil
	}
	at := make([]place, len(orbits))
	for {
		if c := newChoice(s, list, orbits, at); c != nil && (best == nil || c.better(best)) {
			best = c
		}
		i := 0
		for i < len(at) && at[i] == inside {
			at[i] = outside
			i++
		}
		if i == len(at) {
			return best
		}
		at[i]++
	}
}

// better reports whether a choice is better than another: fewer ranks, and then more
// items.
func (c *choice) better(than *choice) bool {
	if m, n := c.folded(), than.folded(); m != n {
		return m < n
	}
	return c.items > than.items
}

// folded returns about how many ranks remain.
func (c *choice) folded() int { return max(1, c.blocks/len(c.list)) * c.items }

// newChoice returns a choice, or nil if it is not possible.
func newChoice(s *structure.System, list []structure.Automorphism, orbits []orbit, at []place) *choice {
	c := &choice{at: slices.Clone(at), classes: 1, blocks: 1, items: 1}
	for i, o := range orbits {
		if at[i] == turnsInside && (o.turns == nil || o.pieces == nil) {
			return nil // the same as another choice
		}
		for _, n := range []*numbering{o.pieces, o.turns} {
			switch {
			case n == nil:
			case at[i] == inside || at[i] == turnsInside && n == o.turns:
				c.inner = append(c.inner, n)
				if c.items *= n.count; c.items > 2*itemsMax {
					return nil
				}
			default:
				c.outer = append(c.outer, n)
				if c.blocks *= n.count; c.blocks > outerMax {
					return nil
				}
			}
		}
	}
	if !c.setClasses(s) {
		return nil
	}
	words := (c.items + wordBits - 1) / wordBits
	if c.items < itemsMin || c.items > itemsMax || 4*c.items < 3*words*wordBits {
		return nil
	}
	for i := range list {
		if c.fits(&list[i], orbits) {
			c.list = append(c.list, list[i])
		}
	}
	if 2*c.folded() > c.blocks*c.items {
		return nil
	}
	return c
}

// fits reports whether a symmetry maps blocks to blocks: outer parts to outer parts, and
// the turns of items without regard to the pieces of the block.
func (c *choice) fits(t *structure.Automorphism, orbits []orbit) bool {
	for i := range orbits {
		places := orbits[i].places()
		to := int(t.To[places[0]])
		j := slices.IndexFunc(orbits, func(o orbit) bool { return slices.Contains(o.places(), to) })
		if j < 0 || c.at[i] != c.at[j] {
			return false
		}
		if c.at[i] == turnsInside {
			labels := orbits[i].pieces.Labels
			for _, label := range labels {
				if t.PieceTurns[label] != t.PieceTurns[labels[0]] {
					return false
				}
			}
		}
	}
	return true
}

func (o *orbit) places() []int {
	if o.pieces != nil {
		return o.pieces.Places
	}
	return o.turns.Places
}

// setClasses finds out whether the parity of the items follows from that of the block,
// and halves the items if so. It reports false if parities restrict the blocks.
func (c *choice) setClasses(s *structure.System) bool {
	var free []*numbering
	for _, n := range c.outer {
		if n.Distinct && !n.halved {
			free = append(free, n)
		}
	}
	for _, n := range c.inner {
		if n.Distinct && !n.halved {
			c.decided = append(c.decided, n)
		}
	}
	for set := range 1 << len(free) {
		var chosen []*numbering
		for i, n := range free {
			if set>>i&1 != 0 {
				chosen = append(chosen, n)
			}
		}
		if len(chosen) > 0 && even(s, chosen) {
			return false
		}
		if len(c.decided) > 0 && c.classes == 1 && even(s, append(slices.Clone(chosen), c.decided...)) {
			c.classes, c.deciding = 2, chosen
		}
	}
	c.items /= c.classes
	return true
}

// even reports whether all moves permute the pieces of some parts, together, evenly.
func even(s *structure.System, parts []*numbering) bool {
	for i := range s.Moves {
		odd := uint8(0)
		for _, n := range parts {
			odd ^= n.parityOf(&s.Moves[i])
		}
		if odd != 0 {
			return false
		}
	}
	return true
}

// orbitsOf numbers the parts and groups them by orbit. It returns nil if one has too many
// ranks.
func orbitsOf(s *structure.System, parts []Part, start *state) []orbit {
	var orbits []orbit
	for i := range parts {
		p := &parts[i]
		n := newNumbering(p, s, start)
		if n == nil || len(p.Places) > placesMax {
			return nil
		}
		if k := len(orbits); k == 0 || orbits[k-1].places()[0] != p.Places[0] {
			orbits = append(orbits, orbit{})
		}
		if o := &orbits[len(orbits)-1]; p.Labels == nil {
			o.turns = n
		} else {
			o.pieces = n
		}
	}
	return orbits
}
