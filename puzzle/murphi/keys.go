package murphi

import (
	"math"
	"math/bits"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/murphi/machine"
)

// coding makes keys of values. A word of a key is a number whose digits, the most
// significant first, are the values of a few neighbouring variables.
type coding struct {
	variables []machine.Variable
	digits    []digit
	ends      []int    // by word: the first variable of the next word
	largest   []uint64 // by word: the greatest value
	bits      int      // of all variables
}

// digit is the encoding of a variable: its value counted from least, which is one less
// than the least value if the variable may have none.
type digit struct {
	radix uint64
	least int32
}

// newCoding lays out keys. If partial is set, variables may have no value.
func newCoding(variables []machine.Variable, partial bool) coding {
	c := coding{variables: variables}
	product := uint64(1) // of the word, less than 1<<64
	all := 0.0
	for i, v := range variables {
		d := digit{v.Type.Values(), int32(v.Type.Lo)}
		if partial {
			d = digit{d.radix + 1, d.least - 1}
		}
		high, low := bits.Mul64(product, d.radix)
		if high > 0 {
			c.ends, c.largest = append(c.ends, i), append(c.largest, product-1)
			low = d.radix
		}
		product = low
		all += math.Log2(float64(d.radix))
		c.digits = append(c.digits, d)
	}
	c.ends, c.largest = append(c.ends, len(variables)), append(c.largest, product-1)
	c.bits = int(math.Ceil(all))
	return c
}

// fits reports whether keys are not too wide.
func (c *coding) fits() bool { return len(c.ends) <= puzzle.WordsMax }

// keyBits returns the number of bits of a key.
func (c *coding) keyBits() int {
	if len(c.ends) > 1 {
		return 64 * len(c.ends)
	}
	return max(1, bits.Len64(c.largest[0]))
}

// pack writes the key of values.
func (c *coding) pack(values []int32, key []uint64) {
	i := 0
	for w, end := range c.ends {
		word := uint64(0)
		for ; i < end; i++ {
			d := &c.digits[i]
			n := uint64(0)
			if values[i] != machine.Undefined {
				n = uint64(int64(values[i]) - int64(d.least))
			}
			word = word*d.radix + n
		}
		key[w] = word
	}
}

// unpack writes the values of a key.
func (c *coding) unpack(key []uint64, values []int32) {
	for w := len(c.ends) - 1; w >= 0; w-- {
		word, first := key[w], 0
		if w > 0 {
			first = c.ends[w-1]
		}
		for i := c.ends[w] - 1; i >= first; i-- {
			d := &c.digits[i]
			rest := word / d.radix
			n := int64(word-rest*d.radix) + int64(d.least)
			word = rest
			if n < c.variables[i].Type.Lo {
				n = machine.Undefined
			}
			values[i] = int32(n)
		}
	}
}

// validKey reports whether words are a key.
func (c *coding) validKey(key []uint64) bool {
	if len(key) != len(c.ends) {
		return false
	}
	for w, word := range key {
		if word > c.largest[w] {
			return false
		}
	}
	return true
}
