package narrow

import (
	"math/bits"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// A numbering numbers all boards with the same vehicles in each line, without gaps. The
// lines of one direction make blocks, one for each of their placements together. Which
// cells they leave tells which placements each line of the other direction has. These
// lines are divided into two halves, and a board is one of the placements of each:
//
//	number = first number of the block + placement of half 1 * placements of half 0 + placement of half 0
//
// The direction with fewer placements together makes the blocks. What a half can be, given
// the cells that are left to it, is listed once for all blocks that leave it the same.
type numbering struct {
	*Board
	blockLines []blockLine
	halves     [2]half
	taken      [2]uint64 // what half.takenOf says of the cells of lines with one placement
	blocks     []numberBlock
	// byPlacement holds, by the placements of the block lines, the block, or -1.
	byPlacement []int32
	count       uint64
	columns     bool // blocks are made by columns
	goal        Goal
}

// Goal tells how far the goal vehicle is from where it is to be.
type Goal struct {
	// Line is its line, by the order of Add, or -1 if that has one placement.
	Line int
	// Ways are from where it is, by rank of the line's placement.
	Ways []Way
}

// Way is the cells that the goal vehicle has to enter, and how many steps it has to make if
// nothing is in the way.
type Way struct {
	Cells uint64
	Steps int
}

// blockLine is a line whose placements make blocks.
type blockLine struct {
	*boardLine
	line   int // of Board.lines
	stride int // of its rank in byPlacement
	// taken is, by rank, what half.takenOf says of its cells for each half.
	taken [][2]uint64
}

// half is some of the lines that do not make blocks.
type half struct {
	lines []itemLine
	terms int // of each list
	// all holds all placements: the first line has the least significant rank. They are few,
	// and near in memory.
	all     []place
	lists   []list
	scratch [2][]uint32 // of newList
}

// itemLine is a line of a half.
type itemLine struct {
	*boardLine
	line  int   // of Board.lines
	cells []int // of the board, one after the other
	// taken is, by rank, its cells by their place in the line.
	taken []uint8
	terms int // where its terms are in those of a list
}

// list is all placements of a half, given the cells that are left to it.
type list struct {
	// terms holds, by line and its placement, what it adds to the placement of the half;
	// noTerm for one that is not possible.
	terms  []uint32
	places []uint32 // in half.all
}

// place is one placement of a half.
type place struct {
	key, cells uint64
	entered    [2]uint64 // cells that steps to the left or up enter, and the others
	ranks      uint64    // of each line, in a byte
}

// numberBlock is one placement of all block lines.
type numberBlock struct {
	first     uint64 // number
	cells     uint64 // taken by block lines, and by lines with one placement
	key       uint64 // of the block lines
	entered   [2]uint64
	ranks     uint64 // of each block line, in a byte
	inverse   uint64 // of the placements of half 0: see divide
	placement int32
	lists     [2]int32
}

// SideMax is the length of the longest lines of boards that are numbered.
const SideMax = 8

const (
	blockPlacementsMax = 1 << 21
	placesMax          = 1 << 21
	numbersMax         = 1 << 36
	lineRanksMax       = 1 << 8
	linesMax           = 8 // of a direction, as each has a byte
	noTerm             = 1<<32 - 1
)

// Numbering numbers the boards of p whose vehicles are in the same lines, none of more than
// SideMax cells. It is nil if there are too many.
func (f *Board) Numbering(p puzzle.Puzzle, goal Goal) puzzle.Numbering {
	n := &numbering{Board: f, goal: goal}
	rows, columns := 1, 1
	for i := range n.lines {
		slots := len(n.lines[i].slots)
		if i < n.upright {
			rows *= slots
		} else {
			columns *= slots
		}
		if slots > lineRanksMax || min(rows, columns) > blockPlacementsMax || max(rows, columns) > numbersMax {
			return nil
		}
	}
	n.columns = columns < rows
	if !n.divideLines() || !n.findBlocks() {
		return nil
	}
	if !n.steps {
		return puzzle.NumberingByKeys(p, n)
	}
	return n
}

// divideLines tells block lines from those of either half.
func (n *numbering) divideLines() bool {
	stride := 1
	var items []itemLine
	for at := range n.lines {
		line := &n.lines[at]
		if (at >= n.upright) == n.columns {
			n.blockLines = append(n.blockLines, blockLine{line, at, stride, make([][2]uint64, len(line.slots))})
			stride *= len(line.slots)
		} else {
			item := itemLine{boardLine: line, line: at}
			for cells := line.cells; cells != 0; cells &= cells - 1 {
				item.cells = append(item.cells, bits.TrailingZeros64(cells))
			}
			for rank := range line.slots {
				item.taken = append(item.taken, item.takenOf(line.slots[rank].cells))
			}
			items = append(items, item)
		}
	}
	// Halves with about as many placements.
	best, cut := 1<<62, 0
	for c := range len(items) + 1 {
		if most := placements(items[:c]) + placements(items[c:]); most < best {
			best, cut = most, c
		}
	}
	n.halves[0].lines, n.halves[1].lines = items[:cut], items[cut:]
	for i := range n.halves {
		terms := 0
		for k := range n.halves[i].lines {
			l := &n.halves[i].lines[k]
			l.terms = terms
			terms += len(l.slots)
		}
		n.halves[i].terms = terms
		if len(n.halves[i].lines) > linesMax {
			return false
		}
	}
	n.byPlacement = make([]int32, stride)
	return len(n.blockLines) <= linesMax
}

func placements(lines []itemLine) int {
	n := 1
	for i := range lines {
		n *= len(lines[i].slots)
	}
	return n
}

// takenOf returns which cells of a half's lines are among some of the board, a byte for
// each line.
func (h *half) takenOf(cells uint64) (taken uint64) {
	for i := range h.lines {
		taken |= uint64(h.lines[i].takenOf(cells)) << (8 * i)
	}
	return taken
}

// takenOf returns which cells of a line are among some of the board.
func (l *itemLine) takenOf(cells uint64) (taken uint8) {
	for k, c := range l.cells {
		taken |= uint8(cells >> c & 1 << k)
	}
	return taken
}

// setAll lists all placements of a half.
func (h *half) setAll() {
	h.all = []place{{}}
	for i := range h.lines {
		line, before := &h.lines[i], h.all
		h.all = nil
		for rank := range line.slots {
			slot := &line.slots[rank]
			for _, p := range before {
				p.key |= uint64(rank) << line.shift
				p.cells |= slot.cells
				p.entered[0] |= slot.leftUp
				p.entered[1] |= slot.rightDown
				p.ranks |= uint64(rank) << (8 * i)
				h.all = append(h.all, p)
			}
		}
	}
}

// newList lists the placements of a half, given the cells taken by others.
func (h *half) newList(taken uint64) list {
	l := list{terms: make([]uint32, 0, h.terms)}
	h.scratch[0] = append(h.scratch[0][:0], 0)
	places, next := h.scratch[0], h.scratch[1]
	stride := uint32(1)
	for i := range h.lines {
		line, others := &h.lines[i], uint8(taken>>(8*i))
		next = next[:0]
		for rank, own := range line.taken {
			if own&others != 0 {
				l.terms = append(l.terms, noTerm)
				continue
			}
			l.terms = append(l.terms, uint32(len(next)))
			for _, p := range places {
				next = append(next, p+uint32(rank)*stride)
			}
		}
		places, next = next, places
		stride *= uint32(len(line.taken))
	}
	h.scratch = [2][]uint32{places, next}
	l.places = slices.Clone(places)
	return l
}

// setTaken finds what block lines, and what does not move, take of each half.
func (n *numbering) setTaken() {
	for k := range n.halves {
		h := &n.halves[k]
		n.taken[k] = h.takenOf(n.fixed)
		for i := range n.blockLines {
			l := &n.blockLines[i]
			for rank := range l.slots {
				l.taken[rank][k] = h.takenOf(l.slots[rank].cells)
			}
		}
	}
}

// findBlocks makes the blocks, and lists what their halves can be.
func (n *numbering) findBlocks() bool {
	var known [2]map[uint64]int32
	for i := range known {
		if known[i] = map[uint64]int32{}; placements(n.halves[i].lines) > placesMax {
			return false
		}
		n.halves[i].setAll()
	}
	n.setTaken()
	places := 0
	for placement := range n.byPlacement {
		n.byPlacement[placement] = -1
		b, taken := n.newBlock(placement)
		size := uint64(1)
		for i := range n.halves {
			h := &n.halves[i]
			at, ok := known[i][taken[i]]
			if !ok {
				at = int32(len(h.lists))
				known[i][taken[i]] = at
				h.lists = append(h.lists, h.newList(taken[i]))
				if places += len(h.lists[at].places) + 1; places > placesMax {
					return false
				}
			}
			b.lists[i] = at
			size *= uint64(len(h.lists[at].places))
		}
		if size == 0 {
			continue
		}
		if n.count+size > numbersMax || size >= 1<<32 {
			return false
		}
		b.first, b.inverse = n.count, ^uint64(0)/uint64(len(n.halves[0].lists[b.lists[0]].places))+1
		n.byPlacement[placement] = int32(len(n.blocks))
		n.blocks = append(n.blocks, b)
		n.count += size
	}
	return true
}

// newBlock returns the block of a placement of the block lines, and what half.takenOf says of
// its cells for each half.
func (n *numbering) newBlock(placement int) (b numberBlock, taken [2]uint64) {
	b, taken = numberBlock{cells: n.fixed, placement: int32(placement)}, n.taken
	for i := range n.blockLines {
		l := &n.blockLines[i]
		rank := placement / l.stride % len(l.slots)
		b.cells |= l.slots[rank].cells
		b.entered[0] |= l.slots[rank].leftUp
		b.entered[1] |= l.slots[rank].rightDown
		b.key |= uint64(rank) << l.shift
		b.ranks |= uint64(rank) << (8 * i)
		taken[0] |= l.taken[rank][0]
		taken[1] |= l.taken[rank][1]
	}
	return b, taken
}

// divide returns the placements of the halves of a board of a block. The quotient is a
// product with the inverse, rounded up, which is exact below 1<<32.
func (b *numberBlock) divide(number uint64, lower *list) (place0, place1 uint64) {
	at := number - b.first
	if b.inverse == 0 { // of 1
		return 0, at
	}
	place1, _ = bits.Mul64(at, b.inverse)
	return at - place1*uint64(len(lower.places)), place1
}

// Count returns the number of boards.
func (n *numbering) Count() uint64 { return n.count }

// Number returns the number of a board.
func (n *numbering) Number(key uint64) (number uint64, ok bool) {
	placement := 0
	for i := range n.blockLines {
		l := &n.blockLines[i]
		placement += int(key>>l.shift&l.mask) * l.stride
	}
	block := n.byPlacement[placement]
	if block < 0 {
		return 0, false
	}
	b := &n.blocks[block]
	var at [2]uint64
	for i := range n.halves {
		h := &n.halves[i]
		terms := h.lists[b.lists[i]].terms
		for k := range h.lines {
			l := &h.lines[k]
			term := terms[l.terms+int(key>>l.shift&l.mask)]
			if term == noTerm {
				return 0, false
			}
			at[i] += uint64(term)
		}
	}
	return b.first + at[1]*uint64(len(n.halves[0].lists[b.lists[0]].places)) + at[0], true
}

// blockOf returns the block of a number, given an earlier one.
func (n *numbering) blockOf(number uint64, from int) int {
	const near = 4
	for i := from; i < from+near; i++ {
		if i+1 == len(n.blocks) || number < n.blocks[i+1].first {
			return i
		}
	}
	at, found := slices.BinarySearchFunc(n.blocks[from:], number, func(b numberBlock, number uint64) int {
		switch {
		case b.first < number:
			return -1
		case b.first > number:
			return 1
		}
		return 0
	})
	if !found {
		at--
	}
	return from + at
}

// AppendKeys appends the keys of boards with increasing numbers.
func (n *numbering) AppendKeys(keys, numbers []uint64) []uint64 {
	block := 0
	for _, number := range numbers {
		block = n.blockOf(number, block)
		b := &n.blocks[block]
		lower, upper := &n.halves[0].lists[b.lists[0]], &n.halves[1].lists[b.lists[1]]
		place0, place1 := b.divide(number, lower)
		keys = append(keys, b.key|n.halves[0].all[lower.places[place0]].key|n.halves[1].all[upper.places[place1]].key)
	}
	return keys
}
