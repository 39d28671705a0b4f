package rushhour

import (
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// Symmetries returns the reflection about the goal vehicle's line, if that is the middle
// row or column and the reflection maps the board and the start to themselves.
func (g *game) Symmetries(string) (*puzzle.Symmetries, error) {
	a := &action{game: g}
	for n := range g.lines {
		image, ok := g.reflected(n)
		if !ok {
			return nil, errNotSymmetric()
		}
		a.lines = append(a.lines, image)
	}
	var start [puzzle.WordsMax]uint64
	a.reflect(start[:], g.start[:])
	if start != g.start || a.lines[g.goalLine].to != g.goalLine {
		return nil, errNotSymmetric()
	}
	name := "flip"
	if g.exit.vertical() {
		name = "mirror"
	}
	moves := [][]puzzle.Move{nil, nil}
	for id := range g.layout.Moves {
		moves[0], moves[1] = append(moves[0], puzzle.Move(id)), append(moves[1], a.move(puzzle.Move(id)))
	}
	return &puzzle.Symmetries{
		Puzzle: g, Names: []string{"r0", name}, Moves: moves, Inverse: []int{0, 1},
		Cancels: a.cancels, SymmetryAction: a,
	}, nil
}

func errNotSymmetric() error {
	return &puzzle.InputError{What: "the goal vehicle must be in the middle row (the middle column, if it is vertical), and the board the same when it is reflected about it"}
}

// A reflection is the image of a line: another line or the line itself, and the rank there
// of each of its placements.
type reflection struct {
	to    int
	ranks []uint32
}

// reflected returns the image of a line under the reflection about the middle line along
// the goal vehicle.
func (g *game) reflected(n int) (image reflection, ok bool) {
	l := &g.lines[n]
	want := *l
	lengths := make([]int, len(l.vehicles))
	for i, v := range l.vehicles {
		lengths[i] = g.vehicles[v].length
	}
	reversed := l.vertical != g.exit.vertical()
	sides := g.rows
	if g.exit.vertical() {
		sides = g.cols
	}
	if reversed {
		want.first = sides - l.first - l.cells
		slices.Reverse(lengths)
	} else {
		want.index = sides - 1 - l.index
	}
	image.to = slices.IndexFunc(g.lines, func(other line) bool {
		if other.vertical != want.vertical || other.index != want.index || other.first != want.first || other.cells != want.cells || len(other.vehicles) != len(lengths) {
			return false
		}
		for i, v := range other.vehicles {
			if g.vehicles[v].length != lengths[i] {
				return false
			}
		}
		return true
	})
	if image.to < 0 {
		return image, false
	}
	shape := g.tables().shapes[n]
	k := len(lengths)
	for rank := range l.placements {
		if !reversed {
			image.ranks = append(image.ranks, rank)
			continue
		}
		// Free cells before a vehicle are those behind it in the image.
		to, taken := uint32(0), 0
		for i := range k {
			before := int(shape.starts[int(rank)*k+i]) - taken
			to += choose(l.free-before+k-1-i, k-i)
			taken += int(shape.lengths[i])
		}
		image.ranks = append(image.ranks, to)
	}
	return image, true
}

// action is what the reflection does to keys. The representative of an orbit is the least
// key.
type action struct {
	*game
	lines []reflection
}

// reflect writes the image of a state to dst, which is another slice.
func (a *action) reflect(dst, state []uint64) {
	clear(dst)
	for n := range a.lines {
		image := &a.lines[n]
		a.game.lines[image.to].put(dst, uint64(image.ranks[a.game.lines[n].get(state)]))
	}
}

// move returns the image of a move.
func (a *action) move(id puzzle.Move) puzzle.Move {
	t := a.tables()
	if int(id) >= len(t.moves) {
		return id // of a board on which nothing can move
	}
	m := t.moves[id]
	want := moveInfo{uint16(a.lines[m.line].to), m.vehicle, m.steps}
	if l := &a.game.lines[m.line]; l.vertical != a.exit.vertical() {
		want.vehicle, want.steps = uint8(len(l.vehicles)-1)-m.vehicle, -m.steps
	}
	return puzzle.Move(slices.Index(t.moves, want))
}

// cancels reports whether two moves are of one vehicle, and undo each other or are one
// slide.
func (a *action) cancels(first, second puzzle.Move) bool {
	t := a.tables()
	x, y := t.moves[first], t.moves[second]
	return x.line == y.line && x.vehicle == y.vehicle && (a.metric != metricStep || x.steps == -y.steps)
}

// Image writes the image of a state.
func (a *action) Image(dst, state []uint64, symmetry int) {
	if symmetry == 0 {
		copy(dst, state)
		return
	}
	var image [puzzle.WordsMax]uint64
	words := a.layout.Words()
	a.reflect(image[:words], state)
	copy(dst, image[:words])
}

// order compares a state with its image.
func (a *action) order(state []uint64) int {
	var image [puzzle.WordsMax]uint64
	words := a.layout.Words()
	a.reflect(image[:words], state)
	return slices.Compare(state, image[:words])
}

// First returns the first symmetry that leads to the representative.
func (a *action) First(state []uint64) int {
	if a.order(state) > 0 {
		return 1
	}
	return 0
}

// Fixing counts the symmetries that map a state to itself.
func (a *action) Fixing(state []uint64) int {
	if a.order(state) == 0 {
		return 2
	}
	return 1
}

// Merge replaces keys by those of the representatives.
func (a *action) Merge(_, keys []uint64, moves []puzzle.Move) {
	var image [puzzle.WordsMax]uint64
	words := a.layout.Words()
	for i := range moves {
		key := keys[i*words : (i+1)*words]
		a.reflect(image[:words], key)
		moves[i] *= 2
		if slices.Compare(image[:words], key) < 0 {
			copy(key, image[:words])
			moves[i]++
		}
	}
}
