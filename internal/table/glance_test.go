package table

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"
)

// A glance at single states finds the links and depths that the whole table has, and
// damaged chunks are found.
func TestGlance(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, b := range boards {
		t.Run(b.name, func(t *testing.T) {
			p := boardOf(t, b.text).Puzzle
			space := spaceOf(t, p)
			full := space.NewTable()
			search := NewSearch(full, FromStarts, false, 1)
			if _, err := search.Begin(p.Starts()); err != nil {
				t.Fatal(err)
			}
			for n := int64(1); n > 0; {
				l, err := search.Next(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				n = l.States
			}
			var file bytes.Buffer
			stamp := Stamp{Phase: FromStarts, Depth: search.Depth(), Edges: search.Edges()}
			if err := full.Write(&file, stamp); err != nil {
				t.Fatal(err)
			}
			glance := func() (*Glance, error) {
				return NewGlance(p, space.Locator(), bytes.NewReader(file.Bytes()), stamp)
			}
			g, err := glance()
			if err != nil {
				t.Fatal(err)
			}
			var keys []uint64
			for range 300 {
				block, item := rng.IntN(space.Ranks.Blocks), uint16(rng.IntN(space.Ranks.Size))
				keys = space.Ranks.AppendKeys(keys, block, []uint16{item})
			}
			for _, key := range append(keys, p.Starts()...) {
				link, depth, err := g.LinkOf(key)
				if wantLink, want := full.LinkOf(key); err != nil || link != wantLink || depth != want {
					t.Fatalf("key %d: link %d, depth %d, %v; want link %d, depth %d", key, link, depth, err, wantLink, want)
				}
			}

			for i := headerBytes; i < file.Len(); i += 8 {
				file.Bytes()[i] ^= 1 // every chunk
			}
			damaged, err := glance()
			if err == nil {
				_, _, err = damaged.LinkOf(keys[0])
			}
			if !errors.Is(err, ErrDamaged) {
				t.Errorf("all chunks damaged: %v", err)
			}
		})
	}
}
