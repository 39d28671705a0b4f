package store

import "encoding/binary"

// A Shape describes the width of a segment's records. All that the store knows
// about records is that they compare word by word.
//
// A narrow record is one word, KeyBits bits of key above MoveBits bits of link.
// A wide record is Stride-1 words of key followed by one word of link.
type Shape struct {
	// Stride is the number of words of a record, 1 to StrideMax.
	Stride int

	// KeyBits and MoveBits divide a narrow record; their sum is at most 64.
	// KeyBits is not used if Stride is above 1; MoveBits is at most 16.
	KeyBits, MoveBits uint

	// Codes means that links are numbers below three. Records are then narrow, and
	// MoveBits is 2.
	Codes bool
}

// StrideMax is the largest Shape.Stride: two keys and a link.
const StrideMax = 17

func (s Shape) valid() bool {
	return s.Stride >= 1 && s.Stride <= StrideMax && s.MoveBits <= 16 &&
		(s.Stride > 1 || s.KeyBits+s.MoveBits <= 64) && (!s.Codes || s.Stride == 1 && s.MoveBits == codeBits)
}

// Compare compares the keys of two records, ignoring their links.
func (s Shape) Compare(a, b []uint64) int {
	if s.Stride == 1 {
		return compareWord(a[0]>>s.MoveBits, b[0]>>s.MoveBits)
	}
	for i := range s.Stride - 1 {
		if c := compareWord(a[i], b[i]); c != 0 {
			return c
		}
	}
	return 0
}

func compareWord(a, b uint64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// appendKey appends the key of a record, big-endian, so that the bytes sort in
// the order of Compare.
func (s Shape) appendKey(dst []byte, rec []uint64) []byte {
	if s.Stride == 1 {
		return binary.BigEndian.AppendUint64(dst, rec[0]>>s.MoveBits)
	}
	for _, w := range rec[:s.Stride-1] {
		dst = binary.BigEndian.AppendUint64(dst, w)
	}
	return dst
}
