package heuristic

import (
	"errors"
	"fmt"

	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/tiles"
)

// A Database is a pattern database: the goal distances of all states of an
// abstraction, such as a tile puzzle in which some tiles are indistinguishable.
type Database struct {
	board puzzle.Board

	// distances[key] is a distance plus one, 0 where none is known. If keys are too
	// long to index an array, sparse holds the same.
	distances []uint8
	sparse    map[uint64]uint8
}

// denseBits is the longest key that indexes an array.
const denseBits = 30

// distanceMax is the greatest distance stored. For longer ones it is still a lower
// bound.
const distanceMax = 254

// NewDatabase returns an empty database for an abstraction.
func NewDatabase(b *puzzle.Board) (*Database, error) {
	l := b.Puzzle.Layout()
	if l.Words() > 1 {
		return nil, errors.New("a pattern database needs keys of at most 64 bits")
	}
	d := &Database{board: *b}
	if l.KeyBits <= denseBits {
		d.distances = make([]uint8, 1<<l.KeyBits)
	} else {
		d.sparse = map[uint64]uint8{}
	}
	return d, nil
}

// Add adds a state. All states must be added before the database is used.
func (d *Database) Add(key []uint64, distance int) {
	value := uint8(min(distance, distanceMax) + 1) // at most 255
	if d.sparse != nil {
		d.sparse[key[0]] = value
		return
	}
	d.distances[key[0]] = value
}

// For returns the database as a heuristic for a board that it is an abstraction of.
func (d *Database) For(b *puzzle.Board) (solve.Heuristic, error) {
	look := func(state uint64) uint64 { return state }
	if b.Family == tiles.Family && d.board.Family == tiles.Family {
		var err error
		if look, err = tiles.Projection(b.Puzzle, d.board.Puzzle); err != nil {
			return nil, fmt.Errorf("not a run of an abstraction of this board: %w", err)
		}
	} else if b.Text != d.board.Text {
		return nil, errors.New("not a run of an abstraction of this board: tiles have abstractions (header any), and every board is an abstraction of itself")
	}
	// In a reversible abstraction, a state without a distance is dead: its image is
	// not connected to the goal. Otherwise its image may just be unreachable from the
	// abstraction's start.
	unknown := int32(0)
	if d.board.Puzzle.Layout().Reversible {
		unknown = solve.Dead
	}
	return &lookUp{d, look, unknown}, nil
}

type lookUp struct {
	*Database
	look    func(state uint64) uint64
	unknown int32
}

func (l *lookUp) Estimate(states []uint64, h []int32) {
	for i := range h {
		key := l.look(states[i])
		var value uint8
		if l.sparse != nil {
			value = l.sparse[key]
		} else {
			value = l.distances[key]
		}
		if h[i] = int32(value) - 1; value == 0 {
			h[i] = l.unknown
		}
	}
}
