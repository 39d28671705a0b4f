package peg_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/test/puzzletest"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/peg"
)

// twin is the slow, obvious board: a map from places to whether there is a peg. Places
// of a triangle are its rows and holes.
type twin struct {
	tri   bool
	holes map[[2]int]bool
}

// text writes a board: a triangle with its rows at the left, and # for no hole.
func (w twin) text() string {
	rows, cols := 0, 0
	for at := range w.holes {
		rows, cols = max(rows, at[0]+1), max(cols, at[1]+1)
	}
	var lines []string
	for row := range rows {
		line := ""
		for col := range cols {
			if w.tri && col > row {
				break
			}
			symbol := "#"
			if peg, ok := w.holes[[2]int{row, col}]; ok {
				symbol = map[bool]string{true: "o", false: "."}[peg]
			}
			line += symbol
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// jumps lists the boards one jump away by the name of the jump, or those from which
// one jump leads here.
func (w twin) jumps(back bool) map[string]twin {
	steps := [][2]int{{0, 1}, {0, -1}, {1, 0}, {-1, 0}}
	if w.tri {
		steps = append(steps, [2]int{1, 1}, [2]int{-1, -1})
	}
	after := map[string]twin{}
	for at := range w.holes {
		for _, step := range steps {
			over := [2]int{at[0] + step[0], at[1] + step[1]}
			to := [2]int{over[0] + step[0], over[1] + step[1]}
			if _, ok := w.holes[over]; !ok {
				continue
			}
			if _, ok := w.holes[to]; !ok {
				continue
			}
			if w.holes[at] == back || w.holes[over] == back || w.holes[to] != back {
				continue
			}
			next := twin{w.tri, map[[2]int]bool{}}
			for k, v := range w.holes {
				next.holes[k] = v
			}
			next.holes[at], next.holes[over], next.holes[to] = back, back, !back
			name := fmt.Sprintf("%c%d-%c%d", 'a'+at[1], at[0]+1, 'a'+to[1], to[0]+1)
			after[name] = next
		}
	}
	return after
}

// least returns the least text among the board's images that are on its own holes.
// Images are made by quarter turns of the text, or by exchanging the three coordinates
// of a triangle, whose sum is constant.
func (w twin) images(sides int) []twin {
	var images []twin
	add := func(f func(at [2]int) [2]int) {
		image := twin{w.tri, map[[2]int]bool{}}
		for at, peg := range w.holes {
			image.holes[f(at)] = peg
		}
		for at := range image.holes {
			if _, ok := w.holes[at]; !ok {
				return
			}
		}
		images = append(images, image)
	}
	if w.tri {
		for _, p := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
			add(func(at [2]int) [2]int {
				c := [3]int{sides - 1 - at[0], at[1], at[0] - at[1]}
				return [2]int{sides - 1 - c[p[0]], c[p[1]]}
			})
		}
		return images
	}
	m := sides - 1
	for _, f := range []func(r, c int) [2]int{
		func(r, c int) [2]int { return [2]int{r, c} },
		func(r, c int) [2]int { return [2]int{c, m - r} },
		func(r, c int) [2]int { return [2]int{m - r, m - c} },
		func(r, c int) [2]int { return [2]int{m - c, r} },
		func(r, c int) [2]int { return [2]int{r, m - c} },
		func(r, c int) [2]int { return [2]int{c, r} },
		func(r, c int) [2]int { return [2]int{m - r, c} },
		func(r, c int) [2]int { return [2]int{m - c, m - r} },
	} {
		add(func(at [2]int) [2]int { return f(at[0], at[1]) })
	}
	return images
}

func (w twin) least(sides int) string {
	var texts []string
	for _, image := range w.images(sides) {
		texts = append(texts, image.text())
	}
	return slices.Min(texts)
}

// randomTwin makes a board with a hole at each corner of its bounding box, so that its
// names and symmetries are those of the box.
func randomTwin(rng *rand.Rand, tri, symmetric bool, sides int) twin {
	w := twin{tri, map[[2]int]bool{}}
	for row := range sides {
		for col := range sides {
			if tri && col > row {
				break
			}
			corner := (row == 0 || row == sides-1) && (col == 0 || col == sides-1 || tri && col == row)
			if symmetric || corner || rng.IntN(8) > 0 {
				w.holes[[2]int{row, col}] = rng.IntN(3) > 0
			}
		}
	}
	w.holes[[2]int{0, 0}] = true
	return w
}

func headerOf(w twin) string {
	if w.tri {
		return "puzzle: peg-tri"
	}
	return "puzzle: peg-square"
}

// plain removes what is layout.
func plain(text string, tri bool) string {
	if tri {
		return strings.ReplaceAll(text, " ", "")
	}
	return strings.ReplaceAll(text, " ", "#")
}

// pad fills the rows of a drawn square, whose ends are cut.
func pad(text string, w twin) string {
	if w.tri {
		return plain(text, true)
	}
	var lines []string
	for i, line := range strings.Split(text, "\n") {
		want := strings.Split(w.text(), "\n")[i]
		lines = append(lines, plain(line, false)+strings.Repeat("#", max(0, len(want)-len(line))))
	}
	return strings.Join(lines, "\n")
}

func TestTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 300 {
		w := randomTwin(rng, n%2 == 0, false, 2+n%7)
		if len(w.holes) > 64 {
			continue
		}
		p := read(t, headerOf(w), w.text())
		for range 6 {
			key := parse(t, p, w.text())
			if got := pad(p.Format(key), w); got != w.text() {
				t.Fatalf("got\n%s\nwant\n%s", got, w.text())
			}
			var edges puzzle.Edges
			p.Successors(key, &edges)
			after := w.jumps(false)
			compare(t, w, p, edges, after)
			edges.Reset()
			p.(puzzle.Backward).Predecessors(key, &edges)
			compare(t, w, p, edges, w.jumps(true))
			checkEdges(t, p, key)
			for _, next := range after {
				w = next
				break
			}
		}
	}
}

// compare compares edges with the boards of the twin.
func compare(t *testing.T, w twin, p puzzle.Puzzle, edges puzzle.Edges, want map[string]twin) {
	t.Helper()
	if edges.Len() != len(want) {
		t.Fatalf("%d edges, want %d:\n%s", edges.Len(), len(want), w.text())
	}
	for i, move := range edges.Moves {
		name := p.FormatMove(move)
		if got := pad(p.Format(edges.Keys[i:i+1]), w); got != want[name].text() {
			t.Fatalf("%s leads to\n%s\nnot\n%s", name, got, want[name].text())
		}
		if i > 0 && edges.Moves[i-1] >= move {
			t.Fatalf("move %d after %d", move, edges.Moves[i-1])
		}
	}
}

func parse(t *testing.T, p puzzle.Puzzle, text string) []uint64 {
	t.Helper()
	key, err := p.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// checkEdges checks Apply, Undo and Predecessors of a state against Successors, for
// every move id.
func checkEdges(t *testing.T, p puzzle.Puzzle, state []uint64) {
	t.Helper()
	var out, back puzzle.Edges
	p.Successors(state, &out)
	n := 0
	for move := range p.Layout().Moves {
		dst := []uint64{77}
		switch legal := n < out.Len() && int(out.Moves[n]) == move; {
		case p.Apply(dst, state, puzzle.Move(move)) != legal:
			t.Fatalf("Apply(%d) is %v in\n%s", move, !legal, p.Format(state))
		case !legal && dst[0] != 77:
			t.Fatal("dst is changed")
		case legal:
			if dst[0] != out.Keys[n] || !p.Valid(dst) {
				t.Fatalf("Apply(%d) gives %x, not %x", move, dst, out.Keys[n])
			}
			if !p.Undo(dst, dst, puzzle.Move(move)) || dst[0] != state[0] {
				t.Fatalf("Undo(%d) of %x gives %x, not %x", move, out.Keys[n], dst, state)
			}
			n++
		}
	}
	p.(puzzle.Backward).Predecessors(state, &back)
	n = 0
	for move := range p.Layout().Moves {
		dst := []uint64{77}
		switch legal := n < back.Len() && int(back.Moves[n]) == move; {
		case p.Undo(dst, state, puzzle.Move(move)) != legal:
			t.Fatalf("Undo(%d) is %v in\n%s", move, !legal, p.Format(state))
		case !legal && dst[0] != 77:
			t.Fatal("dst is changed")
		case legal:
			if dst[0] != back.Keys[n] || !p.Valid(dst) {
				t.Fatalf("Undo(%d) gives %x, not %x", move, dst, back.Keys[n])
			}
			if !p.Apply(dst, dst, puzzle.Move(move)) || dst[0] != state[0] {
				t.Fatalf("Apply(%d) of %x gives %x, not %x", move, back.Keys[n], dst, state)
			}
			n++
		}
	}
}

// TestMergedTwin explores merged spaces of starts without symmetry: as many states as
// there are classes of the boards that the start and its images lead to, and as much
// weight as there are boards.
func TestMergedTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	boards := 14
	if os.Getenv("EVERYSTATE_THOROUGH") != "" {
		boards = 60
	}
	for n := range boards {
		tri := n%2 == 0
		sides := 4
		if tri {
			sides = 4 + n/2%2
		}
		w := randomTwin(rng, tri, n%3 > 0, sides)
		p := read(t, headerOf(w)+"\nsymmetry: on", w.text())
		states := puzzletest.Explore(p).States
		boards, classes := map[string]twin{}, map[string]bool{}
		var stack []twin
		push := func(w twin) {
			if _, seen := boards[w.text()]; !seen {
				boards[w.text()] = w
				classes[w.least(sides)] = true
				stack = append(stack, w)
			}
		}
		for _, image := range w.images(sides) {
			push(image)
		}
		for len(stack) > 0 && len(boards) < 4_000 {
			last := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, next := range last.jumps(false) {
				push(next)
			}
		}
		if len(stack) > 0 {
			continue
		}
		if len(states) != len(classes) || weightOf(p, states) != len(boards) {
			t.Fatalf("%d states of weight %d, want %d and %d:\n%s", len(states), weightOf(p, states), len(classes), len(boards), w.text())
		}
		for i := range states {
			if i%17 == 0 {
				checkEdges(t, p, states[i:i+1])
			}
		}
		text := ""
		for text = range boards {
			break
		}
		if key := puzzle.Represent(p, parse(t, p, text)); !slices.Contains(states, key[0]) {
			t.Fatalf("no state stands for\n%s", text)
		}
	}
}

func TestSuccessorsAllocateNothing(t *testing.T) {
	for _, headers := range []string{"", "symmetry: on"} {
		p := read(t, headers, english)
		states := someStates(p, 10, 100)
		var edges puzzle.Edges
		p.Successors(states, &edges)
		back, ok := p.(puzzle.Backward)
		if !ok {
			t.Fatal("no way back")
		}
		back.Predecessors(states, &edges)
		marks := make([]bool, len(states))
		if n := testing.AllocsPerRun(10, func() {
			edges.Reset()
			p.Successors(states, &edges)
			edges.Reset()
			back.Predecessors(states, &edges)
			p.Goals(states, marks)
		}); n > 0 {
			t.Errorf("%q: %v allocations", headers, n)
		}
	}
}

// FuzzRead reads anything; what is read has a canonical text, and its keys, whatever
// they are, give no panic.
func FuzzRead(f *testing.F) {
	for _, text := range []string{english, triangle, "puzzle: peg-tri\ngoal: a1\n\n./oo/ooo", "##o/*o*", "goal: .o. / ...\n\noo.\n..o", wiegleb} {
		f.Add([]byte(text), uint64(12345))
	}
	f.Fuzz(func(t *testing.T, text []byte, key uint64) {
		boards, err := peg.Read(text, puzzle.ReadOptions{})
		if err != nil {
			return
		}
		b := boards[0]
		again, err := peg.Read([]byte(b.Text), puzzle.ReadOptions{})
		if err != nil || again[0].Text != b.Text || !slices.Equal(again[0].Puzzle.Starts(), b.Puzzle.Starts()) ||
			again[0].Puzzle.Layout() != b.Puzzle.Layout() || again[0].Note != b.Note {
			t.Fatalf("%q is read again as %+v, %v", b.Text, again, err)
		}
		p := b.Puzzle
		for _, state := range [][]uint64{p.Starts(), {key}, {key >> (64 - p.Layout().KeyBits)}} {
			if !p.Valid(state) {
				continue
			}
			if got := parse(t, p, p.Format(state)); !slices.Equal(got, state) {
				t.Fatalf("%x is read as %x", state, got)
			}
			checkEdges(t, p, state)
		}
	})
}
