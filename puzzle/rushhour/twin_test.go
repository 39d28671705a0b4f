package rushhour

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/everystate/everystate/puzzle"
)

// twin is the slow, obvious puzzle: a grid with a number a vehicle, 0 empty,
// -1 a wall.
type twin struct {
	rows, cols int
	grid       []int
	vehicles   []vehicle
}

func newTwin(b *board, vehicles []vehicle) *twin {
	w := &twin{rows: b.rows, cols: b.cols, grid: make([]int, b.rows*b.cols), vehicles: slices.Clone(vehicles)}
	for cell, wall := range b.walls {
		if wall {
			w.grid[cell] = -1
		}
	}
	for i, v := range vehicles {
		for n := range v.length {
			row, col := v.row, v.col
			if v.vertical {
				row += n
			} else {
				col += n
			}
			if w.grid[row*w.cols+col] != 0 {
				panic("two vehicles on a cell")
			}
			w.grid[row*w.cols+col] = i + 1
		}
	}
	return w
}

// free reports whether a cell is on the board and empty or the vehicle's own.
func (w *twin) free(row, col, own int) bool {
	if row < 0 || col < 0 || row >= w.rows || col >= w.cols {
		return false
	}
	at := w.grid[row*w.cols+col]
	return at == 0 || at == own+1
}

// moved returns the vehicles after one of them goes so many cells on, one at a
// time, or nil if it cannot.
func (w *twin) moved(own, steps int) []vehicle {
	v, sign := w.vehicles[own], 1
	if steps < 0 {
		sign = -1
	}
	for range steps * sign {
		if v.vertical {
			v.row += sign
		} else {
			v.col += sign
		}
		for n := range v.length {
			row, col := v.row, v.col
			if v.vertical {
				row += n
			} else {
				col += n
			}
			if !w.free(row, col, own) {
				return nil
			}
		}
	}
	vehicles := slices.Clone(w.vehicles)
	vehicles[own] = v
	return vehicles
}

// successors returns the boards one move away as pictures, in the fixed order:
// horizontal vehicles in reading order, vertical ones by column and then row,
// left or up first, then by distance.
func (w *twin) successors(b *board, m metric) []string {
	order := make([]int, len(w.vehicles))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		v, u := w.vehicles[i], w.vehicles[j]
		switch {
		case v.vertical != u.vertical:
			if u.vertical {
				return -1
			}
			return 1
		case v.vertical:
			return (v.col-u.col)*100 + v.row - u.row
		}
		return (v.row-u.row)*100 + v.col - u.col
	})
	distance := 1
	if m == metricSlide {
		distance = sideMax
	}
	var texts []string
	for _, i := range order {
		for _, sign := range []int{-1, 1} {
			for d := 1; d <= distance; d++ {
				if vehicles := w.moved(i, sign*d); vehicles != nil {
					texts = append(texts, string(draw(b, vehicles)))
				}
			}
		}
	}
	return texts
}

// source yields random numbers below n, from a generator or from fuzz input.
type source func(n int) int

// randomSetup makes a board of at most side x side cells.
func randomSetup(random source, side int) *setup {
	b := board{rows: 1 + random(side), cols: 1 + random(side)}
	b.walls = make([]bool, b.rows*b.cols)
	wallsIn := []int{0, 0, 5, 20}[random(4)]
	for cell := range b.walls {
		b.walls[cell] = wallsIn > 0 && random(100) < wallsIn
	}
	lengthMin, lengthMax := 1+random(2), 2+random(4)
	taken := slices.Clone(b.walls)
	for range 1 + random(b.rows*b.cols) {
		v := vehicle{row: random(b.rows), col: random(b.cols), length: lengthMin + random(lengthMax), vertical: random(2) == 1}
		tryVehicle(&b, v, taken)
	}
	if len(b.vehicles) == 0 {
		clear(b.walls)
		b.vehicles = []vehicle{{length: 1, symbol: 'A'}}
	}
	goal := random(len(b.vehicles))
	s := &setup{board: b, goal: goal, exit: exitAt(b.vehicles[goal].vertical, random(2)), metric: metric(random(2))}
	if len(b.vehicles) > 26 {
		s.notation = notationExtended
	} else {
		s.notation = notationLetters
	}
	return s
}

func exitAt(vertical bool, end int) side {
	if vertical {
		return sideTop + side(end)
	}
	return sideLeft + side(end)
}

// tryVehicle puts a vehicle on a board if it fits and a symbol is left.
func tryVehicle(b *board, v vehicle, taken []bool) {
	if len(b.vehicles) == len(allSymbols) {
		return
	}
	var cells []int
	for n := range v.length {
		row, col := v.row, v.col
		if v.vertical {
			row += n
		} else {
			col += n
		}
		if row >= b.rows || col >= b.cols || taken[row*b.cols+col] {
			return
		}
		cells = append(cells, row*b.cols+col)
	}
	for _, cell := range cells {
		taken[cell] = true
	}
	v.symbol = allSymbols[len(b.vehicles)]
	b.vehicles = append(b.vehicles, v)
}

// checkAgainstTwin walks at random through a puzzle and compares every state's
// successors with the twin's.
func checkAgainstTwin(g *game, random source, steps int) error {
	state := g.Starts()
	words := len(state)
	edges, wide := &puzzle.Edges{}, &puzzle.Edges{}
	back := make([]uint64, words)
	for range steps {
		vehicles := g.placed(state)
		w := newTwin(&g.board, vehicles)
		text := string(draw(&g.board, vehicles))
		if got := g.Format(state); g.notation != notationTypes && got != text {
			return fmt.Errorf("format:\n%s\nwant\n%s", got, text)
		}
		if parsed, err := g.Parse(g.Format(state)); err != nil || !slices.Equal(parsed, state) {
			return fmt.Errorf("parsed %x, %v, want %x:\n%s", parsed, err, state, g.Format(state))
		}
		if !g.Valid(state) {
			return fmt.Errorf("not valid:\n%s", text)
		}
		parsed, err := g.Parse(text)
		if err != nil || !slices.Equal(parsed, state) {
			return fmt.Errorf("parsed %x, %v, want %x:\n%s", parsed, err, state, text)
		}
		edges.Reset()
		g.Successors(state, edges)
		wide.Reset()
		g.wideSuccessors(g.tables(), state, wide)
		if !slices.Equal(edges.Keys, wide.Keys) || !slices.Equal(edges.Moves, wide.Moves) {
			return fmt.Errorf("the two paths differ:\n%s", text)
		}
		want := w.successors(&g.board, g.metric)
		if edges.Len() != len(want) {
			return fmt.Errorf("%d successors, want %d:\n%s", edges.Len(), len(want), text)
		}
		for i, m := range edges.Moves {
			next := edges.Keys[i*words : i*words+words]
			if got := string(draw(&g.board, g.placed(next))); got != want[i] {
				return fmt.Errorf("successor %d:\n%s\nwant\n%s\nof\n%s", i, got, want[i], text)
			}
			if i > 0 && m <= edges.Moves[i-1] || int(m) >= g.layout.Moves {
				return fmt.Errorf("moves out of order: %v", edges.Moves)
			}
			if !g.Apply(back, state, m) || !slices.Equal(back, next) {
				return fmt.Errorf("apply %s gives %x, want %x", g.FormatMove(m), back, next)
			}
			if !g.Undo(back, back, m) || !slices.Equal(back, state) {
				return fmt.Errorf("undo %s gives %x, want %x", g.FormatMove(m), back, state)
			}
		}
		if err := checkOtherMoves(g, state, edges.Moves); err != nil {
			return err
		}
		if err := checkOnward(g, state, edges); err != nil {
			return err
		}
		if edges.Len() == 0 {
			return nil
		}
		i := random(edges.Len())
		state = slices.Clone(edges.Keys[i*words : i*words+words])
	}
	return nil
}

// checkOnward checks that both paths prune the same moves of the successors'
// successors: the way back, greater moves that are legal before the link and after
// it and lead to the same state in both orders, and for slides the moves of the
// link's vehicle. Of these they may keep moves that cross what the link has passed.
func checkOnward(g *game, state []uint64, edges *puzzle.Edges) error {
	words := len(state)
	var got, wide, all puzzle.Edges
	n := g.Onward(edges.Keys, edges.Moves, &got)
	if m := g.wideOnward(g.tables(), edges.Keys, edges.Moves, &wide); n != m || !slices.Equal(got.Keys, wide.Keys) || !slices.Equal(got.Moves, wide.Moves) {
		return fmt.Errorf("the two paths prune %d and %d moves, and leave %v and %v", n, m, got.Moves, wide.Moves)
	}
	before, both := make([]uint64, words), make([]uint64, words)
	left := 0
	for i, link := range edges.Moves {
		all.Reset()
		g.Successors(edges.Keys[i*words:(i+1)*words], &all)
		for j, m := range all.Moves {
			next := all.Keys[j*words : (j+1)*words]
			kept := left < got.Len() && got.Moves[left] == m && slices.Equal(got.Keys[left*words:(left+1)*words], next)
			if kept {
				left++
			} else {
				n--
			}
			back := slices.Equal(next, state)
			own := g.built.moves[m].line == g.built.moves[link].line && g.built.moves[m].vehicle == g.built.moves[link].vehicle
			commute := g.Apply(before, state, m) && g.Apply(both, before, link) && slices.Equal(both, next)
			prune := back || m > link && commute || own && g.metric == metricSlide
			if !kept && !prune || kept && prune && (g.metric == metricStep || back || own) {
				return fmt.Errorf("%s after %s: kept is %t", g.FormatMove(m), g.FormatMove(link), kept)
			}
		}
	}
	if left != got.Len() || n != 0 {
		return fmt.Errorf("onward gives moves %v of which %d are successors, and %d more are missing than it says", got.Moves, left, n)
	}
	return nil
}

// checkOtherMoves checks that Apply refuses all moves but the legal ones, and
// leaves the destination alone.
func checkOtherMoves(g *game, state []uint64, legal []puzzle.Move) error {
	dst := make([]uint64, len(state))
	for id := range g.layout.Moves + 1 {
		m := puzzle.Move(id)
		if slices.Contains(legal, m) {
			continue
		}
		if g.Apply(dst, state, m) || slices.Max(dst) != 0 {
			return fmt.Errorf("applied the illegal move %s", g.FormatMove(m))
		}
	}
	return nil
}

func TestTwin(t *testing.T) {
	boards := 600
	if os.Getenv("EVERYSTATE_THOROUGH") != "" {
		boards = 1500
	}
	if testing.Short() {
		boards = 300
	}
	wides := 0
	for seed := range uint64(boards) {
		rng := rand.New(rand.NewPCG(seed, 0))
		side := []int{6, 8, 16}[seed%3]
		s := randomSetup(rng.IntN, side)
		g, fault := newGame(s)
		if fault != nil {
			t.Fatalf("seed %d: %v", seed, fault)
		}
		if g.layout.Words() > 1 {
			wides++
		}
		if err := checkAgainstTwin(g, rng.IntN, 6); err != nil {
			t.Fatalf("seed %d, %s: %v", seed, s.metric, err)
		}
		if err := checkCanonical(s, g); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	if wides == 0 {
		t.Error("no board with a wide key")
	}
}

// checkCanonical checks that the canonical text is the same puzzle.
func checkCanonical(s *setup, p puzzle.Puzzle) error {
	text := canonicalText(s)
	boards, err := Read([]byte(text), puzzle.ReadOptions{})
	if err != nil || len(boards) != 1 {
		return fmt.Errorf("canonical text: %d boards, %v:\n%s", len(boards), err, text)
	}
	again := boards[0]
	if again.Text != text {
		return fmt.Errorf("canonical text changes to\n%s\nfrom\n%s", again.Text, text)
	}
	return samePuzzle(p, again.Puzzle)
}

// samePuzzle compares keys, moves and starts.
func samePuzzle(p, q puzzle.Puzzle) error {
	start := p.Starts()
	if p.Layout() != q.Layout() || !slices.Equal(start, q.Starts()) {
		return fmt.Errorf("layouts %v and %v, starts %x and %x", p.Layout(), q.Layout(), start, q.Starts())
	}
	if p.Format(start) != q.Format(start) {
		return fmt.Errorf("the start is drawn as\n%s\nand\n%s", p.Format(start), q.Format(start))
	}
	var one, two puzzle.Edges
	p.Successors(start, &one)
	q.Successors(start, &two)
	if !slices.Equal(one.Keys, two.Keys) || !slices.Equal(one.Moves, two.Moves) {
		return fmt.Errorf("successors %x and %x", one.Keys, two.Keys)
	}
	var goals [2][1]bool
	p.Goals(start, goals[0][:])
	q.Goals(start, goals[1][:])
	if goals[0] != goals[1] {
		return fmt.Errorf("goal marks %v and %v", goals[0], goals[1])
	}
	for _, m := range one.Moves {
		if p.FormatMove(m) != q.FormatMove(m) {
			return fmt.Errorf("move %d is %s and %s", m, p.FormatMove(m), q.FormatMove(m))
		}
	}
	return nil
}

// FuzzSuccessors builds boards from bytes and compares with the twin.
func FuzzSuccessors(f *testing.F) {
	f.Add([]byte("a few bytes to begin with"))
	f.Add([]byte{15, 15, 0, 0, 3, 40, 0, 0, 1, 0, 2, 2, 1, 1, 5, 5, 0, 0})
	f.Fuzz(func(t *testing.T, raw []byte) {
		random := func(n int) int {
			if len(raw) == 0 {
				return 0
			}
			b := raw[0]
			raw = raw[1:]
			return int(b) % n
		}
		s := randomSetup(random, sideMax)
		g, fault := newGame(s)
		if fault != nil {
			t.Fatal(fault)
		}
		if err := checkAgainstTwin(g, random, 3); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzRead checks that no input makes the parser panic, that its errors are one
// line, and that what it reads has a canonical text of the same puzzle.
func FuzzRead(f *testing.F) {
	for _, c := range readCases {
		f.Add([]byte(c.text))
	}
	for _, c := range errorCases {
		if len(c.text) < 1000 {
			f.Add([]byte(c.text))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		boards, err := Read(text, puzzle.ReadOptions{})
		if err != nil {
			if what := err.Error(); len(what) > 400 || bytes.ContainsAny([]byte(what), "\n\r\x00") {
				t.Fatalf("error of more than a line: %q", what)
			}
			return
		}
		for _, b := range boards[:min(3, len(boards))] {
			if err := checkCanonical(b.Puzzle.(*game).setup, b.Puzzle); err != nil {
				t.Fatal(err)
			}
		}
	})
}
