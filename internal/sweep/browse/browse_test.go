package browse_test

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/browse"
	"github.com/everystate/everystate/internal/sweep/database"
	"github.com/everystate/everystate/internal/sweep/rushhour"
	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// shelf returns a shelf with a database of some records, and these.
func shelf(tb testing.TB, n int) (*browse.Shelf, []sweep.Record) {
	tb.Helper()
	dir := tb.TempDir()
	e, err := rushhour.New(rules.Rules{Size: rules.Square(4)})
	if err != nil {
		tb.Fatal(err)
	}
	d, err := database.Create(filepath.Join(dir, "some"), e.Rules(), database.Options{Units: 1})
	if err != nil {
		tb.Fatal(err)
	}
	var all sweep.Findings
	for i := range n {
		r := sweep.Record{Board: "BBoFAAoFECCCEoDD", Pieces: 1 + i%7, Attributes: sweep.Attributes(0, uint64(i%3)), Layers: make([]uint64, 1+i%11)}
		for l := range r.Layers {
			r.Layers[l] = uint64(1 + i%50)
		}
		all.Records = append(all.Records, r)
	}
	grade := func(c *database.Chunk) error {
		for _, r := range c.Records {
			r.Measures = []uint64{gradeOf(r)}
		}
		return d.Measure(c)
	}
	if err := cmp.Or(d.Commit(0, &all), d.Chunks(grade), d.Seal(), d.Close()); err != nil {
		tb.Fatal(err)
	}
	return browse.New(dir), all.Records
}

// gradeOf is some number from 1 to 10.
func gradeOf(r *sweep.Record) uint64 { return r.States()%10 + 1 }

// TestLook compares histograms and records with a count that knows no shortcut.
func TestLook(t *testing.T) {
	t.Parallel()
	s, all := shelf(t, 1000)
	numbers := func(r *sweep.Record) []uint64 {
		return []uint64{uint64(r.Distance()), r.States(), uint64(r.Pieces), r.Attribute(1), gradeOf(r)}
	}
	f := browse.Everything()
	f[browse.Moves] = database.Range{Least: 3, Most: 8}
	f[browse.Grade] = database.Range{Least: 2, Most: 7}
	f[browse.Walls] = database.Range{Least: 1, Most: 1}
	page, err := s.Look(t.Context(), "some", browse.Query{Filter: f, Offset: 5, Limit: 20})
	if err != nil {
		t.Fatal(err)
	}
	want := func(leftOut int) map[uint64]int {
		count := make(map[uint64]int)
		for i := range all {
			in := true
			for d, n := range numbers(&all[i]) {
				in = in && (d == leftOut || f[d].Least <= n && n <= f[d].Most)
			}
			if in {
				count[numbers(&all[i])[max(leftOut, 0)]]++
			}
		}
		return count
	}
	total := 0
	for _, n := range want(-1) {
		total += n
	}
	if page.Total != total || page.Records != 1000 || len(page.Found) != 20 {
		t.Errorf("%d of %d, %d shown; want %d of 1000", page.Total, page.Records, len(page.Found), total)
	}
	for d, h := range page.Histograms {
		left := want(d)
		for _, bar := range h {
			n := 0
			for value, count := range left {
				if bar.Least <= value && value <= bar.Most {
					n += count
					delete(left, value)
				}
			}
			if n != bar.Count {
				t.Errorf("dimension %d: %+v, want %d", d, bar, n)
			}
		}
		if len(left) > 0 {
			t.Errorf("dimension %d lacks %v", d, left)
		}
	}
	if !slices.IsSortedFunc(page.Found, func(a, b browse.Found) int { return b.Record.Distance() - a.Record.Distance() }) || page.Found[0].Board.Puzzle == nil {
		t.Error("the records are in another order, or have no boards")
	}
	if _, err := s.Look(t.Context(), "../some", browse.Query{Filter: f, Limit: 1}); !errors.Is(err, browse.ErrNone) {
		t.Errorf("error is %v", err)
	}
}

// TestTies has the records of a tie in the order of the database.
func TestTies(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := (&rules.Rules{Size: rules.Square(4), ExitRow: 1, Lengths: []int{2, 3}}).String()
	d, err := database.Create(filepath.Join(dir, "ties"), text, database.Options{Units: 1})
	if err != nil {
		t.Fatal(err)
	}
	var all sweep.Findings
	for _, board := range []string{"ooBoAABooooooooo", "oooBAAoBoooooooo", "ooBBAAoooooooooo", "oooxAABoooBooooo", "BBooAAoooooooooo", "BBxoAAoooooooooo"} {
		all.Records = append(all.Records, sweep.Record{Board: board, Pieces: 2, Attributes: sweep.Attributes(0, 0), Layers: []uint64{3, 2}})
	}
	var want []string
	err = cmp.Or(d.Commit(0, &all), d.Finish())
	for r, fault := range d.Select(database.Everything(), database.ByDistance) {
		if err = cmp.Or(err, fault); err != nil {
			break
		}
		want = append(want, r.Board)
	}
	if err = cmp.Or(err, d.Close()); err != nil {
		t.Fatal(err)
	}
	page, err := browse.New(dir).Look(t.Context(), "ties", browse.Query{Filter: browse.Everything(), Limit: 10, Day: "2026-11-01"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range page.Found {
		got = append(got, f.Record.Board)
	}
	if !slices.Equal(got, want) || page.Daily == nil {
		t.Errorf("the page has %q, the database %q", got, want)
	}
}

// TestWithoutBoards counts records that have no boards.
func TestWithoutBoards(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := (&rules.Rules{Size: rules.Square(4), ExitRow: 1, Lengths: []int{1, 2}}).String()
	d, err := database.Create(filepath.Join(dir, "singles"), text, database.Options{Units: 1})
	if err != nil {
		t.Fatal(err)
	}
	all := sweep.Findings{Records: []sweep.Record{{Board: "ooGBAAGHCFoIEDDJ", Pieces: 10, Attributes: sweep.Attributes(0, 0), Layers: []uint64{3, 2}}}}
	if err := cmp.Or(d.Commit(0, &all), d.Finish(), d.Close()); err != nil {
		t.Fatal(err)
	}
	page, err := browse.New(dir).Look(t.Context(), "singles", browse.Query{Filter: browse.Everything(), Limit: 10, Day: "2026-11-01"})
	if err != nil || page.Total != 1 || len(page.Histograms[browse.Moves]) != 1 || len(page.Found) > 0 || page.Daily != nil {
		t.Errorf("%v: %+v", err, page)
	}
}

// TestDaily has one puzzle a day, and not always the same.
func TestDaily(t *testing.T) {
	t.Parallel()
	s, _ := shelf(t, 500)
	seen := make(map[string]bool)
	for day := range 9 {
		var before string
		for range 2 {
			page, err := s.Look(t.Context(), "some", browse.Query{Filter: browse.Everything(), Day: fmt.Sprintf("2026-11-%02d", day+1)})
			if err != nil {
				t.Fatal(err)
			}
			if len(page.Found) > 0 || page.Daily.Record.Distance() == 0 {
				t.Error("the puzzle of the day is solved already, or one of the page")
			}
			now := fmt.Sprint(page.Daily.Record)
			if before != "" && now != before {
				t.Error("another puzzle on the same day")
			}
			before, seen[now] = now, true
		}
	}
	if len(seen) < 5 {
		t.Errorf("%d puzzles in 9 days", len(seen))
	}
}

// BenchmarkLook filters a million records, and reads none or a page of them.
func BenchmarkLook(b *testing.B) {
	s, _ := shelf(b, 1_000_000)
	f := browse.Everything()
	f[browse.Moves] = database.Range{Least: 3, Most: 8}
	for _, limit := range []int{0, 24} {
		b.Run(fmt.Sprintf("records=%d", limit), func(b *testing.B) {
			look := func() {
				if _, err := s.Look(b.Context(), "some", browse.Query{Filter: f, Limit: limit}); err != nil {
					b.Fatal(err)
				}
			}
			look() // reads the numbers of all records once
			for b.Loop() {
				look()
			}
		})
	}
}
