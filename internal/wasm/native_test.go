package wasm

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/everystate/everystate/internal/wasm/kept"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/conformance"
	"github.com/everystate/everystate/puzzle/tiles"
)

func open(tb testing.TB, module []byte, text string) puzzle.Board {
	tb.Helper()
	board, err := Open(module, text, Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return board
}

func native(tb testing.TB, text string) puzzle.Puzzle {
	tb.Helper()
	boards, err := tiles.Read([]byte(text), puzzle.ReadOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	return boards[0].Puzzle
}

// TestTiles compares the tiles in C with the family that is built in.
func TestTiles(t *testing.T) {
	t.Parallel()
	sameTiles(t, readModule(t, "tiles"), tilesTexts...)
}

// TestTilesInRust does the same with the tiles in Rust.
func TestTilesInRust(t *testing.T) {
	t.Parallel()
	sameTiles(t, readModule(t, "tiles-rust"), tilesTexts...)
}

// TestTilesInGo does the same with the module that puzzle/sdk/go makes, compiled for the
// first time, read where it is kept, and compiled again where that is damaged.
func TestTilesInGo(t *testing.T) { //nolint:paralleltest // modules are kept by the whole process
	if testing.Short() {
		t.Skip("builds a module: a minute if nothing of it is in the cache")
	}
	module := buildGo(t, "../../puzzle/sdk/go/examples/tiles")
	root := filepath.Join(t.TempDir(), "modules")
	kept.In(root)
	defer kept.In("")
	code := func() (path string, info os.FileInfo) {
		t.Helper()
		paths, err := filepath.Glob(filepath.Join(root, "*", "*", "*[0-9a-f]"))
		if err != nil || len(paths) != 1 {
			t.Fatalf("%q, %v", paths, err)
		}
		info, err = os.Stat(paths[0])
		if err != nil {
			t.Fatal(err)
		}
		return paths[0], info
	}
	sameTiles(t, module, tilesTexts[1])
	path, first := code()
	sameTiles(t, module, tilesTexts[1])
	if _, second := code(); !os.SameFile(first, second) {
		t.Error("compiled twice")
	}
	// The sum is right, and what it is the sum of is nonsense.
	nonsense := []byte("no code")
	if err := os.WriteFile(path, nonsense, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".sum", []byte(Hash(nonsense)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	sameTiles(t, module, tilesTexts[1])
	if err := os.RemoveAll(root); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(bytes.Replace(module, []byte("es_info"), []byte("es_none"), 1), tilesTexts[1], Options{}); err == nil {
		t.Error("a module without es_info was opened")
	}
	entries, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if len(entries) > 0 {
		t.Errorf("a module without es_info leaves %v", entries)
	}
}

func buildGo(tb testing.TB, folder string) []byte {
	tb.Helper()
	file := filepath.Join(tb.TempDir(), "m.wasm")
	build := exec.CommandContext(tb.Context(), "go", "build", "-buildmode=c-shared", "-ldflags=-s -w", "-o", file, folder)
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		tb.Fatalf("%v\n%s", err, out)
	}
	module, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	return module
}

// tilesTexts are boards of several shapes.
var tilesTexts = []string{
	"3 1\n2 0", "8 6 7\n2 5 4\n3 0 1", "1 2 3 4 5\n6 7 8 9 0", "1 2 3\n4 5 6\n7 8 9\n10 11 0",
	"1 2 3 4\n5 6 7 8\n9 10 11 12\n13 14 15 0",
}

func sameTiles(t *testing.T, module []byte, texts ...string) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	for _, text := range texts {
		board := open(t, module, text)
		p, q := board.Puzzle, native(t, text)
		if p.Layout() != q.Layout() || !slices.Equal(p.Starts(), q.Starts()) {
			t.Fatalf("%q: %v from %v, want %v from %v", text, p.Layout(), p.Starts(), q.Layout(), q.Starts())
		}
		var got, want puzzle.Edges
		keys := []uint64{p.Starts()[0]}
		for i := range 3000 {
			key := keys[len(keys)-1:]
			want.Reset()
			q.Successors(key, &want)
			next := want.Keys[random.IntN(want.Len())]
			if i%7 == 0 {
				if key[0]&1 == 0 && q.Valid([]uint64{key[0] + 1}) {
					next = key[0] + 1 // anywhere else
				}
			}
			keys = append(keys, next)
		}
		want.Reset()
		q.Successors(keys, &want)
		p.Successors(keys, &got)
		if !slices.Equal(got.Keys, want.Keys) || !slices.Equal(got.Moves, want.Moves) {
			t.Fatalf("%q: other successors", text)
		}
		links := make([]puzzle.Move, len(keys))
		for i := range keys {
			var one puzzle.Edges
			q.Successors(keys[i:i+1], &one)
			links[i] = one.Moves[0] ^ 1
		}
		got.Reset()
		want.Reset()
		q.(puzzle.Onward).Onward(keys, links, &want)
		p.(puzzle.Onward).Onward(keys, links, &got)
		if !slices.Equal(got.Keys, want.Keys) || !slices.Equal(got.Moves, want.Moves) {
			t.Fatalf("%q: other successors onward", text)
		}
		for _, key := range keys[:50] {
			if a, b := p.Format([]uint64{key}), q.Format([]uint64{key}); a != b {
				t.Fatalf("%q: key %d is %q, want %q", text, key, a, b)
			}
		}
		if err := puzzle.Err(p); err != nil {
			t.Fatal(err)
		}
	}
}

// TestConformance runs the conformance suite on modules that are in order.
func TestConformance(t *testing.T) {
	for _, test := range []struct {
		module, text string
		states       int // all of them, 0 if they are too many
	}{
		{"tiles", "1 2 3\n4 5 6\n7 8 0", 0},
		{"tiles", "3 1\n2 0", 12},
		{"tiles-rust", "1 2 3\n4 5 6\n7 8 0", 0},
		{"tiles-rust", "3 1\n2 0", 12},
		{"jugs", "8 5 3 : 4", 16},
		{"wide", "20", 0},
		{"liar", "nothing", 0},
	} {
		module := readModule(t, test.module)
		r := conformance.Check(open(t, module, test.text), conformance.Options{
			AllocsPerRun: testing.AllocsPerRun,
			Read: func(text []byte, o puzzle.ReadOptions) ([]puzzle.Board, error) {
				b, err := Open(module, string(text), Options{Metric: o.Metric})
				return []puzzle.Board{b}, err
			},
		})
		for _, f := range r.Findings {
			t.Errorf("%s: %v", test.module, f)
		}
		if test.states > 0 {
			if n := explore(open(t, module, test.text).Puzzle); n != test.states {
				t.Errorf("%s has %d states, want %d", test.module, n, test.states)
			}
		}
	}
}

// BenchmarkSuccessors measures what a module costs, against the family that is built
// in: ns for each successor, in batches as the engine makes them.
func BenchmarkSuccessors(b *testing.B) {
	const text = "1 2 3\n4 5 6\n7 8 9\n10 11 0"
	for _, test := range []struct {
		name   string
		puzzle func(b *testing.B) puzzle.Puzzle
	}{
		{"built-in", func(b *testing.B) puzzle.Puzzle { return native(b, text) }},
		{"C", func(b *testing.B) puzzle.Puzzle { return open(b, readModule(b, "tiles"), text).Puzzle }},
		{"Rust", func(b *testing.B) puzzle.Puzzle { return open(b, readModule(b, "tiles-rust"), text).Puzzle }},
		{"Go", func(b *testing.B) puzzle.Puzzle {
			return open(b, buildGo(b, "../../puzzle/sdk/go/examples/tiles"), text).Puzzle
		}},
	} {
		b.Run(test.name, func(b *testing.B) {
			p := test.puzzle(b)
			states := p.Starts()
			var out puzzle.Edges
			for len(states) < 1<<16 {
				out.Reset()
				p.Successors(states, &out)
				states = append(states[:0], out.Keys...)
			}
			states = states[:1<<16]
			edges := 0
			b.ReportAllocs()
			b.ResetTimer()
			for b.Loop() {
				for i := 0; i < len(states); i += batchStates {
					out.Reset()
					p.Successors(states[i:i+batchStates], &out)
					edges += out.Len()
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(edges), "ns/successor")
		})
	}
}
