package worker

import (
	"math/rand/v2"
	"testing"

	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
)

// The cache holds what it was given last and never more than its bound, and
// its count of bytes is right after any operations.
func TestLayerCache(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 5))
		c := newLayerCache(rng.Int64N(4000))
		for range 300 {
			segment := store.SegmentID{Phase: 1, Layer: rng.Uint32N(3), Epoch: rng.Uint32N(3)}
			part := partition.ID(rng.IntN(4))
			switch rng.IntN(8) {
			case 0:
				c.dropSegment(segment)
				for p := range partition.ID(4) {
					if _, ok := c.get(segment, p); ok {
						t.Fatalf("seed %d: partition %d of a dropped segment is there", seed, p)
					}
				}
			case 1, 2:
				c.drop(segment, part)
				if _, ok := c.get(segment, part); ok {
					t.Fatalf("seed %d: a dropped partition is there", seed)
				}
			default:
				blocks := make([][]byte, 1+rng.IntN(4))
				for i := range blocks {
					blocks[i] = make([]byte, rng.IntN(200))
				}
				c.put(segment, part, blocks)
				if got, ok := c.get(segment, part); ok && &got[0] != &blocks[0] {
					t.Fatalf("seed %d: the cache holds what it was given before", seed)
				}
			}
			var bytes int64
			for _, blocks := range c.parts {
				bytes += sizeOf(blocks)
			}
			if c.bytes != bytes || bytes > c.max {
				t.Fatalf("seed %d: %d bytes, counted as %d, the bound being %d", seed, bytes, c.bytes, c.max)
			}
		}
	}
}

func TestLayerCacheKeepsWhatFits(t *testing.T) {
	block := [][]byte{make([]byte, 100)}
	size := sizeOf(block)
	c := newLayerCache(2 * size)
	segment := store.SegmentID{Phase: 1, Layer: 7, Epoch: 9}
	for p := range partition.ID(3) {
		c.put(segment, p, block)
		if _, ok := c.get(segment, p); ok != (p < 2) {
			t.Errorf("partition %d: kept %t", p, ok)
		}
	}
	c.drop(segment, 0)
	c.put(segment, 2, block)
	if _, ok := c.get(segment, 2); !ok {
		t.Error("there is room again, and it is not used")
	}
}

func TestChunks(t *testing.T) {
	for _, stride := range []int{1, 2, 9} {
		for _, bytes := range []int64{0, 1, 8 * 64, 8*64 + 7, 64 << 10} {
			c := NewChunks(bytes, stride)
			chunk := c.get()
			records := max(64, int(bytes)/8/stride)
			if len(chunk) != 0 || cap(chunk) != records*stride || c.Bytes() != int64(8*records*stride) {
				t.Errorf("stride %d, %d bytes: length %d, capacity %d, %d bytes", stride, bytes, len(chunk), cap(chunk), c.Bytes())
			}
		}
	}
	c := NewChunks(0, 1)
	a, b := append(c.get(), 1), append(c.get(), 2)
	c.put(a)
	c.putAll([][]uint64{b})
	for range 2 {
		if again := c.get(); len(again) != 0 || &again[:1][0] != &a[0] && &again[:1][0] != &b[0] {
			t.Error("a chunk that was put back does not come back, empty")
		}
	}
	if len(c.free) != 0 {
		t.Errorf("%d chunks are left", len(c.free))
	}
}
