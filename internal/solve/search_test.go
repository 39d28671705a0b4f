package solve_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/internal/solve/algorithms"
	"github.com/everystate/everystate/internal/solve/check"
	"github.com/everystate/everystate/internal/solve/heuristic"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

func boardOf(t *testing.T, text, metric string) puzzle.Board {
	t.Helper()
	boards, err := families.Read([]byte(text), puzzle.ReadOptions{Metric: metric})
	if err != nil || len(boards) != 1 {
		t.Fatalf("%q: %d boards, %v", text, len(boards), err)
	}
	return boards[0]
}

// fewest is the length of the shortest solution, or -1: a breadth-first search by
// texts and Apply alone.
func fewest(p puzzle.Puzzle) int {
	type place struct {
		key   []uint64
		depth int
	}
	words, starts := p.Layout().Words(), p.Starts()
	var queue []place
	for at := 0; at < len(starts); at += words {
		queue = append(queue, place{starts[at : at+words], 0})
	}
	seen := map[string]bool{}
	for ; len(queue) > 0; queue = queue[1:] {
		here := queue[0]
		text := fmt.Sprint(here.key)
		if seen[text] {
			continue
		}
		seen[text] = true
		goal := []bool{false}
		if p.Goals(here.key, goal); goal[0] {
			return here.depth
		}
		for m := range p.Layout().Moves {
			next := make([]uint64, words)
			if p.Apply(next, here.key, puzzle.Move(m)) {
				queue = append(queue, place{next, here.depth + 1})
			}
		}
	}
	return -1
}

// randomRush draws a board of Rush Hour with walls.
func randomRush(random *rand.Rand) string {
	rows, cols := 3+random.IntN(3), 3+random.IntN(3)
	cells := make([]byte, rows*cols)
	for i := range cells {
		cells[i] = '.'
	}
	put := func(symbol byte, cell, length, stride int) {
		for n := range length {
			if cells[cell+n*stride] != '.' {
				return
			}
		}
		for n := range length {
			cells[cell+n*stride] = symbol
		}
	}
	put('A', random.IntN(rows)*cols, 2, 1)
	for symbol := byte('B'); symbol < 'B'+byte(random.IntN(7)); symbol++ {
		length := 2 + random.IntN(2)
		if random.IntN(2) == 0 {
			put(symbol, random.IntN(rows)*cols+random.IntN(cols-length+1), length, 1)
		} else {
			put(symbol, random.IntN(rows-length+1)*cols+random.IntN(cols), length, cols)
		}
	}
	for range random.IntN(3) {
		put('x', random.IntN(len(cells)), 1, 1)
	}
	var text []string
	for row := range rows {
		text = append(text, string(cells[row*cols:(row+1)*cols]))
	}
	return "puzzle: rush-hour\n\n" + strings.Join(text, "\n")
}

// randomTiles shuffles tiles, half of which cannot be put in order.
func randomTiles(random *rand.Rand) string {
	rows, cols := 2, 2+random.IntN(2)
	order := random.Perm(rows * cols)
	text := "puzzle: tiles\n\n"
	for i, tile := range order {
		text += fmt.Sprint(tile, " ")
		if i%cols == cols-1 {
			text += "\n"
		}
	}
	return text
}

// TestRandomBoards compares all algorithms with a search that is written another
// way.
func TestRandomBoards(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 11))
	boards := 150
	if testing.Short() {
		boards = 40
	}
	solved, unsolvable := 0, 0
	for i := range boards {
		text, metric := randomRush(random), []string{"step", "slide"}[random.IntN(2)]
		if i%3 == 0 {
			text, metric = randomTiles(random), []string{"tile", "line"}[random.IntN(2)]
		}
		b := boardOf(t, text, metric)
		want := fewest(b.Puzzle)
		if want >= 0 {
			solved++
		} else {
			unsolvable++
		}
		for _, a := range algorithms.All() {
			if a.Suits(b.Family) {
				tryOne(t, &a, &b, want)
			}
		}
	}
	if solved < boards/4 || unsolvable < boards/10 {
		t.Errorf("%d boards with a solution and %d without: that is not a test", solved, unsolvable)
	}
}

func tryOne(t *testing.T, a *solve.Algorithm, b *puzzle.Board, want int) {
	t.Helper()
	h, err := heuristic.For(b, "")
	if err != nil {
		t.Fatal(err)
	}
	p := solve.Problem{Board: *b, Heuristic: h}
	r, err := a.Solve(t.Context(), &p)
	if errors.Is(err, solve.ErrUnsuited) {
		return
	}
	again, _ := a.Solve(t.Context(), &p)
	if err != nil || !reflect.DeepEqual(r, again) {
		t.Errorf("%s: %s\n%v: solved twice, the answers are not the same", b.Text, a.Name, err)
	}
	if want < 0 {
		if r.Outcome != solve.Unsolvable {
			t.Errorf("%s: %s: %v, and there is no solution", b.Text, a.Name, r.Outcome)
		}
		return
	}
	if r.Outcome != solve.Solved || len(r.Moves) < want || r.Optimal && len(r.Moves) != want || a.Optimal && !r.Optimal {
		t.Errorf("%s: %s: %v in %d moves, optimal %v, want %d", b.Text, a.Name, r.Outcome, len(r.Moves), r.Optimal, want)
		return
	}
	if a.Name == "wastar" && len(r.Moves) > 2*want {
		t.Errorf("%s: %d moves with weight 2, want at most twice %d", b.Text, len(r.Moves), want)
	}
	var names []string
	for _, m := range r.Moves {
		names = append(names, b.Puzzle.FormatMove(m))
	}
	if err := check.NewNames(b.Puzzle).Solves(r.Start, names); err != nil {
		t.Errorf("%s: %s: %v", b.Text, a.Name, err)
	}
}

// wide is a puzzle with its keys in the second of two words.
type wide struct{ puzzle.Puzzle }

func (w wide) Layout() puzzle.Layout {
	l := w.Puzzle.Layout()
	l.KeyBits = 128
	return l
}

func widened(keys []uint64) []uint64 {
	var all []uint64
	for _, key := range keys {
		all = append(all, ^key, key)
	}
	return all
}

func narrowed(keys []uint64) []uint64 {
	var all []uint64
	for i := 1; i < len(keys); i += 2 {
		all = append(all, keys[i])
	}
	return all
}

func (w wide) Starts() []uint64         { return widened(w.Puzzle.Starts()) }
func (w wide) Valid(key []uint64) bool  { return w.Puzzle.Valid(key[1:]) }
func (w wide) GoalStates() []uint64     { return widened(w.Puzzle.(puzzle.GoalLister).GoalStates()) }
func (w wide) Format(s []uint64) string { return w.Puzzle.Format(s[1:]) }

func (w wide) Successors(states []uint64, out *puzzle.Edges) {
	var edges puzzle.Edges
	w.Puzzle.Successors(narrowed(states), &edges)
	out.Keys = append(out.Keys, widened(edges.Keys)...)
	out.Moves = append(out.Moves, edges.Moves...)
}

func (w wide) Apply(dst, state []uint64, m puzzle.Move) bool {
	return w.then(dst, state, func(key []uint64) bool { return w.Puzzle.Apply(key, key, m) })
}

func (w wide) Undo(dst, state []uint64, m puzzle.Move) bool {
	return w.then(dst, state, func(key []uint64) bool { return w.Puzzle.Undo(key, key, m) })
}

func (w wide) then(dst, state []uint64, f func(key []uint64) bool) bool {
	key := []uint64{state[1]}
	ok := f(key)
	if ok {
		copy(dst, widened(key))
	}
	return ok
}

func (w wide) Goals(states []uint64, marks []bool) { w.Puzzle.Goals(narrowed(states), marks) }

// TestWideKeys solves a puzzle whose keys take more than a word: the moves are the
// same.
func TestWideKeys(t *testing.T) {
	t.Parallel()
	narrow := boardOf(t, "puzzle: tiles\n\n3 1 2\n4 5 0", "")
	broad := narrow
	broad.Puzzle = wide{narrow.Puzzle}
	for _, a := range algorithms.All() {
		if !a.Suits(narrow.Family) {
			continue
		}
		want, err := a.Solve(t.Context(), &solve.Problem{Board: narrow})
		got, err2 := a.Solve(t.Context(), &solve.Problem{Board: broad})
		if err != nil || err2 != nil || !slices.Equal(got.Moves, want.Moves) || got.Expanded != want.Expanded || len(want.Moves) == 0 {
			t.Errorf("%s: %v after %d, with one word %v after %d; %v, %v",
				a.Name, got.Moves, got.Expanded, want.Moves, want.Expanded, err2, err)
		}
	}
}

// TestLimits stops searches before they know.
func TestLimits(t *testing.T) {
	t.Parallel()
	text := "puzzle: tiles\n\n8 6 7\n2 5 4\n3 0 1"
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancelLate := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancelLate()
	for _, test := range []struct {
		ctx    context.Context //nolint:containedctx // one a case
		limits solve.Limits
		want   solve.Stop
	}{
		{t.Context(), solve.Limits{NodesMax: 20}, solve.StopNodes},
		{t.Context(), solve.Limits{MemoryBytesMax: 20_000}, solve.StopMemory},
		{cancelled, solve.Limits{}, solve.StopCancel},
		{late, solve.Limits{}, solve.StopTime},
	} {
		for _, a := range algorithms.All() {
			b := boardOf(t, text, "")
			if !a.Suits(b.Family) || test.want == solve.StopMemory && slices.Contains([]string{"iddfs", "idastar", "bidirectional"}, a.Name) {
				continue // they go on with a full table, or need little
			}
			r, err := a.Solve(test.ctx, &solve.Problem{Board: b, Limits: test.limits})
			if err != nil || r.Outcome != solve.Unknown || r.Stop != test.want || len(r.Moves) > 0 {
				t.Errorf("%s: %v by %v, %v; want a stop by %v", a.Name, r.Outcome, r.Stop, err, test.want)
			}
			if most := test.limits.NodesMax; most > 0 && r.Expanded != most {
				t.Errorf("%s: %d states expanded, the limit is %d", a.Name, r.Expanded, most)
			}
		}
	}
}

// TestFullTable deepens with a table that has room for a few states only.
func TestFullTable(t *testing.T) {
	t.Parallel()
	b := boardOf(t, "puzzle: tiles\n\n1 2 3\n7 0 5\n8 4 6", "")
	for _, a := range []solve.Algorithm{solve.IDDFS(), solve.IDAStar()} {
		full, err := a.Solve(t.Context(), &solve.Problem{Board: b, Limits: solve.Limits{MemoryBytesMax: 20_000}})
		free, err2 := a.Solve(t.Context(), &solve.Problem{Board: b})
		if err != nil || err2 != nil || len(full.Moves) != 6 || len(free.Moves) != 6 {
			t.Errorf("%s: %d and %d moves, want 6; %v, %v", a.Name, len(full.Moves), len(free.Moves), err, err2)
		}
		if full.Expanded < free.Expanded {
			t.Errorf("%s: %d states expanded with a full table, %d with a free one", a.Name, full.Expanded, free.Expanded)
		}
	}
}

// TestStart solves from a state that is not the board's start.
func TestStart(t *testing.T) {
	t.Parallel()
	b := boardOf(t, "puzzle: tiles\n\n3 1 2\n4 5 0", "")
	start, err := b.Puzzle.Parse("1 2 3\n0 4 5")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range algorithms.All() {
		if !a.Suits(b.Family) {
			continue
		}
		r, err := a.Solve(t.Context(), &solve.Problem{Board: b, Start: start})
		if err != nil || len(r.Moves) == 0 || a.Optimal && len(r.Moves) != 2 || !slices.Equal(r.Start, start) {
			t.Errorf("%s: %v, %v, want L L", a.Name, r.Moves, err)
		}
	}
}

// TestTable holds for the table of algorithms.
func TestTable(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, a := range algorithms.All() {
		found, ok := algorithms.ByName(a.Name)
		if names[a.Name] || !ok || found.Summary != a.Summary || a.Summary == "" || a.Solve == nil {
			t.Errorf("%q is not in order", a.Name)
		}
		names[a.Name] = true
		for _, f := range a.Families {
			if known, ok := families.ByName(f); !ok || known.Name != f {
				t.Errorf("%s: there is no family %q", a.Name, f)
			}
		}
	}
	for _, f := range families.All() {
		boards, err := families.Read([]byte(f.Formats[0].Example), puzzle.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		a := algorithms.Default(&boards[0])
		if !a.Suits(f.Name) || !a.Optimal || f.Name == "tiles" && a.Name != "idastar" {
			t.Errorf("%s is solved by %s", f.Name, a.Name)
		}
	}
}

// TestEnded sees to it that the states that puzzles list as goals are goals.
func TestEnded(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, f := range families.All() {
		for _, format := range f.Formats {
			boards, err := f.Read([]byte(format.Example), puzzle.ReadOptions{Notation: format.Name})
			if err != nil {
				t.Fatal(err)
			}
			p := boards[0].Puzzle
			ended, ok := p.(puzzle.GoalLister)
			if !ok {
				continue
			}
			goals, words := ended.GoalStates(), p.Layout().Words()
			marks := make([]bool, len(goals)/words)
			p.Goals(goals, marks)
			if len(marks) == 0 || slices.Contains(marks, false) || !p.Valid(goals[:words]) {
				t.Errorf("%s: %v are listed as goals: %v", f.Name, goals, marks)
			}
			tried++
		}
	}
	if tried < 3 {
		t.Errorf("%d puzzles list their goals", tried)
	}
}
