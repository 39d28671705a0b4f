package grade

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/puzzle/rushhour"
)

// of measures a board in the metric of slides, or what the text says.
func of(t *testing.T, text string) (Measures, puzzle.Puzzle) {
	t.Helper()
	boards, err := families.Read([]byte(text), puzzle.ReadOptions{Metric: "slide"})
	if err != nil {
		t.Fatal(err)
	}
	var c solve.Component
	if err := c.Explore(t.Context(), boards[0].Puzzle, 1<<20); err != nil {
		t.Fatal(err)
	}
	m, err := Of(&c, boards[0].Puzzle, 0)
	if err != nil {
		t.Fatal(err)
	}
	return m, boards[0].Puzzle
}

const header = "puzzle: rush-hour\nmetric: slide\nexit: right\ngoal: A\n"

// TestMeasures counts small boards by hand.
func TestMeasures(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text string
		want Measures
	}{
		// Nothing is in the way: one of the two moves of a row of four.
		{header + "....\nAA..\n....\n....\n", Measures{Moves: 1, States: 3, Solutions: 1, Chance: 100, Forced: 1, ForcedRun: 1, Branching: 200, Vehicles: 1}},
		// B goes down by two cells, one of two moves, then A goes out, one of four.
		{header + "..B.\nAAB.\n....\n....\n", Measures{Moves: 2, States: 5, Solutions: 1, Chance: 300, Forced: 2, ForcedRun: 2, Branching: 300, Vehicles: 2}},
	} {
		m, _ := of(t, test.text)
		if m != test.want {
			t.Errorf("%s\nis %+v\nnot %+v", test.text, m, test.want)
		}
	}
}

// naively measures by going through every way, one after another.
func naively(c *solve.Component, p puzzle.Puzzle) Measures {
	m := Measures{Moves: c.Distance(0), States: uint64(c.Len()), Counter: math.MaxInt}
	on := map[int]bool{}
	chance, must := 0.0, map[int]int{}
	at := make([]map[int]bool, m.Moves+1) // states at each place of ways
	edges := make([]map[[2]int]bool, m.Moves)
	var follow func(state, counter int, likely float64, moved map[int]bool)
	follow = func(state, counter int, likely float64, moved map[int]bool) {
		d := m.Moves - c.Distance(state)
		if at[d] == nil {
			at[d] = map[int]bool{}
		}
		at[d][state] = true
		if d == m.Moves {
			m.Solutions++
			m.Counter = min(m.Counter, counter)
			chance += likely
			for v := range moved {
				must[v]++
			}
			return
		}
		on[state] = true
		s, _ := rushhour.SceneOf(p, c.Key(state))
		moves, to := c.Moves(state)
		for i, next := range to {
			if c.Distance(int(next)) != c.Distance(state)-1 {
				continue
			}
			if edges[d] == nil {
				edges[d] = map[[2]int]bool{}
			}
			edges[d][[2]int{state, int(next)}] = true
			u, _ := rushhour.SceneOf(p, c.Key(int(next)))
			name := p.FormatMove(moves[i])
			back := name[:1] == s.Vehicles[s.Goal].Name && strings.Contains(name, "-") // all exits are on the right
			more := name[:1] != s.Vehicles[s.Goal].Name && len(between(&u)) > len(between(&s))
			add := 0
			if back || more {
				add = 1
			}
			now := map[int]bool{int(name[0]): true}
			for v := range moved {
				now[v] = true
			}
			follow(int(next), counter+add, likely/float64(len(to)), now)
		}
	}
	follow(0, 0, 1, map[int]bool{})
	run, branches := 0, 0
	for d := range edges {
		if run++; len(at[d]) > 1 || len(edges[d]) > 1 {
			run = 0
		} else {
			m.Forced++
		}
		m.ForcedRun = max(m.ForcedRun, run)
	}
	for state := range on {
		moves, _ := c.Moves(state)
		branches += len(moves)
	}
	m.Branching = hundredths(float64(branches) / float64(len(on)))
	m.Chance = hundredths(-math.Log2(chance))
	for _, ways := range must {
		if uint64(ways) == m.Solutions {
			m.Vehicles++
		}
	}
	return m
}

// between returns the vehicles right of the goal vehicle in its row.
func between(s *rushhour.Scene) map[string]bool {
	row, out := s.Vehicles[s.Goal].Cell/s.Cols, map[string]bool{}
	for _, v := range s.Vehicles {
		for n := range v.Length {
			cell := v.Cell + n
			if v.Vertical {
				cell = v.Cell + n*s.Cols
			}
			if cell/s.Cols == row && cell > s.Vehicles[s.Goal].Cell+1 {
				out[v.Name] = true
			}
		}
	}
	return out
}

// TestTwin holds the measures against a count of every single way.
func TestTwin(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../testdata/truth/rush-hour-database-lines.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")[1:]
	random := rand.New(rand.NewPCG(1, 1))
	var c solve.Component
	tried, counter := 0, 0
	for tried < 20 {
		boards, err := families.Read([]byte(lines[random.IntN(len(lines))]), puzzle.ReadOptions{Metric: []string{"slide", "step"}[tried%2]})
		if err != nil {
			t.Fatal(err)
		}
		p := boards[0].Puzzle
		if err := c.Explore(t.Context(), p, 1<<20); err != nil {
			t.Fatal(err)
		}
		got, err := Of(&c, p, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got.Solutions > 500 || got.States > 5000 {
			continue
		}
		if want := naively(&c, p); got != want {
			t.Errorf("%s\nis %+v\nnot %+v", boards[0].Text, got, want)
		}
		tried++
		counter += got.Counter
	}
	if counter == 0 {
		t.Error("no move of any way is counter-intuitive")
	}
}

// TestGrade: the hardest board known has the highest grade, an easy one the lowest, and the
// points are the formula's.
func TestGrade(t *testing.T) {
	t.Parallel()
	hardest, _ := of(t, "60 IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM 2332\n")
	if hardest.Grade() != Most || hardest.Moves != 60 || hardest.States != 2332 {
		t.Errorf("the hardest has grade %d: %+v", hardest.Grade(), hardest)
	}
	if again, ok := FromNumbers(hardest.Moves, hardest.States, hardest.Numbers()); !ok || again != hardest {
		t.Errorf("%+v is again %+v", hardest, again)
	}
	other := hardest.Numbers()
	other[0]--
	if _, ok := FromNumbers(hardest.Moves, hardest.States, other); ok {
		t.Error("a grade that is not that of the measures is read")
	}
	if easy, _ := of(t, "01 ooooooooooooAAoooooooooooooooooooooo 5\n"); easy.Grade() != 1 {
		t.Errorf("the easiest has grade %d: %+v", easy.Grade(), easy)
	}
	for _, test := range []struct {
		m      Measures
		points uint64
		grade  int
	}{
		{Measures{Chance: 1000, Counter: 2, Vehicles: 3, States: 1024}, 1000 + 400 + 300 + 1000, 2},
		{Measures{Chance: 1599, States: 1}, 1599, 1},
		{Measures{Chance: 1600, States: 1}, 1600, 2},
		{Measures{Chance: 1 << 40, States: 1}, 1 << 40, 10},
	} {
		if test.m.Points() != test.points || test.m.Grade() != test.grade {
			t.Errorf("%+v has %d points and grade %d", test.m, test.m.Points(), test.m.Grade())
		}
	}
}

// TestLongWays: less likely than any number that a float holds.
func TestLongWays(t *testing.T) {
	t.Parallel()
	const moves = 2000
	var w walk
	for i := range moves + 1 {
		w.layer = append(w.layer, i)
		w.nodes = append(w.nodes, node{branches: 4, nearer: []int32{int32(i + 1)}})
	}
	if got := w.chance(); got != 2*100*moves {
		t.Errorf("it is %d", got)
	}
}

// TestShipped: the boards that are shipped have the grades, points, moves and states that
// their file says, and there are some of every grade.
func TestShipped(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../puzzles/rushhour/graded.txt")
	if err != nil {
		t.Fatal(err)
	}
	boards, err := families.Read(text, puzzle.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	remarks := regexp.MustCompile(`(?m)^; Grade .*`).FindAllString(string(text), -1)
	if len(remarks) != len(boards) || len(boards) < 200 {
		t.Fatalf("%d remarks on %d boards", len(remarks), len(boards))
	}
	var c solve.Component
	of := map[int]int{}
	for i, b := range boards {
		if err := c.Explore(t.Context(), b.Puzzle, 1<<20); err != nil {
			t.Fatal(err)
		}
		m, err := Of(&c, b.Puzzle, 0)
		if err != nil {
			t.Fatal(err)
		}
		s, _ := rushhour.SceneOf(b.Puzzle, b.Puzzle.Starts())
		want := fmt.Sprintf("; Grade %d: %d.%02d points: %d.%02d bits of chance, %d counter-intuitive, %d of %d vehicles must move.",
			m.Grade(), m.Points()/100, m.Points()%100, m.Chance/100, m.Chance%100, m.Counter, m.Vehicles, len(s.Vehicles))
		of[m.Grade()]++
		if name := fmt.Sprintf("Grade %d, %d", m.Grade(), of[m.Grade()]); b.Name != name || remarks[i] != want {
			t.Errorf("%s: %s\nwant %s: %s", b.Name, remarks[i], name, want)
		}
		if b.Expect.SolutionLength != m.Moves || uint64(b.Expect.States) != m.States {
			t.Errorf("%s has %d moves and %d states", b.Name, m.Moves, m.States)
		}
	}
	for g := 1; g <= Most; g++ {
		if of[g] == 0 {
			t.Errorf("no board of grade %d", g)
		}
	}
}
