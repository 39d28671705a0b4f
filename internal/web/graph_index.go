package web

import (
	"slices"

	"github.com/everystate/everystate/internal/bydepth"
)

// nodeIndex finds the nodes of a graph by their keys. It is a hash table with one
// uint32 per slot, since a graph may have millions of nodes.
type nodeIndex struct {
	words int      // per key
	keys  []uint64 // of the nodes, in their order
	slots []uint32 // node + 1, or 0 for none; their number is a power of two
}

func newNodeIndex(words int, keys []uint64) nodeIndex {
	n := nodeIndex{words: words, keys: keys}
	slots := 16
	for slots < 2*n.nodes() {
		slots *= 2
	}
	n.slots = make([]uint32, slots)
	for i := range n.nodes() {
		at := n.slot(n.key(i))
		n.slots[at] = uint32(i) + 1
	}
	return n
}

func (n *nodeIndex) nodes() int { return len(n.keys) / n.words }

func (n *nodeIndex) key(i int) []uint64 { return n.keys[i*n.words : (i+1)*n.words] }

// find returns the node of a key, -1 for none.
func (n *nodeIndex) find(key []uint64) int { return int(n.slots[n.slot(key)]) - 1 }

// slot returns the slot of a key, or the empty one where it belongs.
func (n *nodeIndex) slot(key []uint64) int {
	for at := int(bydepth.Spread(key) & uint64(len(n.slots)-1)); ; at = (at + 1) & (len(n.slots) - 1) {
		if i := n.slots[at]; i == 0 || slices.Equal(n.key(int(i)-1), key) {
			return at
		}
	}
}
