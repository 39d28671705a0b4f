package rushhour

import (
	"math/bits"

	"github.com/everystate/everystate/puzzle"
)

// A key has one field per line, the rank of the line's placement. A line with one
// placement has none. If all fields fit one word, the first line is most significant
// and the last ends at bit 0:
//
//	one word   0...0 | line 0 | line 1 | ... | line n-1
//
// Otherwise fields never straddle words: each word is filled from its most significant
// bit, and the rest of it is zero:
//
//	word 0     line 0 | line 1 | ... | 0...0
//	word 1     line i | ...
//
// Boards up to 8x8 whose vehicles have at least two cells always fit one word: a line
// of 8, 7, 6, 5, 4, 3 cells has at most 15, 10, 6, 4, 3, 2 placements and so 4, 4, 3,
// 2, 2, 1 bits, and a line of 2 cells has a single placement. The lines of one row
// together have 8 cells less the walls between them, hence at most 4 bits, and 16 rows
// and columns of 4 bits make 64.

// setFields gives every line its field, and returns the bits of a key.
func setFields(lines []line) (keyBits int, err *puzzle.InputError) {
	total := uint(0)
	for i := range lines {
		lines[i].width = uint(bits.Len32(lines[i].placements - 1))
		total += lines[i].width
	}
	if total <= 64 {
		shift := total
		for i := range lines {
			shift -= lines[i].width
			lines[i].shift = shift
		}
		return max(1, int(total)), nil
	}
	word, left := 0, uint(64)
	for i := range lines {
		l := &lines[i]
		if l.width > left {
			word, left = word+1, 64
		}
		left -= l.width
		l.word, l.shift = word, left
	}
	if word >= puzzle.WordsMax {
		return 0, faultf("the board has too many vehicles that can move: its states need %d bytes and a key has at most %d",
			8*(word+1), 8*puzzle.WordsMax)
	}
	return 64 * (word + 1), nil
}

// get returns the line's rank in a key.
func (l *line) get(key []uint64) uint64 {
	return key[l.word] >> l.shift & (1<<l.width - 1)
}

// put adds a rank to a key whose field is zero.
func (l *line) put(key []uint64, rank uint64) { key[l.word] |= rank << l.shift }
