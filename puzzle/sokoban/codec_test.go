package sokoban

import (
	"math/rand/v2"
	"testing"
)

// TestCodec packs random sets of the sizes at which packing changes.
func TestCodec(t *testing.T) {
	for _, c := range []struct {
		cells, boxes int
		keyBits      int
	}{
		{2, 1, 2},
		{19, 4, 17},
		{58, 29, 61},
		{64, 31, 128},
		{64, 20, 61},
		{64, 63, 12},
		{65, 8, 39},
		{100, 96, 128}, // the table would be too large
		{120, 60, 128},
		{121, 60, 128},
		{122, 60, 192},
		{503, 5, 47},
		{503, 7, 60},
		{503, 8, 512},
		{503, 502, 512},
	} {
		k := newCodec(c.cells, c.boxes)
		equalInts(t, "bits", k.keyBits, c.keyBits, c.cells, c.boxes)
		key := make([]uint64, k.words())
		rng := rand.New(rand.NewPCG(1, 2))
		for range 50 {
			var boxes, got cellSet
			order := rng.Perm(c.cells)
			for _, cell := range order[:c.boxes] {
				boxes.add(cell)
			}
			playerAt := order[c.boxes]
			k.encode(key, &boxes, playerAt)
			player, ok := k.decode(key, &got)
			if !ok || got != boxes || player != playerAt {
				t.Fatalf("%d cells, %d boxes: %v, %d come back as %v, %d, %t", c.cells, c.boxes, boxes, playerAt, got, player, ok)
			}
			if k.keyBits < 64 && key[0]>>k.keyBits != 0 {
				t.Fatalf("%d cells, %d boxes: key %x has more than %d bits", c.cells, c.boxes, key, k.keyBits)
			}
		}
	}
}

func equalInts(t *testing.T, what string, got, want, cells, boxes int) {
	t.Helper()
	if got != want {
		t.Errorf("%d cells, %d boxes: %s %d, want %d", cells, boxes, what, got, want)
	}
}

// TestRanks goes through all sets of 4 of 9 cells in the order of their ranks.
func TestRanks(t *testing.T) {
	c := newCodec(9, 4)
	if c.ranks != 126 {
		t.Fatalf("%d ranks, want 126", c.ranks)
	}
	last := uint64(0)
	for rank := range c.ranks {
		var boxes cellSet
		c.unrank(rank, &boxes)
		if got := c.rank(&boxes); got != rank || boxes[0] <= last {
			t.Fatalf("rank %d is of %b, whose rank is %d, after %b", rank, boxes[0], got, last)
		}
		last = boxes[0]
	}
}
