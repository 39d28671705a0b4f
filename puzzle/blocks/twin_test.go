package blocks

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle"
)

// twin is the slow, obvious puzzle: rows of text, one letter a piece, in which
// letters keep to their pieces.
type twin struct {
	rows []string
	own  string // letters of distinct pieces
}

// cellsOf returns the cells of a letter, row by row.
func (w *twin) cellsOf(letter byte) (cells [][2]int) {
	for r, row := range w.rows {
		for c := range row {
			if row[c] == letter {
				cells = append(cells, [2]int{r, c})
			}
		}
	}
	return cells
}

// letters returns the letters of the pieces in the order of their first cells.
func (w *twin) letters() string {
	list := ""
	for _, r := range strings.Join(w.rows, "") {
		if !strings.ContainsRune(list+".#", r) {
			list += string(r)
		}
	}
	return list
}

// shifted returns the rows with a letter moved by so much, or nil.
func (w *twin) shifted(letter byte, down, right int) *twin {
	var grid [][]byte
	for _, row := range w.rows {
		grid = append(grid, []byte(strings.ReplaceAll(row, string(letter), ".")))
	}
	for _, at := range w.cellsOf(letter) {
		r, c := at[0]+down, at[1]+right
		if r < 0 || c < 0 || r >= len(grid) || c >= len(grid[r]) || grid[r][c] != '.' {
			return nil
		}
		grid[r][c] = letter
	}
	next := &twin{own: w.own}
	for _, row := range grid {
		next.rows = append(next.rows, string(row))
	}
	return next
}

// text draws the rows as states are drawn.
func (w *twin) text() string {
	names := map[rune]rune{'.': '.', '#': '#', '\n': '\n'}
	fresh := "BCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789A"
	for _, letter := range w.letters() {
		if strings.ContainsRune(w.own, letter) {
			names[letter] = letter
			continue
		}
		for strings.Contains(w.own, fresh[:1]) {
			fresh = fresh[1:]
		}
		names[letter] = rune(fresh[0])
		fresh = fresh[1:]
	}
	return strings.Map(func(r rune) rune { return names[r] }, strings.Join(w.rows, "\n"))
}

// successors returns the twins one move away in the order of the moves.
func (w *twin) successors(m string) []*twin {
	var all []*twin
	for _, letter := range []byte(w.letters()) {
		ends := map[[2]int]*twin{}
		first := w.cellsOf(letter)[0]
		add := func(next *twin) bool {
			if next == nil {
				return false
			}
			at := next.cellsOf(letter)[0]
			known := ends[at] != nil || at == first
			ends[at] = next
			return !known
		}
		ways := [][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}
		for _, way := range ways {
			for n := 1; add(w.shifted(letter, n*way[0], n*way[1])) && m == "slide"; n++ {
				continue
			}
		}
		for edge := slices.Collect(maps.Values(ends)); m == "move" && len(edge) > 0; edge = edge[1:] {
			for _, way := range ways {
				if next := edge[0].shifted(letter, way[0], way[1]); add(next) {
					edge = append(edge, next)
				}
			}
		}
		delete(ends, first)
		order := slices.SortedFunc(maps.Keys(ends), func(a, b [2]int) int { return 100*(a[0]-b[0]) + a[1] - b[1] })
		for _, at := range order {
			all = append(all, ends[at])
		}
	}
	return all
}

// source yields random numbers below n, from a generator or from fuzz input.
type source func(n int) int

// randomText makes the text of a puzzle, and its rows.
func randomText(random source, side int) (text string, w *twin) {
	rows, cols := 1+random(side), 1+random(side)
	grid := make([][]byte, rows)
	wallsIn := []int{0, 0, 5, 20}[random(4)]
	for r := range grid {
		grid[r] = bytes.Repeat([]byte{'.'}, cols)
		for c := range grid[r] {
			if random(100) < wallsIn {
				grid[r][c] = '#'
			}
		}
	}
	letters := []byte(symbols)
	sizeMax, pieces := 1+random(5), 1+random(min(piecesMax-1, 1+rows*cols/2))
	for range pieces {
		i := random(len(letters))
		if grow(random, grid, letters[i], 1+random(sizeMax)) {
			letters = slices.Delete(letters, i, i+1)
		}
	}
	if len(letters) == len(symbols) {
		grid[0][0] = 'A'
	}
	w = &twin{}
	for _, row := range grid {
		w.rows = append(w.rows, string(row))
	}
	used := w.letters()
	goal := used[random(len(used))]
	if strings.Contains(used, "A") {
		w.own = "A"
	}
	metric := []string{"step", "slide", "move"}[random(3)]
	text = "puzzle: blocks\nmetric: " + metric + "\n"
	switch random(4) {
	case 0:
	case 1:
		text += "goal: " + strings.Join(w.rows, "/") + "\n"
	case 2:
		text += fmt.Sprintf("goal: %c at %s\n", goal, cornerOf(w, goal))
		w.own = string(goal)
	case 3:
		other := used[0]
		if other == goal {
			other = used[len(used)-1]
		}
		text += fmt.Sprintf("goal: %c at %s", goal, cornerOf(w, goal))
		if w.own = string(goal); other != goal {
			text += fmt.Sprintf(" ; %c AT %s", other, cornerOf(w, other))
			w.own += string(other)
		}
		text += "\n"
	}
	if random(4) == 0 {
		text += "interchangeable: no\n"
		w.own = symbols
	}
	return text + "\n" + strings.Join(w.rows, "\n") + "\n", w
}

func cornerOf(w *twin, letter byte) string {
	row, col := sideMax, sideMax
	for _, at := range w.cellsOf(letter) {
		row, col = min(row, at[0]), min(col, at[1])
	}
	return fmt.Sprintf("%d,%d", row, col)
}

// grow puts a polyomino of up to size cells on a grid, if there is room.
func grow(random source, grid [][]byte, letter byte, size int) bool {
	r, c := random(len(grid)), random(len(grid[0]))
	if grid[r][c] != '.' {
		return false
	}
	for range size {
		grid[r][c] = letter
		d := directions[random(4)]
		if r+d.row < 0 || c+d.col < 0 || r+d.row >= len(grid) || c+d.col >= len(grid[0]) {
			continue
		}
		if to := grid[r+d.row][c+d.col]; to == '.' || to == letter {
			r, c = r+d.row, c+d.col
		}
	}
	return true
}

// checkAgainstTwin walks at random through a puzzle and compares every state's
// successors with the twin's.
func checkAgainstTwin(g *game, w *twin, random source, steps int) error {
	state := g.Starts()
	words := len(state)
	goal := w.text() // randomText makes goals of the start
	var link puzzle.Move
	for step := range steps {
		if err := checkState(g, w, state, goal); err != nil {
			return err
		}
		edges, wide := &puzzle.Edges{}, &puzzle.Edges{}
		g.Successors(state, edges)
		g.wideSuccessors(state, wide)
		if !slices.Equal(edges.Keys, wide.Keys) || !slices.Equal(edges.Moves, wide.Moves) {
			return fmt.Errorf("the two paths differ:\n%s", w.text())
		}
		want := w.successors(g.metric.String())
		if edges.Len() != len(want) {
			return fmt.Errorf("%d successors, want %d:\n%s", edges.Len(), len(want), w.text())
		}
		for i, m := range edges.Moves {
			next := edges.Keys[i*words : i*words+words]
			if got := g.Format(next); got != want[i].text() {
				return fmt.Errorf("successor %d, %s:\n%s\nwant\n%s\nof\n%s", i, g.FormatMove(m), got, want[i].text(), w.text())
			}
			if i > 0 && m <= edges.Moves[i-1] || int(m) >= g.layout.Moves {
				return fmt.Errorf("moves out of order: %v", edges.Moves)
			}
			if err := checkMove(g, state, next, m); err != nil {
				return err
			}
		}
		if err := checkOtherMoves(g, state, edges.Moves); err != nil {
			return err
		}
		if step > 0 {
			if err := checkOnward(g, state, link, edges); err != nil {
				return err
			}
		}
		if edges.Len() == 0 {
			return nil
		}
		i := random(edges.Len())
		link, w, state = edges.Moves[i], want[i], slices.Clone(edges.Keys[i*words:i*words+words])
	}
	return nil
}

// checkState compares what a puzzle says of a state with its twin.
func checkState(g *game, w *twin, state []uint64, goal string) error {
	text := w.text()
	if got := g.Format(state); got != text {
		return fmt.Errorf("format:\n%s\nwant\n%s", got, text)
	}
	if !g.Valid(state) {
		return fmt.Errorf("not valid:\n%s", text)
	}
	for _, text := range []string{text, strings.Join(w.rows, " / ")} {
		parsed, err := g.Parse(text)
		if err != nil || !slices.Equal(parsed, state) {
			return fmt.Errorf("parsed %x, %v, want %x:\n%s", parsed, err, state, text)
		}
	}
	var marks [1]bool
	g.Goals(state, marks[:])
	isGoal := len(g.goal) > 0
	for _, piece := range g.goal {
		isGoal = isGoal && sameThere(text, goal, piece.symbol, piece.shape.at(piece.first, g.cols), g.cols)
	}
	if marks[0] != isGoal {
		return fmt.Errorf("goal %v, want %v:\n%s", marks[0], isGoal, text)
	}
	return nil
}

// sameThere reports whether a piece of the text lies exactly on the cells.
func sameThere(text, goal string, symbol byte, cells []cell, cols int) bool {
	at := func(c cell) byte { return text[c.row*(cols+1)+c.col] }
	letter := at(cells[0])
	if letter == emptySymbol || symbol != 0 && letter != symbol || strings.Count(text, string(letter)) != len(cells) {
		return false
	}
	for _, c := range cells {
		if at(c) != letter {
			return false
		}
	}
	return symbol != 0 || !strings.ContainsRune(goal, 'A') || letter != 'A'
}

// checkMove checks that a move leads there and back.
func checkMove(g *game, state, next []uint64, m puzzle.Move) error {
	back := make([]uint64, len(state))
	if !g.Apply(back, state, m) || !slices.Equal(back, next) {
		return fmt.Errorf("apply %s gives %x, want %x", g.FormatMove(m), back, next)
	}
	if !g.Undo(back, back, m) || !slices.Equal(back, state) {
		return fmt.Errorf("undo %s gives %x, want %x", g.FormatMove(m), back, state)
	}
	return nil
}

// checkOtherMoves checks that Apply refuses all moves but the legal ones, and
// leaves the destination alone.
func checkOtherMoves(g *game, state []uint64, legal []puzzle.Move) error {
	dst := slices.Repeat([]uint64{^uint64(0)}, len(state))
	for id := 0; id <= g.layout.Moves; id += 1 + id/200 {
		m := puzzle.Move(id)
		if slices.Contains(legal, m) {
			continue
		}
		if g.Apply(dst, state, m) || slices.Min(dst) != ^uint64(0) {
			return fmt.Errorf("applied the illegal move %s", g.FormatMove(m))
		}
	}
	return nil
}

// checkOnward checks that both paths prune what the rules say, and nothing else.
func checkOnward(g *game, state []uint64, link puzzle.Move, all *puzzle.Edges) error {
	words := len(state)
	before, other := make([]uint64, words), make([]uint64, words)
	if !g.Undo(before, state, link) {
		return fmt.Errorf("no way back by %s", g.FormatMove(link))
	}
	var near puzzle.Edges
	g.Successors(before, &near)
	var want, got puzzle.Edges
	for i, m := range all.Moves {
		key := all.Keys[i*words : (i+1)*words]
		atOnce := slices.Equal(key, before)
		for next := range slices.Chunk(near.Keys, words) {
			atOnce = atOnce || slices.Equal(key, next)
		}
		commute := g.Apply(other, before, m) && g.Apply(other, other, link) && slices.Equal(other, key)
		if !atOnce && (m <= link || !commute) {
			want.Keys, want.Moves = append(want.Keys, key...), append(want.Moves, m)
		}
	}
	// Two states at once: what is left out must not shift the second.
	pruned := g.Onward(slices.Concat(state, state), []puzzle.Move{link, link}, &got)
	if !slices.Equal(got.Moves, slices.Repeat(want.Moves, 2)) || !slices.Equal(got.Keys, slices.Repeat(want.Keys, 2)) || pruned != 2*(all.Len()-want.Len()) {
		return fmt.Errorf("onward after %s: moves %v and %d pruned, want %v twice", g.FormatMove(link), got.Moves, pruned, want.Moves)
	}
	got.Reset()
	got.Keys, got.Moves = append(got.Keys, all.Keys...), append(got.Moves, all.Moves...)
	pruned = g.widePrune(state, g.built.pairs[link], link, 0, &got)
	if !slices.Equal(got.Moves, want.Moves) || !slices.Equal(got.Keys, want.Keys) || pruned != all.Len()-want.Len() {
		return fmt.Errorf("onward after %s: moves %v and %d pruned by the wide path, want %v", g.FormatMove(link), got.Moves, pruned, want.Moves)
	}
	return nil
}

// readOne reads the puzzle of a text.
func readOne(text string) (puzzle.Board, *game, error) {
	boards, err := Read([]byte(text), puzzle.ReadOptions{})
	if err != nil {
		return puzzle.Board{}, nil, err
	}
	return boards[0], boards[0].Puzzle.(*game), nil
}

func TestTwin(t *testing.T) {
	boards := 100
	if os.Getenv("EVERYSTATE_THOROUGH") != "" {
		boards = 240
	}
	if testing.Short() {
		boards = 60
	}
	kinds := map[string]int{}
	for seed := range uint64(boards) {
		rng := rand.New(rand.NewPCG(seed, 0))
		text, w := randomText(rng.IntN, []int{3, 6, 8, 16}[seed%4])
		b, g, err := readOne(text)
		if err != nil {
			t.Fatalf("seed %d: %v:\n%s", seed, err, text)
		}
		if err := checkAgainstTwin(g, w, rng.IntN, 5); err != nil {
			t.Fatalf("seed %d: %v\nof\n%s", seed, err, text)
		}
		if err := checkCanonical(b); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		switch {
		case g.layout.Words() > 1:
			kinds["several words"]++
		case g.ranking == nil:
			kinds["a sequence in a word"]++
		case g.built.narrow == nil:
			kinds["ranks without tables"]++
		case len(g.ranking.groups) > 1:
			kinds["several groups"]++
		default:
			kinds["one group"]++
		}
	}
	t.Log(kinds)
	for _, kind := range []string{"several words", "a sequence in a word", "several groups", "one group"} {
		if kinds[kind] == 0 {
			t.Errorf("no board with %s", kind)
		}
	}
}

// checkCanonical checks that the canonical text is the same puzzle.
func checkCanonical(b puzzle.Board) error {
	again, q, err := readOne(b.Text)
	if err != nil {
		return fmt.Errorf("canonical text: %v:\n%s", err, b.Text)
	}
	if again.Text != b.Text || again.Metric != b.Metric {
		return fmt.Errorf("canonical text changes to\n%s\nfrom\n%s", again.Text, b.Text)
	}
	p := b.Puzzle
	start := p.Starts()
	if p.Layout() != q.Layout() || !slices.Equal(start, q.Starts()) || p.Format(start) != q.Format(start) {
		return fmt.Errorf("layouts %v and %v, starts %x and %x", p.Layout(), q.Layout(), start, q.Starts())
	}
	var one, two puzzle.Edges
	p.Successors(start, &one)
	q.Successors(start, &two)
	if !slices.Equal(one.Keys, two.Keys) || !slices.Equal(one.Moves, two.Moves) {
		return fmt.Errorf("successors %x and %x", one.Keys, two.Keys)
	}
	var goals [2][]bool
	for i, p := range []puzzle.Puzzle{p, q} {
		goals[i] = make([]bool, one.Len()+1)
		p.Goals(slices.Concat(start, one.Keys), goals[i])
	}
	if !slices.Equal(goals[0], goals[1]) {
		return fmt.Errorf("goal marks %v and %v", goals[0], goals[1])
	}
	for _, m := range one.Moves {
		if p.FormatMove(m) != q.FormatMove(m) {
			return fmt.Errorf("move %d is %s and %s", m, p.FormatMove(m), q.FormatMove(m))
		}
	}
	return nil
}

func TestValid(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		text, _ := randomText(rng.IntN, []int{3, 6, 16}[seed%3])
		_, g, err := readOne(text)
		if err != nil {
			t.Fatal(err)
		}
		key := g.Starts()
		for range 100 {
			for i := range key {
				switch rng.IntN(3) {
				case 0:
					key[i] ^= 1 << rng.IntN(64)
				case 1:
					key[i] = rng.Uint64() >> rng.IntN(64)
				}
			}
			if err := checkValid(g, key); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
		}
		if g.Valid(slices.Concat(g.Starts(), []uint64{0})) || g.Valid(nil) {
			t.Fatalf("seed %d: a key of another width is valid", seed)
		}
	}
}

// checkValid checks that a key is valid if and only if it is the key of what it is
// drawn as.
func checkValid(g *game, key []uint64) error {
	again := []uint64(nil)
	if g.decode(key, &placed{}) {
		again, _ = g.Parse(g.Format(key)) // pieces that overlap fall apart or are missing
	}
	if got, want := g.Valid(key), slices.Equal(again, key); got != want {
		return fmt.Errorf("valid(%x) = %v, drawn and read it is %x", key, got, again)
	}
	return nil
}

// FuzzSuccessors builds boards from bytes and compares with the twin.
func FuzzSuccessors(f *testing.F) {
	f.Add([]byte("a few bytes to begin with"))
	f.Add([]byte{4, 3, 0, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 3, 9, 1, 0, 0, 2, 1, 1, 2, 0, 1})
	f.Fuzz(func(t *testing.T, raw []byte) {
		random := func(n int) int {
			if len(raw) == 0 {
				return 0
			}
			b := raw[0]
			raw = raw[1:]
			return int(b) % n
		}
		text, w := randomText(random, sideMax)
		_, g, err := readOne(text)
		if err != nil {
			t.Fatalf("%v:\n%s", err, text)
		}
		if err := checkAgainstTwin(g, w, random, 3); err != nil {
			t.Fatalf("%v:\n%s", err, text)
		}
	})
}

// FuzzRead checks that no input makes the reader panic, that its errors are one
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
			if what := err.Error(); len(what) > 400 || strings.ContainsAny(what, "\n\r\x00") {
				t.Fatalf("error of more than a line: %q", what)
			}
			return
		}
		if err := checkCanonical(boards[0]); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzValid checks that no key makes a puzzle panic.
func FuzzValid(f *testing.F) {
	f.Add(uint64(1), uint64(2), uint64(3))
	var games []*game
	for seed := range uint64(40) {
		text, _ := randomText(rand.New(rand.NewPCG(seed, 2)).IntN, 16)
		_, g, err := readOne(text)
		if err != nil {
			f.Fatal(err)
		}
		games = append(games, g)
	}
	f.Fuzz(func(t *testing.T, a, b, c uint64) {
		for _, g := range games {
			key := []uint64{a, b, c, a ^ b, b ^ c, a &^ c, b &^ a, c &^ b}[:g.layout.Words()]
			if err := checkValid(g, key); err != nil {
				t.Fatal(err)
			}
		}
	})
}
