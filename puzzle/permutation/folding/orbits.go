package folding

import (
	"math/bits"
	"slices"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/permutation/structure"
)

// Merged describes a puzzle whose states are merged under symmetries. The pilot's pieces are
// unlike each other. The representative of an orbit has the least pilot, and among those with
// that one is the first in the order of the places: by all pieces, and then by all turns.
type Merged struct {
	System  *structure.System
	List    []structure.Automorphism
	Inverse []int // of each
	Parts   []Part
	Pilot   int      // the part that is the pilot
	Best    []uint64 // by rank of the pilot: the symmetries that lead to the least one
	Least   []uint32 // by rank of the pilot: the least one
	Order   []uint8  // of the places
}

// MergedMax bounds blocks times moves times symmetries.
const MergedMax = 1 << 24

// Other bounds of merged ranks.
const (
	innerMax    = 1 << 22 // combinations of the ranks of other parts than the pilot
	thensMax    = 1 << 12 // rows that turn the pilot's pieces
	mergedItems = 16      // in a block
	wordBits    = 64
)

// orbits numbers the representatives: the pilot gives the block, all else the item.
type orbits struct {
	Merged
	pilot  *Part
	inner  []*Part
	places []int // of the inner parts
	start  state
	count  int // of symmetries

	items  []uint64 // by item: its number among all combinations
	itemOf []uint16 // by number
	keys   []uint64 // by item: what it counts in a key
	place  []uint32 // by item: its place in the order

	products []int // by symmetry g and symmetry h: what g and then h are

	moved  [][]uint16 // by move: where it leads from each item
	images [][]uint16 // by symmetry: its image if the pilot is that of the start
	rows   [][]uint16
	thens  map[[placesMax]uint8]uint16
	fail   bool

	blocks  []uint32 // by block: the rank of its pilot
	blockOf []int32  // by rank: the block, or -1
	valid   [][]uint64
}

// Ranks returns the ranks of the representatives, or nil if there are none.
func (m *Merged) Ranks() *puzzle.Ranks {
	o := &orbits{Merged: *m, count: len(m.List), thens: make(map[[placesMax]uint8]uint16)}
	copy(o.start.pieces[:], m.System.Start.Pieces)
	copy(o.start.orients[:], m.System.Start.Orients)
	if len(m.System.Moduli) > placesMax || !o.setItems() || !o.setRows() {
		return nil
	}
	o.setBlocks()
	moves := len(m.System.Moves)
	if len(o.blocks)*moves*o.count > MergedMax {
		return nil
	}
	out := &puzzle.Ranks{Blocks: len(o.blocks), Size: len(o.items), RankCoder: o}
	if out.Actions = o.actions(); o.fail {
		return nil
	}
	if o.valid = o.representatives(); o.fail {
		return nil
	}
	out.Rows, out.Orbits = o.rows, &puzzle.Orbits{Symmetries: o.count, Moves: moves, Valid: o.valid}
	out.Orbits.SetInto(out)
	return out
}

// setItems numbers what moves reach of the inner parts. It reports false if there are too
// many or too few.
func (o *orbits) setItems() bool {
	size := uint64(1)
	for i := range o.Parts {
		p := &o.Parts[i]
		if i == o.Pilot {
			o.pilot = p
			continue
		}
		o.inner, o.places = append(o.inner, p), append(o.places, p.Places...)
		if p.Size > innerMax {
			return false
		}
		if size *= p.Size; size > innerMax {
			return false
		}
	}
	for place, modulus := range o.System.Moduli {
		if ways := o.System.Ways; len(ways) > 0 && ways[o.System.Start.Pieces[place]] != modulus {
			return false
		}
	}
	slices.Sort(o.places)
	o.places = slices.Compact(o.places)
	o.itemOf = slices.Repeat([]uint16{puzzle.NoItem}, int(size))
	o.add(o.number(&o.start))
	for at := 0; at < len(o.items); at++ {
		from := o.item(uint16(at))
		for i := range o.System.Moves {
			to := from
			turn(&to, &from, &o.System.Moves[i], o.System, o.places)
			if o.add(o.number(&to)); len(o.items) >= puzzle.NoItem {
				return false
			}
		}
	}
	return len(o.items) >= mergedItems
}

func (o *orbits) add(number uint64) {
	if o.itemOf[number] == puzzle.NoItem {
		o.itemOf[number] = uint16(len(o.items))
		o.items = append(o.items, number)
	}
}

// number returns the number of a state's inner parts.
func (o *orbits) number(a *state) (number uint64) {
	var items [placesMax]uint8
	for _, p := range o.inner {
		number = number*p.Size + p.Rank(p.take(&items, a))
	}
	return number
}

// item returns the start with the inner parts of an item.
func (o *orbits) item(item uint16) state {
	a, number := o.start, o.items[item]
	var items [placesMax]uint8
	for i := len(o.inner) - 1; i >= 0; i-- {
		p := o.inner[i]
		list := items[:len(p.Places)]
		p.Unrank(list, number%p.Size)
		p.put(&a, list)
		number /= p.Size
	}
	return a
}

// setRows sets what moves and symmetries do to items, and the rows of both, one after the
// other. It reports false if an image is not an item.
func (o *orbits) setRows() bool {
	n := len(o.items)
	states := make([]state, n)
	for item := range states {
		states[item] = o.item(uint16(item))
		o.keys = append(o.keys, share(o.inner, &states[item]))
	}
	o.setMoved(states)
	if !o.setImages(states) {
		return false
	}
	for i := range o.moved {
		for g := range o.images {
			o.rows = append(o.rows, composed(o.moved[i], o.images[g]))
		}
	}
	o.setPlaces(states)
	return true
}

// composed returns one row and then another.
func composed(row, then []uint16) []uint16 {
	to := make([]uint16, len(row))
	for item, at := range row {
		to[item] = then[at]
	}
	return to
}

// setMoved sets what moves do. A move that does what two others do is composed of these.
func (o *orbits) setMoved(states []state) {
	moves := o.System.Moves
	for i := range moves {
		o.moved = append(o.moved, nil)
		for j := range i * i {
			if first, then := j/i, j%i; moves[first].Then(moves[then], o.System.Moduli).Equal(moves[i]) {
				o.moved[i] = composed(o.moved[first], o.moved[then])
				break
			}
		}
		for item := 0; item < len(states) && len(o.moved[i]) < len(states); item++ {
			b := states[item]
			turn(&b, &states[item], &moves[i], o.System, o.places)
			o.moved[i] = append(o.moved[i], o.itemOf[o.number(&b)])
		}
	}
}

// setImages sets what symmetries do where the pilot is that of the start. As they map the
// start to itself, those that are products of others are composed of these. It reports
// false if an image is not an item.
func (o *orbits) setImages(states []state) bool {
	o.products = o.allProducts()
	o.images = make([][]uint16, o.count)
	known := make([]int, 0, o.count)
	for g := range o.images {
		if o.images[g] != nil {
			continue
		}
		for item := range states {
			b := states[item]
			o.image(&b, &states[item], g)
			to := o.itemOf[o.number(&b)]
			if to == puzzle.NoItem {
				return false
			}
			o.images[g] = append(o.images[g], to)
		}
		known = append(known, g)
		for at := 0; at < len(known); at++ {
			for _, h := range known {
				if both := o.products[known[at]*o.count+h]; o.images[both] == nil {
					o.images[both] = composed(o.images[known[at]], o.images[h])
					known = append(known, both)
				}
			}
		}
	}
	return true
}

// setPlaces orders the items.
func (o *orbits) setPlaces(states []state) {
	type placed struct {
		values [2 * placesMax]uint8
		item   uint16
	}
	list := make([]placed, len(o.items))
	for item := range list {
		a, at := &states[item], &list[item]
		at.item = uint16(item)
		for i, place := range o.Order {
			at.values[i] = a.pieces[place]
			if o.System.Moduli[place] > 1 {
				at.values[placesMax+i] = a.orients[place]
			}
		}
	}
	slices.SortFunc(list, func(a, b placed) int { return slices.Compare(a.values[:], b.values[:]) })
	o.place = make([]uint32, len(list))
	for place := range list {
		o.place[list[place].item] = uint32(place)
	}
}

// image writes the image of a state's inner parts, with the pieces that it has.
func (o *orbits) image(dst, src *state, symmetry int) {
	t := &o.List[symmetry]
	for _, at := range o.places {
		to, piece := t.To[at], src.pieces[at]
		dst.pieces[to] = t.Pieces[piece]
		dst.orients[to] = t.Turn(at, piece, src.orients[at], o.System)
	}
}

// then returns the row that turns the image of an item under a symmetry from what it is with
// the pilot of the start to what it is with another one.
func (o *orbits) then(a *state, symmetry int) uint16 {
	t := &o.List[symmetry]
	var by [placesMax]uint8
	for _, at := range o.pilot.Places {
		if modulus := o.System.Moduli[at]; modulus > 1 {
			by[t.To[at]] = (t.PieceTurns[a.pieces[at]] + modulus - t.PieceTurns[o.start.pieces[at]]%modulus) % modulus
		}
	}
	row, known := o.thens[by]
	if known {
		return row
	}
	row = uint16(len(o.rows))
	o.thens[by] = row
	switch o.fail = o.fail || len(o.thens) > thensMax || len(o.rows) >= puzzle.NoItem; {
	case o.fail:
	case by == [placesMax]uint8{}:
		o.rows = append(o.rows, o.images[0])
	default:
		o.rows = append(o.rows, o.turning(&by))
	}
	return row
}

// turning returns the row that turns pieces at places of the pilot.
func (o *orbits) turning(by *[placesMax]uint8) []uint16 {
	row := make([]uint16, len(o.items))
	weight := uint64(1)
	for i := len(o.inner) - 1; i >= 0; i-- {
		if p := o.inner[i]; p.Labels == nil && p.Places[0] == o.pilot.Places[0] {
			turned := o.turnedRanks(p, by)
			for item, number := range o.items {
				rank := number / weight % p.Size
				row[item] = o.itemOf[number-rank*weight+turned[rank]*weight]
				o.fail = o.fail || row[item] == puzzle.NoItem
			}
			return row
		}
		weight *= o.inner[i].Size
	}
	o.fail = true
	return row
}

// turnedRanks returns, by rank of turns, the rank after pieces at places have been turned.
func (o *orbits) turnedRanks(p *Part, by *[placesMax]uint8) []uint64 {
	modulus := uint64(o.System.Moduli[p.Places[0]])
	ranks := []uint64{0}
	for _, place := range p.Places {
		if uint64(len(ranks)) == p.Size {
			break // the rest follows
		}
		next := make([]uint64, 0, uint64(len(ranks))*modulus)
		for _, rank := range ranks {
			for digit := range modulus {
				next = append(next, rank*modulus+(digit+uint64(by[place]))%modulus)
			}
		}
		ranks = next
	}
	return ranks
}

// setPilot writes the pilot of a rank into a state.
func (o *orbits) setPilot(a *state, rank uint32) {
	var items [placesMax]uint8
	list := items[:len(o.pilot.Places)]
	o.pilot.Unrank(list, uint64(rank))
	o.pilot.put(a, list)
}

func (o *orbits) rankOf(a *state) uint32 {
	var items [placesMax]uint8
	return uint32(o.pilot.Rank(o.pilot.take(&items, a)))
}

// setBlocks numbers the least pilots that moves reach.
func (o *orbits) setBlocks() {
	o.blockOf = slices.Repeat([]int32{-1}, len(o.Best))
	add := func(rank uint32) {
		if rank = o.Least[rank]; o.blockOf[rank] < 0 {
			o.blockOf[rank] = int32(len(o.blocks))
			o.blocks = append(o.blocks, rank)
		}
	}
	add(o.rankOf(&o.start))
	a, b := o.start, o.start
	for at := 0; at < len(o.blocks); at++ {
		o.setPilot(&a, o.blocks[at])
		for i := range o.System.Moves {
			turn(&b, &a, &o.System.Moves[i], o.System, o.pilot.Places)
			add(o.rankOf(&b))
		}
	}
}

// actions returns the moves followed by symmetries: those that lead to a least pilot.
func (o *orbits) actions() []puzzle.Action {
	moves := o.System.Moves
	actions := make([]puzzle.Action, len(moves)*o.count)
	for i := range moves {
		undo := slices.IndexFunc(moves, moves[i].Inverse(o.System.Moduli).Equal)
		for g := range o.count {
			id := i*o.count + g
			actions[id] = puzzle.Action{
				Move: puzzle.Move(id), Inverse: int(o.List[g].Moves[undo])*o.count + o.Inverse[g],
				Blocks: slices.Repeat([]int32{-1}, len(o.blocks)), OneRow: id, Thens: make([]uint16, len(o.blocks)),
			}
		}
	}
	a, b := o.start, o.start
	for block, rank := range o.blocks {
		o.setPilot(&a, rank)
		for i := range moves {
			turn(&b, &a, &moves[i], o.System, o.pilot.Places)
			to := o.rankOf(&b)
			for best := o.Best[to]; best != 0 && !o.fail; best &= best - 1 {
				g := bits.TrailingZeros64(best)
				action := &actions[i*o.count+g]
				action.Blocks[block], action.Thens[block] = o.blockOf[o.Least[to]], o.then(&b, g)
			}
		}
	}
	return actions
}

// representatives returns, by block, which items are representatives: those of which no image
// under a symmetry that maps the block to itself comes before. It is nil where all are.
func (o *orbits) representatives() [][]uint64 {
	valid, a := make([][]uint64, len(o.blocks)), o.start
	for block, rank := range o.blocks {
		if o.Best[rank] == 1 {
			continue
		}
		o.setPilot(&a, rank)
		bitmap := make([]uint64, (len(o.items)+wordBits-1)/wordBits)
		for item := range o.items {
			bitmap[item/wordBits] |= 1 << (item % wordBits)
		}
		for rest := o.Best[rank] &^ 1; rest != 0 && !o.fail; rest &= rest - 1 {
			s := bits.TrailingZeros64(rest)
			then := o.then(&a, s)
			for item, to := range o.images[s] {
				if o.place[o.rows[then][to]] < o.place[item] {
					bitmap[item/wordBits] &^= 1 << (item % wordBits)
				}
			}
		}
		valid[block] = bitmap
	}
	return valid
}

// allProducts returns, by symmetry g and symmetry h, what g and then h are.
func (o *orbits) allProducts() []int {
	n := len(o.System.Moduli)
	of := func(i, j int) int {
		g, h := &o.List[i], &o.List[j]
		return slices.IndexFunc(o.List, func(t structure.Automorphism) bool {
			for place := range n {
				piece := o.System.Start.Pieces[place]
				if t.To[place] != h.To[g.To[place]] || t.Pieces[piece] != h.Pieces[g.Pieces[piece]] {
					return false
				}
			}
			for _, orbit := range o.System.Orbits {
				for _, place := range orbit.Places {
					for _, other := range orbit.Places {
						piece := o.System.Start.Pieces[other]
						for turn := range min(o.System.Moduli[place], 2) {
							want := h.Turn(int(g.To[place]), g.Pieces[piece], g.Turn(place, piece, turn, o.System), o.System)
							if t.Turn(place, piece, turn, o.System) != want {
								return false
							}
						}
					}
				}
			}
			return true
		})
	}
	products := make([]int, o.count*o.count)
	for i := range o.count {
		for j := range o.count {
			products[i*o.count+j] = of(i, j)
		}
	}
	return products
}

// AppendKeys appends the keys of items of a block.
func (o *orbits) AppendKeys(keys []uint64, block int, items []uint16) []uint64 {
	base := uint64(o.blocks[block]) * o.pilot.Stride
	for _, item := range items {
		keys = append(keys, base+o.keys[item])
	}
	return keys
}

// Rank returns the block and the item of a representative.
func (o *orbits) Rank(key uint64) (block int, item uint16, ok bool) {
	block = int(o.blockOf[key/o.pilot.Stride%o.pilot.Size])
	number := uint64(0)
	for _, p := range o.inner {
		number = number*p.Size + key/p.Stride%p.Size
	}
	item = o.itemOf[number]
	ok = block >= 0 && item != puzzle.NoItem
	if ok && o.valid[block] != nil {
		ok = o.valid[block][item/wordBits]>>(item%wordBits)&1 != 0
	}
	return max(block, 0), item, ok
}
