package tiles

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// Symmetries returns the rotations and reflections of the board that, with the tiles
// renamed so that the goal remains the same, map the start to itself: those that keep
// the hole of the goal in its place, if the start is the goal.
func (g *game) Symmetries(string) (*puzzle.Symmetries, error) {
	a := &action{game: g}
	s := &puzzle.Symmetries{Puzzle: g, SymmetryAction: a}
	var start, goal arrangement
	g.arrangement(g.start, start[:])
	g.arrangement(g.goal, goal[:])
	cells := g.cells()
	for kind := range 8 {
		t := transform{kind&1 != 0, kind&2 != 0, kind&4 != 0}
		if t.transposed && g.rows != g.cols {
			continue
		}
		r := renaming{}
		for cell := range cells {
			r.to[cell] = uint8(t.cell(g.shape, cell))
		}
		for cell, to := range r.to[:cells] {
			r.tiles[goal[cell]], r.from[to] = goal[to], uint8(cell)
		}
		var image arrangement
		r.apply(&image, &start, cells)
		if r.tiles[0] != 0 || image != start {
			continue
		}
		a.list = append(a.list, r)
		s.Names = append(s.Names, t.name())
		var moves []puzzle.Move
		for m := range g.layout.Moves {
			moves = append(moves, g.turned(t, puzzle.Move(m)))
		}
		s.Moves = append(s.Moves, moves)
	}
	if len(a.list) < 2 {
		return nil, &puzzle.InputError{What: "only the identity maps both the start and the goal to themselves: the hole of the goal must be on an axis of the board, and the start must be the goal or symmetric to it"}
	}
	for i := range a.list {
		s.Inverse = append(s.Inverse, slices.IndexFunc(a.list, func(other renaming) bool {
			for cell, to := range a.list[i].to[:cells] {
				if int(other.to[to]) != cell {
					return false
				}
			}
			return true
		}))
	}
	spread := g.spread()
	s.Cancels = func(a, b puzzle.Move) bool { return b == spread.opposite(a) }
	return s, nil
}

// A transform is a rotation or reflection of the board: first rows are exchanged, then
// columns, then both with each other.
type transform struct{ rows, cols, transposed bool }

// name names a transform by its effect.
func (t transform) name() string {
	names := [...]string{"r0", "flip", "mirror", "r180", "diagonal", "r90", "r270", "antidiagonal"}
	at := 0
	for i, set := range []bool{t.rows, t.cols, t.transposed} {
		if set {
			at += 1 << i
		}
	}
	return names[at]
}

// cell returns the image of a cell.
func (t transform) cell(s shape, cell int) int {
	row, col := cell/s.cols, cell%s.cols
	if t.rows {
		row = s.rows - 1 - row
	}
	if t.cols {
		col = s.cols - 1 - col
	}
	if t.transposed {
		row, col = col, row
	}
	return row*s.cols + col
}

// turned returns the image of a move.
func (g *game) turned(t transform, m puzzle.Move) puzzle.Move {
	name := g.FormatMove(m)
	// Up, down, left and right, as row and column steps.
	at := [...]byte{'U', 'D', 'L', 'R'}
	direction := slices.Index(at[:], name[0])
	if t.rows && direction < 2 || t.cols && direction >= 2 {
		direction ^= 1
	}
	if t.transposed {
		direction ^= 2
	}
	want := fmt.Sprintf("%c%s", at[direction], name[1:])
	for other := range g.layout.Moves {
		if g.FormatMove(puzzle.Move(other)) == want {
			return puzzle.Move(other)
		}
	}
	panic("tiles: the image of move " + name + " is not a move") // only squares are transposed
}

// arrangement holds the tile of each cell, row by row.
type arrangement [cellsMax]uint8

// A renaming takes the tile of each cell to another cell and gives it another number.
// from holds the inverse of to.
type renaming struct{ to, from, tiles arrangement }

func (r *renaming) apply(dst, src *arrangement, cells int) {
	for cell := range cells {
		dst[cell] = r.tiles[src[r.from[cell]]]
	}
}

// action is what renamings do to keys. The representative of an orbit is the first in
// lexicographic order, row by row.
type action struct {
	*game
	list []renaming
}

// first returns the first symmetry that leads to the representative, and the
// arrangement of the key.
func (a *action) first(key uint64) (first int, state arrangement) {
	cells := a.cells()
	a.arrangement(key, state[:])
	least := &a.list[0]
	for g := 1; g < len(a.list); g++ {
		if r := &a.list[g]; r.before(least, &state, cells) {
			least, first = r, g
		}
	}
	return first, state
}

// before reports whether the image of an arrangement comes before that under another
// renaming. Most pairs are decided by the first cells.
func (r *renaming) before(other *renaming, state *arrangement, cells int) bool {
	for cell := range cells {
		tile, than := r.tiles[state[r.from[cell]]], other.tiles[state[other.from[cell]]]
		if tile != than {
			return tile < than
		}
	}
	return false
}

// First returns the first symmetry that leads to the representative.
func (a *action) First(state []uint64) int {
	first, _ := a.first(state[0])
	return first
}

// Image writes the image of a state.
func (a *action) Image(dst, state []uint64, symmetry int) {
	var from, to arrangement
	a.arrangement(state[0], from[:])
	a.list[symmetry].apply(&to, &from, a.cells())
	dst[0] = a.key(to[:])
}

// Fixing counts the symmetries that map a state to itself.
func (a *action) Fixing(state []uint64) int {
	var from arrangement
	a.arrangement(state[0], from[:])
	count := 0
	identity, cells := &a.list[0], a.cells()
	for g := range a.list {
		if r := &a.list[g]; !r.before(identity, &from, cells) && !identity.before(r, &from, cells) {
			count++
		}
	}
	return count
}

// Merge replaces keys by those of the representatives.
func (a *action) Merge(_, keys []uint64, moves []puzzle.Move) {
	n := puzzle.Move(len(a.list))
	var least arrangement
	for i, key := range keys[:len(moves)] {
		first, state := a.first(key)
		if first > 0 {
			a.list[first].apply(&least, &state, a.cells())
			keys[i] = a.key(least[:])
		}
		moves[i] = moves[i]*n + puzzle.Move(first)
	}
}

var _ puzzle.OrbitCounter = (*action)(nil)

// Orbits returns the number of orbits, by Burnside's lemma. A renaming maps an arrangement
// to itself if the arrangement takes its cycles of cells to its cycles of tiles. All but
// the identity have a cycle of two or four cells, without the hole; tiles that go around in
// one change the parity, so that half of these arrangements can be reached.
func (a *action) Orbits() puzzle.Size {
	size := a.Size()
	if a.width() == 1 {
		size.Exact, size.Formula = false, ""
		return size
	}
	count := int64(len(a.list))
	sum, others := new(big.Int).Set(size.States), int64(0)
	for i := range a.list[1:] {
		others += a.list[1+i].fixed(a.cells()) / 2
	}
	sum.Add(sum, big.NewInt(others))
	size.Formula = fmt.Sprintf("(%s + %d)/%d", size.Formula, others, count)
	size.States = sum.Div(sum, big.NewInt(count))
	return size
}

// fixed returns how many arrangements, reachable or not, a renaming maps to themselves.
func (r *renaming) fixed(cells int) int64 {
	var cycles [cellsMax + 1]int64 // by length
	var seen [cellsMax]bool
	for cell := range cells {
		length := 0
		for ; !seen[cell]; cell = int(r.to[cell]) {
			seen[cell] = true
			length++
		}
		cycles[length]++
	}
	n := int64(1)
	for length := int64(1); length <= int64(cells); length++ {
		for i := range cycles[length] {
			n *= length * (i + 1)
		}
	}
	return n
}
