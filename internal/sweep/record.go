package sweep

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// A Record is a cluster of boards reachable from one another, with its
// representative.
type Record struct {
	// Board is the representative. For Rush Hour it is the cells row by row: o is empty,
	// x a wall, A the primary vehicle, and B and so on the other vehicles and the walls
	// in order, rows first. Slashes separate the rows of a board that is not square. For
	// other puzzles it is the rows in the puzzle's own notation, separated by slashes.
	Board string
	// Layers holds the number of states at each distance to the nearest goal, from 0,
	// the goal states, to the greatest, that of the representative.
	Layers []uint64
	// Pieces counts what can move: vehicles, boxes, pieces.
	Pieces int
	// Attributes are further numbers that the kind of sweep records of a board. The
	// kind gives each a place and a name (rushhour.Minimal, rushhour.Walls). Trailing
	// zeros are dropped, and a missing attribute is 0: see [Record.Attribute].
	Attributes []uint64
	// Measures are numbers that were computed of the record later, the grade first
	// (package internal/grade); empty if there are none. They are neither encoded nor
	// digested with the record.
	Measures []uint64
}

// Grade returns the grade, 0 if there is none.
func (r *Record) Grade() uint64 {
	if len(r.Measures) == 0 {
		return 0
	}
	return r.Measures[0]
}

// Attribute returns the attribute at a place, 0 if there is none.
func (r *Record) Attribute(place int) uint64 {
	if place < len(r.Attributes) {
		return r.Attributes[place]
	}
	return 0
}

// The attributes that a version 1 record had room for.
const (
	firstAttribute = iota
	secondAttribute
)

// Attributes returns numbers as a record holds them: without trailing zeros.
func Attributes(numbers ...uint64) []uint64 { return withoutZeros(numbers) }

func withoutZeros(attributes []uint64) []uint64 {
	for n := len(attributes); n > 0; n-- {
		if attributes[n-1] != 0 {
			return attributes[:n]
		}
	}
	return nil
}

// Distance returns the fewest moves that solve the representative.
func (r *Record) Distance() int { return len(r.Layers) - 1 }

// Goals returns the number of goal states of the cluster.
func (r *Record) Goals() uint64 { return r.Layers[0] }

// States returns the size of the cluster.
func (r *Record) States() uint64 {
	var sum uint64
	for _, n := range r.Layers {
		sum += n
	}
	return sum
}

// Bounds of a record being read. No board has more than 256 pieces, and a cluster has
// fewer distances than states.
const (
	boardBytesMax = 1 << 14
	piecesMax     = 256
	attributesMax = 16
	layersMax     = 1 << 16
)

// errRecord reports a record that cannot be read.
var errRecord = errors.New("damaged record")

// recordVersion is the first byte of a record. Version 1 had no version byte: it
// began with the first attribute, 0 or 1.
const recordVersion = 2

// AppendBinary appends the record's bytes: the version, then varints: the pieces, the
// number of attributes and each of them, the length of the board, the board, the
// number of layers and each of them.
func (r *Record) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, recordVersion)
	b = binary.AppendUvarint(b, uint64(r.Pieces))
	b = binary.AppendUvarint(b, uint64(len(r.Attributes)))
	for _, n := range r.Attributes {
		b = binary.AppendUvarint(b, n)
	}
	return r.appendBoard(b), nil
}

// appendDigested appends the bytes that are digested. They are those of version 1 as
// long as two attributes suffice, so the digests of older sweeps remain valid.
func (r *Record) appendDigested(b []byte) []byte {
	if len(r.Attributes) > secondAttribute+1 || r.Attribute(firstAttribute) > 1 {
		b, _ = r.AppendBinary(b) // does not fail
		return b
	}
	b = append(b, byte(r.Attribute(firstAttribute)))
	b = binary.AppendUvarint(b, uint64(r.Pieces))
	b = binary.AppendUvarint(b, r.Attribute(secondAttribute))
	return r.appendBoard(b)
}

func (r *Record) appendBoard(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(r.Board)))
	b = append(b, r.Board...)
	b = binary.AppendUvarint(b, uint64(len(r.Layers)))
	for _, n := range r.Layers {
		b = binary.AppendUvarint(b, n)
	}
	return b
}

// UnmarshalBinary reads what AppendBinary of this version or version 1 wrote.
func (r *Record) UnmarshalBinary(b []byte) error {
	if len(b) == 0 {
		return fmt.Errorf("%w: it is empty", errRecord)
	}
	d := decoder{rest: b[1:]}
	*r = Record{}
	switch b[0] {
	case 0, 1: // version 1
		r.Pieces = int(d.number(piecesMax))
		r.Attributes = []uint64{uint64(b[0]), d.number(piecesMax)}
	case recordVersion:
		r.Pieces = int(d.number(piecesMax))
		r.Attributes = make([]uint64, d.number(attributesMax))
		for i := range r.Attributes {
			r.Attributes[i] = d.number(math.MaxUint64)
		}
	default:
		return fmt.Errorf("%w: version %d, this program reads 1 and %d", errRecord, b[0], recordVersion)
	}
	r.Attributes = withoutZeros(r.Attributes)
	r.Board = string(d.bytes(int(d.number(boardBytesMax))))
	layers := d.number(min(layersMax, uint64(len(d.rest))))
	if layers > 0 {
		r.Layers = make([]uint64, layers)
	}
	for i := range r.Layers {
		r.Layers[i] = d.number(math.MaxUint64)
	}
	if d.failed || len(d.rest) > 0 || layers == 0 {
		return errRecord
	}
	return nil
}

// A decoder reads varints from bytes. After a failure every read returns 0.
type decoder struct {
	rest   []byte
	failed bool
}

func (d *decoder) number(most uint64) uint64 {
	n, size := binary.Uvarint(d.rest)
	if size <= 0 || n > most || d.failed {
		d.failed = true
		return 0
	}
	d.rest = d.rest[size:]
	return n
}

func (d *decoder) bytes(n int) []byte {
	if n > len(d.rest) || d.failed {
		d.failed = true
		return nil
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}
