package worker

import (
	"slices"

	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
)

// layerCache keeps the encoded blocks of recently written partitions: the layer
// after the next still needs them, and small layers should not each cost a
// store access. A partition is kept whole or not at all. Archives borrow some of its
// memory.
type layerCache struct {
	max, bytes int64 // bytes includes lent
	lent       int64
	parts      map[cacheKey][][]byte
}

type cacheKey struct {
	segment store.SegmentID
	part    partition.ID
}

func newLayerCache(maxBytes int64) *layerCache {
	return &layerCache{max: maxBytes, parts: make(map[cacheKey][][]byte)}
}

func (c *layerCache) get(segment store.SegmentID, part partition.ID) ([][]byte, bool) {
	blocks, ok := c.parts[cacheKey{segment, part}]
	return blocks, ok
}

// put replaces the blocks of a partition, or only drops them if there is no
// room.
func (c *layerCache) put(segment store.SegmentID, part partition.ID, blocks [][]byte) {
	c.drop(segment, part)
	size := sizeOf(blocks)
	if c.bytes+size > c.max {
		return
	}
	c.bytes += size
	c.parts[cacheKey{segment, part}] = blocks
}

func (c *layerCache) drop(segment store.SegmentID, part partition.ID) {
	key := cacheKey{segment, part}
	if blocks, ok := c.parts[key]; ok {
		c.bytes -= sizeOf(blocks)
		delete(c.parts, key)
	}
}

func (c *layerCache) dropSegment(segment store.SegmentID) {
	for key := range c.parts {
		if key.segment == segment {
			c.drop(segment, key.part)
		}
	}
}

// keep drops all partitions but the given ones, which are in increasing order.
func (c *layerCache) keep(parts []partition.ID) {
	for key := range c.parts {
		if _, kept := slices.BinarySearch(parts, key.part); !kept {
			c.drop(key.segment, key.part)
		}
	}
}

// sizeOf includes the slice headers, which dominate for tiny blocks.
func sizeOf(blocks [][]byte) int64 {
	size := int64(64)
	for _, b := range blocks {
		size += int64(cap(b)) + 24
	}
	return size
}

// lend lets an archive have some of the memory, at most a quarter in all, and reports
// whether there was room.
func (c *layerCache) lend(bytes int64) bool {
	if c.bytes+bytes > c.max || c.lent+bytes > c.max/4 {
		return false
	}
	c.bytes += bytes
	c.lent += bytes
	return true
}

func (c *layerCache) giveBack(bytes int64) {
	c.bytes -= bytes
	c.lent -= bytes
}
