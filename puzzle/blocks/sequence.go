package blocks

import "math/bits"

// sequence makes keys of boards of any size. Row by row, the first cell not yet taken
// is a head: it is empty, or the first cell of a piece. The classes of the heads in
// order determine the state. A key has fields, each the rank of the heads of some
// pieces of one class among the heads that no earlier field has taken: numbered from
// 0, these are a set of numbers, ranked as in rest.
//
// Fields follow one another from the most significant bit on, across word boundaries,
// and a key of one word ends at bit 0.
type sequence struct {
	classes []*class
	floor   mask
	tokens  int // number of heads of a state
	fields  []field
	binom   []uint64 // choose(p, i) at stride*i+p, or chooseMax if it is greater
}

// field is the part of a key for pieces of a class. Classes with too many sets to
// count in a word have several fields, the first one for their first heads.
type field struct {
	class       *class
	number      int // of the class, from 1
	from, count int // pieces of the class
	states      uint64
	at, width   int // bits
}

const (
	chooseMax = 1 << 62
	stride    = cellsMax + 1
)

// newSequence makes the fields of classes and returns the bits of a key: at most eight
// per piece, 496.
func newSequence(s *setup, classes []*class) (q *sequence, keyBits int) {
	q = &sequence{classes: classes}
	most, area := 0, 0
	for _, c := range classes {
		most = max(most, c.count)
		area += c.count * (len(c.kind.shape.cells) - 1)
	}
	for i, wall := range s.walls {
		if !wall {
			q.floor.add(i)
			q.tokens++
		}
	}
	q.tokens -= area
	q.setBinom(most)
	open := q.tokens
	for i, c := range classes {
		for from := 0; from < c.count; {
			count := c.count - from
			for q.choose(open, count) == chooseMax {
				count--
			}
			states := q.choose(open, count)
			width := bits.Len64(states - 1)
			q.fields = append(q.fields, field{c, i + 1, from, count, states, keyBits, width})
			keyBits += width
			from += count
			open -= count
		}
	}
	if keyBits > 64 {
		return q, (keyBits + 63) / 64 * 64
	}
	keyBits = max(1, keyBits)
	for i := range q.fields {
		q.fields[i].at += 64 - keyBits
	}
	return q, keyBits
}

func (q *sequence) setBinom(most int) {
	q.binom = make([]uint64, stride*(most+1))
	for p := range stride {
		q.binom[p] = 1
		for i := 1; i <= most && p > 0; i++ {
			q.binom[stride*i+p] = min(chooseMax, q.choose(p-1, i)+q.choose(p-1, i-1))
		}
	}
}

func (q *sequence) choose(p, i int) uint64 { return q.binom[stride*i+p] }

// heads returns the heads of a state.
func (q *sequence) heads(p *placed) mask {
	heads := q.floor
	for _, c := range q.classes {
		for _, at := range p.of(c) {
			place := &c.places[at]
			heads.subtract(&place.cells)
			heads.add(place.first)
		}
	}
	return heads
}

// encode writes the key of a state with the given heads.
func (q *sequence) encode(key []uint64, p *placed, heads *mask) {
	clear(key)
	open := *heads
	for i := range q.fields {
		f := &q.fields[i]
		rank, row := uint64(0), stride
		places := p.of(f.class)[f.from : f.from+f.count]
		for _, at := range places {
			rank += q.binom[row+open.below(f.class.places[at].first)]
			row += stride
		}
		for _, at := range places {
			open.remove(f.class.places[at].first)
		}
		putBits(key, f.at, f.width, rank)
	}
}

// decode decodes a key and reports whether it is valid except for stray bits.
func (q *sequence) decode(key []uint64, p *placed) bool {
	var classOf, open [cellsMax]uint8 // class by head; heads not yet taken
	left := q.tokens
	for i := range left {
		open[i] = uint8(i)
	}
	for i := range q.fields {
		f := &q.fields[i]
		rank := getBits(key, f.at, f.width)
		if rank >= f.states {
			return false
		}
		n, end := f.count, left
		for at := left - 1; n > 0 && at >= 0; at-- {
			if f.count == 1 {
				at = int(rank) // choose(at, 1)
			}
			if term := q.binom[stride*n+at]; term <= rank {
				rank -= term
				n--
				classOf[open[at]] = uint8(f.number)
				end--
				copy(open[at:end], open[at+1:end+1])
			}
		}
		left = end
	}
	return q.lay(&classOf, p)
}

// lay places pieces on the board by the classes of the heads, and reports whether they
// fit.
func (q *sequence) lay(classOf *[cellsMax]uint8, p *placed) bool {
	var laid [piecesMax]uint8 // by class
	open := q.floor
	head := 0
	for at := open.next(0); at >= 0; at = open.next(at + 1) {
		if head == q.tokens {
			return false
		}
		number := int(classOf[head])
		head++
		if number == 0 {
			continue
		}
		c := q.classes[number-1]
		if c.at[at] < 0 {
			return false
		}
		place := &c.places[c.at[at]]
		rest := place.cells
		if rest.subtract(&open); rest != (mask{}) {
			return false
		}
		open.subtract(&place.cells)
		p[c.piece+int(laid[number-1])] = uint8(c.at[at])
		laid[number-1]++
	}
	return head == q.tokens
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

// putBits sets up to 64 bits of a key, which must be zero.
func putBits(key []uint64, at, width int, v uint64) {
	if width == 0 {
		return
	}
	word, shift := at>>6, at&63
	v <<= 64 - width
	key[word] |= v >> shift
	if shift+width > 64 {
		key[word+1] |= v << (64 - shift)
	}
}
