package puzzlescript

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/test/puzzletest"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/puzzlescript/mirror"
	"github.com/everystate/everystate/puzzle/symmetry"
)

// shippedWith returns a shipped game with another level.
func shippedWith(tb testing.TB, name, level string) string {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "puzzles", "puzzlescript", name+".txt"))
	if err != nil {
		tb.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	at := slices.Index(lines, "LEVELS")
	lines = slices.DeleteFunc(lines[:at+1], func(line string) bool {
		return strings.HasPrefix(line, "states:") || strings.HasPrefix(line, "moves:")
	})
	return strings.Join(lines, "\n") + "\n\n" + level + "\n"
}

// TestSymmetries merges levels of shipped games, and compares what the states stand for
// with the plain spaces: layers, goals and goal distances.
func TestSymmetries(t *testing.T) {
	for _, c := range []struct {
		game, level string
		want        int
	}{
		{"crates", "#######\n#.O.O.#\n#.*.*.#\n#..P..#\n#.....#\n#######", 2},
		{"crates", "#######\n#O...O#\n#.*.*.#\n#..P..#\n#.*.*.#\n#O...O#\n#######", 8},
		{"crates", "#######\n#...PO#\n#.*...#\n#...*.#\n#OP...#\n#######", 2},
		{"lamps", "#####\n#111#\n#1Q1#\n#111#\n#####", 8},
		{"lamps", "######\n#1PP1#\n##01##\n##10##\n#1..1#\n######", 0},
		{"lamps", "######\n#.P..#\n#.00.#\n#.11.#\n#..P.#\n######", 0},
		{"tow", "#######\n#.B.B.#\n#..P..#\n#O.#.O#\n#######", 2},
		{"keys", "#######\n#K.P.K#\n###D###\n#..E..#\n#######", 2},
		{"thaw", "~~~~~\n~.:.~\n~.P.~\n~.H.~\n~~~~~", 2},
		{"ice", "#######\n#..O..#\n#.S.S.#\n#.....#\n##.P.##\n#######", 2},
		{"beams", "#######\n#L...C#\n#..P..#\n#L...C#\n#######", 2},
		{"quarry", "#########\n#...P...#\n#.o...o.#\n##H###H##\n#...G...#\n#########", 2},
		{"twins", "#######\n#.P...#\n#.M.O.#\n#######", 0},
		{"tilt", "T######\n#.RR..#\n#..RR.#\n#######", 0},
	} {
		if strings.Count(c.level, "*") > 3 && os.Getenv("EVERYSTATE_THOROUGH") == "" {
			continue // 263,773 states
		}
		board := mustRead(t, shippedWith(t, c.game, c.level))
		s, err := board.Puzzle.(puzzle.Symmetric).Symmetries("on")
		if err != nil {
			t.Log(c.game, err)
			if c.want > 0 {
				t.Errorf("%s\n%s\n%v", c.game, c.level, err)
			}
			continue
		}
		if len(s.Names) != c.want {
			t.Errorf("%s\n%s\nsymmetries %v, want %d", c.game, c.level, s.Names, c.want)
		}
		merged, _ := symmetry.Merge(s)
		compareMerged(t, board.Puzzle, merged)
		if what := asymmetry(board.Puzzle, s, 2000); what != "" {
			t.Errorf("%s: %s", c.game, what)
		}
	}
}

// compareMerged compares a space with one whose states stand for its states.
func compareMerged(t *testing.T, plain, merged puzzle.Puzzle) {
	t.Helper()
	all, few := puzzletest.Explore(plain), puzzletest.Explore(merged)
	if err := puzzle.Err(merged); err != nil {
		t.Fatal(err)
	}
	one := func([]uint64) int { return 1 }
	weight := func(state []uint64) int {
		w := make([]uint64, 1)
		merged.(puzzle.Weighted).Weights(state, w)
		return int(w[0])
	}
	allNear, fewNear := distances(plain, all, one), distances(merged, few, weight)
	if !slices.Equal(allNear, fewNear) {
		t.Errorf("goal distances %v, want %v", fewNear, allNear)
	}
	var stands []int
	for depth := range few.Layers {
		n := 0
		for state := range slices.Chunk(few.Layer(depth), few.Words) {
			n += weight(state)
		}
		stands = append(stands, n)
	}
	if !slices.Equal(stands, all.Layers) || few.Len() >= all.Len() {
		t.Errorf("layers %v stand for %v, want %v", few.Layers, stands, all.Layers)
	}
	t.Logf("%d states stand for %d", few.Len(), all.Len())
}

// distances counts states by goal distance, with weights; the last is the number of
// dead states.
func distances(p puzzle.Puzzle, s *puzzletest.Space, weight func(state []uint64) int) (counts []int) {
	index := map[string]int{}
	for i := range s.Len() {
		index[fmt.Sprint(s.State(i))] = i
	}
	before := make([][]int, s.Len())
	for i := range s.Len() {
		var out puzzle.Edges
		p.Successors(s.State(i), &out)
		for next := range slices.Chunk(out.Keys, s.Words) {
			to := index[fmt.Sprint(next)]
			before[to] = append(before[to], i)
		}
	}
	dead := make([]bool, s.Len())
	for i := range dead {
		dead[i] = true
	}
	var layer []int
	reach := func(i int) {
		if dead[i] {
			dead[i] = false
			layer = append(layer, i)
		}
	}
	for goal := range slices.Chunk(s.GoalStates, s.Words) {
		reach(index[fmt.Sprint(goal)])
	}
	for len(layer) > 0 {
		from, n := layer, 0
		layer = nil
		for _, i := range from {
			n += weight(s.State(i))
			for _, j := range before[i] {
				reach(j)
			}
		}
		counts = append(counts, n)
	}
	lost := 0
	for i := range dead {
		if dead[i] {
			lost += weight(s.State(i))
		}
	}
	return append(counts, lost)
}

// asymmetry looks, near the start, for a move whose image does not lead to the image of
// the state after it.
func asymmetry(plain puzzle.Puzzle, s *puzzle.Symmetries, statesMax int) string {
	states, _ := puzzletest.First(plain, statesMax)
	words := plain.Layout().Words()
	image, next, after := make([]uint64, words), make([]uint64, words), make([]uint64, words)
	for state := range slices.Chunk(states, words) {
		for g := range s.Names {
			s.Image(image, state, g)
			for m := range plain.Layout().Moves {
				legal := plain.Apply(next, state, puzzle.Move(m))
				imageLegal := plain.Apply(after, image, s.Moves[g][m])
				if puzzle.Err(plain) != nil {
					return ""
				}
				if legal {
					s.Image(next, next, g)
				}
				if legal != imageLegal || legal && !slices.Equal(next, after) {
					return fmt.Sprintf("%s of\n%s\nis not mapped by %s", plain.FormatMove(puzzle.Move(m)), plain.Format(state), s.Names[g])
				}
			}
		}
	}
	return ""
}

// TestSymmetryRefused has levels whose start is symmetric, and what is said of their
// rules.
func TestSymmetryRefused(t *testing.T) {
	const push = "[ > Player | Crate ] -> [ > Player | > Crate ]"
	const room = "#####\n#...#\n#*P*#\n#O.O#\n#####"
	for _, c := range []struct{ rules, level, want string }{
		{push, "#####\n#P*O#\n#...#\n#####", "only the identity maps the start of the level to itself"},
		{"right " + push, room, "1 reflections and rotations map the start to itself, but line 40: this rule is not the same in all directions"},
		{push + "\nlate right [ Crate | Player ] -> cancel", room, "1 reflections and rotations map the start to itself, but line 41: this rule is not the same in all directions"},
		// A line of two leaves the third, or the other way round.
		{push + "\nlate [ Crate | Crate ] -> [ | ]", room, "1 reflections and rotations map the start to itself, but line 41: the result of this rule may depend on the order in which rules and matches are applied"},
		// One crate is enough for either of two, and the first takes it.
		{push + "\nlate [ Crate ] [ Player Target ] -> [ ] [ Player Target Sign ]", room, "1 reflections and rotations map the start to itself, but line 41: the result of this rule may depend on the order in which rules and matches are applied"},
		// Two crates may want the same cell.
		{"[ Player | Crate ] -> [ Player | > Crate ]", room, "1 reflections and rotations map the start to itself, but objects on the layer of PLAYER may move in several directions in one turn, and the first to move may take the place of another"},
		{"rigid " + push, room, "1 reflections and rotations map the start to itself, but line 40: this rule is rigid"},
	} {
		text := crates(c.level, push, c.rules, "Crate\norange\n", "Crate\norange\n\nSign\nred\n", "Target\nPlayer", "Target\nSign\nPlayer")
		_, err := mustRead(t, text).Puzzle.(puzzle.Symmetric).Symmetries("on")
		if err == nil || err.Error() != c.want {
			t.Errorf("%s\n%v, want %s", c.rules, err, c.want)
		}
	}
}

// TestSymmetriesOfRandomGames makes up rules and symmetric levels. Wherever symmetries
// are found, every move near the start must be mapped by them.
func TestSymmetriesOfRandomGames(t *testing.T) {
	const seed = 22
	rng := rand.New(rand.NewPCG(seed, 0))
	games := 250
	if os.Getenv("EVERYSTATE_THOROUGH") != "" {
		games = 20_000
	}
	moving, found, without := 0, 0, 0
	for n := range games {
		text := randomGame(rng)
		boards, err := Read([]byte(text), puzzle.ReadOptions{})
		if err != nil {
			continue
		}
		l := boards[0].Puzzle.(*level)
		if states, _ := puzzletest.First(l, 8); len(states) <= 4*l.layout.Words() || puzzle.Err(l) != nil {
			continue
		}
		moving++
		s, err := l.Symmetries("on")
		if err == nil {
			found++
			if what := asymmetry(l, s, 25); what != "" {
				t.Fatalf("seed %d, game %d: %s\n%s", seed, n, what, text)
			}
		} else if s := assumed(l); s != nil && asymmetry(l, s, 25) != "" {
			without++
		}
	}
	t.Logf("of %d games with more than four states %d have symmetries, and %d do not although the start has", moving, found, without)
	if found < games/25 || without < games/200 {
		t.Errorf("%d of %d games have symmetries, and %d do not although the start has", found, games, without)
	}
}

// assumed returns the symmetries of a level if its rules had all that its start has, or
// nil if the start has none.
func assumed(l *level) *puzzle.Symmetries {
	a := &action{fields: l.fields, start: l.start}
	s := &puzzle.Symmetries{Puzzle: l, SymmetryAction: a}
	for _, m := range mirror.Maps(l.source.Width, l.source.Height) {
		if a.add(&m) {
			s.Names = append(s.Names, m.Name)
			var moves []puzzle.Move
			for _, d := range inputs[:l.layout.Moves] {
				moves = append(moves, puzzle.Move(slices.Index(inputs, m.Direction(d))))
			}
			s.Moves = append(s.Moves, moves)
		}
	}
	if len(s.Names) < 2 {
		return nil
	}
	return s
}

// randomGame makes up a game with one level whose left side is the image of its right.
func randomGame(rng *rand.Rand) string {
	pick := func(words ...string) string { return words[rng.IntN(len(words))] }
	term := func(left bool) string {
		object := pick("Player", "Crate", "Crate", "Crate", "Gem", "Sign", "Target", "Thing")
		if left {
			return pick("", "", "", "", "", "", ">", "<", "^", "no", "no", "stationary", "moving", "action") + " " + object
		}
		return pick("", "", "", "", "", ">", "<", "v", "no", "stationary") + " " + object
	}
	line := func() string {
		var left, right strings.Builder
		rows := 1 + rng.IntN(8)/7
		for range rows {
			cells := 1 + rng.IntN(3)/rows
			for k := range cells {
				sep := "|"
				if k == 0 {
					sep = "["
				}
				fmt.Fprintf(&left, "%s ", sep)
				fmt.Fprintf(&right, "%s ", sep)
				for range rng.IntN(3) {
					t := term(true)
					left.WriteString(t + " ")
					if rng.IntN(2) > 0 {
						right.WriteString(t + " ")
					}
				}
				if rng.IntN(2) == 0 {
					right.WriteString(term(false) + " ")
				}
				if k == 0 && cells > 2 && rng.IntN(4) == 0 {
					left.WriteString("| ... ")
					right.WriteString("| ... ")
				}
			}
			left.WriteString("] ")
			right.WriteString("] ")
		}
		rule := pick("", "", "", "", "late ", "late ", "down ", "horizontal ") + left.String() + "-> "
		if rng.IntN(8) == 0 {
			return rule + pick("cancel", "win", "restart")
		}
		return rule + right.String() + pick("", "", "", "", "", "", "", "", "", "again")
	}
	rules := "[ > Player | Crate ] -> [ > Player | > Crate ]\n"
	for n := range 1 + rng.IntN(3) {
		if n > 0 && rng.IntN(3) == 0 {
			rules += "+ "
		}
		rules += line() + "\n"
	}
	if rng.IntN(15) == 0 {
		rules = "startloop\n" + rules + "endloop\n"
	}
	half, height := 2+rng.IntN(2), 3+rng.IntN(2)
	column := rng.IntN(3) > 0 // a column of its own images, with the only player
	var level []string
	for y := range height {
		row, middle := "", ""
		for range half {
			row += pick(".", ".", ".", "*", "*", "*", "O", "#", "G", "S")
		}
		back := []byte(row)
		slices.Reverse(back)
		switch {
		case column && y == height/2:
			middle = "P"
		case column:
			middle = pick(".", ".", "*", "O", "#")
		case y == height/2:
			row, back[0] = row[:half-1]+"P", 'P'
		}
		level = append(level, row+middle+string(back))
	}
	return crates(strings.Join(level, "\n"),
		"[ > Player | Crate ] -> [ > Player | > Crate ]\n", rules,
		"Crate\norange\n", "Crate\norange\n\nGem\nred\n\nSign\nred\n",
		"O = Target\n", "O = Target\nG = Gem\nS = Sign\nThing = Crate or Gem\n",
		"Target\nPlayer, Wall, Crate", "Target\nSign\n"+pick("Player, Wall, Crate, Gem", "Player, Wall, Crate\nGem", "Player\nWall, Crate, Gem"))
}
