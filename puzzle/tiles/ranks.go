package tiles

import (
	"slices"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/coordinates"
)

// ranks are the ranks of the reachable arrangements, half of all: blocks determine
// where the hole and the first tiles are, items the order of the others.
type ranks struct {
	shape shape
	split *coordinates.Split
}

const (
	// splitOthers is the number of tiles that an item orders.
	splitOthers = 7
	// splitCellsMin and splitCellsMax bound the cells of a board with ranks: larger
	// boards would have too many blocks.
	splitCellsMin, splitCellsMax = 4, 14
)

var (
	_ puzzle.Dense       = &game{}
	_ puzzle.RankCounter = &game{}
	_ puzzle.Located     = &game{}
)

// ranked reports whether arrangements have ranks. On a single line more than half of them
// are unreachable.
func (g *game) ranked() bool {
	cells := g.cells()
	return cells >= splitCellsMin && cells <= splitCellsMax && g.width() >= 2
}

// RankCount returns half of the number of arrangements.
func (g *game) RankCount() int64 {
	if !g.ranked() {
		return 0
	}
	n := int64(1)
	for cells := int64(g.cells()); cells > 2; cells-- {
		n *= cells
	}
	return n
}

// Ranks returns the ranks of the arrangements, or nil if they are too many or the
// board has none.
func (g *game) Ranks() *puzzle.Ranks {
	cells := g.cells()
	if !g.ranked() {
		return nil
	}
	k := &ranks{shape: g.shape, split: coordinates.New(g.splitShape())}
	out := &puzzle.Ranks{Blocks: k.split.Outer, Size: k.split.Inner, RankCoder: k}
	rows := coordinates.NewRows(k.split)
	s := g.spread()
	for id := range g.layout.Moves {
		move := puzzle.Move(id)
		a := puzzle.Action{
			Move: move, Inverse: int(s.opposite(move)),
			Blocks: make([]int32, out.Blocks), BlockRows: make([]uint16, out.Blocks),
		}
		for hole := range cells {
			from, legal := g.moved(uint8(hole), move)
			// The cell of the hole is the leading digit of a block.
			share := out.Blocks / cells
			for block := hole * share; block < (hole+1)*share; block++ {
				if !legal {
					a.Blocks[block] = -1
					continue
				}
				next, row := rows.Step(block, from)
				a.Blocks[block], a.BlockRows[block] = int32(next), uint16(row)
			}
		}
		out.Actions = append(out.Actions, a)
	}
	out.Rows = rows.All()
	return out
}

// splitShape returns how arrangements are divided between block and item.
func (g *game) splitShape() coordinates.Shape {
	cells := g.cells()
	var start [cellsMax]uint8
	g.lanesOf(g.start, start[:cells])
	at := []uint8{uint8(slices.Index(start[:cells], 0))}
	odd := parity(start[:cells]) ^ g.colour(at)
	return coordinates.Shape{
		Places: cells, Marked: max(1, cells-splitOthers), Hole: true,
		Parity: func(at []uint8) uint8 { return odd ^ g.colour(at) },
	}
}

// Locator returns where arrangements are in the ranks.
func (g *game) Locator() *puzzle.Locator {
	if !g.ranked() {
		return nil
	}
	k := &ranks{shape: g.shape, split: coordinates.NewLocator(g.splitShape())}
	return &puzzle.Locator{Blocks: k.split.Outer, Size: k.split.Inner, Rank: k.Rank}
}

// colour returns the colour of the hole's cell, as on a chessboard.
func (g *game) colour(at []uint8) uint8 {
	cell := g.cell(int(at[0]))
	return uint8((cell/g.cols + cell%g.cols) & 1)
}

// parity returns the parity of a permutation.
func parity(items []uint8) (odd uint8) {
	for i, item := range items {
		for _, other := range items[i+1:] {
			if other < item {
				odd ^= 1
			}
		}
	}
	return odd
}

// lanesOf writes the arrangement of a key in the order of lanes.
func (s shape) lanesOf(key uint64, dst []uint8) {
	var arrangement [cellsMax]uint8
	s.arrangement(key, arrangement[:])
	for i := range dst {
		dst[i] = arrangement[s.cell(i)]
	}
}

// moved returns, for a place of the hole, the place from which a move brings the
// content of each place, and whether the move is legal.
func (g *game) moved(hole uint8, move puzzle.Move) (from []uint8, legal bool) {
	// With the tiles in order, a tile's number gives the place it came from.
	cells := g.cells()
	var before [cellsMax]uint8
	var places [cellsMax]uint8 // of each tile
	for i, tile := 0, uint8(1); i < cells; i++ {
		if i == int(hole) {
			places[0] = hole
			continue
		}
		before[g.cell(i)] = tile
		places[tile] = uint8(i)
		tile++
	}
	key := []uint64{g.key(before[:cells])}
	if !g.Apply(key, key, move) {
		return nil, false
	}
	from = make([]uint8, cells)
	g.lanesOf(key[0], from)
	for i, tile := range from {
		from[i] = places[tile]
	}
	return from, true
}

// AppendKeys appends the keys of items of a block.
func (k *ranks) AppendKeys(keys []uint64, block int, items []uint16) []uint64 {
	return k.split.AppendRanks(keys, block, items)
}

// Rank returns the block and the item of a key.
func (k *ranks) Rank(key uint64) (block int, item uint16, ok bool) {
	var pieces [cellsMax]uint8
	cells := k.shape.cells()
	k.shape.lanesOf(key, pieces[:cells])
	return k.split.Rank(pieces[:cells])
}
