package proof

import "slices"

// A node is a state's key, one word about its depth and, if there are goal distances,
// one about its distance. A word holds flags, a 32-bit number and the stored link.
// The first word is never 0.
const (
	nodeThere  = 1 << 63 // in every node's first word
	nodeStored = 1 << 62 // the number and the link come from a layer
	nodeLinked = 1 << 61 // a predecessor with that link was found; for a start, that it is one
)

func numberOf(word uint64) int64 { return int64(word >> 16 & (1<<32 - 1)) }
func linkOf(word uint64) uint64  { return word & 0xffff }

// table holds the nodes of a bucket by key: open addressing, with places in the order
// of the hash's low half.
type table struct {
	c     *checker
	slots []uint64
	mask  uint64
	used  int

	touched uint64
}

// newTable returns a table for about the given number of nodes.
func (c *checker) newTable(nodes int64) *table {
	t := &table{c: c}
	slots := uint64(8)
	for slots*3/4 < uint64(nodes) {
		slots *= 2
	}
	t.resize(slots)
	return t
}

func (t *table) resize(slots uint64) {
	t.slots, t.mask, t.used = make([]uint64, slots*uint64(t.c.nodeWords)), slots-1, 0
}

// find returns the slot of a key: its node, or the free slot for it.
func (t *table) find(key []uint64, place uint64) []uint64 {
	stride, words := uint64(t.c.nodeWords), t.c.words
	for i := place & t.mask; ; i = (i + 1) & t.mask {
		slot := t.slots[i*stride : (i+1)*stride]
		if slot[words] == 0 || slot[0] == key[0] && (words == 1 || slices.Equal(slot[1:words], key[1:words])) {
			return slot
		}
	}
}

// add adds a node, or merges it into the node already there.
func (t *table) add(node []uint64) error {
	if uint64(t.used) >= (t.mask+1)/4*3 {
		old := t.slots
		t.resize(2 * (t.mask + 1))
		for i := 0; i < len(old); i += t.c.nodeWords {
			if old[i+t.c.words] != 0 {
				t.insert(old[i : i+t.c.nodeWords])
			}
		}
	}
	words := t.c.words
	slot := t.find(node, hash(node[:words]))
	if slot[words] == 0 {
		copy(slot, node)
		t.used++
		return nil
	}
	for i, word := range node[words:] {
		if word&nodeStored == 0 {
			continue
		}
		have := slot[words+i]
		if have&nodeStored == 0 {
			slot[words+i] |= word
			continue
		}
		name, a, b := phaseOf(i), numberOf(have), numberOf(word)
		if a == b {
			return t.c.fault(node, "is in %v layer %d twice", name, a)
		}
		return t.c.fault(node, "is in two %v layers, %d and %d", name, min(a, b), max(a, b))
	}
	return nil
}

func (t *table) insert(node []uint64) {
	copy(t.find(node, hash(node[:t.c.words])), node)
	t.used++
}

// each calls f with every node.
func (t *table) each(f func(node []uint64) error) error {
	stride, words := t.c.nodeWords, t.c.words
	for i := 0; i < len(t.slots); i += stride {
		if t.slots[i+words] == 0 {
			continue
		}
		if err := f(t.slots[i : i+stride]); err != nil {
			return err
		}
	}
	return nil
}
