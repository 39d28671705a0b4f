package sudoku

import "math/bits"

// fieldValuesMax bounds the values of a field, and thus its table.
const fieldValuesMax = 1 << 12

// field is a run of consecutive cells and its position in the key. Fields are packed
// one after another from the least significant bit on, and never straddle words.
type field struct {
	first, cells int
	values       int
	word         int
	shift, width uint
	// By value: four bits per cell, the first least significant, hold its digit.
	digits []uint64
}

// newFields divides the cells into fields, with the least sum of widths and then the
// fewest fields, and returns the bits of a key. An empty grid of 81 cells takes 27
// fields of three cells and 10 bits, six per word: a key has at most five words.
func newFields(opens []open) (fields []field, keyBits int) {
	for _, f := range divide(opens) {
		fields = append(fields, field{first: f[0], cells: f[1] - f[0]})
	}
	word, next := 0, uint(0)
	for i := range fields {
		f := &fields[i]
		f.fill(opens[f.first : f.first+f.cells])
		if next+f.width > 64 {
			word, next = word+1, 0
		}
		f.word, f.shift = word, next
		next += f.width
	}
	// The most significant word comes first.
	for i := range fields {
		fields[i].word = word - fields[i].word
	}
	if word == 0 {
		return fields, max(1, int(next))
	}
	return fields, 64 * (word + 1)
}

// divide returns the first cell of each field and the one after its last.
func divide(opens []open) [][2]int {
	type cost struct{ bits, fields, from int }
	best := make([]cost, len(opens)+1)
	for end := 1; end <= len(opens); end++ {
		values := 1
		for from := end - 1; from >= 0; from-- {
			if values *= opens[from].base(); values > fieldValuesMax || end-from > 64/4 {
				break
			}
			c := cost{best[from].bits + bits.Len(uint(values-1)), best[from].fields + 1, from}
			if old := best[end]; old.fields == 0 || c.bits < old.bits || c.bits == old.bits && c.fields < old.fields {
				best[end] = c
			}
		}
	}
	list := make([][2]int, best[len(opens)].fields)
	for end := len(opens); end > 0; end = best[end].from {
		list[best[end].fields-1] = [2]int{best[end].from, end}
	}
	return list
}

// fill makes the table of a field.
func (f *field) fill(opens []open) {
	f.digits = []uint64{0}
	for i := range opens {
		var longer []uint64
		longer = append(longer, f.digits...)
		for d := 1; d <= sideMax; d++ {
			if opens[i].allowed>>d&1 == 0 {
				continue
			}
			for _, packed := range f.digits {
				longer = append(longer, packed|uint64(d)<<(4*i))
			}
		}
		f.digits = longer
	}
	f.values = len(f.digits)
	f.width = uint(bits.Len(uint(f.values - 1)))
}

// value returns a field's value in a key.
func (f *field) value(key []uint64) uint64 {
	return key[f.word] >> f.shift & (1<<f.width - 1)
}
