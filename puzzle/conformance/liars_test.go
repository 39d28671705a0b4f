package conformance

import (
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/everystate/everystate/puzzle"
)

var truth = toy{start: toyKey(0, 1)}

// readToy reads a row, as a puzzle that build makes.
func readToy(text []byte, build func() puzzle.Puzzle) ([]puzzle.Board, error) {
	if string(text) != "puzzle: toy\n\nab......" {
		return nil, &puzzle.InputError{What: "no toy"}
	}
	return []puzzle.Board{{Family: "toy", Metric: "step", Text: string(text), Puzzle: build()}}, nil
}

func optionsOf(p puzzle.Puzzle) Options {
	return Options{
		Seed: 3,
		Read: func(text []byte, _ puzzle.ReadOptions) ([]puzzle.Board, error) {
			return readToy(text, func() puzzle.Puzzle { return p })
		},
		AllocsPerRun: testing.AllocsPerRun,
	}
}

func boardOf(p puzzle.Puzzle) puzzle.Board {
	return puzzle.Board{Family: "toy", Metric: "step", Text: "puzzle: toy\n\nab......", Puzzle: p}
}

func TestTruth(t *testing.T) {
	r := Check(boardOf(truth), optionsOf(truth))
	// 28 states with a before b can be reached, and with b before a there are as many.
	if len(r.Findings) > 0 || r.States != 56 || !r.Whole {
		t.Errorf("got %+v", r)
	}
	o := optionsOf(truth)
	o.StatesMax, o.MovesMax = 12, 3
	if r := Check(boardOf(truth), o); len(r.Findings) > 0 || r.Whole || r.States < 12 {
		t.Errorf("some of the states: %+v", r)
	}
	if r := Check(puzzle.Board{Puzzle: truth}, Options{}); len(r.Findings) > 0 || r.States != 56 {
		t.Errorf("the puzzle alone: %+v", r)
	}
	o = optionsOf(wideToy{truth})
	o.AllocsPerRun = nil
	if r := Check(boardOf(wideToy{truth}), o); len(r.Findings) > 0 || r.States < 28 || !r.Whole {
		t.Errorf("two words: %+v", r)
	}
	for word := range uint64(200) {
		if f := CheckKey(truth, []uint64{word}); len(f) > 0 {
			t.Errorf("key %x: %v", word, f)
		}
	}
}

// TestSame checks that a report depends on its arguments only.
func TestSame(t *testing.T) {
	lie := liars()[0]
	for _, l := range liars() {
		if l.name == "a state without its way back" {
			lie = l
		}
	}
	one, two := Check(boardOf(lie.p), Options{Seed: 9}), Check(boardOf(lie.p), Options{Seed: 9})
	if fmt.Sprint(one) != fmt.Sprint(two) || len(one.Findings) == 0 {
		t.Errorf("%v and %v", one, two)
	}
}

// liarCase is a puzzle that breaks one promise, and the rule by which it is found
// out. What is said of it stands in testdata/liars.txt.
type liarCase struct {
	name, rule string
	p          puzzle.Puzzle
	read       func(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, error)
}

func TestLiars(t *testing.T) {
	body, err := os.ReadFile(filepath.Join("testdata", "liars.txt"))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.ReplaceAll(string(body), "\r", "")
	var got strings.Builder
	for _, lie := range liars() {
		o := optionsOf(lie.p)
		if lie.rule != "allocations" {
			o.AllocsPerRun = nil // liars allocate as they please
		}
		if lie.read != nil {
			o.Read = lie.read
		}
		r := Check(boardOf(lie.p), o)
		fmt.Fprintf(&got, "%s\n", lie.name)
		found := false
		for _, f := range r.Findings {
			found = found || f.Rule == lie.rule
			fmt.Fprintf(&got, "  %s\n", f)
		}
		if !found {
			t.Errorf("%s: not found out by %q", lie.name, lie.rule)
		}
	}
	if got.String() != want {
		t.Errorf("got\n%s", got.String())
	}
	checkEveryMessage(t, got.String())
}

// checkEveryMessage checks that each message of the package was given.
func checkEveryMessage(t *testing.T, said string) {
	t.Helper()
	seen := 0
	for _, format := range formats(t) {
		pattern := regexp.MustCompile(`%[+#]?[a-zA-Z]`).ReplaceAllString(regexp.QuoteMeta(format), ".*")
		pattern = strings.ReplaceAll(pattern, `%\+v`, ".*")
		if !regexp.MustCompile(pattern).MatchString(said) {
			t.Errorf("no liar was told: %s", format)
		}
		seen++
	}
	if seen < 50 {
		t.Errorf("%d messages in the sources", seen)
	}
}

// formats returns the messages in the sources: the second argument of fault.
func formats(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var s scanner.Scanner
		set := token.NewFileSet()
		s.Init(set.AddFile(file, set.Base(), len(src)), src, nil, 0)
		var last []string
		for {
			_, tok, text := s.Scan()
			if tok == token.EOF {
				break
			}
			if tok.IsOperator() {
				text = tok.String()
			}
			last = append(last, text)
			// c . fault ( rule , format
			if n := len(last); n > 6 && tok == token.STRING && last[n-5] == "fault" && last[n-4] == "(" {
				format, err := strconv.Unquote(text)
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, format)
			}
		}
	}
	return list
}

// irreversible hides Onward and Homeward.
type irreversible struct {
	puzzle.Puzzle
	puzzle.Backward
}

func TestIrreversible(t *testing.T) {
	// The counters go to the right only.
	right := &liar{toy: truth}
	right.layout = func() puzzle.Layout {
		l := truth.Layout()
		l.Reversible, l.Graded = false, true // by the sum of their places
		return l
	}
	rightOnly := func(_ uint64, m puzzle.Move) bool { return m%2 == 1 }
	right.successors = func(states []uint64, out *puzzle.Edges) {
		appendKept(out, rightOnly, func(e *puzzle.Edges) { truth.Successors(states, e) })
	}
	right.predecessors = func(states []uint64, out *puzzle.Edges) {
		appendKept(out, rightOnly, func(e *puzzle.Edges) { truth.Predecessors(states, e) })
	}
	right.apply = func(dst, state []uint64, m puzzle.Move) bool { return m%2 == 1 && truth.Apply(dst, state, m) }
	right.undo = func(dst, state []uint64, m puzzle.Move) bool { return m%2 == 1 && truth.Undo(dst, state, m) }
	p := irreversible{right, right}
	if r := Check(puzzle.Board{Puzzle: p}, Options{}); len(r.Findings) > 0 || !r.Whole {
		t.Errorf("got %v", r)
	}
	right.layout = nil
	r := Check(puzzle.Board{Puzzle: p}, Options{})
	if len(r.Findings) != 1 || r.Findings[0].Rule != "reversible" {
		t.Errorf("called reversible: %v", r.Findings)
	}
}

// appendKept appends the wanted ones of the edges that call appends.
func appendKept(out *puzzle.Edges, wanted func(key uint64, m puzzle.Move) bool, call func(out *puzzle.Edges)) {
	var edges puzzle.Edges
	call(&edges)
	keep(&edges, wanted)
	out.Keys, out.Moves = append(out.Keys, edges.Keys...), append(out.Moves, edges.Moves...)
}

// lies returns a case.
func lies(name, rule string, change func(l *liar)) liarCase {
	l := &liar{toy: truth}
	change(l)
	return liarCase{name: name, rule: rule, p: l}
}

// layoutLie returns a case whose layout is changed.
func layoutLie(name, rule string, change func(l *puzzle.Layout)) liarCase {
	return lies(name, rule, func(l *liar) {
		l.layout = func() puzzle.Layout {
			layout := truth.Layout()
			change(&layout)
			return layout
		}
	})
}

// pictureLie returns a case whose pictures are changed.
func pictureLie(name string, change func(p *puzzle.Picture, state uint64)) liarCase {
	return lies(name, "picture", func(l *liar) {
		l.picture = func(state []uint64) *puzzle.Picture {
			p := truth.Picture(state)
			change(p, state[0])
			return p
		}
	})
}

// edgesLie returns a case that changes the edges of Successors.
func edgesLie(name, rule string, change func(states []uint64, out *puzzle.Edges)) liarCase {
	return lies(name, rule, func(l *liar) {
		l.successors = func(states []uint64, out *puzzle.Edges) {
			var edges puzzle.Edges
			truth.Successors(states, &edges)
			change(states, &edges)
			out.Keys, out.Moves = append(out.Keys, edges.Keys...), append(out.Moves, edges.Moves...)
		}
	})
}

// first is a state that some lies are about.
var first = toyKey(2, 4)

func liars() []liarCase {
	return slices.Concat(liarsOfStates(), liarsOfMoves(), liarsOfBatches(), liarsOfMerging(), liarsOfOptions(), liarsOfWeights(), liarsOfSymmetries(), liarsOfTexts(), liarsOfCalls(), liarsOfRanks(), liarsOfNumbers(), liarsOfFlips())
}

func liarsOfStates() []liarCase {
	times := 0
	return []liarCase{
		{name: "no puzzle", rule: "board"},
		layoutLie("a key of no bits", "layout", func(l *puzzle.Layout) { l.KeyBits = 0 }),
		layoutLie("no moves", "layout", func(l *puzzle.Layout) { l.Moves = 0 }),
		layoutLie("another layout later", "layout", func(l *puzzle.Layout) {
			if times++; times > 1 {
				l.Moves++
			}
		}),
		lies("a panic", "panic", func(l *liar) {
			l.goals = func(states []uint64, marks []bool) {
				if slices.Contains(states, first) {
					panic("index out of range")
				}
				truth.Goals(states, marks)
			}
		}),
		lies("no starts", "starts", func(l *liar) { l.starts = func() []uint64 { return nil } }),
		lies("a start twice", "starts", func(l *liar) { l.starts = func() []uint64 { return []uint64{1, 2, 1} } }),
		lies("a start that is none", "starts", func(l *liar) { l.starts = func() []uint64 { return []uint64{0} } }),
		lies("a start of many bits", "key bits", func(l *liar) { l.starts = func() []uint64 { return []uint64{64} } }),
		lies("starts in memory of its own", "starts", func(l *liar) {
			own := truth.Starts()
			l.starts = func() []uint64 { return own }
		}),
		{name: "half a start", rule: "starts", p: halfStart{wideToy{truth}}},
		lies("valid at any width", "valid", func(l *liar) { l.valid = func(key []uint64) bool { return len(key) == 0 || truth.Valid(key[:1]) } }),
		lies("valid above the key bits", "key bits", func(l *liar) {
			l.valid = func(key []uint64) bool { return len(key) == 1 && key[0]>>3&7 != key[0]&7 }
		}),
		lies("valid in its own way", "arguments", func(l *liar) {
			l.valid = func(key []uint64) bool {
				ok := truth.Valid(key)
				if len(key) == 1 && key[0] >= 64 {
					key[0] = 0
				}
				return ok
			}
		}),
		lies("a state is not valid", "valid", func(l *liar) {
			l.valid = func(key []uint64) bool { return truth.Valid(key) && key[0] != first }
		}),
		edgesLie("a successor of many bits", "key bits", func(states []uint64, out *puzzle.Edges) {
			for i := range out.Keys {
				if out.Keys[i] == first {
					out.Keys[i] |= 64
				}
			}
		}),
		lies("two keys of one state", "canonical", func(l *liar) {
			l.format = func(state []uint64) string { return strings.ReplaceAll(truth.Format(state), "b", "a") }
		}),
	}
}

// halfStart forgets a word.
type halfStart struct{ wideToy }

func (h halfStart) Starts() []uint64 { return h.wideToy.Starts()[1:] }

func liarsOfMoves() []liarCase {
	return []liarCase{
		edgesLie("moves in another order", "order", func(_ []uint64, out *puzzle.Edges) {
			slices.Reverse(out.Keys)
			slices.Reverse(out.Moves)
		}),
		edgesLie("a move too many", "move ids", func(states []uint64, out *puzzle.Edges) {
			out.Keys, out.Moves = append(out.Keys, states[len(states)-1]), append(out.Moves, 4)
		}),
		edgesLie("a successor forgotten", "apply", func(_ []uint64, out *puzzle.Edges) {
			keep(out, func(key uint64, m puzzle.Move) bool { return key != first || m != 3 })
		}),
		edgesLie("a move that Apply refuses", "apply", func(states []uint64, out *puzzle.Edges) {
			if len(states) == 1 && states[0] == toyKey(0, 1) {
				out.Keys, out.Moves = slices.Insert(out.Keys, 0, toyKey(0, 2)), slices.Insert(out.Moves, 0, 0)
			}
		}),
		edgesLie("another successor than Apply's", "apply", func(_ []uint64, out *puzzle.Edges) {
			for i := range out.Keys {
				if out.Keys[i] == first {
					out.Keys[i] = toyKey(2, 5)
				}
			}
		}),
		lies("an id that is none is made", "move ids", func(l *liar) {
			l.apply = func(dst, state []uint64, m puzzle.Move) bool { return truth.Apply(dst, state, m&3) }
		}),
		lies("an id that is none is undone", "move ids", func(l *liar) {
			l.undo = func(dst, state []uint64, m puzzle.Move) bool { return truth.Undo(dst, state, m&3) }
		}),
		lies("a refused move leaves traces", "dst", func(l *liar) {
			l.apply = func(dst, state []uint64, m puzzle.Move) bool {
				next := slices.Clone(state)
				ok := truth.Apply(next, state, m)
				copy(dst, next)
				return ok
			}
		}),
		lies("a move clears dst first", "dst", func(l *liar) {
			l.undo = func(dst, state []uint64, m puzzle.Move) bool {
				if !truth.Undo(slices.Clone(dst), state, m) {
					return false
				}
				clear(dst)
				return truth.Undo(dst, state, m)
			}
		}),
		lies("a move changes its state", "arguments", func(l *liar) {
			l.apply = func(dst, state []uint64, m puzzle.Move) bool {
				ok := truth.Apply(dst, state, m)
				if ok {
					copy(state, dst)
				}
				return ok
			}
		}),
		lies("a move that cannot be taken back", "undo", func(l *liar) {
			l.undo = func(dst, state []uint64, m puzzle.Move) bool { return state[0] != first && truth.Undo(dst, state, m) }
		}),
		lies("a move is taken back that did not lead there", "undo", func(l *liar) {
			l.undo = func(dst, state []uint64, m puzzle.Move) bool {
				if truth.Undo(dst, state, m) {
					return true
				}
				if m < 4 && state[0] == toyKey(0, 1) {
					dst[0] = first
					return true
				}
				return false
			}
		}),
		{name: "a state without its way back", rule: "reversible", p: rightward()},
	}
}

// rightward says that it is reversible, and its counters go to the right only.
func rightward() puzzle.Puzzle {
	l := &liar{toy: truth}
	l.successors = func(states []uint64, out *puzzle.Edges) {
		appendKept(out, func(_ uint64, m puzzle.Move) bool { return m%2 == 1 }, func(e *puzzle.Edges) { truth.Successors(states, e) })
	}
	l.apply = func(dst, state []uint64, m puzzle.Move) bool { return m%2 == 1 && truth.Apply(dst, state, m) }
	l.undo = func(dst, state []uint64, m puzzle.Move) bool { return m%2 == 1 && truth.Undo(dst, state, m) }
	return struct{ puzzle.Puzzle }{l}
}

// merger says that its moves lead from several states to one.
type merger struct{ puzzle.Puzzle }

func (merger) Merges() bool { return true }

func liarsOfMerging() []liarCase {
	oneWay := &liar{toy: truth}
	oneWay.layout = func() puzzle.Layout {
		l := truth.Layout()
		l.Reversible = false
		return l
	}
	return []liarCase{
		{name: "a way back though links say nothing", rule: "merging", p: merger{oneWay}},
		{name: "merging and reversible", rule: "merging", p: merger{truth}},
	}
}

func liarsOfBatches() []liarCase {
	return []liarCase{
		edgesLie("a key too few", "edges", func(_ []uint64, out *puzzle.Edges) { out.Keys = out.Keys[1:] }),
		lies("successors in the place of others", "edges", func(l *liar) {
			l.successors = func(states []uint64, out *puzzle.Edges) {
				out.Reset()
				truth.Successors(states, out)
			}
		}),
		edgesLie("the last of many states forgotten", "batches", func(states []uint64, out *puzzle.Edges) {
			if len(states) > 5 {
				out.Keys, out.Moves = out.Keys[:len(out.Keys)-1], out.Moves[:len(out.Moves)-1]
			}
		}),
		edgesLie("successors in the memory of the states", "arguments", func(states []uint64, out *puzzle.Edges) {
			states[0] = out.Keys[0]
		}),
		lies("goals in the memory of the states", "arguments", func(l *liar) {
			l.goals = func(states []uint64, marks []bool) {
				truth.Goals(states, marks)
				states[0] = 0
			}
		}),
		lies("marks that are left", "goals", func(l *liar) {
			l.goals = func(states []uint64, marks []bool) {
				for i, state := range states {
					marks[i] = marks[i] || state&7 == 7
				}
			}
		}),
		layoutLie("a goal where there is none", "goals", func(l *puzzle.Layout) { l.HasGoal = false }),
		lies("the goals of many states", "batches", func(l *liar) {
			l.goals = func(states []uint64, marks []bool) {
				truth.Goals(states, marks)
				if len(marks) > 1 {
					slices.Reverse(marks)
				}
			}
		}),
	}
}

func liarsOfOptions() []liarCase {
	// Each of these changes what one of the methods gives for one state.
	pruning := func(name string, change func(state uint64, link puzzle.Move, out *puzzle.Edges, pruned int) int) (cases []liarCase) {
		onward := func(truth func(states []uint64, links []puzzle.Move, out *puzzle.Edges) int) func(states []uint64, links []puzzle.Move, out *puzzle.Edges) int {
			return func(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
				for i := range states {
					var edges puzzle.Edges
					pruned += change(states[i], links[i], &edges, truth(states[i:i+1], links[i:i+1], &edges))
					out.Keys, out.Moves = append(out.Keys, edges.Keys...), append(out.Moves, edges.Moves...)
				}
				return pruned
			}
		}
		return []liarCase{
			lies(name, "onward", func(l *liar) { l.onward = onward(truth.Onward) }),
			lies(name+" on the way home", "homeward", func(l *liar) { l.homeward = onward(truth.Homeward) }),
		}
	}
	backward := func(name, rule string, wanted func(key uint64, m puzzle.Move) bool, more ...uint64) liarCase {
		return lies(name, rule, func(l *liar) {
			l.predecessors = func(states []uint64, out *puzzle.Edges) {
				appendKept(out, wanted, func(e *puzzle.Edges) { truth.Predecessors(states, e) })
				for _, key := range more {
					out.Keys, out.Moves = append(out.Keys, key), append(out.Moves, 3)
				}
			}
		})
	}
	notFirst := func(key uint64, _ puzzle.Move) bool { return key != first }
	both := backward("neither Undo nor Predecessors", "backward", notFirst)
	both.p.(*liar).undo = func(dst, state []uint64, m puzzle.Move) bool {
		before := []uint64{0}
		return truth.Undo(before, state, m) && before[0] != first && truth.Undo(dst, state, m)
	}
	cases := []liarCase{
		{name: "a ring of an odd number of states", rule: "alternating", p: ring{5}},
		layoutLie("grades that fall again", "graded", func(l *puzzle.Layout) { l.Graded = true }),
		lies("links changed", "arguments", func(l *liar) {
			l.onward = func(states []uint64, links []puzzle.Move, out *puzzle.Edges) int {
				defer func() { links[0] ^= 1 }()
				return truth.Onward(states, links, out)
			}
		}),
		backward("a predecessor forgotten", "backward", notFirst),
		backward("a predecessor that is none", "backward", func(_ uint64, m puzzle.Move) bool { return m != 3 }, first),
		both,
	}
	cases = append(cases, pruning("pruned moves that are not counted", func(_ uint64, _ puzzle.Move, _ *puzzle.Edges, pruned int) int {
		return 0
	})...)
	cases = append(cases, pruning("pruned moves in another order", func(_ uint64, _ puzzle.Move, out *puzzle.Edges, pruned int) int {
		slices.Reverse(out.Keys)
		slices.Reverse(out.Moves)
		return pruned
	})...)
	cases = append(cases, pruning("another move pruned", func(_ uint64, _ puzzle.Move, out *puzzle.Edges, pruned int) int {
		if out.Len() == 0 {
			return pruned
		}
		out.Keys, out.Moves = out.Keys[1:], out.Moves[1:]
		return pruned + 1
	})...)
	cases = append(cases, pruning("the lesser of two commuting moves pruned", func(_ uint64, link puzzle.Move, out *puzzle.Edges, pruned int) int {
		for i, m := range out.Moves {
			if m/2 < link/2 {
				out.Keys, out.Moves = slices.Delete(out.Keys, i, i+1), slices.Delete(out.Moves, i, i+1)
				return pruned + 1
			}
		}
		return pruned
	})...)
	return append(cases, liarsOfPictures()...)
}

func liarsOfPictures() []liarCase {
	return []liarCase{
		pictureLie("ground for some cells", func(p *puzzle.Picture, _ uint64) { p.Ground = p.Ground[1:] }),
		pictureLie("ground that moves", func(p *puzzle.Picture, state uint64) {
			if odd(state) {
				p.Ground[0] = puzzle.GroundTarget
			}
		}),
		pictureLie("spots for some cells", func(p *puzzle.Picture, _ uint64) { p.Spots = make([]puzzle.Spot, 1) }),
		pictureLie("spots that move", func(p *puzzle.Picture, state uint64) {
			p.Spots = make([]puzzle.Spot, len(p.Ground))
			p.Spots[0].X = float64(state)
		}),
		pictureLie("no kind of ground", func(p *puzzle.Picture, _ uint64) { p.Ground[7] = 99 }),
		pictureLie("an exit beyond the board", func(p *puzzle.Picture, _ uint64) { p.Exit = []puzzle.Cell{{Row: 0, Col: 8}} }),
		pictureLie("no kind of piece", func(p *puzzle.Picture, _ uint64) { p.Pieces[0].Kind = 99 }),
		pictureLie("a colour below 0", func(p *puzzle.Picture, _ uint64) { p.Pieces[1].Colour = -1 }),
		pictureLie("a piece without cells", func(p *puzzle.Picture, _ uint64) { p.Pieces[1].Cells = nil }),
		pictureLie("a piece beyond the board", func(p *puzzle.Picture, _ uint64) { p.Pieces[1].Cells[0].Col += toyCells }),
		pictureLie("a piece in a wall", func(p *puzzle.Picture, _ uint64) { p.Ground[5] = puzzle.GroundWall }),
		pictureLie("a piece on another", func(p *puzzle.Picture, _ uint64) { p.Pieces[1].Cells = p.Pieces[0].Cells }),
		pictureLie("a piece in two parts", func(p *puzzle.Picture, _ uint64) {
			p.Rows, p.Ground = 3, make([]puzzle.Ground, 24)
			p.Pieces[0].Cells = append(p.Pieces[0].Cells, puzzle.Cell{Row: 2, Col: 0})
		}),
		lies("pictures in the memory of the state", "arguments", func(l *liar) {
			l.picture = func(state []uint64) *puzzle.Picture {
				defer func() { state[0] = 0 }()
				return truth.Picture(state)
			}
		}),
	}
}

func liarsOfTexts() []liarCase {
	reads := func(name string, boards func(b puzzle.Board) ([]puzzle.Board, error)) liarCase {
		return liarCase{name: name, rule: "text", p: truth, read: func([]byte, puzzle.ReadOptions) ([]puzzle.Board, error) { return boards(boardOf(truth)) }}
	}
	is := func(p puzzle.Puzzle) func(puzzle.Board) ([]puzzle.Board, error) {
		return func(puzzle.Board) ([]puzzle.Board, error) { return []puzzle.Board{boardOf(p)}, nil }
	}
	parse := func(name string, change func(text string, state []uint64, err error) ([]uint64, error)) liarCase {
		return lies(name, "parse", func(l *liar) {
			l.parse = func(text string) ([]uint64, error) {
				state, err := truth.Parse(text)
				return change(text, state, err)
			}
		})
	}
	return []liarCase{
		lies("a move without a name", "names", func(l *liar) { l.formatMove = func(puzzle.Move) string { return "" } }),
		lies("a text with a newline", "format", func(l *liar) { l.format = func(state []uint64) string { return truth.Format(state) + "\n" } }),
		lies("texts in the memory of the state", "arguments", func(l *liar) {
			l.draw = func(state []uint64) string {
				defer func() { state[0] = 0 }()
				return truth.Draw(state)
			}
		}),
		parse("a text that is refused", func(_ string, state []uint64, err error) ([]uint64, error) {
			if err == nil && state[0] == first {
				err = &puzzle.InputError{Line: 1, Column: 3, What: "no"}
			}
			return state, err
		}),
		parse("a text that is another state", func(text string, state []uint64, err error) ([]uint64, error) {
			if text == "..a.b..." {
				state = []uint64{toyKey(0, 1)}
			}
			return state, err
		}),
		parse("a text of no state", func(_ string, state []uint64, err error) ([]uint64, error) {
			if err != nil {
				state, err = []uint64{0}, nil
			}
			return state, err
		}),
		parse("an error without a place", func(_ string, state []uint64, err error) ([]uint64, error) {
			if err != nil {
				err = errors.New("no")
			}
			return state, err
		}),
		parse("an error of two lines", func(_ string, state []uint64, err error) ([]uint64, error) {
			if err != nil {
				err = &puzzle.InputError{What: "no\nno"}
			}
			return state, err
		}),
		reads("a text that is not read", func(puzzle.Board) ([]puzzle.Board, error) { return nil, nil }),
		reads("a text that changes", func(b puzzle.Board) ([]puzzle.Board, error) {
			b.Text += "\n"
			return []puzzle.Board{b}, nil
		}),
		reads("a text with another start", is(toy{first})),
		reads("a text with other states", is(&liar{toy: truth, valid: func(key []uint64) bool { return truth.Valid(key) && key[0] != first }})),
		reads("a text with another goal", is(&liar{toy: truth, goals: func(_ []uint64, marks []bool) { clear(marks) }})),
	}
}

func liarsOfWeights() []liarCase {
	compare := func(name string, compare func(a, b string) int) liarCase {
		return lies(name, "order", func(l *liar) { l.compare = compare })
	}
	weights := func(name, rule string, change func(states, weights []uint64)) liarCase {
		return lies(name, rule, func(l *liar) {
			l.weights = func(states, weights []uint64) {
				truth.Weights(states, weights)
				change(states, weights)
			}
		})
	}
	return []liarCase{
		weights("a weight of nothing", "weights", func(states, weights []uint64) {
			if i := slices.Index(states, first); i >= 0 {
				weights[i] = 0
			}
		}),
		weights("a weight by the number of states", "weights", func(states, weights []uint64) {
			weights[0] = uint64(len(states))
		}),
		weights("weights in the memory of the state", "arguments", func(states, _ []uint64) { states[0] = first }),
		compare("texts that are alike", func(a, b string) int { return strings.Compare(a[:1], b[:1]) }),
		compare("texts each before the other", func(a, b string) int {
			if a == b {
				return 0
			}
			return -1
		}),
	}
}

func liarsOfCalls() []liarCase {
	var sink atomic.Pointer[[64]uint64]
	times := 0
	late := liarCase{name: "a puzzle that nobody has used", rule: "concurrent", p: truth}
	late.read = func(text []byte, _ puzzle.ReadOptions) ([]puzzle.Board, error) {
		return readToy(text, func() puzzle.Puzzle {
			if times++; times == 1 { // as the examination of the text reads it
				return truth
			}
			return &liar{toy: truth, goals: func(_ []uint64, marks []bool) { clear(marks) }}
		})
	}
	return []liarCase{
		lies("a slice for each call", "allocations", func(l *liar) {
			l.goals = func(states []uint64, marks []bool) {
				own := new([64]uint64) // of so many states at most
				sink.Store(own)
				truth.Goals(own[:copy(own[:], states)], marks)
			}
		}),
		late,
	}
}

// A ring of an even number of states does alternate.
func TestAlternating(t *testing.T) {
	for size, findings := range map[uint64]int{5: 1, 6: 0, 9: 1, 10: 0} {
		r := Check(puzzle.Board{Puzzle: ring{size}, Family: "ring", Text: "ring"}, Options{})
		n := 0
		for _, f := range r.Findings {
			if f.Rule == "alternating" {
				n++
			}
		}
		if n != findings {
			t.Errorf("a ring of %d: %v", size, r.Findings)
		}
	}
}
