package machine

import (
	"math/bits"

	"github.com/everystate/everystate/puzzle/puzzlescript/game"
)

// board is a level in play. Cells are numbered column by column, from the top.
type board struct {
	width, height int
	objectWords   int // per cell
	moveWords     int
	planeWords    int // per plane: one bit per cell

	cells []uint64 // the objects of each cell
	moves []uint64 // the movements of each cell

	// objects and movements have a plane for each object and each movement. Both are
	// parts of planes, which has room for the objects of whole words.
	planes    []uint64
	objects   []uint64
	movements []uint64
	moving    []uint64 // cells with any movement, and possibly some without

	// has holds all objects and movements on the board, and possibly some that are
	// not. touched collects those that have come or gone.
	has, touched kinds
}

// kinds is a set of objects and one of movements. Numbers that differ by a multiple of
// 64 share a bit.
type kinds struct{ objects, moves uint64 }

func (k kinds) within(l kinds) bool { return k.objects&^l.objects|k.moves&^l.moves == 0 }
func (k kinds) meets(l kinds) bool  { return k.objects&l.objects|k.moves&l.moves != 0 }

func (k *kinds) or(l kinds) {
	k.objects |= l.objects
	k.moves |= l.moves
}

func (k *kinds) orObjects(set game.Set) {
	for _, w := range set {
		k.objects |= w
	}
}

func (k *kinds) orMoves(set game.Set) {
	for _, w := range set {
		k.moves |= w
	}
}

func newBoard(g *game.Game, width, height int) *board {
	n := width * height
	layers := max(1, len(g.Layers))
	b := &board{
		width: width, height: height,
		objectWords: max(1, (len(g.Objects)+63)/64),
		moveWords:   (layers + game.LayersPerWord - 1) / game.LayersPerWord,
		planeWords:  (n + 63) / 64,
	}
	b.cells = make([]uint64, n*b.objectWords)
	b.moves = make([]uint64, n*b.moveWords)
	b.planes = make([]uint64, 64*(b.objectWords+b.moveWords)*b.planeWords)
	b.objects = b.planes[:len(g.Objects)*b.planeWords]
	b.movements = b.planes[64*b.objectWords*b.planeWords:]
	b.moving = make([]uint64, b.planeWords)
	return b
}

func (b *board) size() int { return b.width * b.height }

// cell returns the objects of a cell, as a part of the board.
func (b *board) cell(i int) game.Set { return b.cells[i*b.objectWords : (i+1)*b.objectWords] }

// pending returns the movements of a cell, as a part of the board.
func (b *board) pending(i int) game.Set { return b.moves[i*b.moveWords : (i+1)*b.moveWords] }

// setCell changes one word of a cell.
func (b *board) setCell(i, word int, to uint64) {
	p := &b.cells[i*b.objectWords+word]
	changed := *p ^ to
	*p = to
	b.has.objects |= to
	b.touched.objects |= changed
	for ; changed != 0; changed &= changed - 1 {
		b.objects[(word<<6+bits.TrailingZeros64(changed))*b.planeWords+i>>6] ^= 1 << (i & 63)
	}
}

// setMoves changes one word of a cell's movements.
func (b *board) setMoves(i, word int, to uint64) {
	p := &b.moves[i*b.moveWords+word]
	changed := *p ^ to
	*p = to
	b.touched.moves |= changed
	if to != 0 {
		b.has.moves |= to
		b.moving[i>>6] |= 1 << (i & 63)
	}
	for ; changed != 0; changed &= changed - 1 {
		b.movements[(word<<6+bits.TrailingZeros64(changed))*b.planeWords+i>>6] ^= 1 << (i & 63)
	}
}

// load sets the objects of all cells, and removes all movements.
func (b *board) load(cells []uint64) {
	clear(b.objects)
	copy(b.cells, cells)
	b.has = kinds{}
	b.has.orObjects(b.cells)
	for i := range b.size() {
		bit := uint64(1) << (i & 63)
		for word := range b.objectWords {
			for w := b.cells[i*b.objectWords+word]; w != 0; w &= w - 1 {
				b.objects[(word<<6+bits.TrailingZeros64(w))*b.planeWords+i>>6] |= bit
			}
		}
	}
	b.stop()
}

// stop removes all movements.
func (b *board) stop() {
	clear(b.moves)
	clear(b.movements)
	clear(b.moving)
	b.has.moves = 0
}

// copyFrom makes the board equal to another of the same size.
func (b *board) copyFrom(c *board) {
	copy(b.cells, c.cells)
	copy(b.moves, c.moves)
	copy(b.objects, c.objects)
	copy(b.movements, c.movements)
	copy(b.moving, c.moving)
	b.has = c.has
}

// object returns the plane of an object.
func (b *board) object(id int) []uint64 { return b.objects[id*b.planeWords : (id+1)*b.planeWords] }
