package store

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Records with codes come back whether their keys are dense or sparse, and take little
// more than two bits where all keys have one.
func TestCodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	s := Shape{Stride: 1, KeyBits: 40, MoveBits: codeBits, Codes: true}
	for _, gap := range []uint64{1, 2, 3, 4, 9, 1000} {
		for _, n := range []int{1, 2, 5, 1000, BlockRecords} {
			var recs []uint64
			key := rng.Uint64N(1 << 20)
			for range n {
				recs = append(recs, key<<codeBits|rng.Uint64N(codesMax))
				key += 1 + rng.Uint64N(2*gap-1)
			}
			block := s.AppendBlock(nil, recs)
			if got, ok := s.DecodeBlock(nil, block); !ok || !slices.Equal(got, recs) {
				t.Fatalf("mean gap %d, %d records: not the same after decoding", gap, n)
			}
			plain := s
			plain.Codes = false
			if other := plain.AppendBlock(nil, recs); len(block) > len(other) {
				t.Errorf("mean gap %d, %d records: %d bytes, %d in the other form", gap, n, len(block), len(other))
			}
			if bits := 8 * len(block) / n; gap == 1 && n == BlockRecords && bits > codeBits {
				t.Errorf("%d bits a key", bits)
			}
			if _, ok := plain.DecodeBlock(nil, block); ok && block[0] == codesVersion {
				t.Error("codes are read as links")
			}
		}
	}
}

// SegmentsOf finds the segments that have records of a partition.
func TestSegmentsOf(t *testing.T) {
	s := openMem(t, vfs.NewMem(), Options{})
	defer closeStore(t, s)
	shape := Shape{Stride: 1, KeyBits: 20, MoveBits: 3}
	for layer, parts := range [][][]uint64{{{8}, {}, {8, 16}}, {{}, {16}}, {{}, {}, {8}}, {}, {{8}, {8}, {8}}, {{}, {8}}} {
		writeSegment(t, s, shape, SegmentID{Phase: 1, Layer: uint32(layer), Epoch: uint32(10 + layer)}, parts)
	}
	for part, want := range [][]uint32{{0, 4}, {1, 4}, {0, 2, 4}, nil} {
		found, err := SegmentsOf(s, 1, 0, 5, uint32(part))
		var layers []uint32
		for _, id := range found {
			layers = append(layers, id.Layer)
			if id.Epoch != 10+id.Layer {
				t.Errorf("%v", id)
			}
		}
		if err != nil || !slices.Equal(layers, want) {
			t.Errorf("partition %d: layers %v, want %v; %v", part, layers, want, err)
		}
	}
}
