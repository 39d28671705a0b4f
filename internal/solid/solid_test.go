package solid

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

const shipped = "../../puzzles/permutation/"

// shapes are the shipped definitions that are bodies, the body of each, and how many of
// its facelets are never of a known colour.
var shapes = map[string]struct {
	name    string
	unknown int
}{
	"pocket-cube-htm.txt":       {"the 2x2x2 cube", 0},
	"pocket-cube-qtm.txt":       {"the 2x2x2 cube", 0},
	"pocket-cube-generated.txt": {"the 2x2x2 cube", 0},
	"rubiks-cube-corners.txt":   {"the 2x2x2 cube", 0},
	"rubiks-cube.txt":           {"the 3x3x3 cube", 0},
	"pyraminx.txt":              {"the Pyraminx", 0},
	"skewb.txt":                 {"the Skewb", 0},
	"dino-cube.txt":             {"the Dino Cube", 0},
	"fto-without-centres.txt":   {"the face-turning octahedron", 24},
	"kilominx.txt":              {"the Kilominx", 0},
	"megaminx.txt":              {"the Megaminx", 0},
	"square-1.txt":              {"Square-1", 0},
	"cube-phase-two.txt":        {"the 3x3x3 cube", 0},
}

func read(t *testing.T, text string) puzzle.Puzzle {
	t.Helper()
	boards, err := families.Read([]byte(text), puzzle.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return boards[0].Puzzle
}

func file(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(shipped + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestShipped checks which of the shipped definitions are bodies.
func TestShipped(t *testing.T) {
	files, err := filepath.Glob(shipped + "*.txt")
	if err != nil || len(files) < len(shapes) {
		t.Fatal(files, err)
	}
	for _, f := range files {
		name := filepath.Base(f)
		s := Of(read(t, file(t, name)))
		want, known := shapes[name]
		switch {
		case s == nil && known:
			t.Errorf("%s is not recognised as %s", name, want.name)
		case s != nil && s.Name != want.name:
			t.Errorf("%s is taken for %s, want %q", name, s.Name, want.name)
		}
	}
}

// TestTurns walks through each puzzle at random and does the same with the colours of its
// body, knowing only what a page is sent.
func TestTurns(t *testing.T) {
	for name, want := range shapes {
		t.Run(name, func(t *testing.T) { walk(t, read(t, file(t, name)), want.unknown) })
	}
	// The places of a puzzle may be single facelets, as in definitions for GAP.
	t.Run("facelets", func(t *testing.T) { walk(t, read(t, faceletCube), 0) })
}

// faceletCube is the 2x2x2 cube, turned by U, R and F.
const faceletCube = `puzzle: permutation
metric: htm
pieces: 24

move U: (1 2 4 3)(5 17 13 9)(6 18 14 10)
move R: (13 14 16 15)(10 2 19 22)(12 4 17 24)
move F: (9 10 12 11)(3 13 22 8)(4 15 21 6)
`

// walk checks the shape of a puzzle along random moves.
func walk(t *testing.T, p puzzle.Puzzle, unknown int) {
	t.Helper()
	s := Of(p)
	if s == nil {
		t.Fatal("no shape")
	}
	images := make([][]int, len(s.Moves))
	for m := range s.Moves {
		images[m] = s.image(t, m)
	}
	random := rand.New(rand.NewPCG(1, 2))
	state := p.Starts()
	painted := s.paint(p.Format(state))
	if n := strings.Count(painted, "."); n != unknown {
		t.Errorf("%d facelets have no colour, want %d", n, unknown)
	}
	for made := 0; made < 200; {
		m := random.IntN(len(s.Moves))
		next := make([]uint64, len(state))
		if !p.Apply(next, state, puzzle.Move(m)) {
			if !s.Stacked {
				t.Fatal("a move is not legal")
			}
			continue // what would be cut apart is in the way
		}
		made++
		after := make([]byte, len(painted))
		for f, to := range images[m] {
			after[to] = painted[f]
		}
		if state = next; s.paint(p.Format(state)) != string(after) {
			t.Fatalf("after %s the state shows %s, and the turned body %s", s.Moves[m].Name, s.paint(p.Format(state)), after)
		}
		painted = string(after)
	}
}

// image returns where a move takes the facelets, from the coordinates alone.
func (s *Shape) image(t *testing.T, m int) []int {
	t.Helper()
	move := s.Moves[m]
	axis := s.Axes[move.Axis]
	var middles []vector
	for _, flat := range s.Facelets {
		var p polygon
		for c := range slices.Chunk(flat, 3) {
			p = append(p, vector(c))
		}
		middles = append(middles, p.middle())
	}
	to := make([]int, len(middles))
	for i, p := range middles {
		layer := 0
		for _, cut := range axis.Cuts {
			if axis.Along.dot(p) > cut {
				layer++
			}
		}
		if layer >= move.First && layer <= move.Last {
			p = p.turned(axis.Along, move.Angle)
		}
		to[i] = slices.IndexFunc(middles, func(q vector) bool { return p.minus(q).length() < 0.01 })
		if to[i] < 0 {
			t.Fatalf("%s turns facelet %d to where none is", move.Name, i)
		}
	}
	return to
}

// TestWrongMove changes one move of each definition.
func TestWrongMove(t *testing.T) {
	cycle := regexp.MustCompile(`(?m)^(move [^(]*\()(\S+) (\S+)`)
	planted := 0
	for name := range shapes {
		text := file(t, name)
		at := cycle.FindStringSubmatchIndex(text)
		if at == nil {
			continue
		}
		planted++
		// The first two places of the first cycle that has three.
		wrong := text[:at[4]] + text[at[6]:at[7]] + " " + text[at[4]:at[5]] + text[at[7]:]
		wrong = regexp.MustCompile(`(?m)^(start|states|moves|modulo):.*\n`).ReplaceAllString(wrong, "")
		if s := Of(read(t, wrong)); s != nil {
			t.Errorf("%s with a wrong move is still %s", name, s.Name)
		}
	}
	if planted < 8 {
		t.Errorf("%d definitions were changed", planted)
	}
}

// TestNames checks that moves are what their names say where the names are the usual ones.
func TestNames(t *testing.T) {
	for name, want := range map[string]map[string]vector{ // the middle of the layers that turn
		"pocket-cube-htm.txt": {"U": {0, 1, 0}, "R": {1, 0, 0}, "F": {0, 0, 1}},
		"rubiks-cube.txt":     {"U": {0, 1, 0}, "R": {1, 0, 0}, "F": {0, 0, 1}, "D": {0, -1, 0}, "L": {-1, 0, 0}, "B": {0, 0, -1}},
		"pyraminx.txt":        {"U": {0, 1, 0}},
	} {
		s := Of(read(t, file(t, name)))
		for _, m := range s.Moves {
			end, ok := want[m.Name]
			if !ok {
				continue
			}
			side := 1.0
			if m.First == 0 {
				side = -1
			}
			along := s.Axes[m.Axis].Along.times(side)
			if !along.near(end) || m.Angle*side > 0 || math.Abs(m.Angle) > 2.2 {
				t.Errorf("%s: %s turns about %v by %.2f, want a clockwise turn about %v", name, m.Name, along, m.Angle*side, end)
			}
		}
	}
}

// TestSize bounds what a page is sent.
func TestSize(t *testing.T) {
	for name := range shapes {
		text, err := json.Marshal(Of(read(t, file(t, name))))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d bytes", name, len(text))
		if len(text) > 100_000 {
			t.Errorf("%s: %d bytes", name, len(text))
		}
	}
}

// TestPicture: of a solved cube each side of the picture shows three faces whole, and both
// together all six. A turn changes what is seen. Nothing lies outside of the picture.
func TestPicture(t *testing.T) {
	p := read(t, strings.Replace(file(t, "rubiks-cube.txt"), "metric: htm", "metric: qtm", 1))
	s := Of(p)
	state := p.Starts()[:p.Layout().Words()]
	solved := s.Picture(p.Format(state), nil)
	sides := map[bool]map[uint32]int{false: {}, true: {}}
	for _, f := range solved.Facets {
		sides[f.Corners[0].X > 2*bodyHalf][f.Colour]++
		for _, at := range f.Corners {
			if at.X < 0 || at.Y < 0 || at.X > 4*bodyHalf+bodyGap || at.Y > 2*bodyHalf {
				t.Errorf("a corner is at %v", at)
			}
		}
	}
	for _, side := range sides {
		for colour, n := range side {
			if n != 9 {
				t.Errorf("of %06x %d facelets are seen, want 9", colour, n)
			}
		}
		if len(side) != 3 {
			t.Errorf("one side shows %d colours", len(side))
		}
	}
	turned := make([]uint64, len(state))
	if !p.Apply(turned, state, 0) {
		t.Fatal("the first move is not legal")
	}
	changed := 0
	for i, f := range s.Picture(p.Format(turned), nil).Facets {
		if f.Colour != solved.Facets[i].Colour {
			changed++
		}
	}
	if changed != 12 { // the edges of the turned layer, three of each neighbouring face
		t.Errorf("a turn changes %d facelets, want 12", changed)
	}
}

// place is a facelet in a picture: its middle and its colour.
type place struct{ at, colour vector }

// common counts the facelets that are in both pictures.
func common(a, b []place) int {
	n := 0
	for _, p := range a {
		if slices.ContainsFunc(b, func(q place) bool {
			return p.at.minus(q.at).length() < 0.01 && p.colour.minus(q.colour).length() < 4
		}) {
			n++
		}
	}
	return n
}

// TestTurning: a turn that has not begun is the state before it, one that is over the
// state after it, and in its midst only its layers lie elsewhere.
func TestTurning(t *testing.T) {
	for _, name := range []string{"rubiks-cube.txt", "megaminx.txt", "square-1.txt"} {
		p := read(t, file(t, name))
		s := Of(p)
		state := p.Starts()[:p.Layout().Words()]
		before := p.Format(state)
		places := func(pic *puzzle.Picture) []place {
			var all []place
			for _, f := range pic.Facets {
				if f.Colour == bodyColour { // laid open by a turn, or between layers
					continue
				}
				var m vector
				for _, c := range f.Corners {
					m = m.plus(vector{c.X, c.Y, 0}.times(1 / float64(len(f.Corners))))
				}
				all = append(all, place{m, vector{float64(f.Colour >> 16), float64(f.Colour >> 8 & 0xff), float64(f.Colour & 0xff)}})
			}
			return all
		}
		still := places(s.Picture(before, nil))
		moved := 0
		for m, move := range s.Moves {
			after := slices.Clone(state)
			if !p.Apply(after, state, puzzle.Move(m)) {
				continue
			}
			turned := func(part float64) []place {
				return places(s.Picture(before, &Turning{move, part * move.Angle}))
			}
			if got := turned(0); len(got) != len(still) || common(got, still) != len(still) {
				t.Fatalf("%s: before %s the body is %v, want %v", name, move.Name, got, still)
			}
			if got, want := turned(1), places(s.Picture(p.Format(after), nil)); len(got) != len(want) || common(got, want) != len(want) {
				t.Fatalf("%s: after %s the body is %v, want %v", name, move.Name, got, want)
			}
			same := common(turned(0.4), still)
			if same == 0 || same > len(still)-3 {
				t.Errorf("%s: in the midst of %s %d of %d facelets are where they were", name, move.Name, same, len(still))
			}
			moved++
		}
		if moved < 10 {
			t.Errorf("%s: %d moves were made", name, moved)
		}
	}
}

// TestSquareOne: solved, Square-1 is a cube, with eight pieces at the top and at the
// bottom; turned by a place, its corners stand out.
func TestSquareOne(t *testing.T) {
	p := read(t, file(t, "square-1.txt"))
	s := Of(p)
	reach := func(text string) float64 {
		painted, far := s.paint(text), 0.0
		for f, letter := range painted {
			if letter == absent {
				continue
			}
			for _, v := range corners(s.Facelets[f]) {
				far = max(far, math.Abs(v[0]), math.Abs(v[2]))
			}
		}
		return far
	}
	state := p.Starts()[:p.Layout().Words()]
	if far := reach(p.Format(state)); math.Abs(far-1) > 1e-3 {
		t.Errorf("solved, it reaches as far as %v, want 1: it is no cube", far)
	}
	turned := slices.Clone(state)
	for m, move := range s.Moves {
		if move.Name == "U" && !p.Apply(turned, state, puzzle.Move(m)) {
			t.Fatal("U is not legal")
		}
	}
	if far := reach(p.Format(turned)); far < 1.2 {
		t.Errorf("after U it reaches as far as %v: no corner stands out", far)
	}
	counts := map[byte]int{}
	for _, letter := range []byte(s.paint(p.Format(state))) {
		counts[letter]++
	}
	for letter := byte('a'); letter < inside; letter++ {
		want := []int{8} // corners and edges
		if letter > bottom {
			want = []int{2*3 + 1, 2*3 + 2} // three places of each layer, and the belt, of which two sides are cut
		}
		if n := counts[letter]; !slices.Contains(want, n) {
			t.Errorf("%d facelets are %s, want %d", n, s.Colours[letter-'a'], want)
		}
	}
}
