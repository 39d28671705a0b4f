package play

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/internal/terminal/paint"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

var update = flag.Bool("update", false, "rewrite the frames in testdata")

// all is what an exhaustive search knows of a small puzzle: the guide of the tests.
type all struct {
	puzzle   puzzle.Puzzle
	depth    map[string]int
	distance map[string]int
}

func explored(p puzzle.Puzzle, start []uint64) *all {
	a := &all{puzzle: p, depth: map[string]int{p.Format(start): 0}, distance: map[string]int{}}
	from := map[string][]string{}
	var goals []string
	for queue := [][]uint64{start}; len(queue) > 0; queue = queue[1:] {
		name := p.Format(queue[0])
		if isGoal(p, queue[0]) {
			goals = append(goals, name)
		}
		for _, c := range choices(p, queue[0]) {
			to := p.Format(c.state)
			from[to] = append(from[to], name)
			if _, ok := a.depth[to]; !ok {
				a.depth[to] = a.depth[name] + 1
				queue = append(queue, c.state)
			}
		}
	}
	for _, g := range goals {
		a.distance[g] = 0
	}
	for queue := goals; len(queue) > 0; queue = queue[1:] {
		for _, before := range from[queue[0]] {
			if _, ok := a.distance[before]; !ok {
				a.distance[before] = a.distance[queue[0]] + 1
				queue = append(queue, before)
			}
		}
	}
	return a
}

func (a *all) of(state []uint64) int {
	if d, ok := a.distance[a.puzzle.Format(state)]; ok {
		return d
	}
	return Lost
}

func (a *all) Look(_ context.Context, state []uint64) (*Place, error) {
	p := &Place{Run: "runs/all", Depth: a.depth[a.puzzle.Format(state)], Distance: a.of(state), After: map[puzzle.Move]int{}}
	for _, c := range choices(a.puzzle, state) {
		p.After[c.move] = a.of(c.state)
	}
	return p, nil
}

func (a *all) Hint(_ context.Context, state []uint64) (Hint, error) {
	h := Hint{Optimal: true, From: "from runs/all", Length: a.of(state)}
	if h.Length == Lost {
		return Hint{Lost: true}, nil
	}
	for at := state; !isGoal(a.puzzle, at); {
		all := choices(a.puzzle, at)
		i := slices.IndexFunc(all, func(c choice) bool { return a.of(c.state) == a.of(at)-1 })
		h.Moves, at = append(h.Moves, all[i].move), all[i].state
	}
	return h, nil
}

// solver is a guide that has no run.
type solver struct{ board puzzle.Board }

func (s solver) Look(context.Context, []uint64) (*Place, error) { return nil, nil } //nolint:nilnil // It knows nothing.

func (s solver) Hint(ctx context.Context, state []uint64) (Hint, error) {
	r, err := solve.BFS().Solve(ctx, &solve.Problem{Board: s.board, Start: state})
	return Hint{Moves: r.Moves, Length: len(r.Moves), Optimal: r.Optimal, From: "by bfs", Lost: r.Outcome == solve.Unsolvable}, err
}

// board reads a board, or a file of puzzles/.
func board(tb testing.TB, text, metric string) puzzle.Board {
	tb.Helper()
	if file, err := os.ReadFile(filepath.Join("..", "..", "..", "puzzles", text)); err == nil {
		text = string(file)
	}
	boards, err := families.Read([]byte(text), puzzle.ReadOptions{Metric: metric})
	if err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	return boards[0]
}

func gameOf(b *puzzle.Board, knows bool) Game {
	g := Game{
		Name: b.Name, Family: b.Family, Metric: b.Metric, Text: b.Text, Puzzle: b.Puzzle,
		Start:  b.Puzzle.Starts()[:b.Puzzle.Layout().Words()],
		Arrows: slices.Contains([]string{"rush-hour", "sokoban", "tiles", "blocks"}, b.Family),
		Inputs: b.Family == "puzzlescript",
		Guide:  solver{*b},
	}
	if knows {
		g.Guide = explored(b.Puzzle, g.Start)
	}
	return g
}

// press presses keys, and has what they ask for done at once. Ticks of a run come
// as the word "tick".
func press(m *Model, keys string) {
	for _, key := range strings.Fields(keys) {
		if key == "tick" {
			m.settleQuickly(m.onwardIfRunning())
			continue
		}
		m.settleQuickly(m.Key(key))
	}
}

func (m *Model) onwardIfRunning() tea.Cmd {
	_, cmd := m.Update(tick{m.turn})
	return cmd
}

// settleQuickly is Settle without waiting for ticks, which come last.
func (m *Model) settleQuickly(cmd tea.Cmd) {
	if m.running {
		cmd = m.look()
	}
	m.Settle(cmd)
}

const small = "puzzle: rush-hour\nname: Small\n\nE.BB\nECCC\nAA.F\nDD.F"

// stones is a game with a gate that the player's action opens.
const stones = `puzzle: puzzlescript
title Gate

OBJECTS

Background
black

Flag
red

Gate
brown

Wall
grey

Player
white black
.000.
.101.
.000.
.000.
.0.0.

Stone
orange

LEGEND
. = Background
# = Wall
P = Player
S = Stone
G = Gate
F = Flag

SOUNDS

COLLISIONLAYERS
Background
Flag
Player, Wall, Stone, Gate

RULES
[ > Player | Stone ] -> [ > Player | > Stone ]
[ action Player | | Gate ] -> [ Player | | ]

WINCONDITIONS
All Flag on Stone

LEVELS

########
#PS..GF#
########
`

// TestFrames compares screens with those in testdata: after the keys of each step.
func TestFrames(t *testing.T) {
	t.Parallel()
	const level = "#######\n#.   .#\n# $ $ #\n#  @  #\n#     #\n#######"
	for _, test := range []struct {
		name, board, metric string
		knows, colour       bool
		width, height       int
		steps               []string
	}{
		{"rush-hour", small, "", true, false, 60, 14, []string{"", "A right", "right", "D right tab", "u", "h", "enter", "E up", "up", "?", "x"}},
		{"rush-hour-colour", small, "", true, true, 60, 14, []string{"", "A right", "h enter", "s G"}},
		{"solution", small, "", false, false, 60, 14, []string{"s", "n n", "p", "N", "P", "G g", "space", "tick tick", "space tick", "- + m"}},
		{"sokoban", level, "move", false, false, 50, 14, []string{"", "left", "up", "left left", "h", "enter"}},
		{"sokoban-colour", level, "move", false, true, 50, 14, []string{"", "left up"}},
		{"tiles", "8 6 7\n2 5 4\n3 0 1", "", false, false, 50, 14, []string{"", "right", "up", "right", "h"}},
		{"tiles-colour", "8 6 7\n2 5 4\n3 0 1", "", false, true, 50, 14, []string{"right"}},
		{"tiles-line", "8 6 7\n2 5 4\n0 3 1", "line", false, false, 50, 14, []string{"", "left"}},
		{"blocks", "blocks/dads-puzzler.txt", "", false, false, 50, 14, []string{"", "E right", "tab", "shift+tab", "right", "A down"}},
		{"hanoi", "3 pegs 3 discs", "", true, false, 50, 14, []string{"", "down enter", "2", "9", "h enter"}},
		{"hanoi-colour", "3 pegs 3 discs", "", true, true, 50, 14, []string{"enter"}},
		{"peg", "peg/plus.txt", "", true, false, 50, 14, []string{"", "down down enter", "up enter"}},
		{"pancake-colour", "puzzle: pancake\n\n3 1 4 2", "", true, true, 50, 12, []string{"3"}},
		{"cube-colour", "R U2 F' R", "", false, true, 60, 14, []string{"", "h", "enter"}},
		{"sudoku-colour", "12..\n..12\n....\n....", "", true, true, 50, 12, []string{"", "1 1"}},
		{"puzzlescript", stones, "", true, false, 76, 14, []string{"", "left", "right right", "z", "r", "h enter", "x", "right", "x", "right right", "right", "m r", "?"}},
		{"puzzlescript-colour", stones, "", true, true, 60, 14, []string{"right", "right x right right"}},
		{"narrow", small, "", true, false, 20, 14, []string{"", "s"}},
		{"low", small, "", true, false, 60, 7, []string{"", "?"}},
		{"tiny", small, "", true, false, 1, 1, []string{"", "A right ?"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := board(t, test.board, test.metric)
			m := New(t.Context(), paint.New(test.colour), []Game{gameOf(&b, test.knows)})
			m.Settle(m.Init())
			m.Update(tea.WindowSizeMsg{Width: test.width, Height: test.height})
			var got strings.Builder
			for _, keys := range test.steps {
				press(m, keys)
				frame := m.Frame()
				fmt.Fprintf(&got, "== %s\n%s\n", keys, visible(frame))
				if lines := strings.Count(frame, "\n") + 1; lines > max(test.height, frameLines+1) {
					t.Errorf("after %q: %d lines on a screen of %d", keys, lines, test.height)
				}
			}
			compareGolden(t, test.name, got.String())
		})
	}
}

// visible makes the beginnings of colours readable.
func visible(text string) string { return strings.ReplaceAll(text, "\x1b", "^") }

func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	want, err := os.ReadFile(path)
	if err == nil && string(want) == got {
		return
	}
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	w, g := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	for i := range g {
		if i >= len(w) || w[i] != g[i] {
			t.Fatalf("%s, line %d: %q (go test -update rewrites it)", path, i+1, g[i])
		}
	}
	t.Fatalf("%s: %d lines, want %d", path, len(g), len(w))
}

// TestEveryFamily plays the shipped puzzles as people do: at each state some key
// makes a move, hints lead to a goal where there is one, and taking all moves back
// leads to the start.
func TestEveryFamily(t *testing.T) {
	t.Parallel()
	for _, f := range families.All() {
		for _, format := range f.Formats {
			b := board(t, "puzzle: "+f.Name+"\n\n"+strings.TrimPrefix(format.Example, "puzzle: "+f.Name+"\n"), "")
			if text := format.Example; strings.HasPrefix(text, "puzzle:") || strings.Contains(text, ": ") {
				b = board(t, text, "")
			}
			t.Run(f.Name+"/"+format.Name, func(t *testing.T) {
				t.Parallel()
				m := New(t.Context(), paint.New(true), []Game{gameOf(&b, false)})
				start := b.Puzzle.Format(m.line.state())
				for i := range 20 {
					if len(m.choices) == 0 {
						break
					}
					n := i*7%len(m.choices) + 1
					press(m, strings.Join(strings.Split(fmt.Sprint(n), ""), " "))
					if m.typed != "" {
						press(m, "enter")
					}
					if len(m.line.moves) != i+1 || strings.TrimSpace(m.Frame()) == "" {
						t.Fatalf("move %d of %s has not been made: %s", n, b.Puzzle.Format(m.line.state()), m.note)
					}
				}
				for range m.line.at {
					press(m, "u")
				}
				if got := b.Puzzle.Format(m.line.state()); got != start {
					t.Fatalf("all taken back: %s, want %s", got, start)
				}
			})
		}
	}
}

// TestArrows moves pieces by keys, wherever a piece can go: a selected piece goes
// the least way in the arrow's direction.
func TestArrows(t *testing.T) {
	t.Parallel()
	for _, metric := range []string{"step", "slide"} {
		b := board(t, "rushhour/small-5x5.txt", metric)
		m := New(t.Context(), paint.Paint{}, []Game{gameOf(&b, false)})
		made := 0
		for i := range 400 {
			pieces := selectable(b.Puzzle, m.line.state())
			m.selected = pieces[i%len(pieces)]
			name := m.selectedName()
			at := m.line.at
			press(m, []string{"left", "right", "up", "down"}[i/3%4])
			if m.line.at == at {
				continue
			}
			made++
			if move := b.Puzzle.FormatMove(m.line.moves[at]); move != name+"+1" && move != name+"-1" {
				t.Fatalf("%s: %s was selected, and %s was made", metric, name, move)
			}
			if m.selectedName() != name {
				t.Fatalf("%s: %s was selected, now %s is", metric, name, m.selectedName())
			}
		}
		if made < 50 {
			t.Errorf("%s: %d moves: that is not a test", metric, made)
		}
	}
}

// TestHints follows hints to a goal.
func TestHints(t *testing.T) {
	t.Parallel()
	b := board(t, small, "")
	for _, knows := range []bool{true, false} {
		m := New(t.Context(), paint.Paint{}, []Game{gameOf(&b, knows)})
		for range 9 {
			if isGoal(b.Puzzle, m.line.state()) {
				t.Fatal("too early")
			}
			press(m, "h enter")
		}
		if !isGoal(b.Puzzle, m.line.state()) || m.line.at != 9 {
			t.Fatalf("after %d moves: no goal", m.line.at)
		}
		press(m, "h")
		if m.note != "this is a goal" {
			t.Errorf("a hint at a goal: %q", m.note)
		}
	}
	stuck := board(t, "puzzle: rush-hour\n\n.....\nAAB..\nx.B..", "")
	m := New(t.Context(), paint.Paint{}, []Game{gameOf(&stuck, false)})
	press(m, "h")
	if !strings.Contains(m.note, "no goal can be reached") {
		t.Errorf("a board without a solution: %q", m.note)
	}
}

// TestLateAnswers has answers that come when something else is looked at.
func TestLateAnswers(t *testing.T) {
	t.Parallel()
	b := board(t, small, "")
	m := New(t.Context(), paint.Paint{}, []Game{gameOf(&b, true)})
	where, hint := m.Init()(), m.Key("h")()
	press(m, "A right")
	at := *m.place
	m.Update(where)
	m.Update(hint)
	if m.place.Depth != at.Depth || m.hint.shown || m.note != "" {
		t.Errorf("answers to earlier questions are believed: depth %d, hint %v", m.place.Depth, m.hint.shown)
	}
}

// TestWalk fills in the player's path.
func TestWalk(t *testing.T) {
	t.Parallel()
	const text = "#######\n#.   .#\n# $ $ #\n#  @  #\n#     #\n#######"
	pushes, steps := board(t, text, "push"), board(t, text, "move")
	r, err := solve.BFS().Solve(t.Context(), &solve.Problem{Board: pushes})
	if err != nil {
		t.Fatal(err)
	}
	moves, parts, err := Walk(steps.Puzzle, steps.Puzzle.Starts(), pushes.Puzzle, r.Moves)
	if err != nil || len(parts) != len(r.Moves) {
		t.Fatalf("%d parts of %d pushes: %v", len(parts), len(r.Moves), err)
	}
	var names []string
	for _, move := range moves {
		names = append(names, steps.Puzzle.FormatMove(move))
	}
	got := strings.Join(names, "")
	if upper := strings.ToUpper(got); len(got) < len(r.Moves) || strings.Count(upper, "")-1 != len(got) {
		t.Fatal(got)
	}
	state := slices.Clone(steps.Puzzle.Starts())
	pushed := 0
	for _, move := range moves {
		if !steps.Puzzle.Apply(state, state, move) {
			t.Fatalf("%s: a step is not legal", got)
		}
		if name := steps.Puzzle.FormatMove(move); name == strings.ToUpper(name) {
			pushed++
		}
	}
	if !isGoal(steps.Puzzle, state) || pushed != len(r.Moves) {
		t.Errorf("%s: goal %v, %d pushes of %d", got, isGoal(steps.Puzzle, state), pushed, len(r.Moves))
	}
	named, err := Named(steps.Puzzle, steps.Puzzle.Starts(), names)
	if err != nil || !slices.Equal(named, moves) {
		t.Errorf("the moves by their names: %v, %v", named, err)
	}
}

// TestSay plays by words.
func TestSay(t *testing.T) {
	t.Parallel()
	b := board(t, small, "")
	m := New(t.Context(), paint.Paint{}, []Game{gameOf(&b, true)})
	m.Settle(m.Init())
	for _, line := range []string{"A+1 E+1", "undo", "hint", "make", "1", "solve", "n n", "nonsense"} {
		if m.Say(line) {
			t.Fatalf("%q leaves", line)
		}
	}
	if m.line.at != 5 || !strings.Contains(m.Text(), "nonsense is not a move here") {
		t.Errorf("at move %d\n%s", m.line.at, m.Text())
	}
	if !m.Say("q") {
		t.Error("q does not leave")
	}
}

// TestRandom plays a random game: a key that changed nothing may do something the next
// time, and a move that was undone may lead elsewhere.
func TestRandom(t *testing.T) {
	t.Parallel()
	text := strings.NewReplacer("> Stone ]\n[", "randomdir Stone ]\n[", "#PS..GF#", "#PS....#\n#......#", "All Flag on Stone", "").Replace(stones)
	boards, err := families.Read([]byte(text), puzzle.ReadOptions{Seed: "seed"})
	if err != nil {
		t.Fatal(err)
	}
	g := gameOf(&boards[0], false)
	g.Random, g.Guide = true, nil
	m := New(t.Context(), paint.Paint{}, []Game{g})
	nothing, after := 0, map[string]bool{}
	for range 60 {
		if press(m, "right"); m.line.at == 0 {
			nothing++
			if m.note != "right changes nothing" {
				t.Fatal(m.note)
			}
			if m.Say("right"); m.line.at == 0 {
				continue
			}
		}
		after[g.Puzzle.Format(m.line.state())] = true
		press(m, "z")
	}
	if nothing == 0 || nothing == 60 || len(after) != 2 {
		t.Errorf("%d of 60 times nothing changed, else %d levels came of it", nothing, len(after))
	}
	if press(m, "h"); m.note != "no solver is available here" {
		t.Errorf("a hint: %q", m.note)
	}
}
