package puzzlescript

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/test/puzzletest"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/rushhour"
)

// cars are the vehicles of the game Valet, in the order in which action goes through
// them. With the valet inside they are written 1 to 6.
var cars = []string{"red", "blue", "green", "yellow", "pink", "white"}

// parked is a state of Valet: the board as Rush Hour writes it, where the red car is A,
// and the number of the car that the valet is in.
type parked struct {
	board string
	car   int
}

// parkedIn reads a state from the text of a level.
func parkedIn(text string) (p parked) {
	end := strings.LastIndex(text, "#") + 1
	level := text[:end]
	for line := range strings.Lines(strings.TrimSpace(text[end:])) { // what stands on the exit
		symbol, objects, _ := strings.Cut(line, " = ")
		i := slices.IndexFunc(cars, func(car string) bool { return strings.Contains(objects, car) })
		as := cars[i][:1]
		if strings.Contains(objects, "valet") {
			as = string('1' + rune(i))
		}
		level = strings.ReplaceAll(level, symbol, as)
	}
	if i := strings.IndexAny(level, "123456"); i >= 0 {
		p.car = int(level[i] - '1')
		level = strings.Replace(level, level[i:i+1], cars[p.car][:1], 1)
	}
	var rows []string
	for row := range strings.Lines(strings.ToUpper(level)) {
		if row = strings.Trim(row, "#\n"); row != "" {
			rows = append(rows, strings.NewReplacer("R", "A", "O", ".", "E", "Y").Replace(row))
		}
	}
	p.board = strings.Join(rows, "\n")
	return p
}

// graph has the states of a puzzle, its start first, and by state and move what the move
// leads to.
type graph[S comparable] struct {
	states []S
	next   map[S]map[string]S
	goals  []S
}

// graphOf enumerates a puzzle and reads its states from their texts.
func graphOf[S comparable](p puzzle.Puzzle, s *puzzletest.Space, read func(text string) S) graph[S] {
	g := graph[S]{next: map[S]map[string]S{}}
	after := make([]uint64, s.Words)
	for i := range s.Len() {
		from := read(p.Format(s.State(i)))
		g.states, g.next[from] = append(g.states, from), map[string]S{}
		for m := range p.Layout().Moves {
			if p.Apply(after, s.State(i), puzzle.Move(m)) {
				g.next[from][p.FormatMove(puzzle.Move(m))] = read(p.Format(after))
			}
		}
	}
	for goal := range slices.Chunk(s.GoalStates, s.Words) {
		g.goals = append(g.goals, read(p.Format(goal)))
	}
	return g
}

// withValet returns the graph of boards and the car that a valet is in: he drives it, or
// gets into the next one.
func withValet(family graph[string]) graph[parked] {
	g := graph[parked]{next: map[parked]map[string]parked{}}
	for car, name := range cars {
		letter := strings.ToUpper(name[:1])
		if car == 0 {
			letter = "A"
		}
		for _, board := range family.states {
			s := parked{board, car}
			g.states = append(g.states, s)
			g.next[s] = map[string]parked{"action": {board, (car + 1) % len(cars)}}
			back, on := "left", "right"
			if slices.Contains([]string{"blue", "yellow", "pink"}, name) {
				back, on = "up", "down"
			}
			for move, input := range map[string]string{letter + "-1": back, letter + "+1": on} {
				if to, ok := family.next[board][move]; ok {
					g.next[s][input] = parked{to, car}
				}
			}
		}
		for _, board := range family.goals {
			g.goals = append(g.goals, parked{board, car})
		}
	}
	return g
}

// layers counts the states by their distance from the start and to the goals. The move
// named free takes no step.
func (g graph[S]) layers(free string) (fromStart, toGoals []int) {
	next, before := map[S][]step[S]{}, map[S][]step[S]{}
	for from, moves := range g.next {
		for name, to := range moves {
			next[from] = append(next[from], step[S]{to, name == free})
			before[to] = append(before[to], step[S]{from, name == free})
		}
	}
	return flood(g.states[:1], next), flood(g.goals, before)
}

// step is a move to a state.
type step[S comparable] struct {
	to   S
	free bool
}

// flood counts states by their distance from the given ones.
func flood[S comparable](layer []S, next map[S][]step[S]) (counts []int) {
	seen := map[S]bool{}
	for len(layer) > 0 {
		before := len(seen)
		var after []S
		for i := 0; i < len(layer); i++ {
			s := layer[i]
			if seen[s] {
				continue
			}
			seen[s] = true
			for _, e := range next[s] {
				if e.free {
					layer = append(layer, e.to)
				} else {
					after = append(after, e.to)
				}
			}
		}
		if len(seen) > before {
			counts = append(counts, len(seen)-before)
		}
		layer = after
	}
	return counts
}

// TestRushHour compares the levels of the shipped game Valet with the same boards of the
// Rush Hour family, of which nothing is shared. A state of the game is a board and the
// car that the valet is in: the arrows must lead where the family's steps of this car
// lead. Where getting into another car takes no step, layers and goal distances must be
// the family's, once for each car; with it, those of the family's graph with a valet.
func TestRushHour(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "puzzles", "puzzlescript", "valet.txt"))
	if err != nil {
		t.Fatal(err)
	}
	boards, err := Read(text, puzzle.ReadOptions{})
	if err != nil || len(boards) != 2 {
		t.Fatalf("%d levels, %v", len(boards), err)
	}
	for n, states := range []int{242, 686} {
		level := boards[n].Puzzle
		start := parkedIn(level.Format(level.Starts()))
		board, err := rushhour.Read([]byte("metric: step\n\n"+start.board), puzzle.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		space := puzzletest.Explore(level)
		if space.Len() != len(cars)*states {
			t.Fatalf("level %d has %d states, want %d for each of %d cars", n+1, space.Len(), states, len(cars))
		}
		valet := graphOf(level, space, parkedIn)
		family := graphOf(board[0].Puzzle, puzzletest.Explore(board[0].Puzzle), strings.TrimSpace)
		want := withValet(family)
		if len(family.states) != states || !maps.EqualFunc(valet.next, want.next, maps.Equal[map[string]parked]) {
			t.Fatalf("level %d: the moves of %d states are not those of %d boards of Rush Hour, want %d, and %d cars", n+1, len(valet.states), len(family.states), states, len(cars))
		}

		fromStart, toGoals := want.layers("")
		if near := distances(level, space, func([]uint64) int { return 1 }); !slices.Equal(space.Layers, fromStart) || !slices.Equal(near, append(toGoals, 0)) {
			t.Errorf("level %d: layers %v, goal distances %v; want %v, %v", n+1, space.Layers, near, fromStart, toGoals)
		}
		fromStart, toGoals = valet.layers("action")
		familyLayers, familyNear := family.layers("")
		for _, counts := range [][]int{familyLayers, familyNear} {
			for i := range counts {
				counts[i] *= len(cars)
			}
		}
		if !slices.Equal(fromStart, familyLayers) || !slices.Equal(toGoals, familyNear) {
			t.Errorf("level %d: without getting in, layers %v, goal distances %v; want %v, %v", n+1, fromStart, toGoals, familyLayers, familyNear)
		}
		t.Logf("level %d: %d boards of Rush Hour, %d steps from the start, %d to a goal; with a valet %d states, %d moves", n+1, states, len(familyLayers)-1, len(familyNear)-1, space.Len(), len(space.Layers)-1)
	}
}
