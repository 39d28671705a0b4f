package permutation

import "github.com/everystate/everystate/puzzle/permutation/ranking"

// coordinate is a part of a state that the moves change independently of the rest:
// which pieces lie at the places of an orbit, or how they are turned. Its items are
// numbers by place; their rank is the lexicographic index among all possible lists.
type coordinate struct {
	places []int
	size   uint64 // ranks are below it
	stride uint64 // the weight of a rank in a key

	// For pieces: items are indices into labels, and counts holds how often each
	// occurs. If each occurs once, the coordinate is distinct.
	labels   []uint8
	counts   []uint8
	local    [256]uint8 // label to index
	distinct bool

	// For turns, where labels is nil: items are below modulus. If their sum is kept,
	// the last one follows from the others.
	modulus int
	sumKept bool
	sum     uint8
}

// pieceCoordinate returns the coordinate of an orbit's pieces. It reports false if it
// has too many ranks; its other fields are valid even then.
func pieceCoordinate(o *orbit, start arrangement) (*coordinate, bool) {
	c := &coordinate{places: o.places, distinct: true, size: 1}
	var counts [256]uint8
	for _, place := range o.places {
		counts[start.pieces[place]]++
	}
	for label, count := range counts {
		if count > 0 {
			c.local[label] = uint8(len(c.labels))
			c.labels = append(c.labels, uint8(label))
			c.counts = append(c.counts, count)
			c.distinct = c.distinct && count == 1
		}
	}
	// The multinomial coefficient, as a product of binomial coefficients.
	placed := uint64(0)
	for _, count := range c.counts {
		for k := range uint64(count) {
			placed++
			product, fits := ranking.Multiply(c.size, placed)
			if !fits {
				return c, false
			}
			c.size = product / (k + 1)
		}
	}
	return c, c.size <= ranking.Max || c.distinct && len(c.places) < len(ranking.Factorials)
}

// turnCoordinate returns the coordinate of an orbit's turns. It reports false if
// there are too many ranks.
func turnCoordinate(o *orbit) (*coordinate, bool) {
	c := &coordinate{places: o.places, modulus: o.modulus, sumKept: o.sumKept, sum: o.sum, size: 1}
	for range c.digits() {
		var fits bool
		if c.size, fits = ranking.Multiply(c.size, uint64(c.modulus)); !fits {
			return c, false
		}
	}
	return c, true
}

// digits returns how many turns count towards a rank.
func (c *coordinate) digits() int {
	if c.sumKept {
		return len(c.places) - 1
	}
	return len(c.places)
}

// take reads the items of an arrangement.
func (c *coordinate) take(items []uint8, a arrangement) {
	for i, place := range c.places {
		if c.labels == nil {
			items[i] = a.orients[place]
		} else {
			items[i] = c.local[a.pieces[place]]
		}
	}
}

// put writes the items into an arrangement.
func (c *coordinate) put(a arrangement, items []uint8) {
	for i, place := range c.places {
		if c.labels == nil {
			a.orients[place] = items[i]
		} else {
			a.pieces[place] = c.labels[items[i]]
		}
	}
}

// Rank returns the rank of items.
func (c *coordinate) Rank(items []uint8) uint64 {
	switch {
	case c.labels == nil:
		return ranking.Turns(c.modulus, items[:c.digits()])
	case c.distinct:
		return ranking.Distinct(items)
	case len(c.labels) == 2:
		return ranking.Two(int(c.counts[0]), items)
	}
	return ranking.Alike(c.counts, c.size, items)
}

// Unrank writes the items of a rank.
func (c *coordinate) Unrank(items []uint8, rank uint64) {
	switch {
	case c.labels == nil:
		ranking.ToTurns(c.modulus, items[:c.digits()], rank)
		if c.sumKept {
			ranking.Complete(c.modulus, c.sum, items)
		}
	case c.distinct:
		ranking.ToDistinct(items, rank)
	case len(c.labels) == 2:
		ranking.ToTwo(int(c.counts[0]), items, rank)
	default:
		ranking.ToAlike(c.counts, c.size, items, rank)
	}
}
