package blocks

import (
	"math/bits"
	"slices"
)

// Where the board has at most 64 cells and its tables stay small, a key is one
// word that holds ranks: see group and rest. Otherwise it has one field a class, in their order, from the most significant bit on: the places of
// its pieces in increasing order, or, where that takes fewer bits, one bit a
// place. Fields of a key of several words go on over the words' ends.

// placed is a state taken apart: the places of all pieces, class by class, in
// increasing order within each. A class has at most 256 places.
type placed [piecesMax]uint8

// setFields gives every class its field, and returns the key's bits. They are at
// most 62 fields of 8 bits, so that eight words hold them.
func setFields(classes []*class) (keyBits int) {
	total := 0
	for _, c := range classes {
		c.width = widthOf(len(c.places))
		c.bitmap = len(c.places) < c.count*c.width
		c.field = total
		if c.bitmap {
			total += len(c.places)
		} else {
			total += c.count * c.width
		}
	}
	keyBits = max(1, total)
	if total > 64 {
		return (total + 63) / 64 * 64
	}
	for _, c := range classes {
		c.field += 64 - keyBits // a key of one word ends at bit 0
	}
	return keyBits
}

// getBits returns up to 64 bits of a key.
func getBits(key []uint64, at, width int) uint64 {
	if width == 0 {
		return 0
	}
	word, shift := at>>6, at&63
	v := key[word] << shift
	if shift+width > 64 {
		v |= key[word+1] >> (64 - shift)
	}
	return v >> (64 - width)
}

// flipBits changes up to 64 bits of a key, which writes into zeros and clears what
// is there.
func flipBits(key []uint64, at, width int, v uint64) {
	if width == 0 {
		return
	}
	word, shift := at>>6, at&63
	v <<= 64 - width
	key[word] ^= v >> shift
	if shift+width > 64 {
		key[word+1] ^= v << (64 - shift)
	}
}

// get takes the class's field apart. It reports whether there are as many places
// as pieces, all different, in increasing order.
func (c *class) get(key []uint64, places []uint8) bool {
	if c.bitmap {
		return c.getBitmap(key, places)
	}
	ok, before := true, -1
	for i := range places {
		v := getBits(key, c.field+i*c.width, c.width)
		ok = ok && int(v) > before && v < uint64(len(c.places))
		before = int(v)
		places[i] = uint8(v)
	}
	return ok
}

func (c *class) getBitmap(key []uint64, places []uint8) bool {
	n := 0
	for from := 0; from < len(c.places); from += 64 {
		width := min(64, len(c.places)-from)
		word := getBits(key, c.field+from, width) << (64 - width)
		for word != 0 {
			i := bits.LeadingZeros64(word)
			word &^= 1 << (63 - i)
			if n == len(places) {
				return false
			}
			places[n] = uint8(from + i)
			n++
		}
	}
	return n == len(places)
}

// flip changes the bits of the class's field: it writes places into a field of
// zeros, or clears one that holds them.
func (c *class) flip(key []uint64, places []uint8) {
	for i, p := range places {
		if c.bitmap {
			flipBits(key, c.field+int(p), 1, 1)
		} else {
			flipBits(key, c.field+i*c.width, c.width, uint64(p))
		}
	}
}

// of returns the part of a state that belongs to a class.
func (p *placed) of(c *class) []uint8 { return p[c.piece : c.piece+c.count] }

// decode takes a key apart and reports whether it is in order but for overlaps
// and stray bits.
func (g *game) decode(key []uint64, p *placed) bool {
	if g.ranking != nil {
		return g.ranking.decode(key[0], p)
	}
	ok := true
	for _, c := range g.classes {
		ok = c.get(key, p.of(c)) && ok
	}
	return ok
}

// encode writes the key of a state, whose places are in order.
func (g *game) encode(key []uint64, p *placed) {
	clear(key)
	if g.ranking != nil {
		key[0] = g.ranking.encode(p)
		return
	}
	for _, c := range g.classes {
		c.flip(key, p.of(c))
	}
}

// replace replaces a place in an ordered list.
func replace(places []uint8, from, to uint8) {
	i := slices.Index(places, from)
	for ; i > 0 && places[i-1] > to; i-- {
		places[i] = places[i-1]
	}
	for ; i+1 < len(places) && places[i+1] < to; i++ {
		places[i] = places[i+1]
	}
	places[i] = to
}
