package blocks

import "math/bits"

// mask is a set of cells, or of numbers below cellsMax.
type mask [cellsMax / 64]uint64

func (m *mask) add(i int)      { m[i>>6] |= 1 << (i & 63) }
func (m *mask) remove(i int)   { m[i>>6] &^= 1 << (i & 63) }
func (m *mask) has(i int) bool { return m[i>>6]>>(i&63)&1 != 0 }

// join adds the numbers of another set.
func (m *mask) join(o *mask) {
	for i := range m {
		m[i] |= o[i]
	}
}

// subtract removes the numbers of another set.
func (m *mask) subtract(o *mask) {
	for i := range m {
		m[i] &^= o[i]
	}
}

// meets reports whether the sets have a member in common.
func (m *mask) meets(o *mask) bool {
	return m[0]&o[0]|m[1]&o[1]|m[2]&o[2]|m[3]&o[3] != 0
}

// below returns how many members are less than i.
func (m *mask) below(i int) int {
	n := bits.OnesCount64(m[i>>6] & (1<<(i&63) - 1))
	for _, word := range m[:i>>6] {
		n += bits.OnesCount64(word)
	}
	return n
}

// next returns the least member from i on, or -1.
func (m *mask) next(i int) int {
	for w := i >> 6; w < len(m); w++ {
		word := m[w]
		if w == i>>6 {
			word = word >> (i & 63) << (i & 63)
		}
		if word != 0 {
			return w<<6 + bits.TrailingZeros64(word)
		}
	}
	return -1
}
