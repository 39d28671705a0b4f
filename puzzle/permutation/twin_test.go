package permutation

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/test/effort"
	"github.com/everystate/everystate/internal/test/puzzletest"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/permutation/net"
)

// checkWalk walks at random through a puzzle and compares what its moves do to
// the texts of its states with what a twin says.
func checkWalk(t *testing.T, p puzzle.Puzzle, seed uint64, steps int, twin func(text, move string) string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 5))
	words := p.Layout().Words()
	state := p.Starts()
	for range steps {
		var out puzzle.Edges
		p.Successors(state, &out)
		text := p.Format(state)
		for i, m := range out.Moves {
			got, want := p.Format(out.Keys[i*words:(i+1)*words]), twin(text, p.FormatMove(m))
			if got != want {
				t.Fatalf("seed %d: %s by %s:\n got %s\nwant %s", seed, text, p.FormatMove(m), got, want)
			}
		}
		i := rng.IntN(out.Len())
		state = out.Keys[i*words : (i+1)*words]
	}
}

func numbersOf(text string) []int {
	var list []int
	for _, word := range strings.Fields(text) {
		var n int
		if _, err := fmt.Sscan(word, &n); err != nil {
			panic(err)
		}
		list = append(list, n)
	}
	return list
}

func textOf(list []int) string { return strings.Trim(fmt.Sprint(list), "[]") }

func TestTwinPancake(t *testing.T) {
	for _, sign := range []int{1, -1} {
		for _, n := range []int{2, 3, 8, 12, 16, 17, 20, 21, 40} {
			start := rand.New(rand.NewPCG(uint64(n), 2)).Perm(n)
			for i := range start {
				start[i]++
			}
			start[0] *= sign
			p := mustRead(t, ReadPancake, textOf(start)).Puzzle
			twin := func(text, move string) string {
				stack, k := numbersOf(text), numbersOf(move)[0]
				var flipped []int
				for i := k - 1; i >= 0; i-- {
					flipped = append(flipped, sign*stack[i])
				}
				return textOf(append(flipped, stack[k:]...))
			}
			checkWalk(t, p, uint64(n), 30, twin)
			puzzletest.Conform(t, p, uint64(n), effort.Of(8, 3))
		}
	}
}

func TestTwinTopSpin(t *testing.T) {
	for _, sizes := range [][2]int{{3, 2}, {4, 4}, {5, 4}, {6, 3}, {9, 3}, {12, 5}, {20, 4}, {22, 7}, {65, 10}} {
		n, k := sizes[0], sizes[1]
		start := rand.New(rand.NewPCG(uint64(n), 2)).Perm(n)
		for i := range start {
			start[i]++
		}
		p := mustRead(t, ReadTopSpin, fmt.Sprintf("%d %d: %s", n, k, textOf(start))).Puzzle
		twin := func(text, move string) string {
			ring := numbersOf(text)
			first := numbersOf(strings.ReplaceAll(move, "-", " "))[0] - 1
			ring = append(ring[first:], ring[:first]...) // the window comes first
			slices.Reverse(ring[:k])
			one := slices.Index(ring, 1)
			return textOf(append(ring[one:], ring[:one]...))
		}
		checkWalk(t, p, uint64(n), 30, twin)
		puzzletest.Conform(t, p, uint64(n), effort.Of(8, 3))
	}
}

// sticker is a coloured face of a little cube: where it is, and to where it
// looks.
type sticker struct{ at, normal [3]int }

// directions are the faces: right is x, up y, front z.
var directions = map[byte][3]int{
	'R': {1, 0, 0}, 'L': {-1, 0, 0}, 'U': {0, 1, 0}, 'D': {0, -1, 0}, 'F': {0, 0, 1}, 'B': {0, 0, -1},
}

func dot(a, b [3]int) int { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// clockwise turns a vector about an axis, as seen from its tip looking back.
func clockwise(v, axis [3]int) [3]int {
	along := dot(v, axis)
	var turned [3]int
	for i := range turned {
		j, k := (i+1)%3, (i+2)%3
		turned[i] = along*axis[i] - (axis[j]*v[k] - axis[k]*v[j])
	}
	return turned
}

// cubeTwin is a cube of stickers in space.
type cubeTwin map[sticker]byte

func newCubeTwin() cubeTwin {
	w := cubeTwin{}
	for colour, normal := range directions {
		for i := range 8 {
			at := [3]int{2*(i&1) - 1, i&2 - 1, i&4/2 - 1}
			if dot(at, normal) == 1 {
				w[sticker{at, normal}] = colour
			}
		}
	}
	return w
}

func (w cubeTwin) turn(move string) cubeTwin {
	quarters := map[string]int{"": 1, "2": 2, "'": 3}[move[1:]]
	axis := directions[move[0]]
	for range quarters {
		after := cubeTwin{}
		for s, colour := range w {
			if dot(s.at, axis) == 1 {
				s = sticker{clockwise(s.at, axis), clockwise(s.normal, axis)}
			}
			after[s] = colour
		}
		w = after
	}
	return w
}

// corners writes what is seen at the places, by their names.
func (w cubeTwin) corners(places int) string {
	var words []string
	for _, name := range net.Corners[:places] {
		var at [3]int
		for i := range name {
			for axis, x := range directions[name[i]] {
				at[axis] += x
			}
		}
		word := ""
		for i := range name {
			word += string(w[sticker{at, directions[name[i]]}])
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

func TestTwinPocketCube(t *testing.T) {
	for _, c := range []struct {
		header string
		places int
	}{
		{"metric: htm\n", 7}, {"metric: qtm\n", 7}, {"fixed: no\n", 8}, {"fixed: no\nmetric: qtm\n", 8},
	} {
		p := mustRead(t, ReadPocketCube, c.header).Puzzle
		puzzletest.Conform(t, p, 1, 100)
		rng := rand.New(rand.NewPCG(1, 5))
		w, state := newCubeTwin(), p.Starts()
		var scramble []string
		for range 60 {
			move := puzzle.Move(rng.IntN(p.Layout().Moves))
			scramble = append(scramble, p.FormatMove(move))
			w = w.turn(p.FormatMove(move))
			p.Apply(state, state, move)
			if got, want := p.Format(state), w.corners(c.places); got != want {
				t.Fatalf("%s%s:\n got %s\nwant %s", c.header, strings.Join(scramble, " "), got, want)
			}
		}
		read, err := p.Parse(strings.Join(scramble, " "))
		if err != nil || read[0] != state[0] {
			t.Errorf("the scramble is read as %x, %v", read, err)
		}
	}
}

// randomFile makes a puzzle of random pieces and moves.
func randomFile(rng *rand.Rand) string {
	n := 1 + rng.IntN(12)
	if rng.IntN(4) == 0 {
		n = 1 + rng.IntN(placesMax-1)
	}
	modulus := 1 + rng.IntN(4)*rng.IntN(2)
	var labels []string
	kinds := 1 + rng.IntN(n)
	for i := range n {
		labels = append(labels, fmt.Sprintf("p%d", i%kinds))
	}
	text := fmt.Sprintf("pieces: %s x\norientations: %d\n", strings.Join(labels, " "), modulus)
	labels = append(labels, "x")
	n++
	rng.Shuffle(n, func(i, j int) { labels[i], labels[j] = labels[j], labels[i] })
	text += "goal: none\nstart:"
	for _, label := range labels {
		text += fmt.Sprintf(" %s+%d", label, rng.IntN(modulus))
	}
	text += "\n\n"
	for m := range 1 + rng.IntN(5) {
		text += fmt.Sprintf("move m%d, n%d: (", m, m)
		places := rng.Perm(n)
		if len(places) > 3 && (n < 20 || rng.IntN(2) == 0) {
			places = places[:3+rng.IntN(min(len(places)-3, 5)+1)]
		}
		for _, place := range places {
			text += fmt.Sprintf(" %d+%d", place+1, rng.IntN(modulus))
		}
		text += ")\n"
		if rng.IntN(2) == 0 || n == 2 {
			text = strings.Replace(text, fmt.Sprintf(", n%d", m), "", 1)
		}
	}
	return text
}

// TestTwinGenerated reads the cycles of a file again and moves labels by them.
func TestTwinGenerated(t *testing.T) {
	oneWays, wides := 0, 0
	for seed := range uint64(120) {
		text := randomFile(rand.New(rand.NewPCG(seed, 11)))
		boards, err := Read([]byte(text), puzzle.ReadOptions{})
		if err != nil {
			// Moves may come out as nothing, or the same.
			if !strings.Contains(err.Error(), "does the same as") && !strings.Contains(err.Error(), "moves nothing") {
				t.Fatalf("%s\n%v", text, err)
			}
			continue
		}
		p := boards[0].Puzzle
		if _, ok := p.(oneWay); ok {
			oneWays++
		}
		if p.Layout().Words() > 1 {
			wides++
		}
		checkWalk(t, p, seed, 10, func(state, move string) string { return twinTurn(text, state, move) })
		if seed%6 == 0 || seed%3 == 0 && effort.Full() || os.Getenv("EVERYSTATE_THOROUGH") != "" {
			puzzletest.Conform(t, p, seed, 5)
		}
		again := mustRead(t, Read, boards[0].Text)
		if again.Text != boards[0].Text || !slices.Equal(again.Puzzle.Starts(), p.Starts()) || again.Puzzle.Layout() != p.Layout() {
			t.Fatalf("%s\nis read again as\n%s", boards[0].Text, again.Text)
		}
	}
	if oneWays < 10 || wides < 10 {
		t.Errorf("only %d puzzles are not reversible, only %d wide", oneWays, wides)
	}
}

// twinTurn moves pieces by the definition of a move, one cycle.
func twinTurn(file, state, move string) string {
	modulus := 1
	inverse := strings.HasPrefix(move, "n")
	var cycle []string
	for line := range strings.Lines(file) {
		_, _ = fmt.Sscanf(line, "orientations: %d", &modulus)
		head, body, _ := strings.Cut(line, ":")
		if head == "move "+move || strings.HasPrefix(head, "move m"+move[1:]+",") {
			cycle = strings.Fields(strings.Trim(strings.TrimSpace(body), "()"))
		}
	}
	before := strings.Fields(state)
	after := slices.Clone(before)
	for i := range cycle {
		var from, by, to, unused int
		_, _ = fmt.Sscanf(cycle[i], "%d+%d", &from, &by)
		_, _ = fmt.Sscanf(cycle[(i+1)%len(cycle)], "%d+%d", &to, &unused)
		if inverse {
			from, to, by = to, from, modulus-by
		}
		label, turns, _ := strings.Cut(before[from-1], "+")
		var turn int
		_, _ = fmt.Sscan(turns, &turn)
		if turn = (turn + by) % modulus; turn > 0 {
			label += fmt.Sprintf("+%d", turn)
		}
		after[to-1] = label
	}
	return strings.Join(after, " ")
}
