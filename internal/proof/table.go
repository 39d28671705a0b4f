package proof

import "math/bits"

// table joins constraints on states in memory before they are spilled: most
// states are successors of several.
type table struct {
	out   *segments
	slots []uint64 // records; the first word behind the key is 0 in a free one
	bits  uint
	used  int
}

// newTable returns a table of at most so many bytes.
func newTable(out *segments, bytes int64) *table {
	slots := max(256, bytes/8/int64(out.stride))
	t := &table{out: out, bits: uint(bits.Len64(uint64(slots))) - 1}
	t.slots = make([]uint64, out.stride<<t.bits)
	return t
}

// add joins a record, whose first word behind the key is not 0.
func (t *table) add(rec []uint64) error {
	key, stride := t.out.key, t.out.stride
	hash := uint64(0)
	for _, w := range rec[:key] {
		hash = (hash ^ w ^ w>>32) * 0x9e3779b97f4a7c15
		hash ^= hash >> 29
	}
	mask := uint64(1)<<t.bits - 1
next:
	for i := hash * 0xbf58476d1ce4e5b9 >> (64 - t.bits); ; i = (i + 1) & mask {
		slot := t.slots[int(i)*stride : (int(i)+1)*stride]
		if slot[key] == 0 {
			copy(slot, rec)
			t.used++
			break
		}
		for j := range key {
			if slot[j] != rec[j] {
				continue next
			}
		}
		for j := key; j < stride; j++ {
			slot[j] = min(slot[j], rec[j])
		}
		return nil
	}
	if t.used >= 3<<t.bits/4 {
		return t.flush()
	}
	return nil
}

// flush spills what there is.
func (t *table) flush() error {
	key, stride, n := t.out.key, t.out.stride, 0
	for i := 0; i < len(t.slots); i += stride {
		if t.slots[i+key] != 0 {
			n += copy(t.slots[n:], t.slots[i:i+stride])
		}
	}
	err := t.out.spill(t.slots[:n])
	clear(t.slots)
	t.used = 0
	return err
}
