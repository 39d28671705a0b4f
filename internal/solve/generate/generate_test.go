package generate

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/rushhour"
)

func small() Options {
	return Options{Rules: Rules{Rows: 5, Cols: 5, ExitRow: -1}, Evaluations: 600, Restart: 150, Seed: 3}
}

func run1(t *testing.T, o Options) []Found {
	t.Helper()
	found, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// texts are what was found, in order.
func texts(found []Found) (all []string) {
	for _, f := range found {
		all = append(all, f.Cells)
	}
	return all
}

// TestSeedDecides: with any number of workers a seed finds the same, and another
// one something else.
func TestSeedDecides(t *testing.T) {
	t.Parallel()
	o := small()
	o.Workers = 1
	want := texts(run1(t, o))
	o.Workers = 3
	if got := texts(run1(t, o)); !slices.Equal(got, want) {
		t.Errorf("3 workers find\n%q, 1 finds\n%q", got, want)
	}
	o.Seed++
	if slices.Equal(texts(run1(t, o)), want) {
		t.Error("another seed finds the same")
	}
}

// TestFoundIsWhatItSays reads what was found again and explores it.
func TestFoundIsWhatItSays(t *testing.T) {
	t.Parallel()
	for _, r := range []Rules{
		{Rows: 5, Cols: 5, ExitRow: -1},
		{Rows: 5, Cols: 5, ExitRow: 0, WallsMin: 1, WallsMax: 2, Metric: "step"},
		{Rows: 4, Cols: 6, ExitRow: 3, Lengths: []int{2}, VehiclesMin: 3, VehiclesMax: 5},
		{Rows: 4, Cols: 4, ExitRow: -1, Lengths: []int{1, 2}, StatesMax: 5000, VehiclesMax: 5},
		{Rows: 9, Cols: 8, ExitRow: -1, VehiclesMin: 12},
	} {
		for m := range Methods() {
			o := Options{Rules: r, Evaluations: 200, Restart: 100, Method: Method(m), Top: 4}
			found := run1(t, o)
			o.ensureDefaults()
			if len(found) == 0 {
				t.Errorf("%+v: nothing was found", r)
				continue
			}
			boards, err := rushhour.Read(File(found, "a comment"), puzzle.ReadOptions{})
			if err != nil || len(boards) != len(found) {
				t.Fatalf("%d boards of %d: %v\n%s", len(boards), len(found), err, File(found))
			}
			for i := range found {
				f := &found[i]
				f.check(t, &o.Rules, boards[i])
				if i > 0 && (f.Distance > found[i-1].Distance || f.Cells == found[i-1].Cells) {
					t.Errorf("%s comes after %s", f.Cells, found[i-1].Cells)
				}
			}
		}
	}
}

// check explores a board by itself, and looks at the rules with other means.
func (f *Found) check(t *testing.T, r *Rules, b puzzle.Board) {
	t.Helper()
	var c solve.Component
	if err := c.Explore(t.Context(), b.Puzzle, 1<<20); err != nil {
		t.Fatal(err)
	}
	if c.Len() != f.States || c.Distance(0) != f.Distance || !slices.Equal(c.Layers(), f.Layers) || b.Metric != r.Metric {
		t.Errorf("%s: %d states and %v, explored %d and %v", f.Cells, f.States, f.Layers, c.Len(), c.Layers())
	}
	if b.Expect.States != int64(f.States) || b.Expect.SolutionLength != f.Distance || f.Board().Text != b.Text {
		t.Errorf("%s: promises %+v", f.Cells, b.Expect)
	}
	pic := b.Puzzle.(puzzle.Pictured).Picture(b.Puzzle.Starts()) //nolint:forcetypeassert // it is one
	walls := strings.Count(f.Cells, "x")
	if walls != f.Walls || walls < r.WallsMin || walls > r.WallsMax || len(pic.Pieces) != f.Vehicles || len(pic.Pieces)-1 > r.VehiclesMax {
		t.Errorf("%s: %d walls, %d vehicles", f.Cells, walls, len(pic.Pieces))
	}
	for _, p := range pic.Pieces {
		first, last := p.Cells[0], p.Cells[len(p.Cells)-1]
		switch {
		case p.Goal && (first.Row != r.ExitRow || last.Row != r.ExitRow || len(p.Cells) != 2):
			t.Errorf("%s: the goal vehicle is elsewhere", f.Cells)
		case !p.Goal && !slices.Contains(r.Lengths, len(p.Cells)):
			t.Errorf("%s: a vehicle of %d cells", f.Cells, len(p.Cells))
		case !p.Goal && len(p.Cells) > 1 && first.Row == last.Row && first.Row == r.ExitRow:
			t.Errorf("%s: a horizontal vehicle in the goal vehicle's row", f.Cells)
		}
	}
}

// TestMinimal sees that nothing can be taken from what says so.
func TestMinimal(t *testing.T) {
	t.Parallel()
	checked := 0
	atLeast := small() // pieces that may not be taken away can be useless
	atLeast.VehiclesMin = 8
	for _, f := range append(run1(t, small()), run1(t, atLeast)...) {
		if !f.Minimal {
			continue
		}
		for _, symbol := range f.Cells {
			if symbol == 'A' || symbol == '.' {
				continue
			}
			checked++
			less := strings.ReplaceAll(f.Cells, string(symbol), ".")
			boards, err := rushhour.Read([]byte("metric: slide\nnotation: line\n"+less), puzzle.ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var c solve.Component
			if err := c.Explore(t.Context(), boards[0].Puzzle, 1<<20); err != nil {
				t.Fatal(err)
			}
			if c.Distance(0) >= f.Distance {
				t.Errorf("%s does without %c", f.Cells, symbol)
			}
		}
	}
	if checked == 0 {
		t.Error("no board says that it is minimal")
	}
}

// TestFindsTheHardestSmallBoards: what a whole sweep of 4x4 says is hardest, 7
// moves, a search finds as well, by every method.
func TestFindsTheHardestSmallBoards(t *testing.T) {
	t.Parallel()
	for m, name := range Methods() {
		found := run1(t, Options{Rules: Rules{Rows: 4, Cols: 4, ExitRow: -1}, Evaluations: 3000, Restart: 500, Method: Method(m), Seed: 1})
		if found[0].Distance != 7 {
			t.Errorf("%s finds %d moves (%s), not 7", name, found[0].Distance, found[0].Cells)
		}
	}
}

func TestStartsWithABoard(t *testing.T) {
	t.Parallel()
	read := func(text string) []puzzle.Board {
		boards, err := rushhour.Read([]byte(text), puzzle.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return boards
	}
	o := Options{Evaluations: 1, Restart: 1, Starts: read("metric: slide\nsize: 5x5\nBBCCJ\nDD.IJ\nGAAI.\nG.HEE\nFFH..\n")}
	found := run1(t, o)
	if len(found) != 1 || found[0].Distance != 20 || found[0].States != 299 {
		t.Errorf("found %+v", found)
	}
	for _, text := range []string{
		"exit: left\n\n.AA.\n....\n", "A...\nA...\n....\n", "AA.BB\n.....\n.....\n", "AAx.\n....\n....\n",
	} {
		o.Starts = read(text)
		if _, err := Run(t.Context(), o); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

// TestGrowsBoards: a restart begins with one of the boards, in turn, in a larger size,
// with vehicles around it.
func TestGrowsBoards(t *testing.T) {
	t.Parallel()
	boards, err := rushhour.Read([]byte("metric: slide\nsize: 4x4\nBB.F\nAA.F\nECCC\nE.DD\n\nB..D\nB..D\n.AAD\n.CC.\n"), puzzle.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Rules: Rules{Rows: 6, Cols: 5, ExitRow: 2}, Starts: boards, Grow: true, Evaluations: 200, Restart: 50, Top: 5}
	starts, err := o.begin()
	if err != nil || len(starts) != 2 {
		t.Fatalf("%d starts: %v", len(starts), err)
	}
	for i, want := range []area{{1, 1, 4, 4}, {0, 1, 4, 4}} {
		s := &starts[i]
		w := walk{rules: s.rules, random: rand.New(rand.NewPCG(1, uint64(i))), start: s}
		b := w.grow()
		own := len(s.pieces)
		if s.within != want || !s.grows() || b == nil || len(b.pieces) < own+3 || !slices.Equal(b.pieces[:own], s.pieces) || !b.allowed() {
			t.Fatalf("start %d within %+v becomes %+v", i, s.within, b)
		}
		for k, p := range b.pieces {
			p.cells(func(row, col int) {
				inside := row >= want.row && row < want.row+4 && col >= want.col
				if inside != (k < own) || row >= 6 || col >= 5 {
					t.Errorf("start %d: a cell of piece %d of %s is at %d %d", i, k, b.cells(), row, col)
				}
			})
		}
	}
	if r := (&run{starts: starts}); r.start(2) != &starts[0] || r.start(3) != &starts[1] {
		t.Error("restarts do not take turns")
	}
	found := run1(t, o)
	o.ensureDefaults()
	back, err := rushhour.Read(File(found), puzzle.ReadOptions{})
	if err != nil || len(found) == 0 {
		t.Fatalf("%d found: %v", len(found), err)
	}
	for i := range found {
		found[i].check(t, &o.Rules, back[i])
	}
	for _, wrong := range []Options{
		{Starts: boards}, // in different rows
		{Rules: Rules{Rows: 3, Cols: 5, ExitRow: 2}, Starts: boards, Grow: true},
		{Rules: Rules{Rows: 6, Cols: 5, ExitRow: 0}, Starts: boards, Grow: true},
		{Rules: Rules{Rows: 6, Cols: 3, ExitRow: 2}, Starts: boards, Grow: true},
	} {
		if _, err := Run(t.Context(), wrong); err == nil {
			t.Errorf("%+v was taken", wrong.Rules)
		}
	}
}

func TestStopsWithTheBestSoFar(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	o := small()
	o.Evaluations = 0 // without end
	o.Progress = new(Progress)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for o.Progress.Evaluations.Load() < 100 {
			select {
			case <-ctx.Done():
				return
			default:
			}
		}
		cancel()
	}()
	found, err := Run(ctx, o)
	cancel()
	<-done
	if err != nil || len(found) == 0 || o.Progress.Best.Load() != int64(found[0].Distance) {
		t.Errorf("found %d boards, the best of %d moves: %v", len(found), o.Progress.Best.Load(), err)
	}
}

func TestOptionsThatCannotBe(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{
		{Rules: Rules{Rows: 2}}, {Rules: Rules{Cols: 17}}, {Rules: Rules{ExitRow: 6}}, {Rules: Rules{Lengths: []int{0}}},
		{Rules: Rules{VehiclesMin: 3, VehiclesMax: 2}}, {Rules: Rules{WallsMin: 1}}, {Rules: Rules{Metric: "hop"}},
		{Rules: Rules{Rows: 4, Cols: 5, Lengths: []int{6}}}, {Rules: Rules{Rows: 4, Cols: 4, VehiclesMin: 8, VehiclesMax: 8}},
		{Rules: Rules{Rows: 4, Cols: 4, WallsMin: 15, WallsMax: 15}}, {Rules: Rules{Rows: 4, Cols: 4, VehiclesMin: 4, VehiclesMax: 4, WallsMin: 7, WallsMax: 7}},
		{Evaluations: -1}, {Top: -1}, {Method: 9},
	} {
		if err := o.Validate(); err == nil {
			t.Errorf("%+v was taken", o)
		}
	}
}

// TestEvenWhatIsDrawnKeepsTheRules draws and changes many boards.
func TestEvenWhatIsDrawnKeepsTheRules(t *testing.T) {
	t.Parallel()
	r := Rules{ExitRow: -1, WallsMax: 2, VehiclesMax: 9}
	r.ensureDefaults()
	w := walk{rules: &r, random: rand.New(rand.NewPCG(1, 1))}
	b := w.draw()
	for range 3000 {
		if next := w.change(b); next != nil {
			b = next
		}
		taken := map[[2]int]bool{}
		for _, p := range b.pieces {
			p.cells(func(row, col int) {
				if row < 0 || row >= 6 || col < 0 || col >= 6 || taken[[2]int{row, col}] {
					t.Fatalf("%s: pieces overlap or lie outside", b.cells())
				}
				taken[[2]int{row, col}] = true
			})
		}
		vehicles, walls := b.count()
		if vehicles > 9 || walls > 2 || !b.allowed() || b.pieces[0].row != 2 {
			t.Fatalf("%s breaks the rules", b.cells())
		}
	}
}
