package permutation

import (
	"math/bits"
	"slices"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/permutation/ranking"
)

// coder turns arrangements into keys. If all states fit one word, a key is the
// mixed-radix number whose digits are the ranks by coordinate, the first most
// significant:
//
//	pieces of orbit 0, turns of orbit 0, pieces of orbit 1, ...
//
// Every number below the product of their sizes is then a state. Otherwise a key has
// one field per place: the index of its piece among those of the orbit, then its turn,
// in as many bits as they need. Fields fill a word from its most significant bit and
// never straddle words.
type coder struct {
	keyWords int
	system   *system
	moduli   []uint8
	start    arrangement
	states   uint64        // the number of keys, if keys are ranks
	ranked   []*coordinate // those with more than one rank
	fields   []field       // by place, if keys are fields
}

// field is the position of a piece and its turn in the key.
type field struct {
	piece       *coordinate // of the place's orbit
	word        int
	shift       uint // of the turn
	pieceShift  uint
	turns, mask uint64 // of the turn, and of both
}

const wordBits = 64

// setCoder chooses the keys. It reports false if they would be too long.
func (c *coder) setCoder(s *system, orbits []orbit) (keyBits int, ok bool) {
	c.moduli, c.start, c.system = s.moduli, s.start, s
	if c.setRanks(s, orbits) {
		c.keyWords = 1
		return max(1, bits.Len64(c.states-1)), true
	}
	c.ranked = nil
	c.setFields(s, orbits)
	return c.keyWords * wordBits, c.keyWords <= puzzle.WordsMax
}

// setRanks makes keys ranks if they fit.
func (c *coder) setRanks(s *system, orbits []orbit) bool {
	for i := range orbits {
		if s.partial(&orbits[i]) {
			return false // its turns cannot move without regard to its pieces
		}
		pieces, fit := pieceCoordinate(&orbits[i], c.start)
		turns, fitToo := turnCoordinate(&orbits[i])
		if !fit || !fitToo {
			return false
		}
		for _, part := range []*coordinate{pieces, turns} {
			if part.size > 1 {
				c.ranked = append(c.ranked, part)
			}
		}
	}
	c.states = 1
	for _, part := range slices.Backward(c.ranked) {
		part.stride = c.states
		var fits bool
		if c.states, fits = ranking.Multiply(c.states, part.size); !fits {
			return false
		}
	}
	return true
}

// setFields gives every place its field.
func (c *coder) setFields(s *system, orbits []orbit) {
	c.fields = make([]field, len(s.moduli))
	for i := range orbits {
		pieces, _ := pieceCoordinate(&orbits[i], s.start)
		for _, place := range pieces.places {
			c.fields[place].piece = pieces
		}
	}
	word, left := 0, uint(wordBits)
	for place := range c.fields {
		f := &c.fields[place]
		turnBits := uint(bits.Len8(s.moduli[place] - 1))
		width := turnBits + uint(bits.Len(uint(len(f.piece.labels)-1)))
		if width > left {
			word, left = word+1, wordBits
		}
		left -= width
		// The shift of a field of no bits in an empty word is kept below wordBits.
		f.word, f.shift, f.pieceShift = word, min(left, wordBits-1), turnBits
		f.turns, f.mask = 1<<turnBits-1, 1<<width-1
	}
	c.keyWords = word + 1
}

// encode writes the key of an arrangement.
func (c *coder) encode(key []uint64, a arrangement) {
	clear(key)
	var items [placesMax]uint8
	for _, part := range c.ranked {
		part.take(items[:], a)
		key[0] += part.stride * part.Rank(items[:len(part.places)])
	}
	for place := range c.fields {
		f := &c.fields[place]
		both := uint64(f.piece.local[a.pieces[place]])<<f.pieceShift | uint64(a.orients[place])
		key[f.word] |= both << f.shift
	}
}

// decode writes the arrangement of a key. For an invalid key it may be any
// arrangement.
func (c *coder) decode(a arrangement, key []uint64) {
	copy(a.pieces, c.start.pieces)
	copy(a.orients, c.start.orients)
	var items [placesMax]uint8
	for _, part := range c.ranked {
		list := items[:len(part.places)]
		part.Unrank(list, key[0]/part.stride%part.size)
		part.put(a, list)
	}
	for place := range c.fields {
		f := &c.fields[place]
		a.orients[place] = uint8(key[f.word] >> f.shift & f.turns)
		a.pieces[place] = f.at(key)
	}
}

// at returns the piece in the field of a key.
func (f *field) at(key []uint64) uint8 {
	both := key[f.word] >> f.shift & f.mask
	return f.piece.labels[min(int(both>>f.pieceShift), len(f.piece.labels)-1)]
}

// valid reports whether words are a key.
func (g *game) valid(key []uint64) bool {
	if g.fields == nil {
		return key[0] < g.states && (g.blocked == nil || g.free(key))
	}
	var pieces, turned [placesMax]uint8
	a := arrangement{pieces[:len(g.system.moduli)], turned[:len(g.system.moduli)]}
	g.decode(a, key)
	if g.misplaced(a) >= 0 {
		return false
	}
	var again [puzzle.WordsMax]uint64
	g.encode(again[:g.keyWords], a)
	return slices.Equal(again[:g.keyWords], key)
}

// misplaced returns a place whose piece no move could have brought there, or -1 if the
// arrangement cannot be distinguished from a state.
func (g *game) misplaced(a arrangement) int { return g.system.misplaced(g.orbits, a) }

func (s *system) misplaced(orbits []orbit, a arrangement) int {
	for i := range orbits {
		o := &orbits[i]
		var counts [256]int
		total := 0
		for _, place := range o.places {
			counts[s.start.pieces[place]]++
			total += int(a.orients[place])
		}
		for _, place := range o.places {
			counts[a.pieces[place]]--
			if counts[a.pieces[place]] < 0 || a.orients[place] >= s.moduli[place] ||
				len(s.ways) > 0 && a.orients[place] >= s.ways[a.pieces[place]] {
				return place
			}
		}
		if o.sumKept && total%o.modulus != int(o.sum) {
			return o.places[len(o.places)-1]
		}
	}
	for _, b := range s.blocked {
		if a.pieces[b.place] == b.piece {
			return int(b.place)
		}
	}
	return -1
}
