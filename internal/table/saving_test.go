package table

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"testing"
)

var errKilled = errors.New("killed")

// A search in memory that is killed in the midst of layers goes on from what was saved last,
// in memory or with the table as pages, and makes the same layers.
func TestSavedWithinLayers(t *testing.T) {
	spaces := testedSpaces(t)
	kills := 0
	for name, space := range spaces {
		t.Run(name, func(t *testing.T) {
			kills += killed(t, space)
		})
	}
	if kills < 10 {
		t.Errorf("killed %d times only", kills)
	}
}

func killed(t *testing.T, space *Space) (kills int) {
	t.Helper()
	p := space.Puzzle
	want := slow(p, fromStarts, p.Starts(), space.Scheme)
	r := rand.New(rand.NewPCG(5, uint64(len(want))))
	table := space.NewTable()
	var s Search = fine(table)
	got, err := s.Begin(p.Starts())
	for i := range want {
		if err != nil || !sameLayer(got, want[i]) {
			t.Fatalf("layer %d: %v\n got %+v\nwant %+v", i, err, got, want[i])
		}
		for try := 0; ; try++ {
			var file bytes.Buffer
			edges := s.Edges()
			s.Save(func() bool { return try < 3 }, func(part Part) error {
				if r.IntN(2) == 0 {
					return nil
				}
				if err := table.Write(&file, Stamp{Phase: 1, Depth: uint32(i), Edges: edges, Part: &part}); err != nil {
					t.Error(err)
				}
				return errKilled
			})
			got, err = s.Next(context.Background())
			if !errors.Is(err, errKilled) {
				break
			}
			kills++
			whole := file.Bytes()
			table = space.NewTable()
			read, part, err := table.Read(&file, Stamp{Phase: 1, Depth: uint32(i)})
			if err != nil || read != edges {
				t.Fatalf("%d successors, want %d; %v", read, edges, err)
			}
			pages, read, same, err := space.OpenStored(bytes.NewReader(whole), int64(len(whole)), Stamp{Phase: 1, Depth: uint32(i)})
			if err != nil || read != edges || same.States != part.States {
				t.Fatalf("%d successors, want %d; %v", read, edges, err)
			}
			if kills%4 == 0 {
				asPages(t, space, pages, uint32(i), edges, *part, want[i+1:])
			}
			memory := fine(table)
			memory.ResumeWithin(uint32(i), edges, *part)
			s = memory
		}
	}
	if err != nil || got.States != 0 {
		t.Fatalf("a layer behind the last: %+v, %v", got, err)
	}
	return kills
}

// fine returns a search that can be saved after every block.
func fine(t *Table) InMemory {
	s := NewSearch(t, fromStarts, true, 2)
	if p, ok := s.(*passes); ok {
		p.chunk = 1
	}
	return s
}

// asPages goes on from a table as pages for a few layers.
func asPages(t *testing.T, space *Space, from Pages, depth uint32, edges int64, part Part, want []Layer) {
	t.Helper()
	s := small(space, newMemDisk(space), 2)
	if err := s.ResumeFrom(context.Background(), depth, edges, part, from); err != nil {
		t.Fatal(err)
	}
	const few = 3
	for _, l := range want[:min(few, len(want))] {
		if got, err := s.Next(context.Background()); err != nil || !sameLayer(got, l) {
			t.Fatalf("as pages, layer %d: %v\n got %+v\nwant %+v", l.Depth, err, got, l)
		}
	}
}
