package tiles_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/tiles"
)

// A place is a cell of the twin's board, and where it lies from another one.
type place struct{ row, col int }

// twin is the slow, obvious puzzle: what stands where.
type twin map[place]int

// newTwin reads rows of numbers.
func newTwin(text string) twin {
	w := twin{}
	for row, line := range strings.Split(text, "\n") {
		for col, field := range strings.Fields(line) {
			var tile int
			if _, err := fmt.Sscan(field, &tile); err != nil {
				panic(err)
			}
			w[place{row, col}] = tile
		}
	}
	return w
}

func (w twin) String() string {
	var rows []string
	for row := 0; ; row++ {
		var tiles []string
		for col := 0; ; col++ {
			tile, ok := w[place{row, col}]
			if !ok {
				break
			}
			tiles = append(tiles, fmt.Sprint(tile))
		}
		if tiles == nil {
			return strings.Join(rows, "\n")
		}
		rows = append(rows, strings.Join(tiles, " "))
	}
}

func (w twin) hole() place {
	for at, tile := range w {
		if tile == 0 {
			return at
		}
	}
	panic("no hole")
}

// successors returns the boards one move away by the names of the moves: tiles
// are pushed into the hole one after the other.
func (w twin) successors(metric string) map[string]string {
	found := map[string]string{}
	for name, from := range map[string]place{"U": {1, 0}, "D": {-1, 0}, "L": {0, 1}, "R": {0, -1}} {
		after := maps.Clone(w)
		at := w.hole()
		for count := 1; ; count++ {
			next := place{at.row + from.row, at.col + from.col}
			tile, ok := after[next]
			if !ok {
				break
			}
			after[at], after[next] = tile, 0
			at = next
			if count == 1 {
				found[name] = after.String()
			} else {
				found[fmt.Sprint(name, count)] = after.String()
			}
			if metric == "tile" {
				break
			}
		}
	}
	return found
}

// opposite is the name of the move back.
func opposite(name string) string {
	back := map[byte]string{'U': "D", 'D': "U", 'L': "R", 'R': "L"}
	return back[name[0]] + name[1:]
}

// source yields random numbers below n.
type source func(n int) int

// randomText makes a board of 2 to 16 cells.
func randomText(random source) string {
	rows := 1 + random(16)
	colsMax := 16 / rows
	cols := 1 + random(colsMax)
	if rows*cols == 1 {
		cols = 2
	}
	order := make([]int, rows*cols)
	for i := range order {
		j := random(i + 1)
		order[i], order[j] = order[j], i
	}
	w := twin{}
	for i, tile := range order {
		w[place{i / cols, i % cols}] = tile
	}
	if rows == 1 {
		return fmt.Sprintf("size: 1x%d\n\n%s", cols, w)
	}
	return w.String()
}

// readOne reads a board that is in order.
func readOne(text, metric string) (*puzzle.Board, error) {
	boards, err := tiles.Read([]byte(text), puzzle.ReadOptions{Metric: metric})
	if err != nil || len(boards) != 1 {
		return nil, fmt.Errorf("%d boards, %w", len(boards), err)
	}
	return &boards[0], nil
}

// walk goes at random through a puzzle and compares it with the twin.
func walk(b *puzzle.Board, random source, steps int) error {
	p := b.Puzzle
	state, link := p.Starts(), -1
	for range steps {
		text := p.Format(state)
		if err := checkTexts(p, state, text); err != nil {
			return err
		}
		want := newTwin(text).successors(b.Metric)
		var edges puzzle.Edges
		p.Successors(state, &edges)
		if err := checkEdges(p, state, &edges, want); err != nil {
			return fmt.Errorf("%w\nof\n%s", err, text)
		}
		if link >= 0 {
			back := opposite(p.FormatMove(puzzle.Move(link)))
			if b.Metric == "line" {
				// All moves along the same line.
				maps.DeleteFunc(want, func(move, _ string) bool { return move[0] == back[0] || move[0] == opposite(back)[0] })
			} else {
				delete(want, back)
			}
			var onward puzzle.Edges
			pruned := p.(puzzle.Onward).Onward(state, []puzzle.Move{puzzle.Move(link)}, &onward)
			if err := checkEdges(p, state, &onward, want); err != nil || len(want) != edges.Len()-pruned {
				return fmt.Errorf("onward: %w\nof\n%s", err, text)
			}
		}
		i := random(edges.Len())
		state, link = []uint64{edges.Keys[i]}, int(edges.Moves[i])
	}
	return nil
}

// checkTexts checks that a state is read as it is written.
func checkTexts(p puzzle.Puzzle, state []uint64, text string) error {
	if !p.Valid(state) {
		return fmt.Errorf("not valid:\n%s", text)
	}
	if w := newTwin(text); w.String() != text {
		return fmt.Errorf("written as\n%s\nread as\n%s", text, w)
	}
	for _, written := range []string{text, p.Draw(state), strings.ReplaceAll(text, "\n", " / ")} {
		if again, err := p.Parse(written); err != nil || !slices.Equal(again, state) {
			return fmt.Errorf("parsed %x, %w, not %x:\n%s", again, err, state, written)
		}
	}
	return nil
}

// checkEdges compares successors with the twin's, and with Apply and Undo.
func checkEdges(p puzzle.Puzzle, state []uint64, edges *puzzle.Edges, want map[string]string) error {
	got := map[string]string{}
	key := []uint64{0}
	for i, m := range edges.Moves {
		if i > 0 && m <= edges.Moves[i-1] {
			return fmt.Errorf("moves out of order: %v", edges.Moves)
		}
		got[p.FormatMove(m)] = p.Format(edges.Keys[i : i+1])
		if !p.Apply(key, state, m) || key[0] != edges.Keys[i] {
			return fmt.Errorf("%s leads to %x, not %x", p.FormatMove(m), key[0], edges.Keys[i])
		}
		if !p.Undo(key, key, m) || key[0] != state[0] {
			return fmt.Errorf("%s taken back leads to %x, not %x", p.FormatMove(m), key[0], state[0])
		}
	}
	if !maps.Equal(got, want) || len(edges.Keys) != len(edges.Moves) {
		return fmt.Errorf("successors %v, not %v", got, want)
	}
	return nil
}

func TestTwin(t *testing.T) {
	boards := 800
	if os.Getenv("EVERYSTATE_THOROUGH") != "" {
		boards = 2000
	}
	if testing.Short() {
		boards = 200
	}
	for seed := range uint64(boards) {
		random := rand.New(rand.NewPCG(seed, 0)).IntN
		b, err := readOne(randomText(random), []string{"tile", "line"}[random(2)])
		if err != nil {
			t.Fatal(err)
		}
		if err := walk(b, random, 12); err != nil {
			t.Fatalf("seed %d, %s: %v", seed, b.Metric, err)
		}
		if err := sameAgain(b); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// sameAgain checks that a board's own text is the same puzzle.
func sameAgain(b *puzzle.Board) error {
	again, err := readOne(b.Text, "")
	if err != nil || again.Text != b.Text || again.Metric != b.Metric {
		return fmt.Errorf("%w: from\n%s", err, b.Text)
	}
	p, q := b.Puzzle, again.Puzzle
	var one, two puzzle.Edges
	p.Successors(p.Starts(), &one)
	q.Successors(q.Starts(), &two)
	if p.Layout() != q.Layout() || !slices.Equal(p.Starts(), q.Starts()) || !slices.Equal(one.Keys, two.Keys) || !slices.Equal(one.Moves, two.Moves) {
		return fmt.Errorf("another puzzle from\n%s", b.Text)
	}
	return nil
}

// TestKeys checks that the keys of small boards are all arrangements, each once,
// and that moves that are not possible are refused.
func TestKeys(t *testing.T) {
	for _, text := range []string{"1 0", "1\n0\n2", "2 0 1 3 4", "1 2 / 0 3", "1 2 3 / 4 0 5", "1 2 / 0 3 / 5 4"} {
		for _, metric := range []string{"tile", "line"} {
			b, err := readOne(text, metric)
			if err != nil {
				t.Fatal(err)
			}
			seen := map[string]bool{}
			key := uint64(0)
			for ; b.Puzzle.Valid([]uint64{key}); key++ {
				seen[b.Puzzle.Format([]uint64{key})] = true
				if err := checkRefusals(b.Puzzle, key); err != nil {
					t.Fatalf("%s: %v", text, err)
				}
			}
			want := uint64(1)
			for n := range len(newTwin(b.Puzzle.Format(b.Puzzle.Starts()))) {
				want *= uint64(n + 1)
			}
			if key != want || uint64(len(seen)) != want {
				t.Errorf("%s: %d keys of %d arrangements, not %d", text, key, len(seen), want)
			}
			if (key-1)>>b.Puzzle.Layout().KeyBits > 0 || (key-1)>>(b.Puzzle.Layout().KeyBits-1) == 0 {
				t.Errorf("%s: %d keys have not %d bits", text, key, b.Puzzle.Layout().KeyBits)
			}
		}
	}
}

func checkRefusals(p puzzle.Puzzle, key uint64) error {
	var edges puzzle.Edges
	p.Successors([]uint64{key}, &edges)
	for id := range p.Layout().Moves + 2 {
		dst := []uint64{key + 1}
		if ok := p.Apply(dst, []uint64{key}, puzzle.Move(id)); ok != slices.Contains(edges.Moves, puzzle.Move(id)) || !ok && dst[0] != key+1 {
			return fmt.Errorf("move %d of %d: %v", id, key, ok)
		}
	}
	return nil
}

func TestValid(t *testing.T) {
	b, err := readOne("1 2 3 4 / 5 6 7 8 / 9 10 11 12 / 13 14 15 0", "")
	if err != nil {
		t.Fatal(err)
	}
	const keys = 20_922_789_888_000 // 16!
	for key, want := range map[uint64]bool{0: true, keys - 1: true, keys: false, 1<<64 - 1: false} {
		if b.Puzzle.Valid([]uint64{key}) != want {
			t.Errorf("%d is valid: %v", key, !want)
		}
	}
	if b.Puzzle.Valid(nil) || b.Puzzle.Valid([]uint64{0, 0}) {
		t.Error("keys of another length are valid")
	}
	if l := b.Puzzle.Layout(); l.KeyBits != 45 || l.Moves != 4 {
		t.Errorf("layout %+v", l)
	}
}

// FuzzSuccessors makes boards and walks of bytes.
func FuzzSuccessors(f *testing.F) {
	f.Add([]byte("a few bytes to begin with"))
	f.Add([]byte{3, 3, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	f.Fuzz(func(t *testing.T, raw []byte) {
		random := func(n int) int {
			if len(raw) == 0 {
				return 0
			}
			b := raw[0]
			raw = raw[1:]
			return int(b) % n
		}
		b, err := readOne(randomText(random), []string{"tile", "line"}[random(2)])
		if err != nil {
			t.Fatal(err)
		}
		if err := walk(b, random, 5); err != nil {
			t.Fatal(err)
		}
	})
}

// TestCompare checks that 9 comes before 10.
func TestCompare(t *testing.T) {
	b, err := readOne("1 2 3 4 / 5 6 7 8 / 9 10 11 0", "")
	if err != nil {
		t.Fatal(err)
	}
	p, ok := b.Puzzle.(puzzle.Ordered)
	if !ok {
		t.Fatal("tiles have no order of their own")
	}
	sorted := []string{"0 3 2 1\n8 7", "0 3 2 1\n9 7", "0 3 2 1\n10 7", "0 11 2 1\n8 7", "2 1", "10 1"}
	for i, a := range sorted {
		for j, b := range sorted {
			if got := p.Compare(a, b); (got < 0) != (i < j) || (got == 0) != (i == j) {
				t.Errorf("%q and %q compare as %d", a, b, got)
			}
		}
	}
}
