package folding

import (
	"slices"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/permutation/ranking"
	"github.com/everystate/everystate/puzzle/permutation/structure"
)

// Space is the states of a puzzle in folded blocks.
type Space struct {
	*choice
	turned
	system *structure.System
	start  state
	during func(done float64) bool // while ranks are built

	innerPlaces, outerPlaces []int

	// By class: the inner numbers of its items, and by turn of the whole what they count
	// in a key; and by inner number the item. The class is the parity of the inner pieces.
	numbers [2][]uint32
	keys    [2][][]uint64
	itemOf  []uint16
	classOf []uint8 // by inner number
	settled uint8   // the parity of the pieces that decide and are decided, together

	reps       []uint32
	weights    []uint16      // by block
	blockClass []uint8       // by block
	images     [][2][]uint16 // by symmetry and class of the block: the row
	back       []int         // by symmetry: its inverse
}

// New returns folded ranks of the states that the moves of a system, which have inverses
// among them, reach from its start; parts are the coordinates of a key, those of an orbit
// in a row. If a piece is held, the parts are those of the states in which it is not. It
// returns nil if there are none, or if many ranks would have no state, of which there are
// as many as states says, or once during reports false (see puzzle.Foldable).
func New(s *structure.System, list []structure.Automorphism, parts []Part, states int64, held *Held, during func(done float64) bool) *puzzle.Ranks {
	f := plan(s, list, parts, states, held)
	if f == nil {
		return nil
	}
	if f.during = during; during == nil {
		f.during = func(float64) bool { return true }
	}
	if f.setItems(); !f.closed() {
		return nil
	}
	return f.ranks()
}

// Needs returns about how many ranks New returns, and how many bytes it takes to make them
// and to search a table of them: four bits per rank. It returns zeros if New returns nil for
// sure.
func Needs(s *structure.System, list []structure.Automorphism, parts []Part, states int64, held *Held) (ranks, bytes int64) {
	f := plan(s, list, parts, states, held)
	if f == nil {
		return 0, 0
	}
	const (
		bytesPerBlock = 6     // of orbits
		bytesPerItem  = 2 * 2 // of a row and its inverse
	)
	ranks = int64(f.folded())
	return ranks, max(bytesPerBlock*int64(f.blocks), ranks/2+bytesPerItem*int64(f.rowsMax()*f.items))
}

// rowsMax bounds the rows: one for each move, symmetry and class.
func (f *Space) rowsMax() int { return len(f.moves) * len(f.list) * f.classes }

// plan returns a space that is divided between blocks and items, or nil.
func plan(s *structure.System, list []structure.Automorphism, parts []Part, states int64, held *Held) *Space {
	f := &Space{system: s}
	if !f.setTurns(held) {
		return nil
	}
	list = f.withTurns(list)
	if len(f.moves) > puzzle.FoldMoves || len(s.Moduli) > placesMax || len(list) < 2 || len(list) > listMax {
		return nil
	}
	copy(f.start.pieces[:], s.Start.Pieces)
	copy(f.start.orients[:], s.Start.Orients)
	orbits := orbitsOf(s, parts, &f.start)
	if orbits == nil {
		return nil
	}
	f.choice = choose(s, list, orbits)
	if f.choice == nil || int64(f.blocks)*int64(f.items) != states*int64(len(f.turns)) || f.rowsMax() > puzzle.NoItem || !f.setParts(parts) {
		return nil
	}
	return f
}

// setItems lists the items by class.
func (f *Space) setItems() {
	f.innerPlaces, f.outerPlaces = placesOf(f.choice.inner), placesOf(f.choice.outer)
	f.settled = f.parityOf(f.deciding, &f.start) ^ f.parityOf(f.decided, &f.start)
	n := f.items * f.classes
	f.itemOf, f.classOf = make([]uint16, n), make([]uint8, n)
	a := f.start
	for number := range n {
		f.put(&a, f.choice.inner, number)
		class := uint8(0)
		if f.classes > 1 {
			class = f.parityOf(f.decided, &a)
		}
		f.itemOf[number], f.classOf[number] = uint16(len(f.numbers[class])), class
		f.numbers[class] = append(f.numbers[class], uint32(number))
		f.addItem(&a, class)
	}
}

func placesOf(parts []*numbering) (places []int) {
	for _, n := range parts {
		places = append(places, n.Places...)
	}
	slices.Sort(places)
	return slices.Compact(places)
}

// parityOf returns the parity of the pieces of some parts of a state.
func (f *Space) parityOf(parts []*numbering, a *state) (odd uint8) {
	var items [placesMax]uint8
	for _, n := range parts {
		odd ^= ranking.Parity(n.take(&items, a))
	}
	return odd
}

// put writes the parts with a number into a state.
func (f *Space) put(a *state, parts []*numbering, number int) {
	var items [placesMax]uint8
	for i := len(parts) - 1; i >= 0; i-- {
		n := parts[i]
		n.put(a, n.unrank(&items, number%n.count))
		number /= n.count
	}
}

// number returns the number of the parts of a state, or -1 if it cannot be reached.
func (f *Space) number(parts []*numbering, a *state) int {
	number := 0
	for _, n := range parts {
		i := n.of(a)
		if i < 0 {
			return -1
		}
		number = number*n.count + i
	}
	return number
}

// class returns the class of the items of a block.
func (f *Space) class(a *state) uint8 {
	if f.classes == 1 {
		return 0
	}
	return f.settled ^ f.parityOf(f.deciding, a)
}

// image writes the image of some places of a state under a symmetry.
func (f *Space) image(dst, src *state, symmetry int, places []int) {
	t := &f.list[symmetry]
	for _, at := range places {
		at &= placesMax - 1
		to, piece := t.To[at]&(placesMax-1), src.pieces[at]
		dst.pieces[to] = t.Pieces[piece]
		if f.system.Moduli[at] > 1 {
			dst.orients[to] = t.Turn(at, piece, src.orients[at], f.system)
		}
	}
}

// noBlock marks blocks that have no orbit yet.
const noBlock = 1<<32 - 1

// What is told while ranks are built: how often, in blocks, and what grouping them is of
// the whole.
const (
	duringBlocks  = 1 << 12
	groupingShare = 0.9
)

// orbits groups the blocks into orbits, of which the least is kept. It returns, by number,
// the block that is kept, and the symmetry that leads there; nil if it was stopped.
func (f *Space) orbits() (kept []uint32, how []uint16) {
	kept, how = make([]uint32, f.blocks), make([]uint16, f.blocks)
	for i := range kept {
		kept[i] = noBlock
	}
	a, b := f.start, f.start
	images := make([]int, len(f.list))
	for number := range kept {
		if number%duringBlocks == 0 && !f.during(groupingShare*float64(number)/float64(f.blocks)) {
			return nil, nil
		}
		if kept[number] != noBlock {
			continue
		}
		f.put(&a, f.choice.outer, number)
		for g := range images {
			f.image(&b, &a, g, f.outerPlaces)
			images[g] = f.number(f.choice.outer, &b)
		}
		// Each is far from the others in memory. Nothing waits for one of them.
		block, weight := uint32(len(f.reps)), uint16(0)
		for g, to := range images {
			if kept[to] == noBlock {
				kept[to], how[to] = block, uint16(f.back[g])
				weight++
			}
		}
		f.reps = append(f.reps, uint32(number))
		f.weights = append(f.weights, weight/uint16(len(f.turns)))
		f.blockClass = append(f.blockClass, f.class(&a))
	}
	return kept, how
}

// ranks returns the ranks, or nil if they would take too much memory or it was stopped.
func (f *Space) ranks() *puzzle.Ranks {
	f.back = structure.Inverses(f.list, f.system)
	kept, how := f.orbits()
	if kept == nil || len(f.reps)*len(f.moves) > entriesMax {
		return nil
	}
	out := &puzzle.Ranks{Blocks: len(f.reps), Size: f.items, RankCoder: f, Fold: &puzzle.Fold{Weights: f.weights, Folder: f}}
	for i := range f.list {
		out.Fold.Moves = append(out.Fold.Moves, f.called(&f.list[i]))
		f.images = append(f.images, [2][]uint16{})
		for class := range f.classes {
			f.images[i][class] = f.row(nil, i, uint8(class))
		}
	}
	rows := newRows(f)
	a, b := f.start, f.start
	for id := range f.moves {
		action := puzzle.Action{Move: puzzle.Move(id), Inverse: f.undoing(id), Blocks: make([]int32, len(f.reps)), BlockRows: make([]uint16, len(f.reps))}
		for block, number := range f.reps {
			if block%duringBlocks == 0 && !f.during(groupingShare+(1-groupingShare)*float64(id)/float64(len(f.moves))) {
				return nil
			}
			f.put(&a, f.choice.outer, int(number))
			turn(&b, &a, &f.moves[id], f.system, f.outerPlaces)
			to := f.number(f.choice.outer, &b)
			action.Blocks[block] = int32(kept[to])
			action.BlockRows[block] = rows.of(id, int(how[to]), f.blockClass[block])
		}
		out.Actions = append(out.Actions, action)
	}
	out.Rows = rows.all
	for _, row := range out.Rows {
		inverted := make([]uint16, len(row))
		for item, to := range row {
			inverted[to] = uint16(item)
		}
		out.Fold.Inverted = append(out.Fold.Inverted, inverted)
	}
	return out
}

// undoing returns the move that undoes a move.
func (f *Space) undoing(id int) int {
	return slices.IndexFunc(f.moves, f.moves[id].Inverse(f.system.Moduli).Equal)
}

// rows are the rows of actions: of a move, and then a symmetry, from a class of items.
type rows struct {
	space *Space
	known map[[3]uint16]uint16
	moved map[[2]uint16][]uint16 // by move and class
	all   [][]uint16
}

func newRows(f *Space) *rows {
	return &rows{space: f, known: map[[3]uint16]uint16{}, moved: map[[2]uint16][]uint16{}}
}

// of returns the index of a row.
func (r *rows) of(move, symmetry int, class uint8) uint16 {
	kind := [3]uint16{uint16(move), uint16(symmetry), uint16(class)}
	index, ok := r.known[kind]
	if !ok {
		index = uint16(len(r.all))
		r.known[kind] = index
		r.all = append(r.all, r.make(kind))
	}
	return index
}

func (r *rows) make(kind [3]uint16) []uint16 {
	f, class := r.space, uint8(kind[2])
	key := [2]uint16{kind[0], kind[2]}
	moved := r.moved[key]
	if moved == nil {
		moved = f.row(&f.moves[kind[0]], 0, class)
		r.moved[key] = moved
	}
	if f.classes > 1 {
		class ^= f.parityBy(&f.moves[kind[0]])
	}
	row := make([]uint16, len(moved))
	for item, to := range moved {
		row[item] = f.images[kind[1]][class][to]
	}
	return row
}

// parityBy returns the parity by which a move permutes the pieces that are decided.
func (f *Space) parityBy(m *structure.Move) (odd uint8) {
	for _, n := range f.decided {
		odd ^= n.parityOf(m)
	}
	return odd
}

// row returns where a move, or none, and then a symmetry lead from the items of a class.
func (f *Space) row(m *structure.Move, symmetry int, class uint8) []uint16 {
	row := make([]uint16, f.items)
	a, b, c := f.start, f.start, f.start
	for item, number := range f.numbers[class] {
		f.put(&a, f.choice.inner, int(number))
		from := &a
		if m != nil {
			turn(&b, &a, m, f.system, f.innerPlaces)
			from = &b
		}
		f.image(&c, from, symmetry, f.innerPlaces)
		row[item] = f.itemOf[f.number(f.choice.inner, &c)]
	}
	return row
}
