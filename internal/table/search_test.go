package table

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/digest"
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/puzzle/partition"
)

func boardOf(tb testing.TB, text string) puzzle.Board {
	tb.Helper()
	boards, err := families.Read([]byte(text), puzzle.ReadOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	return boards[0]
}

func spaceOf(tb testing.TB, p puzzle.Puzzle) *Space {
	tb.Helper()
	dense, ok := p.(puzzle.Dense)
	if !ok {
		tb.Fatal("the puzzle has no ranks")
	}
	r := dense.Ranks()
	if r == nil {
		tb.Fatal("the puzzle has no ranks")
	}
	scheme, err := partition.New(p.Layout(), 64)
	if err != nil {
		tb.Fatal(err)
	}
	return NewSpace(p, r, scheme)
}

// slow is a breadth-first search over the puzzle's own successors.
func slow(p puzzle.Puzzle, phase uint8, starts []uint64, scheme partition.Scheme) []Layer {
	var layers []Layer
	depth := map[uint64]int{}
	link := map[uint64]puzzle.Move{}
	front, edges := starts, int64(0)
	for _, key := range starts {
		depth[key], link[key] = 0, 0
	}
	for d := 0; len(front) > 0; d++ {
		l := Layer{Depth: uint32(d), States: int64(len(front)), Generated: edges, PartStates: make([]int64, scheme.Partitions())}
		salt := digest.LayerSalt(phase, uint32(d))
		marks := make([]bool, len(front))
		p.Goals(front, marks)
		weighted, merged := p.(puzzle.Weighted)
		weights := make([]uint64, len(front))
		if merged && phase == FromStarts {
			weighted.Weights(front, weights)
		}
		for i, key := range front {
			l.Represented += int64(weights[i])
			l.Digest.AddNarrow(salt, key, link[key])
			part, _ := scheme.RecordNarrow(key, 0)
			l.PartStates[part]++
			if marks[i] {
				l.Goals++
			}
		}
		layers = append(layers, l)
		var out puzzle.Edges
		p.Successors(front, &out)
		edges, front = int64(len(out.Keys)), nil
		for i, key := range out.Keys {
			at, seen := depth[key]
			if !seen {
				depth[key], link[key] = d+1, out.Moves[i]
				front = append(front, key)
			} else if at == d+1 {
				link[key] = min(link[key], out.Moves[i])
			}
		}
	}
	return layers
}

func sameLayer(a, b Layer) bool {
	return a.Depth == b.Depth && a.States == b.States && a.Generated == b.Generated && a.Goals == b.Goals && a.Represented == b.Represented && a.Digest == b.Digest && slices.Equal(a.PartStates, b.PartStates)
}

var boards = []struct{ name, text string }{
	{"six corners", "puzzle: permutation\npieces: 6\norientations: 3\nmove A, A': (1 2 3 4)\nmove B, B': (3+1 4+2 5+1 6+2)\n"},
	{"pancakes", "puzzle: pancake\n\n5 2 7 1 3 8 4 6\n"},
	{"nine pancakes", "puzzle: pancake\n\n5 2 9 7 1 3 8 4 6\n"},
	{"burnt pancakes", "puzzle: burnt-pancake\n\n5 -2 1 3 4 -6\n"},
	{"even permutations", "puzzle: permutation\npieces: 9\nmove A, A': (1 2 3)\nmove B, B': (3 4 5 6 7)\nmove C, C': (7 8 9)\n"},
	{"tiles", "puzzle: tiles\n\n1 2 3\n4 0 6\n7 5 8\n"},
	{"tiles of six cells, in lines", "puzzle: tiles\nmetric: line\n\n1 2 3\n0 5 4\n"},
	{"tiles of eight cells", "puzzle: tiles\n\n1 2\n3 4\n5 6\n0 7\n"},
	{"three pegs", "puzzle: hanoi\n\n3 pegs 9 discs\n"},
	{"four pegs", "puzzle: hanoi\n\n4 pegs 7 discs\n"},
	{"two orbits", "puzzle: permutation\npieces: 11\norientations: 1 1 1 1 1 3 3 3 3 2 2\nmove A, A': (1 2 3) (6+1 7+2 8)\nmove B, B': (4 5) (10 11+1)\nmove C, C': (3 4) (8+1 9) \n"},
	// The two sets move alike, and how many thirds of a turn a set has made tells which
	// of its places are taken: one of 36 combinations of coordinates is a state.
	{"tied orbits", "puzzle: permutation\nsets: A B\npieces: 4 / 4\norientations: 3 3 3 3 3 3 3 3\nmove F, F': (1+1 2 3)(5 6 7+1)\nmove R, R': (2+1 3 4)(6 7+1 8)\n"},
}

// Every layer is that of a plain search: states, successors, goals, links, parts.
func TestSameAsSlowTwin(t *testing.T) {
	for _, b := range boards {
		t.Run(b.name, func(t *testing.T) {
			p := boardOf(t, b.text).Puzzle
			space := spaceOf(t, p)
			compareWithSlow(t, p, space)
		})
	}
}

// compareWithSlow fills a table, and compares every layer with a plain search.
func compareWithSlow(t *testing.T, p puzzle.Puzzle, space *Space) *Table {
	t.Helper()
	table := space.NewTable()
	s := NewSearch(table, 1, true, 2)
	got, err := s.Begin(p.Starts())
	for i, want := range slow(p, 1, p.Starts(), space.Scheme) {
		if err != nil {
			t.Fatal(err)
		}
		if !sameLayer(got, want) {
			t.Fatalf("layer %d:\n got %+v\nwant %+v", i, got, want)
		}
		var expanded, found atomic.Int64
		s.Tell(want.States, &expanded, &found)
		got, err = s.Next(context.Background())
		if expanded.Load() != want.States || found.Load() != got.States {
			t.Fatalf("layer %d: told of %d states expanded and %d found, not %d and %d", i+1, expanded.Load(), found.Load(), want.States, got.States)
		}
	}
	if err != nil || got.States != 0 {
		t.Fatalf("a layer behind the last: %+v, %v", got, err)
	}
	return table
}

// Coordinates that are tied to one another have no ranks that no state has.
func TestTiedOrbits(t *testing.T) {
	p := boardOf(t, boards[len(boards)-1].text).Puzzle
	const states = 26_244
	if n := spaceOf(t, p).Ranks.States(); n != states {
		t.Errorf("%d ranks, want %d", n, states)
	}
}

// A table whose states have other ranks is not taken for one that is damaged.
func TestRenumbered(t *testing.T) {
	space := spaceOf(t, boardOf(t, boards[0].text).Puzzle)
	var file bytes.Buffer
	stamp := Stamp{Phase: 1, Depth: 3, Edges: 7}
	if err := space.NewTable().Write(&file, stamp); err != nil {
		t.Fatal(err)
	}
	other := spaceOf(t, boardOf(t, boards[1].text).Puzzle)
	if _, _, err := other.NewTable().Read(bytes.NewReader(file.Bytes()), stamp); !errors.Is(err, ErrRenumbered) {
		t.Errorf("a table of other ranks: %v", err)
	}
	stamp.Depth++
	if _, _, err := other.NewTable().Read(bytes.NewReader(file.Bytes()), stamp); !errors.Is(err, ErrDamaged) {
		t.Errorf("a table of another depth: %v", err)
	}
}

func BenchmarkSearch(b *testing.B) {
	path := os.Getenv("EVERYSTATE_BENCH_BOARD")
	if path == "" {
		b.Skip("EVERYSTATE_BENCH_BOARD names no board")
	}
	text, err := os.ReadFile(filepath.Clean(path))
	if err != nil {
		b.Fatal(err)
	}
	p := boardOf(b, string(text)).Puzzle
	for b.Loop() {
		space := spaceOf(b, p)
		s := NewSearch(space.NewTable(), 1, true, 2)
		l, err := s.Begin(p.Starts())
		var d digest.Digest
		n := int64(0)
		for err == nil && l.States > 0 {
			d.Add(l.Digest)
			n += l.States
			b.Logf("%2d %12d %v", l.Depth, l.States, b.Elapsed())
			l, err = s.Next(context.Background())
		}
		if err != nil {
			b.Fatal(err)
		}
		b.Logf("%d states, %d ranks, digest %v, %d bytes", n, space.Ranks.States(), d, space.SearchBytes())
	}
}

// Layers of tiles have a colour, so that the last one and the next share a plane of bits;
// those of pancakes have none.
func TestColours(t *testing.T) {
	for text, want := range map[string]bool{
		"puzzle: tiles\n\n1 2 3\n4 0 6\n7 5 8\n":                true,
		"puzzle: tiles\nmetric: line\n\n1 2 3\n0 5 4\n":         false,
		"puzzle: pancake\n\n5 2 7 1 3 8 4 6\n":                  false,
		"puzzle: permutation\npieces: 5\nmove A, A': (1 2 3)\n": false,
	} {
		p := boardOf(t, text).Puzzle
		space := spaceOf(t, p)
		s := newPasses(space.NewTable(), 1, false, 1)
		bits := 8 * (space.SearchBytes() - 8*int64(space.Ranks.Blocks)) / (space.BytesPerTable() * 4)
		if shared := &s.front[0] == &s.next[0]; shared != want || bits != map[bool]int64{true: 3, false: 4}[want] {
			t.Errorf("%q: one plane %v, %d bits per rank", text, shared, bits)
		}
	}
}
