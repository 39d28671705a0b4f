package store

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

func readExtent(tb testing.TB, c *ScratchCursor) []uint64 {
	tb.Helper()
	var all []uint64
	for {
		recs, err := c.Next()
		if err != nil {
			tb.Fatal(err)
		}
		if len(recs) == 0 {
			return all
		}
		all = append(all, recs...)
	}
}

// Extents come back as they were spilled, several at once, and joined ones one
// after the other.
func TestScratch(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	s := openMem(t, vfs.NewMem(), Options{})
	for _, shape := range []Shape{narrowShape(), {Stride: 9}} {
		f, err := s.NewScratch(shape)
		if err != nil {
			t.Fatal(err)
		}
		var extents []Extent
		var spilled [][]uint64
		var joined Extent
		for _, n := range []int{0, 1, 4095, 4096, 4097, 9000} {
			recs := randomRecords(rng, shape, n)
			e, err := f.Spill(recs)
			if err != nil {
				t.Fatal(err)
			}
			extents, spilled = append(extents, e), append(spilled, recs)
			joined.Join(e)
		}
		for i, e := range extents {
			if got := readExtent(t, f.Cursor(e)); !slices.Equal(got, spilled[i]) {
				t.Errorf("extent %d: %d words, want %d", i, len(got), len(spilled[i]))
			}
		}
		if got := readExtent(t, f.Cursor(joined)); !slices.Equal(got, slices.Concat(spilled...)) {
			t.Errorf("joined: %d words", len(got))
		}
		if size, err := s.fs.Stat(f.path); err != nil || size.Size() != f.Bytes() {
			t.Errorf("the file has not %d bytes: %v", f.Bytes(), err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := s.fs.Stat(f.path); err == nil {
			t.Error("the file is there after Close")
		}
	}
	closeStore(t, s)
}

func TestDamagedScratch(t *testing.T) {
	disk := vfs.NewMem()
	s := openMem(t, disk, Options{})
	f, err := s.NewScratch(narrowShape())
	if err != nil {
		t.Fatal(err)
	}
	e, err := f.Spill(randomRecords(rand.New(rand.NewPCG(1, 4)), narrowShape(), BlockRecords+100))
	if err != nil {
		t.Fatal(err)
	}
	body, err := disk.UnsafeGetFileDataBuffer(f.path)
	if err != nil {
		t.Fatal(err)
	}
	body[len(body)-20] ^= 1
	c := f.Cursor(e)
	if _, err := c.Next(); err != nil {
		t.Errorf("the first block is good: %v", err)
	}
	if recs, err := c.Next(); !IsCorruption(err) || len(recs) > 0 {
		t.Errorf("the second block is damaged: %d words, %v", len(recs), err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
}
