package store

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomRecords returns n sorted records with distinct keys.
func randomRecords(rng *rand.Rand, s Shape, n int) []uint64 {
	seen := map[string]bool{}
	var rows [][]uint64
	for tries := 0; len(rows) < n && tries < 4*n; tries++ {
		rec := make([]uint64, s.Stride)
		if s.Stride == 1 {
			rec[0] = rng.Uint64() >> (64 - min(64, s.KeyBits+s.MoveBits))
			if s.KeyBits+s.MoveBits == 0 {
				rec[0] = 0
			}
		} else {
			for i := range s.Stride - 1 {
				rec[i] = rng.Uint64() >> (rng.UintN(2) * 60)
			}
			rec[s.Stride-1] = rng.Uint64() >> 48
		}
		key := string(s.appendKey(nil, rec))
		if !seen[key] {
			seen[key] = true
			rows = append(rows, rec)
		}
	}
	slices.SortFunc(rows, s.Compare)
	return slices.Concat(rows...)
}

func testShapes() []Shape {
	shapes := []Shape{{Stride: 2}, {Stride: 3, MoveBits: 5}, {Stride: StrideMax, MoveBits: 16}}
	for keyBits := uint(0); keyBits <= 64; keyBits++ {
		for _, moveBits := range []uint{0, 1, 2, 5, 8, 16} {
			if keyBits+moveBits <= 64 {
				shapes = append(shapes, Shape{Stride: 1, KeyBits: keyBits, MoveBits: moveBits})
			}
		}
	}
	return shapes
}

// Decoding undoes encoding for every shape and size of block.
func TestBlockRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, s := range testShapes() {
		for _, n := range []int{1, 2, 3, 100, BlockRecords} {
			recs := randomRecords(rng, s, n)
			salt := []byte(fmt.Sprint(n))
			block := s.appendBlock(nil, recs, salt)
			if !checkBlock(block, salt) {
				t.Fatalf("%+v, %d records: checksum", s, n)
			}
			got, ok := s.decodeBlock(nil, block)
			if !ok || !slices.Equal(got, recs) {
				t.Fatalf("%+v, %d records: not the same after decoding", s, n)
			}
		}
	}
}

// A flipped bit anywhere in a block is noticed.
func TestBlockChecksum(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	s := Shape{Stride: 1, KeyBits: 38, MoveBits: 5}
	block := s.appendBlock(nil, randomRecords(rng, s, 50), []byte("here"))
	for i := range len(block) * 8 {
		block[i/8] ^= 1 << (i % 8)
		if checkBlock(block, []byte("here")) {
			t.Fatalf("bit %d flipped, and the checksum holds", i)
		}
		block[i/8] ^= 1 << (i % 8)
	}
	if checkBlock(block, []byte("there")) {
		t.Fatal("the block is accepted in another place")
	}
}

// Whatever the bytes, decoding neither panics nor makes more records than a
// block may hold.
func FuzzDecodeBlock(f *testing.F) {
	rng := rand.New(rand.NewPCG(7, 8))
	for i, s := range testShapes() {
		if i%40 == 0 {
			f.Add(uint8(s.Stride), uint8(s.KeyBits), uint8(s.MoveBits), s.appendBlock(nil, randomRecords(rng, s, 20), nil))
		}
	}
	f.Fuzz(func(t *testing.T, stride, keyBits, moveBits uint8, block []byte) {
		s := Shape{Stride: int(stride), KeyBits: uint(keyBits), MoveBits: uint(moveBits)}
		if !s.valid() {
			t.Skip()
		}
		recs, ok := s.decodeBlock(nil, block)
		if ok && (len(recs) == 0 || len(recs) > BlockRecords*s.Stride) {
			t.Fatalf("%d words", len(recs))
		}
		if !ok && len(recs) != 0 {
			t.Fatalf("%d words of a bad block", len(recs))
		}
	})
}

// benchBlocks are full blocks: of states that are one in 16,384 keys, as those of
// a vehicle puzzle are, and of states that have every third key of a ranking.
func benchBlocks(b *testing.B, f func(b *testing.B, s Shape, recs []uint64)) {
	b.Helper()
	for _, way := range []struct {
		name  string
		shape Shape
		gap   uint64
	}{
		{"sparse", Shape{Stride: 1, KeyBits: 38, MoveBits: 5}, 1 << 15},
		{"dense", Shape{Stride: 1, KeyBits: 23, MoveBits: 2}, 5},
	} {
		b.Run(way.name, func(b *testing.B) {
			rng := rand.New(rand.NewPCG(9, 10))
			recs := make([]uint64, BlockRecords)
			at := uint64(0)
			for i := range recs {
				at += 1 + rng.Uint64N(way.gap)
				recs[i] = at<<way.shape.MoveBits | rng.Uint64N(1<<way.shape.MoveBits)
			}
			b.SetBytes(BlockRecords * 8)
			f(b, way.shape, recs)
			perState(b, BlockRecords)
			block := way.shape.appendBlock(nil, recs, nil)
			b.ReportMetric(float64(len(block))/BlockRecords, "bytes/state")
		})
	}
}

func BenchmarkEncodeBlock(b *testing.B) {
	benchBlocks(b, func(b *testing.B, s Shape, recs []uint64) {
		b.Helper()
		var buf []byte
		for b.Loop() {
			buf = s.appendBlock(buf[:0], recs, nil)
		}
	})
}

func BenchmarkDecodeBlock(b *testing.B) {
	benchBlocks(b, func(b *testing.B, s Shape, recs []uint64) {
		b.Helper()
		block := s.appendBlock(nil, recs, nil)
		var buf []uint64
		for b.Loop() {
			if !checkBlock(block, nil) {
				b.Fatal("checksum")
			}
			buf, _ = s.decodeBlock(buf[:0], block)
		}
	})
}
