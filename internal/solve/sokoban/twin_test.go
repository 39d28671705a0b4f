package sokoban

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle"
	puzzles "github.com/everystate/everystate/puzzle/sokoban"
)

// distancesOf explores a level and returns its states and, of each, the pushes to a
// goal; those that are dead are missing.
func distancesOf(p puzzle.Puzzle, statesMax int) (states []uint64, distance map[uint64]int) {
	states = p.Starts()
	seen := map[uint64]bool{states[0]: true}
	from := map[uint64][]uint64{}
	var edges puzzle.Edges
	for i := 0; i < len(states); i++ {
		if len(states) > statesMax {
			return nil, nil
		}
		edges.Reset()
		p.Successors(states[i:i+1], &edges)
		for _, key := range edges.Keys {
			from[key] = append(from[key], states[i])
			if !seen[key] {
				seen[key] = true
				states = append(states, key)
			}
		}
	}
	marks := make([]bool, len(states))
	p.Goals(states, marks)
	distance = map[uint64]int{}
	var queue []uint64
	for i, key := range states {
		if marks[i] {
			distance[key] = 0
			queue = append(queue, key)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, key := range from[queue[0]] {
			if _, ok := distance[key]; !ok {
				distance[key] = distance[queue[0]] + 1
				queue = append(queue, key)
			}
		}
	}
	return states, distance
}

// levelsToTry returns small levels: known ones, and random ones full of corners.
func levelsToTry(tb testing.TB, statesMax int) []string {
	tb.Helper()
	var levels []string
	for _, c := range truthOf(tb, "push") {
		if c.Complete && c.Reachable <= statesMax {
			levels = append(levels, c.Input)
		}
	}
	random := rand.New(rand.NewPCG(2001, 61))
	for range 300 {
		if text, ok := randomLevel(random); ok {
			levels = append(levels, text)
		}
	}
	return levels
}

// randomLevel draws a level at random. It may be unsolvable, or no level at all.
func randomLevel(random *rand.Rand) (string, bool) {
	rows, cols := 3+random.IntN(4), 3+random.IntN(4)
	grid := make([][]byte, rows+2)
	for r := range grid {
		grid[r] = []byte(strings.Repeat("#", cols+2))
		for c := 1; c <= cols && r > 0 && r <= rows; c++ {
			if random.IntN(5) > 0 {
				grid[r][c] = ' '
			}
		}
	}
	put := func(on map[byte]byte) {
		for range 1000 {
			r, c := 1+random.IntN(rows), 1+random.IntN(cols)
			if to, ok := on[grid[r][c]]; ok {
				grid[r][c] = to
				return
			}
		}
	}
	put(map[byte]byte{' ': '@'})
	for range 1 + random.IntN(4) {
		put(map[byte]byte{' ': '.', '@': '+'})
		put(map[byte]byte{' ': '$', '.': '*'})
	}
	lines := make([]string, len(grid))
	for r := range grid {
		lines[r] = string(grid[r])
	}
	text := strings.Join(lines, "\n")
	_, err := puzzles.Read([]byte(text), puzzle.ReadOptions{})
	return text, err == nil
}

// In every state of many levels: no bound says too much, whatever is called dead is
// dead, and what is left out leaves a path of least pushes.
func TestNothingNeededIsLeftOut(t *testing.T) {
	statesMax := 4_000
	if testing.Short() {
		statesMax = 500
	}
	levels, corrals, gained, closed := 0, 0, 0, 0
	for _, text := range levelsToTry(t, statesMax) {
		p := readBoard(t, text, "push").Puzzle
		if p.Layout().KeyBits > 64 {
			continue
		}
		states, distance := distancesOf(p, statesMax)
		if states == nil {
			continue
		}
		levels++
		l, err := NewLevel(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		if l.tables.startDead {
			if len(distance) > 0 {
				t.Fatalf("solvable, but called lost:\n%s", text)
			}
			continue
		}
		x := examiner{t: t, p: p, l: l, distance: distance}
		x.plain = []*expander{newExpander(l.tables, 0, true), newExpander(l.tables, 0, false), newExpander(l.tables, boundRegions, false)}
		x.all = newExpander(l.tables, pruneAll, false)
		x.corral = newCorrals(l.tables)
		x.corral.expander.prune = 0
		for _, key := range states {
			x.examine(key)
		}
		corrals += x.corrals
		gained += x.gained
		closed += x.closed
		if t.Failed() {
			t.Fatalf("%s", text)
		}
	}
	if levels < 200 || corrals < 200 || gained < 1000 || closed < 20 {
		t.Errorf("%d levels, %d corrals, %d bounds made better, %d lost corrals: the test shows nothing", levels, corrals, gained, closed)
	}
}

type examiner struct {
	t        *testing.T
	p        puzzle.Puzzle
	l        *Level
	distance map[uint64]int
	plain    []*expander
	all      *expander
	corrals  int
	gained   int
	corral   *corrals
	closed   int
}

// position returns a state in the solver's cells, or false if a box is on a dead
// cell.
func (x *examiner) position(key uint64) (boxes cellSet, player int, ok bool) {
	state, _ := puzzles.LevelOf(x.p, []uint64{key})
	cells := map[int]int{}
	for c, n := range x.l.tables.number {
		cells[n] = c
	}
	for _, c := range state.Boxes {
		if cells[c] >= x.l.tables.live {
			return boxes, 0, false
		}
		boxes.add(cells[c])
	}
	return boxes, cells[state.Player], true
}

func (x *examiner) examine(key uint64) {
	t := x.t
	boxes, player, ok := x.position(key)
	distance, alive := x.distance[key]
	if !ok {
		if alive {
			t.Errorf("a box on a dead cell %d pushes from a goal:\n%s", distance, x.p.Format([]uint64{key}))
		}
		return
	}
	last := 0
	for i, e := range append(x.plain, x.all) {
		e.enter(&boxes, player)
		bound := e.bound()
		if alive && bound > distance {
			t.Errorf("bound %d says %d, the distance is %d:\n%s", i, bound, distance, x.p.Format([]uint64{key}))
		}
		if bound < last {
			t.Errorf("bound %d says %d, and one before it %d", i, bound, last)
		}
		if i == 3 && bound > last {
			x.gained++
		}
		last = bound
	}
	if !alive || distance == 0 {
		return
	}
	if _, found := x.all.corral(&x.all.boxes, &x.all.reached); found {
		x.corrals++
	}
	best := unreachable
	for _, c := range x.all.children(nil) {
		var out [1]uint64
		m := puzzle.Move(4*x.l.tables.number[c.push.from] + int(c.push.dir))
		if !x.p.Apply(out[:], []uint64{key}, m) {
			t.Fatalf("no push: %v", c.push)
		}
		next, ok := x.distance[out[0]]
		bound := x.all.boundOf(&c)
		// Without pairs, whose choice may differ, a bound is the same made anew.
		parent := x.plain[2]
		parent.enter(&boxes, player)
		parent.match()
		quick := parent.boundOf(&c)
		parent.enter(&c.boxes, int(c.push.from))
		if whole := parent.bound(); whole != quick {
			t.Errorf("a child's bound is %d, made anew %d", quick, whole)
		}
		if ok {
			best = min(best, next)
			if bound > next {
				t.Errorf("a child's bound is %d, its distance %d", bound, next)
			}
		}
	}
	// Lost corrals, where nothing else has left them out before.
	x.plain[1].enter(&boxes, player)
	for _, c := range x.plain[1].children(nil) {
		if !x.corral.dead(&c) {
			continue
		}
		x.closed++
		var out [1]uint64
		x.p.Apply(out[:], []uint64{key}, puzzle.Move(4*x.l.tables.number[c.push.from]+int(c.push.dir)))
		if next, ok := x.distance[out[0]]; ok {
			t.Errorf("a corral that is called lost, %d pushes from a goal:\n%s", next, x.p.Format(out[:]))
		}
	}
	if best != distance-1 {
		t.Errorf("%d pushes from a goal, but the best push that is not left out leads to %d:\n%s", distance, best, x.p.Format([]uint64{key}))
	}
}

// The matching is that of trying all, row after row changed.
func TestMatching(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 11))
	row := func(n int) []uint16 {
		costs := make([]uint16, n)
		for i := range costs {
			if costs[i] = uint16(random.IntN(12)); costs[i] > 9 {
				costs[i] = unreachable
			}
		}
		return costs
	}
	for range 500 {
		n := 1 + random.IntN(6)
		m := newMatching(n)
		for r := range n {
			m.costs[r+1] = row(n)
		}
		m.solve()
		for step := range 6 {
			if got, want := m.sum(), leastSum(m.costs[1:], 0); got != want {
				t.Fatalf("step %d: %d, want %d: %v", step, got, want, m.costs[1:])
			}
			m.replace(1+random.IntN(n), row(n))
		}
	}
}

// leastSum tries all ways to match the rows with columns not used yet.
func leastSum(rows [][]uint16, used uint) int {
	if len(rows) == 0 {
		return 0
	}
	best := unreachable
	for col, cost := range rows[0] {
		if used>>col&1 == 0 && cost < unreachable {
			best = min(best, int(cost)+leastSum(rows[1:], used|1<<col))
		}
	}
	return best
}

func ExampleSolution_Table() {
	boards, err := puzzles.Read([]byte("######\n#    #\n#@$ .#\n######"), puzzle.ReadOptions{})
	if err != nil {
		panic(err)
	}
	l, err := NewLevel(boards[0].Puzzle, nil)
	if err != nil {
		panic(err)
	}
	s := l.solution([]push{{l.tables.start.list(nil)[0], right}})
	fmt.Print(s.Moves, "\n", s.Table())
	// Output:
	// R
	// 3 3 right
}
