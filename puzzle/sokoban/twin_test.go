package sokoban

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle"
)

// The slow, obvious puzzle works on the text of a level.
type twin struct {
	rows   [][]byte
	metric metric
}

type spot struct{ row, col int }

func newTwin(text string, m metric) *twin {
	w := &twin{metric: m}
	for _, row := range strings.Split(text, "\n") {
		w.rows = append(w.rows, []byte(row))
	}
	return w
}

func (w *twin) text() string { return string(slices.Concat(joined(w.rows)...)) }

func joined(rows [][]byte) [][]byte {
	var parts [][]byte
	for i, row := range rows {
		if i > 0 {
			parts = append(parts, []byte("\n"))
		}
		parts = append(parts, row)
	}
	return parts
}

var twinSteps = []spot{{-1, 0}, {1, 0}, {0, -1}, {0, 1}}

func (p spot) step(d int, times int) spot {
	return spot{p.row + times*twinSteps[d].row, p.col + times*twinSteps[d].col}
}

func (w *twin) at(p spot) byte { return w.rows[p.row][p.col] }

// put takes what stands on a spot away and puts something else there: a box, the
// player, or a blank.
func (w *twin) put(p spot, what byte) {
	on := strings.IndexByte(".*+", w.at(p)) >= 0
	replaced := map[byte]byte{' ': '.', '$': '*', '@': '+'}
	if on {
		what = replaced[what]
	}
	w.rows[p.row][p.col] = what
}

func (w *twin) open(p spot) bool  { return strings.IndexByte(" .@+", w.at(p)) >= 0 }
func (w *twin) boxAt(p spot) bool { return strings.IndexByte("$*", w.at(p)) >= 0 }

func (w *twin) man() spot {
	for row := range w.rows {
		if col := strings.IndexAny(string(w.rows[row]), "@+"); col >= 0 {
			return spot{row, col}
		}
	}
	panic("no player")
}

// walk returns where the player can go, in reading order.
func (w *twin) walk() []spot {
	seen := map[spot]bool{w.man(): true}
	for again := true; again; {
		again = false
		for p := range seen {
			for d := range twinSteps {
				if to := p.step(d, 1); !seen[to] && w.open(to) {
					seen[to], again = true, true
				}
			}
		}
	}
	var list []spot
	for p := range seen {
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b spot) int {
		if a.row != b.row {
			return a.row - b.row
		}
		return a.col - b.col
	})
	return list
}

// with returns the text of another state: changes are made, and the player goes to
// a spot, for pushes to the first one that can be walked to.
func (w *twin) with(playerAt spot, from, to spot) string {
	c := newTwin(w.text(), w.metric)
	c.put(c.man(), ' ')
	if from != to {
		c.put(from, ' ')
		c.put(to, '$')
	}
	c.put(playerAt, '@')
	if w.metric != metricMove {
		first := c.walk()[0]
		c.put(playerAt, ' ')
		c.put(first, '@')
	}
	return c.text()
}

// edge is a move and the state it leads to, or from.
type edge struct{ move, text string }

var twinNames = []string{"up", "down", "left", "right"}

// onward returns what pushes or steps lead to, and back what they lead from.
func (w *twin) onward() []edge {
	var edges []edge
	if w.metric == metricMove {
		playerAt := w.man()
		for d := range twinSteps {
			to, beyond := playerAt.step(d, 1), playerAt.step(d, 2)
			switch {
			case w.open(to):
				edges = append(edges, edge{"udlr"[d : d+1], w.with(to, to, to)})
			case w.boxAt(to) && w.open(beyond):
				edges = append(edges, edge{"UDLR"[d : d+1], w.with(to, to, beyond)})
			}
		}
		return edges
	}
	walked := w.walk()
	for row := range w.rows {
		for col := range w.rows[row] {
			p := spot{row, col}
			for d := range twinSteps {
				if w.boxAt(p) && slices.Contains(walked, p.step(d, -1)) && w.open(p.step(d, 1)) {
					edges = append(edges, edge{fmt.Sprintf("%d,%d %s", row+1, col+1, twinNames[d]), w.with(p, p, p.step(d, 1))})
				}
			}
		}
	}
	return edges
}

func (w *twin) back() []edge {
	var edges []edge
	if w.metric == metricMove {
		playerAt := w.man()
		for d := range twinSteps {
			from, ahead := playerAt.step(d, -1), playerAt.step(d, 1)
			if !w.open(from) {
				continue
			}
			edges = append(edges, edge{"udlr"[d : d+1], w.with(from, from, from)})
			if w.boxAt(ahead) {
				edges = append(edges, edge{"UDLR"[d : d+1], w.with(from, ahead, playerAt)})
			}
		}
		return edges
	}
	for _, p := range w.walk() {
		for d := range twinSteps {
			if w.boxAt(p.step(d, 1)) && w.open(p.step(d, -1)) {
				edges = append(edges, edge{fmt.Sprintf("%d,%d %s", p.row+1, p.col+1, twinNames[d]), w.with(p.step(d, -1), p.step(d, 1), p)})
			}
		}
	}
	return edges
}

// randomLevel draws a level of at most rows x cols squares.
func randomLevel(random func(int) int, rows, cols int) string {
	rows, cols = 3+random(rows-2), 3+random(cols-2)
	if rows == 3 && cols < 5 {
		cols = 5
	}
	walls := random(35)
	grid := make([][]byte, rows)
	for r := range grid {
		grid[r] = []byte(strings.Repeat("#", cols))
		for c := 1; c < cols-1 && r > 0 && r < rows-1; c++ {
			if random(100) >= walls {
				grid[r][c] = ' '
			}
		}
	}
	w := &twin{rows: grid}
	playerAt := spot{1 + random(rows-2), 1 + random(cols-2)}
	grid[playerAt.row][playerAt.col] = '@'
	cells := w.walk()
	if len(cells) == 1 {
		return "#####\n#@$.#\n#####"
	}
	boxes := min(1+random(6), len(cells)-1)
	if random(3) == 0 {
		boxes = len(cells) / 2
	}
	swap := func(i, j int) { cells[i], cells[j] = cells[j], cells[i] }
	shuffle := func() {
		for i := range cells {
			swap(i, i+random(len(cells)-i))
		}
	}
	shuffle()
	for _, p := range cells[:boxes] {
		grid[p.row][p.col] = '.'
	}
	if w.at(playerAt) == '@' {
		grid[playerAt.row][playerAt.col] = ' '
	}
	shuffle()
	for i, p := range cells[:min(len(cells), boxes+1)] {
		w.put(p, "@$"[min(i, 1)])
	}
	return w.text()
}

// gameOf reads a level.
func gameOf(text string, m metric, p prune) (*game, error) {
	boards, err := Read([]byte(fmt.Sprintf("metric: %s\nprune: %s\n\n%s", m, p, text)), puzzle.ReadOptions{})
	if err != nil || len(boards) != 1 {
		return nil, fmt.Errorf("%d boards, %v:\n%s", len(boards), err, text)
	}
	return boards[0].Puzzle.(*game), nil
}

// batchOf is what a call gives for one state.
func batchOf(call func([]uint64, *puzzle.Edges), state []uint64) *puzzle.Edges {
	out := &puzzle.Edges{}
	call(state, out)
	return out
}

// compareEdges compares a batch with what the twin says.
func compareEdges(g *game, what string, got *puzzle.Edges, want []edge) error {
	words := g.words()
	if got.Len() != len(want) {
		return fmt.Errorf("%s: %d, want %d", what, got.Len(), len(want))
	}
	for i, e := range want {
		key := got.Keys[i*words : (i+1)*words]
		if name, text := g.FormatMove(got.Moves[i]), g.Format(key); name != e.move || text != e.text {
			return fmt.Errorf("%s %d: %s\n%s\nwant %s\n%s", what, i, name, text, e.move, e.text)
		}
		if !g.Valid(key) {
			return fmt.Errorf("%s %d is not valid:\n%s", what, i, e.text)
		}
		if i > 0 && got.Moves[i] <= got.Moves[i-1] {
			return fmt.Errorf("%s: moves out of order: %v", what, got.Moves)
		}
	}
	return nil
}

// compareMoves compares a batch with what single moves give.
func compareMoves(g *game, what string, got *puzzle.Edges, state []uint64, one func(dst, state []uint64, m puzzle.Move) bool) error {
	var want puzzle.Edges
	dst := make([]uint64, len(state))
	for m := range g.Layout().Moves + 5 {
		if one(dst, state, puzzle.Move(m)) {
			want.Keys = append(want.Keys, dst...)
			want.Moves = append(want.Moves, puzzle.Move(m))
			clear(dst)
		} else if slices.Max(dst) != 0 {
			return fmt.Errorf("%s: %s is not legal and changes the state", what, g.FormatMove(puzzle.Move(m)))
		}
	}
	if !slices.Equal(got.Moves, want.Moves) || !slices.Equal(got.Keys, want.Keys) {
		return fmt.Errorf("%s: %v %x, one by one %v %x", what, got.Moves, got.Keys, want.Moves, want.Keys)
	}
	return nil
}

// checkState checks everything about one state, and returns its successors.
func checkState(g *game, state []uint64) (*puzzle.Edges, error) {
	text := g.Format(state)
	if !g.Valid(state) {
		return nil, fmt.Errorf("not valid")
	}
	if parsed, err := g.Parse(text); err != nil || !slices.Equal(parsed, state) {
		return nil, fmt.Errorf("parsed %x, %v, want %x", parsed, err, state)
	}
	next, before := batchOf(g.Successors, state), batchOf(g.Predecessors, state)
	onward, back := next, before
	if g.metric == metricBackward {
		onward, back = before, next
	}
	w := newTwin(text, g.metric)
	var faults [9]error
	if g.pruned == pruneNone {
		faults[0] = compareEdges(g, "onward", onward, w.onward())
		faults[1] = compareEdges(g, "back", back, w.back())
	}
	faults[2] = compareMoves(g, "apply", next, state, g.Apply)
	faults[3] = compareMoves(g, "undo", before, state, g.Undo)
	var wide, wideBack puzzle.Edges
	ahead, astern := g.widePushes, g.widePulls
	if g.metric == metricMove {
		ahead, astern = g.wideSteps, g.wideBacksteps
	}
	ahead(state, nil, &wide)
	astern(state, nil, &wideBack)
	if !slices.Equal(wide.Keys, onward.Keys) || !slices.Equal(wide.Moves, onward.Moves) {
		faults[4] = fmt.Errorf("onward, wide: %v %x, narrow %v %x", wide.Moves, wide.Keys, onward.Moves, onward.Keys)
	}
	if !slices.Equal(wideBack.Keys, back.Keys) || !slices.Equal(wideBack.Moves, back.Moves) {
		faults[5] = fmt.Errorf("back, wide: %v %x, narrow %v %x", wideBack.Moves, wideBack.Keys, back.Moves, back.Keys)
	}
	for _, call := range []struct {
		edges        *puzzle.Edges
		pruned, wide func(states []uint64, links []puzzle.Move, out *puzzle.Edges) int
	}{{onward, g.forward, ahead}, {back, g.pulls, astern}} {
		var out, wide puzzle.Edges
		n, m := call.pruned(call.edges.Keys, call.edges.Moves, &out), call.wide(call.edges.Keys, call.edges.Moves, &wide)
		if n != m || !slices.Equal(wide.Keys, out.Keys) || !slices.Equal(wide.Moves, out.Moves) {
			faults[8] = fmt.Errorf("pruned, wide: %d, %v %x, narrow %d, %v %x", m, wide.Moves, wide.Keys, n, out.Moves, out.Keys)
		}
	}
	again := make([]uint64, len(state))
	for i, m := range next.Moves {
		copy(again, next.Keys[i*len(state):])
		if !g.Undo(again, again, m) || !slices.Equal(again, state) {
			faults[6] = fmt.Errorf("undo of %s gives %x", g.FormatMove(m), again)
		}
	}
	var marks [1]bool
	g.Goals(state, marks[:])
	if solved := !strings.Contains(text, "$"); marks[0] != solved {
		faults[7] = fmt.Errorf("goal is %t", marks[0])
	}
	for _, fault := range faults {
		if fault != nil {
			return nil, fault
		}
	}
	return next, nil
}

// checkWalk walks at random through a puzzle and checks the states.
func checkWalk(g *game, random func(int) int, steps int) error {
	words := g.words()
	starts := g.Starts()
	at := words * random(len(starts)/words)
	state := starts[at : at+words]
	for range steps {
		next, err := checkState(g, state)
		if err != nil {
			return fmt.Errorf("%w\n%s", err, g.Format(state))
		}
		edges := next
		if random(3) == 0 {
			edges = batchOf(g.Predecessors, state)
		}
		if edges.Len() == 0 {
			return nil
		}
		i := random(edges.Len())
		state = edges.Keys[i*words : (i+1)*words]
	}
	return nil
}

func TestTwin(t *testing.T) {
	levels := 1500
	if testing.Short() {
		levels = 300
	}
	kinds := map[string]int{}
	for seed := range uint64(levels) {
		rng := rand.New(rand.NewPCG(seed, 0))
		size := [][2]int{{6, 6}, {8, 10}, {5, 20}, {14, 16}}[seed%4]
		text := randomLevel(rng.IntN, size[0], size[1])
		g, err := gameOf(text, metric(rng.IntN(3)), prune(rng.IntN(6)&rng.IntN(4)))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := checkWalk(g, rng.IntN, 8); err != nil {
			t.Fatalf("seed %d, %s, prune %s: %v", seed, g.metric, g.pruned, err)
		}
		n := g.tables()
		switch {
		case !g.ranked:
			kinds["bits"]++
		case n == nil:
			kinds["wide"]++
		case len(n.drops) == 1:
			kinds["drawn"]++
		default:
			kinds["runs"]++
		}
	}
	for _, kind := range []string{"bits", "wide", "drawn", "runs"} {
		if kinds[kind] == 0 {
			t.Errorf("no level of the kind %s: %v", kind, kinds)
		}
	}
	t.Log(kinds)
}
