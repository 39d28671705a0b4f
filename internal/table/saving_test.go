package table

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/everystate/everystate/puzzle"
)

var errKilled = errors.New("killed")

// A search that is killed within a layer goes on from what was saved last, and makes the same layers.
func TestSavedWithinLayers(t *testing.T) {
	t.Parallel()
	kills := 0
	for _, b := range []struct {
		name, text string
		space      func(tb testing.TB, p puzzle.Puzzle) *Space
	}{
		{"pancakes", boards[1].text, spaceOf},
		{"tiles", boards[7].text, spaceOf},
		{"peg 4x4", numberedBoards[5].text, numberedSpace},
		{"walls", numberedBoards[3].text, numberedSpace},
		{"hanoi", folded[4].text, foldedSpace},
		{"merged", "puzzle: hanoi\nsymmetry: on\n\n5 pegs 6 discs\n", spaceOf},
	} {
		t.Run(b.name, func(t *testing.T) {
			kills += killed(t, b.space(t, boardOf(t, b.text).Puzzle))
		})
	}
	if kills < 10 {
		t.Errorf("killed %d times only", kills)
	}
}

func killed(t *testing.T, space *Space) (kills int) {
	t.Helper()
	p := space.Puzzle
	want := slow(p, FromStarts, p.Starts(), space.Scheme)
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
			_, read, same, err := space.OpenStored(bytes.NewReader(whole), int64(len(whole)), Stamp{Phase: 1, Depth: uint32(i)})
			if err != nil || read != edges || same.States != part.States {
				t.Fatalf("%d successors, want %d; %v", read, edges, err)
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
	s := NewSearch(t, FromStarts, true, 2)
	if p, ok := s.(*passes); ok {
		p.chunk = 1
	}
	return s
}
