package solve_test

import (
	"bufio"
	"errors"
	"math/big"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

func readBoard(t *testing.T, text, metric string) puzzle.Board {
	t.Helper()
	boards, err := families.Read([]byte(text), puzzle.ReadOptions{Metric: metric})
	if err != nil {
		t.Fatal(err)
	}
	return boards[0]
}

// TestComponentDerivesPublishedLines explores boards of the published database:
// distance, size of the cluster, and that without any piece a board is easier.
func TestComponentDerivesPublishedLines(t *testing.T) {
	t.Parallel()
	f, err := os.Open("../../testdata/truth/rush-hour-database-lines.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var c solve.Component // one for all: nothing of a board may be left for the next
	lines := 0
	for s := bufio.NewScanner(f); s.Scan(); {
		fields := strings.Fields(s.Text())
		if len(fields) != 3 || strings.HasPrefix(s.Text(), ";") {
			continue
		}
		if lines++; lines%60 != 1 {
			continue
		}
		moves, errMoves := strconv.Atoi(fields[0])
		states, errStates := strconv.Atoi(fields[2])
		if err := errors.Join(errMoves, errStates); err != nil {
			t.Fatal(err)
		}
		if err := c.Explore(t.Context(), readBoard(t, fields[1], "slide").Puzzle, 1<<20); err != nil {
			t.Fatal(err)
		}
		if c.Len() != states || c.Distance(0) != moves || len(c.Layers())-1 != moves {
			t.Errorf("%s: %d states, %d moves of %d; want %d and %d", fields[1], c.Len(), c.Distance(0), len(c.Layers())-1, states, moves)
		}
		if testing.Short() {
			continue
		}
		for i, symbol := range fields[1] {
			if symbol == 'o' || symbol == 'A' || symbol != 'x' && strings.IndexRune(fields[1], symbol) < i {
				continue
			}
			less := strings.ReplaceAll(fields[1], string(symbol), "o")
			if symbol == 'x' {
				less = fields[1][:i] + "o" + fields[1][i+1:]
			}
			if err := c.Explore(t.Context(), readBoard(t, less, "slide").Puzzle, 1<<21); err != nil {
				t.Fatal(err)
			}
			if c.Distance(0) >= moves {
				t.Errorf("%s without %c takes %d moves, not fewer than %d", fields[1], symbol, c.Distance(0), moves)
			}
		}
	}
	if lines < 900 {
		t.Errorf("only %d lines", lines)
	}
}

// slowComponent explores with maps and texts.
type slowComponent struct {
	near     map[string]int
	next     map[string][]string
	layers   []int
	farthest []string
}

func slowlyExplored(t *testing.T, p puzzle.Puzzle) *slowComponent {
	t.Helper()
	s := &slowComponent{near: map[string]int{}, next: map[string][]string{}}
	start := p.Format(p.Starts())
	queue, goals := []string{start}, []string{}
	s.next[start] = nil
	for len(queue) > 0 {
		text := queue[0]
		queue = queue[1:]
		key, err := p.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		goal := make([]bool, 1)
		if p.Goals(key, goal); goal[0] {
			goals = append(goals, text)
		}
		for m := range p.Layout().Moves {
			to := slices.Clone(key)
			if !p.Apply(to, key, puzzle.Move(m)) {
				continue
			}
			other := p.Format(to)
			s.next[text] = append(s.next[text], other)
			if _, known := s.next[other]; !known {
				s.next[other] = nil
				queue = append(queue, other)
			}
		}
	}
	for _, g := range goals {
		s.near[g] = 0
	}
	for distance := 0; len(goals) > 0; distance++ {
		s.layers, s.farthest = append(s.layers, len(goals)), goals
		var more []string
		for _, text := range goals {
			for _, other := range s.next[text] {
				if _, known := s.near[other]; !known {
					s.near[other] = distance + 1
					more = append(more, other)
				}
			}
		}
		goals = more
	}
	return s
}

// ways counts the shortest ways to a goal.
func (s *slowComponent) ways(text string, known map[string]*big.Int) *big.Int {
	if n := known[text]; n != nil {
		return n
	}
	n := new(big.Int)
	if s.near[text] == 0 {
		n.SetInt64(1)
	}
	for _, other := range s.next[text] {
		if s.near[other] == s.near[text]-1 {
			n.Add(n, s.ways(other, known))
		}
	}
	known[text] = n
	return n
}

func TestComponentIsWhatMapsGive(t *testing.T) {
	t.Parallel()
	var c solve.Component
	for _, text := range []string{
		"puzzle: rush-hour\n\nAA.B\n...B\n....\n", // the goal is one move away from everything
		"puzzle: rush-hour\nmetric: step\n\n.BCC\nAB.D\nAEED\n",
		"BBCCJ/DD.IJ/GAAI./G.HEE/FFH..",
		"1 2 3/4 5 0",
		"puzzle: hanoi\ndiscs: 4",
		"AAx\n..x\n...", // no goal is to be reached
	} {
		boards, err := families.Read([]byte(strings.ReplaceAll(text, "/", " / ")), puzzle.ReadOptions{})
		if err != nil {
			t.Logf("%q: %v", text, err)
			continue
		}
		p := boards[0].Puzzle
		want := slowlyExplored(t, p)
		if err := c.Explore(t.Context(), p, 1<<20); err != nil {
			t.Fatal(err)
		}
		if c.Len() != len(want.next) || !slices.Equal(c.Layers(), want.layers) {
			t.Fatalf("%q: %d states, %v; want %d, %v", text, c.Len(), c.Layers(), len(want.next), want.layers)
		}
		far := map[string]bool{}
		for _, n := range c.Farthest() {
			far[p.Format(c.Key(int(n)))] = true
		}
		if len(far) != len(want.farthest) || len(far) > 0 && !far[want.farthest[0]] {
			t.Errorf("%q: other states are farthest", text)
		}
		known := map[string]*big.Int{}
		for n := range c.Len() {
			state := p.Format(c.Key(n))
			distance, solvable := want.near[state]
			if !solvable {
				distance = -1
			}
			moves, to := c.Moves(n)
			if c.Distance(n) != distance || c.Number(c.Key(n)) != n || len(to) != len(want.next[state]) || len(moves) != len(to) {
				t.Fatalf("%q: %q has distance %d and %d moves, want %d and %d", text, state, c.Distance(n), len(to), distance, len(want.next[state]))
			}
			way := c.Solution(n)
			if len(way) != max(distance, 0) {
				t.Fatalf("%q: the way from %q has %d moves, want %d", text, state, len(way), distance)
			}
			at := slices.Clone(c.Key(n))
			for _, m := range way {
				if !p.Apply(at, at, m) {
					t.Fatalf("%q: move %d is not legal", text, m)
				}
			}
			if solvable && want.near[p.Format(at)] != 0 {
				t.Fatalf("%q: the way from %q does not end at a goal", text, state)
			}
			if solvable {
				if d := c.Difficulty(n); d.Distance != distance || d.Solutions.Cmp(want.ways(state, known)) != 0 {
					t.Fatalf("%q: %q has %v shortest ways, want %v", text, state, d.Solutions, known[state])
				}
			}
		}
		if err := c.Explore(t.Context(), p, c.Len()-1); !errors.Is(err, solve.ErrTooLarge) {
			t.Errorf("%q: one state too many: %v", text, err)
		}
	}
}

func TestDifficulty(t *testing.T) {
	t.Parallel()
	var c solve.Component
	// The car goes at once, or the truck first: the way out is blocked by B alone.
	if err := c.Explore(t.Context(), readBoard(t, "puzzle: rush-hour\nmetric: slide\n\n...B\nAA.B\n....\n....\n", "").Puzzle, 1000); err != nil {
		t.Fatal(err)
	}
	d := c.Difficulty(0)
	// B goes down by one or two cells; one is not enough. Then A goes.
	if d.Distance != 2 || d.Solutions.Int64() != 1 || d.Forced != 2 || d.Branching != 3.5 {
		t.Errorf("%+v, want 2 forced moves, 3 and then 4 to choose from", d)
	}
}

func TestComponentNeedsMovesBack(t *testing.T) {
	t.Parallel()
	var c solve.Component
	if err := c.Explore(t.Context(), readBoard(t, "#####\n#@$.#\n#####", "").Puzzle, 1000); !errors.Is(err, solve.ErrUnsuited) {
		t.Errorf("error is %v", err)
	}
}
