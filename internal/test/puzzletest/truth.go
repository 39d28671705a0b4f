package puzzletest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/test/truth"
	"github.com/everystate/everystate/puzzle"
)

// Reader reads all boards of a text.
type Reader func(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, error)

// Bounds says which of the known spaces are explored: those of so many states, and
// of larger ones so many layers as have so many states together.
type Bounds struct {
	States, Begun int64
	// Short is States of the short tests.
	Short int64
	// Full is States of records that know all goal distances, if it is not 0.
	Full int64
	// Part has every Part-th record explored, and of the others those of up to Short
	// states, unless it is 0 or EVERYSTATE_THOROUGH is set. All are read, and "make
	// thorough" explores all with the program.
	Part int
}

// statesMaxThorough is the States of those that have time.
const statesMaxThorough = 100_000_000

// Usual are the bounds of a family whose states are cheap.
func Usual() Bounds { return Bounds{States: 200_000, Begun: 100_000, Short: 30_000} }

// takes reports whether the i-th record of a file is explored.
func (b Bounds) takes(i int, r *truth.Record) bool {
	return b.Part == 0 || os.Getenv("EVERYSTATE_THOROUGH") != "" || i%b.Part == b.Part/2 || r.Whole() && *r.Reachable <= b.Short
}

// states returns how large a space may be that is explored whole.
func (b Bounds) states(distances bool) int64 {
	switch {
	case testing.Short():
		return b.Short
	case os.Getenv("EVERYSTATE_THOROUGH") != "":
		return statesMaxThorough
	case distances:
		return max(b.Full, b.States)
	}
	return b.States
}

// root returns the folder of the module, which is above the one that a test runs in.
func root(tb testing.TB) string {
	tb.Helper()
	for dir := "."; ; dir = filepath.Join(dir, "..") {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if abs, err := filepath.Abs(dir); err != nil || abs == filepath.Dir(abs) {
			tb.Fatalf("no go.mod above the folder of the test (%v)", err)
		}
	}
}

// Records returns the records of a file of testdata/truth.
func Records(tb testing.TB, file string) []truth.Record {
	tb.Helper()
	records, err := truth.ReadFile(filepath.Join(root(tb), "testdata", "truth", file))
	if err != nil || len(records) == 0 {
		tb.Fatalf("%d records, %v", len(records), err)
	}
	return records
}

// Truth checks a family's puzzles against the records of a file, in which there are
// so many.
func Truth(t *testing.T, file string, records int, read Reader, b Bounds) {
	t.Helper()
	known := Records(t, file)
	if len(known) != records {
		t.Fatalf("%d records, want %d", len(known), records)
	}
	for i, r := range known {
		t.Run(r.ID, func(t *testing.T) {
			t.Parallel()
			text, err := r.Text()
			if err != nil {
				t.Fatal(err)
			}
			if !b.takes(i, &r) {
				ReadRecord(t, &r, text, read)
				return
			}
			Check(t, &r, ReadRecord(t, &r, text, read), b)
			if r.InputAlt != "" {
				alt := r
				alt.Input = r.InputAlt
				Check(t, &alt, ReadRecord(t, &alt, alt.Input, read), b)
			}
		})
	}
}

// ReadRecord reads the board of a record from a text, and again from its canonical
// one.
func ReadRecord(t *testing.T, r *truth.Record, text string, read Reader) puzzle.Puzzle {
	t.Helper()
	boards, err := read([]byte(text), puzzle.ReadOptions{Metric: r.Metric})
	if err != nil || len(boards) != 1 {
		t.Fatalf("%d boards, %v", len(boards), err)
	}
	board := boards[0]
	again, err := read([]byte(board.Text), puzzle.ReadOptions{})
	if err != nil || len(again) != 1 || again[0].Text != board.Text || again[0].Metric != board.Metric ||
		!slices.Equal(again[0].Puzzle.Starts(), board.Puzzle.Starts()) {
		t.Errorf("the canonical text is read as another puzzle, %v:\n%s", err, board.Text)
	}
	return board.Puzzle
}

// Check explores a puzzle as far as the bounds allow and compares it with its record.
func Check(t *testing.T, r *truth.Record, p puzzle.Puzzle, b Bounds) {
	t.Helper()
	if r.Whole() && *r.Reachable <= b.states(r.DistanceToGoal != nil) {
		checkWhole(t, r, p)
		return
	}
	known := r.LayersPrefix
	if known == nil {
		known = r.Layers
	}
	n, states := 0, int64(0)
	for n < len(known) && states+known[n] <= min(b.Begun, b.states(false)) {
		states += known[n]
		n++
	}
	if n == 0 {
		t.Skip("nothing is known of the first layers")
	}
	if got := numbers(ExploreLayers(p, n).Layers); !slices.Equal(got, known[:n]) {
		t.Errorf("the first layers are %v, want %v", got, known[:n])
	}
}

func checkWhole(t *testing.T, r *truth.Record, p puzzle.Puzzle) {
	t.Helper()
	s := Explore(p)
	found := &truth.Space{Complete: true, States: int64(s.Len()), Layers: numbers(s.Layers), Goals: int64(s.Goals)}
	if s.Solution >= 0 {
		found.SolutionLength = &s.Solution
	}
	distances := r.AsksDistances() && s.ToGoal(p)
	hardest, distance := s.Last(), len(s.Layers)-1
	if distances {
		dead := int64(s.Dead)
		found.DistanceToGoal, found.Dead = numbers(s.GoalLayers), &dead
		hardest, distance = s.Hardest, len(s.GoalLayers)-1
	}
	asked := *r
	if r.Hardest != nil && r.Hardest.Example != nil {
		checkExample(t, p, hardest, *r.Hardest.Example)
		h := *r.Hardest
		h.Example = nil
		asked.Hardest = &h
	}
	if count := int64(len(hardest) / s.Words); distances && count > 0 {
		found.Hardest = &truth.Hardest{Distance: distance, Count: &count}
	}
	if err := asked.Check(found, distances); err != nil {
		t.Error(err)
	}
}

// checkExample looks for a text among states: the first in the order of texts, if it
// is in the notation of Format.
func checkExample(t *testing.T, p puzzle.Puzzle, states []uint64, want string) {
	t.Helper()
	compare := strings.Compare
	if ordered, ok := p.(puzzle.Ordered); ok {
		compare = ordered.Compare
	}
	key, err := p.Parse(want)
	if err != nil {
		t.Errorf("the hardest example is not read: %v\n%s", err, want)
		return
	}
	least, found := "", false
	for state := range slices.Chunk(states, len(key)) {
		found = found || slices.Equal(state, key)
		if text := p.Format(state); least == "" || compare(text, least) < 0 {
			least = text
		}
	}
	if !found || p.Format(key) == want && least != want {
		t.Errorf("hardest example is\n%s\nwant\n%s", least, want)
	}
}

func numbers(counts []int) []int64 {
	list := make([]int64, len(counts))
	for i, n := range counts {
		list[i] = int64(n)
	}
	return list
}

// Shipped reads the boards of a folder of puzzles, which promise their spaces as
// headers, and explores those of at most so many states.
func Shipped(t *testing.T, folder string, read Reader, b Bounds) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root(t), "puzzles", folder, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files, %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			boards, err := read(text, puzzle.ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for _, board := range boards {
				checkShipped(t, &board, b)
			}
		})
	}
}

func checkShipped(t *testing.T, board *puzzle.Board, b Bounds) {
	t.Helper()
	want := board.Expect
	if want.States < 0 || want.States > b.states(false) {
		return // a space that nobody has explored, or too large
	}
	s := Explore(board.Puzzle)
	solution := want.SolutionLength
	if solution < 0 { // unknown, or none
		solution = s.Solution
	}
	if int64(s.Len()) != want.States || s.Solution != solution {
		t.Errorf("%q has %d states and %d moves, promised are %+v", board.Name, s.Len(), s.Solution, want)
	}
}
