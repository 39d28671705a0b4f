package sokoban

// table is a transposition table: it holds how many pushes positions are known to
// need at least. Its memory is bounded: when it is full, it drops what took less
// search to learn. An entry holds the whole position, so that none is mistaken for
// another.
type table struct {
	*tables
	slots    []uint64
	mask     uint64 // of the number of a bucket
	used     int
	bytesMax int64
	full     bool // it cannot grow further
}

// bucketSlots is how many entries compete for a place.
const bucketSlots = 4

// The last word of an entry holds the player's cell from bit 0, the bound from bit
// 16, and the depth of the search that found it from bit 32. Bit 63 is set in every
// entry.
const entryUsed = 1 << 63

// newTable returns a table that grows up to about bytesMax bytes.
func newTable(l *tables, bytesMax int64) *table {
	t := &table{tables: l, bytesMax: bytesMax, used: 0}
	t.resize(1 << 4)
	return t
}

func (t *table) resize(buckets uint64) {
	t.mask = buckets - 1
	t.slots = make([]uint64, buckets*bucketSlots*uint64(t.words+1))
	t.used = 0
}

// grow doubles the table if allowed, so that it is never more than half full before
// it reaches its final size.
func (t *table) grow() {
	old, size := t.slots, t.words+1
	if t.full || 2*t.used < len(old)/size {
		return
	}
	if 3*t.bytes() > t.bytesMax { // old and new coexist for a while
		t.full = true
		return
	}
	t.resize(2 * (t.mask + 1))
	for ; len(old) > 0; old = old[size:] {
		if old[t.words]&entryUsed != 0 {
			var boxes cellSet
			copy(boxes[:], old[:t.words])
			copy(t.place(t.hash(&boxes, int(old[t.words]&0xff))), old[:size])
		}
	}
}

func (t *table) bytes() int64 { return int64(len(t.slots)) * 8 }

// find returns the entry of a position, or nil.
func (t *table) find(hash uint64, boxes *cellSet, player uint8) []uint64 {
	size := t.words + 1
	bucket := t.slots[int(hash&t.mask)*bucketSlots*size:][:bucketSlots*size]
	for ; len(bucket) > 0; bucket = bucket[size:] {
		if t.is(bucket[:size], boxes, player) {
			return bucket[:size]
		}
	}
	return nil
}

func (t *table) is(entry []uint64, boxes *cellSet, player uint8) bool {
	last := entry[t.words]
	if last&(entryUsed|0xff) != entryUsed|uint64(player) {
		return false
	}
	for w, word := range entry[:t.words] {
		if word != boxes[w] {
			return false
		}
	}
	return true
}

// bound returns the pushes that a position is known to need at least, or 0.
func (t *table) bound(hash uint64, boxes *cellSet, player uint8) int {
	if entry := t.find(hash, boxes, player); entry != nil {
		return int(entry[t.words] >> 16 & 0xffff)
	}
	return 0
}

// learn records that a position needs at least bound pushes, as a search of some
// depth found.
func (t *table) learn(hash uint64, boxes *cellSet, player uint8, bound, depth int) {
	entry := t.find(hash, boxes, player)
	if entry == nil {
		t.grow()
		entry = t.place(hash)
		copy(entry, boxes[:t.words])
	} else {
		bound = max(bound, int(entry[t.words]>>16&0xffff))
	}
	entry[t.words] = entryUsed | uint64(player) | uint64(bound)<<16 | uint64(depth)<<32
}

// place returns the entry to overwrite: a free one, or the one that took the least
// search.
func (t *table) place(hash uint64) []uint64 {
	size := t.words + 1
	bucket := t.slots[int(hash&t.mask)*bucketSlots*size:][:bucketSlots*size]
	victim := bucket[:size]
	for ; len(bucket) > 0; bucket = bucket[size:] {
		entry := bucket[:size]
		if entry[t.words]&entryUsed == 0 {
			t.used++
			return entry
		}
		if entry[t.words]>>32 < victim[t.words]>>32 {
			victim = entry
		}
	}
	return victim
}
