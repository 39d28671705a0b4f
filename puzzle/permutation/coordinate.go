package permutation

import "math/bits"

// coordinate is a part of a state that the moves change without a look at the
// rest: which pieces lie at the places of an orbit, or how they are turned.
// Its items are numbers by place, and their rank is their place in
// lexicographic order among all lists that there may be.
type coordinate struct {
	places []int
	size   uint64 // ranks are below it
	stride uint64 // the weight of a rank in a key

	// Of pieces: items are indices into labels, of which counts says how often
	// each occurs. If each occurs once, the coordinate is distinct.
	labels   []uint8
	counts   []uint8
	local    [256]uint8 // label to index
	distinct bool

	// Of turns, where labels is nil: items are below modulus. If their sum is
	// kept, the last one follows from the others.
	modulus int
	kept    bool
	sum     uint8
}

// pieceCoordinate returns the coordinate of an orbit's pieces. It reports false
// if it has too many ranks; the rest of it holds even so.
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
	// The multinomial coefficient, as a product of binomial ones.
	placed := uint64(0)
	for _, count := range c.counts {
		for k := range uint64(count) {
			placed++
			product, fits := multiply(c.size, placed)
			if !fits {
				return c, false
			}
			c.size = product / (k + 1)
		}
	}
	return c, c.size <= rankMax || c.distinct && len(c.places) < len(factorials)
}

// turnCoordinate returns the coordinate of an orbit's turns. It reports false if
// there are too many ranks.
func turnCoordinate(o *orbit) (*coordinate, bool) {
	c := &coordinate{places: o.places, modulus: o.modulus, kept: o.kept, sum: o.sum, size: 1}
	for range c.digits() {
		var fits bool
		if c.size, fits = multiply(c.size, uint64(c.modulus)); !fits {
			return c, false
		}
	}
	return c, true
}

// digits returns how many turns count in a rank.
func (c *coordinate) digits() int {
	if c.kept {
		return len(c.places) - 1
	}
	return len(c.places)
}

// take reads the items of an arrangement.
func (c *coordinate) take(items []uint8, a arrangement) {
	for i, place := range c.places {
		if c.labels == nil {
			items[i] = a.turns[place]
		} else {
			items[i] = c.local[a.pieces[place]]
		}
	}
}

// put writes the items into an arrangement.
func (c *coordinate) put(a arrangement, items []uint8) {
	for i, place := range c.places {
		if c.labels == nil {
			a.turns[place] = items[i]
		} else {
			a.pieces[place] = c.labels[items[i]]
		}
	}
}

// rank returns the rank of items.
func (c *coordinate) rank(items []uint8) uint64 {
	switch {
	case c.labels == nil:
		return c.rankTurns(items)
	case c.distinct:
		return rankDistinct(items)
	case len(c.labels) == 2:
		return c.rankTwo(items)
	}
	return c.rankAlike(items)
}

// unrank writes the items of a rank.
func (c *coordinate) unrank(items []uint8, rank uint64) {
	switch {
	case c.labels == nil:
		c.unrankTurns(items, rank)
	case c.distinct:
		unrankDistinct(items, rank)
	case len(c.labels) == 2:
		c.unrankTwo(items, rank)
	default:
		c.unrankAlike(items, rank)
	}
}

func (c *coordinate) rankTurns(items []uint8) uint64 {
	rank := uint64(0)
	for _, item := range items[:c.digits()] {
		rank = rank*uint64(c.modulus) + uint64(item)
	}
	return rank
}

func (c *coordinate) unrankTurns(items []uint8, rank uint64) {
	modulus, total := uint64(c.modulus), 0
	for i := c.digits() - 1; i >= 0; i-- {
		items[i] = uint8(rank % modulus)
		rank /= modulus
		total += int(items[i])
	}
	if c.kept {
		items[len(items)-1] = uint8((int(c.sum) + len(items)*c.modulus - total) % c.modulus)
	}
}

// rankDistinct ranks a permutation in the factorial number system: a digit is
// how many of the items that are left are smaller.
func rankDistinct(items []uint8) uint64 {
	left, rank := uint64(1)<<len(items)-1, uint64(0)
	for i, item := range items {
		bit := uint64(1) << (item & 63)
		rank = rank*uint64(len(items)-i) + uint64(bits.OnesCount64(left&(bit-1)))
		left &^= bit
	}
	return rank
}

func unrankDistinct(items []uint8, rank uint64) {
	factoradic(items, rank)
	if len(items) <= 16 {
		left := uint64(0xfedcba9876543210)
		for i, digit := range items {
			at := uint(digit) * 4 & 63
			items[i] = uint8(left >> at & 15)
			below := uint64(1)<<at - 1
			left = left&below | left>>4&^below
		}
		return
	}
	var left [placesMax]uint8
	for i := range left {
		left[i] = uint8(i)
	}
	for i, digit := range items {
		items[i] = left[digit]
		copy(left[digit:], left[digit+1:])
	}
}

// factoradic writes the digits of a rank. Division of 32 bits is much the
// quicker.
func factoradic(digits []uint8, rank uint64) {
	base := uint32(1)
	i := len(digits) - 1
	for ; i >= 0 && rank>>32 != 0; i-- {
		digits[i] = uint8(rank % uint64(base))
		rank /= uint64(base)
		base++
	}
	for low := uint32(rank); i >= 0; i-- {
		q := low / base
		digits[i] = uint8(low - q*base)
		low = q
		base++
	}
}

// rankAlike ranks an arrangement of items of which several are the same. Of the
// lists that begin like the items, the share that goes on with one item is the
// share that it has of what is left.
func (c *coordinate) rankAlike(items []uint8) uint64 {
	var counts [placesMax]uint8
	copy(counts[:], c.counts)
	lists, rank := c.size, uint64(0)
	for i, item := range items {
		below := uint64(0)
		for _, count := range counts[:item] {
			below += uint64(count)
		}
		left := uint64(len(items) - i)
		rank += lists * below / left
		lists = lists * uint64(counts[item]) / left
		counts[item]--
	}
	return rank
}

func (c *coordinate) unrankAlike(items []uint8, rank uint64) {
	var counts [placesMax]uint8
	copy(counts[:], c.counts)
	lists := c.size
	for i := range items {
		left := uint64(len(items) - i)
		item := 0
		share := lists * uint64(counts[0]) / left
		for rank >= share {
			rank -= share
			item++
			share = lists * uint64(counts[item]) / left
		}
		items[i] = uint8(item)
		lists = share
		counts[item]--
	}
}

// rankTwo ranks items of two kinds, 0 and 1: before a list with a 1 come all that
// have a 0 there.
func (c *coordinate) rankTwo(items []uint8) uint64 {
	zeros, rank := int(c.counts[0]), uint64(0)
	for i, item := range items {
		one := uint64(item)
		rank += listsOfTwo[zeros&(placesMax-1)][len(items)-i] & -one
		zeros -= 1 - int(one)
	}
	return rank
}

func (c *coordinate) unrankTwo(items []uint8, rank uint64) {
	zeros := int(c.counts[0])
	for i := range items {
		before := listsOfTwo[zeros&(placesMax-1)][len(items)-i]
		items[i] = 0
		if rank >= before {
			rank -= before
			items[i] = 1
		} else {
			zeros--
		}
	}
}

// listsOfTwo has, by zeros and length, the number of lists of zeros and ones that
// begin with a zero; those that a coordinate needs fit a word.
var listsOfTwo = func() (lists [placesMax][placesMax + 1]uint64) {
	var chosen [placesMax]uint64 // of so many, so many
	chosen[0] = 1
	for length := 1; length <= placesMax; length++ {
		for zeros := 1; zeros < placesMax; zeros++ {
			lists[zeros][length] = chosen[zeros-1]
		}
		for zeros := placesMax - 1; zeros > 0; zeros-- {
			chosen[zeros] += chosen[zeros-1]
		}
	}
	return lists
}()
