package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/internal/table/stored"
	"github.com/everystate/everystate/internal/test/crashdisk"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/store"
)

// denseBoards are boards whose states have ranks.
func denseBoards(t *testing.T) map[string]puzzle.Board {
	t.Helper()
	boards := make(map[string]puzzle.Board)
	for _, file := range []string{
		"permutation/pancake-8.txt", "permutation/burnt-pancake-6.txt", "permutation/topspin-9-3.txt",
		"tiles/2x4.txt", "hanoi/classic-8.txt", "hanoi/reve-8.txt",
		"rushhour/small-5x5.txt", "rushhour/jam-93.txt", "peg/triangle-15.txt",
	} {
		text, err := os.ReadFile("../../puzzles/" + file)
		check(t, err)
		read, err := families.Read(text, puzzle.ReadOptions{})
		check(t, err)
		boards[file] = read[0]
	}
	boards["folded"] = foldedBoard(t)
	for name, board := range mergedBoards(t) {
		boards[name] = board
	}
	return boards
}

// mergedBoards are boards with symmetric states merged, whose representatives have ranks.
// Symmetries turn pieces by how they lie, and map some states to themselves; a goal is a
// start or not.
func mergedBoards(t *testing.T) map[string]puzzle.Board {
	t.Helper()
	boards := make(map[string]puzzle.Board)
	for name, file := range map[string]struct{ path, headers string }{
		"merged corners": {"pocket-cube-generated.txt", "generators: U, R\n"},
		"merged edges": {"", "puzzle: permutation\npieces: a b c d e f\norientations: 2\nstart: a+1 b+1 c+1 d+1 e+1 f+1\n" +
			"move U, U': (1 3+1 2+1)\nmove L, L': (1+1 4+1 5)\nmove R, R': (2 6+1 4+1)\nmove B, B': (3+1 5+1 6)\n"},
		// Five pairs of opposite places: 3,840 states. The places of three pieces decide.
		"merged marks": {"", "puzzle: permutation\npieces: a b c d e f g h i j\nmove R, R': (1 2 3 4 5 6 7 8 9 10)\n" +
			"move T: (1 6)\nmove U: (1 2)(6 7)\nmove V: (1 10)(6 5)\n"},
		"merged pegs":    {"", "puzzle: hanoi\n\n5 pegs 6 discs\n"},
		"merged return":  {"", "puzzle: hanoi\ngoal: 1 1 1 1 1 1 1\n\n4 pegs 7 discs\n"},
		"merged centres": {"skewb.txt", "only: CORNERS, CENTRES\n"},
	} {
		text := []byte(file.headers)
		if file.path != "" {
			var err error
			text, err = os.ReadFile("../../puzzles/permutation/" + file.path)
			check(t, err)
			text = []byte(strings.Replace(string(text), "\nstates:", "\n;", 1))
			text = []byte(strings.Replace(string(text), "puzzle: permutation\n", "puzzle: permutation\n"+file.headers, 1))
		}
		read, err := families.Read([]byte("symmetry: on\n"+string(text)), puzzle.ReadOptions{})
		check(t, err)
		boards[name] = read[0]
	}
	return boards
}

// foldedText is that of foldedBoard.
const foldedText = "puzzle: permutation\nmetric: htm\nsets: P Q\npieces: 5 / 5\n" +
	"move A: (1 2)(6 8)\nmove B: (2 3)(7 9)\nmove C: (3 4)(8 10)\nmove D: (4 5)(9 6)\nmove E: (5 1)(10 7)\n"

// foldedBoard has 7,200 states, and ten symmetries that fold its table.
func foldedBoard(t *testing.T) puzzle.Board {
	t.Helper()
	boards, err := families.Read([]byte(foldedText), puzzle.ReadOptions{})
	check(t, err)
	return boards[0]
}

// onePancakes are 5,040 states.
func onePancakes(t *testing.T) puzzle.Board {
	t.Helper()
	boards, err := families.Read([]byte("puzzle: pancake\n\n5 2 7 1 3 6 4\n"), puzzle.ReadOptions{})
	check(t, err)
	return boards[0]
}

func tableOptions(fs vfs.FS, kept StoreChoice) Options {
	return Options{Workers: 2, Partitions: 16, MemoryBytes: MemoryMin, FS: fs, Store: kept}
}

// sameLayers compares all that two runs have committed but where it is kept.
func sameLayers(t *testing.T, got, want *history.History) {
	t.Helper()
	for _, phase := range []history.Phase{history.Forward, history.Goal} {
		a, b := got.Layers(phase), want.Layers(phase)
		if len(a) != len(b) || (got.End(phase) == nil) != (want.End(phase) == nil) {
			t.Fatalf("%v: %d layers, want %d", phase, len(a), len(b))
		}
		for d := range a {
			x, y := a[d], b[d]
			if x.States != y.States || x.Generated != y.Generated || x.Goals != y.Goals || x.Represented != y.Represented || x.Digest != y.Digest || !slices.Equal(x.PartStates, y.PartStates) {
				t.Fatalf("%v layer %d:\n%+v\nwant\n%+v", phase, d, x, y)
			}
		}
		if end := got.End(phase); end != nil && end.Generated != want.End(phase).Generated {
			t.Errorf("%v ends with %+v, want %+v", phase, *end, *want.End(phase))
		}
	}
}

// A table gives the layers, and the answers to all questions, that stored layers give.
func TestTableSameAsLayers(t *testing.T) {
	for name, board := range denseBoards(t) {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "hanoi/classic-8.txt" && name != "tiles/2x4.txt" {
				t.Skip("takes seconds")
			}
			var runs [2]*Run
			fs := vfs.NewMem()
			for i, kept := range []StoreChoice{StoreLayers, StoreTable} {
				r, err := Create(fmt.Sprint("run", i), board, tableOptions(fs, kept))
				check(t, err)
				if fold := name == "folded" || name == "hanoi/reve-8.txt"; r.spec.Folded != (fold && kept == StoreTable) {
					t.Errorf("folded: %v", r.spec.Folded)
				}
				reason, err := r.Explore(t.Context(), everything(board.Puzzle))
				if err != nil || reason != history.Exhausted {
					t.Fatalf("reason %v, error %v", reason, err)
				}
				v, err := r.Verify(t.Context(), func(int64) {})
				if err != nil || v.States != r.history.States(history.Forward)+r.history.States(history.Goal) {
					t.Errorf("verified %+v, error %v", v, err)
				}
				_, err = r.VerifyComplete(t.Context(), t.TempDir(), "test", func(int64) {})
				check(t, err)
				runs[i] = r
			}
			sameLayers(t, &runs[1].history, &runs[0].history)
			sameAnswers(t, runs[1].Space(), runs[0].Space())

			// Without the last layers, which are kept beside the table, all are
			// regenerated.
			check(t, runs[1].Close())
			removeLast(t, fs, runs[1])
			var err error
			runs[1], err = Open("run1", tableOptions(fs, StoreAny))
			check(t, err)
			sameAnswers(t, runs[1].Space(), runs[0].Space())
			for _, r := range runs {
				check(t, r.Close())
			}
		})
	}
}

// removeLast removes the files with the last layers of the phases of a run.
func removeLast(t *testing.T, fs vfs.FS, r *Run) {
	t.Helper()
	dir, phases := r.Dir(), 1
	if len(r.history.Layers(history.Goal)) > 0 {
		phases = 2
	}
	names, err := fs.List(dir)
	check(t, err)
	n := 0
	for _, name := range names {
		if strings.HasSuffix(name, ".last") {
			check(t, fs.Remove(fs.PathJoin(dir, name)))
			n++
		}
	}
	if n != phases {
		t.Fatalf("%d files with last layers in %v, want %d", n, names, phases)
	}
}

// sameAnswers asks two spaces the same questions.
func sameAnswers(t *testing.T, got, want *query.Space) {
	t.Helper()
	a, b := rowsOf(t, got), rowsOf(t, want)
	if !slices.Equal(a, b) {
		t.Fatalf("%d rows, want %d, or other ones", len(a), len(b))
	}
	ctx := t.Context()
	for _, ask := range []struct {
		name string
		of   func(s *query.Space) (any, error)
	}{
		{"deepest", func(s *query.Space) (any, error) { return s.Deepest(ctx) }},
		{"hardest", func(s *query.Space) (any, error) { return s.Hardest(ctx, 5) }},
		{"first goal", func(s *query.Space) (any, error) { return s.FirstGoal(ctx) }},
		{"trace", ofDeepest(func(s *query.Space, state []uint64) (any, error) { return s.FromStart(ctx, state) })},
		{"solution", ofDeepest(func(s *query.Space, state []uint64) (any, error) { return s.ToGoal(ctx, state) })},
		{"place", ofDeepest(func(s *query.Space, state []uint64) (any, error) { return s.Locate(ctx, state) })},
		{"successors", ofDeepest(func(s *query.Space, state []uint64) (any, error) {
			at, err := s.Locate(ctx, state)
			if err != nil {
				return nil, err
			}
			return s.Successors(ctx, state, at)
		})},
		{"slice", func(s *query.Space) (any, error) { return s.Slice(ctx, s.History.Layers(history.Forward)[3], 5, 7) }},
	} {
		x, errX := ask.of(got)
		y, errY := ask.of(want)
		if fmt.Sprint(x, errX) != fmt.Sprint(y, errY) {
			t.Errorf("%s: %v, %v, want %v, %v", ask.name, x, errX, y, errY)
		}
	}
}

// ofDeepest is a question about the deepest state.
func ofDeepest(ask func(s *query.Space, state []uint64) (any, error)) func(s *query.Space) (any, error) {
	return func(s *query.Space) (any, error) {
		state, err := s.Deepest(context.Background())
		if err != nil {
			return nil, err
		}
		return ask(s, state)
	}
}

// rowsOf returns all that an export has of every state.
func rowsOf(t *testing.T, s *query.Space) []string {
	t.Helper()
	var rows []string
	err := query.Table(t.Context(), s, query.TableOptions{Predecessors: true}, func(_ []string, b *query.Batch) ([]string, error) {
		var out []string
		for i := range b.Len() {
			row := fmt.Sprint(b.Depths[i], b.Partitions[i], b.Key(i), b.Goals[i], b.GoalDistances[i])
			if b.Depths[i] > 0 {
				row += fmt.Sprint(" ", b.Moves[i], b.Predecessor(i))
			}
			out = append(out, row)
		}
		return out, nil
	}, func(out []string) error {
		rows = append(rows, out...)
		return nil
	})
	check(t, err)
	return rows
}

// A run that is stopped after every layer, and taken up by another process, ends as
// one that is not.
func TestTableStopped(t *testing.T) {
	for _, board := range tableBoards(t) {
		testTableStopped(t, board)
	}
}

// tableBoards are small boards: layers with a colour and without, a folded table, merged
// states.
func tableBoards(t *testing.T) []puzzle.Board {
	t.Helper()
	return []puzzle.Board{onePancakes(t), puzzleIn(t, "tiles/2x3.txt"), foldedBoard(t), mergedBoards(t)["merged edges"]}
}

func testTableStopped(t *testing.T, board puzzle.Board) {
	t.Helper()
	want := historyTo(t, board, tableOptions(vfs.NewMem(), StoreLayers))
	fs := vfs.NewMem()
	for depth := range len(want.Layers(history.Forward)) {
		r, err := Create("run", board, tableOptions(fs, StoreTable))
		check(t, err)
		reason, err := r.Explore(t.Context(), history.Want{MaxDepth: &depth})
		if err != nil || reason == 0 {
			t.Fatalf("reason %v, error %v", reason, err)
		}
		_, err = r.Verify(t.Context(), func(int64) {})
		check(t, err)
		check(t, r.Close())
	}
	sameLayers(t, historyTo(t, board, tableOptions(fs, StoreTable)), want)
}

func historyTo(t *testing.T, board puzzle.Board, opts Options) *history.History {
	t.Helper()
	h, err := finishTable(board, opts)
	check(t, err)
	return h
}

// finishTable explores to the end, storing the table after every layer.
func finishTable(board puzzle.Board, opts Options) (*history.History, error) {
	r, err := Create("run", board, opts)
	if err != nil {
		return nil, err
	}
	r.opts.tableInterval = 1
	if _, err := r.Explore(context.Background(), everything(board.Puzzle)); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r.History(), r.Close()
}

// The time of a run includes what it takes to store its table, after some layer as at the end.
func TestTableTime(t *testing.T) {
	const each = 2 * time.Millisecond
	var stores atomic.Int64
	slow := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpFileSync && strings.Contains(op.Path, stored.Suffix) {
			stores.Add(1)
			<-time.After(each)
		}
		return nil
	}))
	h := historyTo(t, puzzleIn(t, "tiles/2x3.txt"), tableOptions(slow, StoreTable))
	spent := time.Duration(h.Nanos(history.Forward) + h.Nanos(history.Goal))
	if least := time.Duration(stores.Load()) * each; spent < least || least == 0 {
		t.Errorf("%v, of which storing took %v", spent, least)
	}
}

// Whenever the power goes, the run goes on and ends as it should.
func TestTableCrashes(t *testing.T) {
	for _, board := range tableBoards(t) {
		testTableCrashes(t, board)
	}
}

func testTableCrashes(t *testing.T, board puzzle.Board) {
	t.Helper()
	want := historyTo(t, board, tableOptions(vfs.NewMem(), StoreLayers))
	fs, cuts := crashdisk.New().Record(nil)
	opts := tableOptions(fs, StoreTable)
	_, err := finishTable(board, opts)
	check(t, err)
	clones := cuts.All()
	written := 0
	for i, clone := range clones {
		names, _ := clone.List("run")
		if slices.ContainsFunc(names, func(name string) bool { return strings.HasSuffix(name, stored.Suffix) }) {
			written++
		}
		if !thorough() && i%8 > 0 || testing.Short() && i%15 > 0 {
			continue
		}
		sameLayers(t, historyTo(t, board, tableOptions(clone, StoreTable)), want)
	}
	if written == 0 {
		t.Fatal("no crash had a table")
	}
	t.Logf("%d crashes, %d with a table", len(clones), written)
}

// No bit of a table may change without being noticed.
func TestTableDamage(t *testing.T) {
	board := onePancakes(t)
	dir := filepath.Join(t.TempDir(), "run")
	opts := tableOptions(nil, StoreTable)
	r, err := Create(dir, board, opts)
	check(t, err)
	_, err = r.Explore(t.Context(), everything(board.Puzzle))
	check(t, err)
	check(t, r.Close())
	paths, err := filepath.Glob(filepath.Join(dir, "*"+stored.Suffix+"*"))
	check(t, err)
	if len(paths) != 4 {
		t.Fatalf("tables %v, want one for each phase, and its last layers", paths)
	}
	for _, path := range paths {
		body, err := os.ReadFile(path)
		check(t, err)
		step := max(8*97+1, 8*len(body)/150)
		if testing.Short() {
			step *= 10
		}
		for bit := 0; bit < 8*len(body); bit += step {
			changed := slices.Clone(body)
			changed[bit/8] ^= 1 << (bit % 8)
			check(t, os.WriteFile(path, changed, 0o644))
			if err := verifyTable(dir); !store.IsCorruption(err) {
				t.Fatalf("bit %d of %s: %v", bit, filepath.Base(path), err)
			}
		}
		for _, changed := range [][]byte{body[:len(body)-1], body[:3], append(slices.Clone(body), 0)} {
			check(t, os.WriteFile(path, changed, 0o644))
			if err := verifyTable(dir); !store.IsCorruption(err) {
				t.Fatalf("%d of %d bytes: %v", len(changed), len(body), err)
			}
		}
		check(t, os.WriteFile(path, body, 0o644))
	}
	check(t, verifyTable(dir))
}

func verifyTable(dir string) error {
	r, err := Open(dir, Options{ReadOnly: true})
	if err != nil {
		return err
	}
	_, err = r.Verify(context.Background(), func(int64) {})
	return errors.Join(err, r.Close())
}

// What cannot be kept as a table is refused, or kept as layers.
func TestTableRefused(t *testing.T) {
	board := puzzleIn(t, "sokoban/rooms.txt")
	if _, err := Create("run", board, tableOptions(vfs.NewMem(), StoreTable)); !errors.Is(err, ErrNoTable) {
		t.Errorf("error %v, want %v", err, ErrNoTable)
	}
	r, err := Create("run", board, tableOptions(vfs.NewMem(), StoreAuto))
	check(t, err)
	if r.spec.Store != history.Layers {
		t.Error("a board without ranks is kept as a table")
	}
	check(t, r.Close())
	for _, c := range []struct {
		file string
		want history.Store
	}{
		{"permutation/pancake-8.txt", history.Layers}, {"permutation/pancake-10.txt", history.Table},
		{"rushhour/jam-93.txt", history.Layers}, // few numbers
		{"rushhour/deep-8x8.txt", history.Table},
		{"peg/uparrow.txt", history.Layers}, // few numbers are states
	} {
		r, err = Create("run", puzzleIn(t, c.file), tableOptions(vfs.NewMem(), StoreAuto))
		check(t, err)
		if r.spec.Store != c.want {
			t.Errorf("%s is kept as %v, want %v", c.file, r.spec.Store, c.want)
		}
		keeps, err := Options{Workers: 2, MemoryBytes: 64 << 20, Store: StoreAuto}.KeepsTable(puzzleIn(t, c.file).Puzzle)
		check(t, err)
		if keeps != (c.want == history.Table) {
			t.Errorf("%s: KeepsTable reports %t", c.file, keeps)
		}
		check(t, r.Close())
	}
}

// A run that keeps a table is refused a budget that its table exceeds before the ranks are
// built, if it is about to be continued, and is not told to keep layers.
func TestTableRefusedBeforehand(t *testing.T) {
	t.Parallel()
	opts := Options{Workers: 1, Partitions: 4, MemoryBytes: 512 << 20, Store: StoreTable, FS: vfs.NewMem()}
	boards, err := families.Read([]byte("puzzle: tiles\n\n8 7 6\n5 4 3\n2 1 .\n"), puzzle.ReadOptions{})
	check(t, err)
	board := boards[0] // its goal is not its start
	r, err := Create("run", board, opts)
	check(t, err)
	depth := 3
	_, err = r.Explore(t.Context(), history.Want{MaxDepth: &depth})
	check(t, err)
	refuses := func(when string, reads, distances, want bool) {
		t.Helper()
		r.opts.MemoryBytes, r.opts.ReadOnly, r.opts.GoalDistance = 1000, reads, distances
		built := 0
		tables, err := tablesOf(r, ranked{board.Puzzle, &built})
		if err == nil {
			check(t, tables.Prepare())
		}
		var large *TableMemoryError
		if got := errors.As(err, &large); got != want || got && (large.NeedBytes < 50_000 || strings.Contains(err.Error(), "layers")) {
			t.Errorf("%s: %v", when, err)
		}
		if (built > 0) == want {
			t.Errorf("%s: the ranks were built %d times", when, built)
		}
		r.opts.MemoryBytes = opts.MemoryBytes
	}
	refuses("to be continued", false, false, true)
	refuses("to be read", true, true, false)
	_, err = r.Explore(t.Context(), history.Want{})
	check(t, err)
	refuses("complete", false, false, false)
	refuses("without goal distances", true, true, true)
	_, err = r.Explore(t.Context(), history.Want{GoalDistance: true})
	check(t, err)
	refuses("with goal distances", true, true, false)
	check(t, r.Close())
}

// ranked counts how often the ranks of a puzzle are built.
type ranked struct {
	puzzle.Puzzle
	built *int
}

func (r ranked) RankCount() int64 {
	return r.Puzzle.(puzzle.RankCounter).RankCount() //nolint:forcetypeassert // tiles can
}

func (r ranked) Ranks() *puzzle.Ranks {
	*r.built++
	return r.Puzzle.(puzzle.Dense).Ranks() //nolint:forcetypeassert // tiles can
}
