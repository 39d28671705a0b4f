package folding

import (
	"slices"
	"sort"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/permutation/ranking"
	"github.com/everystate/everystate/puzzle/permutation/structure"
)

// Space is the states of a puzzle in folded blocks.
type Space struct {
	*choice
	system *structure.System
	start  state

	innerPlaces, outerPlaces []int

	// By class: the inner numbers of its items, what they count in a key, and by inner
	// number the item. The class is the parity of the inner pieces.
	numbers    [2][]uint32
	keys       [2][]uint64
	itemOf     []uint16
	classOf    []uint8 // by inner number
	settled    uint8   // the parity of the pieces that decide and are decided, together
	reps       []uint32
	blockClass []uint8       // by block
	images     [][2][]uint16 // by symmetry and class of the block: the row
	back       []int         // by symmetry: its inverse
	weights    []uint16
}

// New returns folded ranks of the states that the moves of a system, which have inverses
// among them, reach from its start; parts are the coordinates of a key, those of an orbit
// in a row. It returns nil if there are none, or if many ranks would have no state, of
// which there are as many as states says.
func New(s *structure.System, list []structure.Automorphism, parts []Part, states int64) *puzzle.Ranks {
	if len(s.Moves) > puzzle.FoldMoves || len(s.Moduli) > placesMax || len(list) < 2 || len(list) > 1<<8 {
		return nil
	}
	f := &Space{system: s}
	copy(f.start.pieces[:], s.Start.Pieces)
	copy(f.start.orients[:], s.Start.Orients)
	orbits := orbitsOf(s, parts, &f.start)
	if orbits == nil {
		return nil
	}
	if f.choice = choose(s, list, orbits); f.choice == nil || int64(f.blocks)*int64(f.items) != states {
		return nil
	}
	f.setItems()
	return f.ranks()
}

// setItems lists the items by class.
func (f *Space) setItems() {
	f.innerPlaces, f.outerPlaces = placesOf(f.inner), placesOf(f.outer)
	f.settled = f.parityOf(f.deciding, &f.start) ^ f.parityOf(f.decided, &f.start)
	n := f.items * f.classes
	f.itemOf, f.classOf = make([]uint16, n), make([]uint8, n)
	a := f.start
	for number := range n {
		key := f.put(&a, f.inner, number)
		class := uint8(0)
		if f.classes > 1 {
			class = f.parityOf(f.decided, &a)
		}
		f.itemOf[number], f.classOf[number] = uint16(len(f.numbers[class])), class
		f.numbers[class] = append(f.numbers[class], uint32(number))
		f.keys[class] = append(f.keys[class], key)
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

// put writes the parts with a number into a state, and returns what they count in a key.
func (f *Space) put(a *state, parts []*numbering, number int) (key uint64) {
	var items [placesMax]uint8
	for i := len(parts) - 1; i >= 0; i-- {
		n := parts[i]
		rank, list := n.rank(&items, number%n.count)
		number /= n.count
		n.put(a, list)
		key += rank * n.Stride
	}
	return key
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

// orbits groups the blocks into orbits, of which the least is kept. It returns, by number,
// the block that is kept, and the symmetry that leads there.
func (f *Space) orbits() (kept []uint32, how []uint8) {
	kept, how = make([]uint32, f.blocks), make([]uint8, f.blocks)
	for i := range kept {
		kept[i] = noBlock
	}
	a, b := f.start, f.start
	for number := range kept {
		if kept[number] != noBlock {
			continue
		}
		f.put(&a, f.outer, number)
		block, weight := uint32(len(f.reps)), uint16(0)
		for g := range f.list {
			f.image(&b, &a, g, f.outerPlaces)
			if to := f.number(f.outer, &b); kept[to] == noBlock {
				kept[to], how[to] = block, uint8(f.back[g])
				weight++
			}
		}
		f.reps = append(f.reps, uint32(number))
		f.weights = append(f.weights, weight)
		f.blockClass = append(f.blockClass, f.class(&a))
	}
	return kept, how
}

// ranks returns the ranks, or nil if they would take too much memory.
func (f *Space) ranks() *puzzle.Ranks {
	for i := range f.list {
		f.back = append(f.back, slices.IndexFunc(f.list, func(t structure.Automorphism) bool { return f.list[i].Inverts(&t, f.system) }))
	}
	kept, how := f.orbits()
	moves := f.system.Moves
	if len(f.reps)*len(moves) > entriesMax {
		return nil
	}
	out := &puzzle.Ranks{Blocks: len(f.reps), Size: f.items, RankCoder: f, Fold: &puzzle.Fold{Weights: f.weights, Folder: f}}
	for i := range f.list {
		out.Fold.Moves = append(out.Fold.Moves, f.list[i].Moves)
		f.images = append(f.images, [2][]uint16{})
		for class := range f.classes {
			f.images[i][class] = f.row(nil, i, uint8(class))
		}
	}
	rows := map[[3]uint16]uint16{} // by move, symmetry and class
	a, b := f.start, f.start
	for id := range moves {
		action := puzzle.Action{Move: puzzle.Move(id), Inverse: f.undoing(id), Blocks: make([]int32, len(f.reps)), BlockRows: make([]uint16, len(f.reps))}
		for block, number := range f.reps {
			f.put(&a, f.outer, int(number))
			turn(&b, &a, &moves[id], f.system, f.outerPlaces)
			to := f.number(f.outer, &b)
			action.Blocks[block] = int32(kept[to])
			kind := [3]uint16{uint16(id), uint16(how[to]), uint16(f.blockClass[block])}
			row, ok := rows[kind]
			if !ok {
				row = uint16(len(out.Rows))
				rows[kind] = row
				out.Rows = append(out.Rows, f.row(&moves[id], int(how[to]), f.blockClass[block]))
			}
			action.BlockRows[block] = row
		}
		out.Actions = append(out.Actions, action)
	}
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
	t := &f.system.Moves[id]
	return slices.IndexFunc(f.system.Moves, func(u structure.Move) bool {
		for i, from := range u.From {
			if int(t.From[from]) != i || int(t.By[from])+int(u.By[i]) != 0 && t.By[from]+u.By[i] != f.system.Moduli[i] {
				return false
			}
		}
		return true
	})
}

// row returns where a move, or none, and then a symmetry lead from the items of a class.
func (f *Space) row(m *structure.Move, symmetry int, class uint8) []uint16 {
	row := make([]uint16, f.items)
	a, b, c := f.start, f.start, f.start
	for item, number := range f.numbers[class] {
		f.put(&a, f.inner, int(number))
		from := &a
		if m != nil {
			turn(&b, &a, m, f.system, f.innerPlaces)
			from = &b
		}
		f.image(&c, from, symmetry, f.innerPlaces)
		row[item] = f.itemOf[f.number(f.inner, &c)]
	}
	return row
}

// AppendKeys appends the keys of items of a block.
func (f *Space) AppendKeys(keys []uint64, block int, items []uint16) []uint64 {
	a := f.start
	base := f.put(&a, f.outer, int(f.reps[block]))
	inner := f.keys[f.blockClass[block]]
	for _, item := range items {
		keys = append(keys, base+inner[item])
	}
	return keys
}

// EachImage calls g with the images of items of a block.
func (f *Space) EachImage(buf []uint64, block int, items []uint16, g func(symmetry int, keys []uint64)) []uint64 {
	a, b := f.start, f.start
	f.put(&a, f.outer, int(f.reps[block]))
	class, weight := f.blockClass[block], int(f.weights[block])
	var seen [1 << 8]uint32
	n := 0
	for i := range f.list {
		f.image(&b, &a, i, f.outerPlaces)
		if weight < len(f.list) {
			number := uint32(f.number(f.outer, &b))
			if slices.Contains(seen[:n], number) {
				continue
			}
			seen[n] = number
			n++
		}
		base := f.key(&b)
		inner, row := f.keys[f.class(&b)], f.images[i][class]
		buf = buf[:0]
		for _, item := range items {
			buf = append(buf, base+inner[row[item]])
		}
		g(i, buf)
	}
	return buf
}

// key returns what the outer parts of a state count in its key.
func (f *Space) key(a *state) (key uint64) {
	var items [placesMax]uint8
	for _, n := range f.outer {
		key += n.Rank(n.take(&items, a)) * n.Stride
	}
	return key
}

// Rank returns the block and the item that stand for a key.
func (f *Space) Rank(key uint64) (block int, item uint16, ok bool) {
	block, item, _, ok = f.RankImage(key)
	return block, item, ok
}

// RankImage returns the block and the item that stand for a key, and how.
func (f *Space) RankImage(key uint64) (block int, item uint16, symmetry int, ok bool) {
	var items [placesMax]uint8
	a, b := f.start, f.start
	for _, parts := range [][]*numbering{f.outer, f.inner} {
		for _, n := range parts {
			list := items[:len(n.Places)]
			n.Unrank(list, key/n.Stride%n.Size)
			n.put(&a, list)
		}
	}
	inner, least := f.number(f.inner, &a), f.number(f.outer, &a)
	if inner < 0 || least < 0 || f.classOf[inner] != f.class(&a) {
		return 0, 0, 0, false
	}
	for _, parts := range [][]*numbering{f.outer, f.inner} {
		for _, n := range parts {
			if n.halved && ranking.Parity(n.take(&items, &a)) != n.odd {
				return 0, 0, 0, false
			}
		}
	}
	best := 0
	for g := range f.list {
		f.image(&b, &a, g, f.outerPlaces)
		if number := f.number(f.outer, &b); number < least {
			best, least = g, number
		}
	}
	block = sort.Search(len(f.reps), func(i int) bool { return f.reps[i] >= uint32(least) })
	return block, f.images[best][f.classOf[inner]][f.itemOf[inner]], f.back[best], true
}
