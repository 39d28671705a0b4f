package sweep

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// A Record is a cluster of boards that can be reached from one another, with its
// representative.
type Record struct {
	// Board is the representative. Of Rush Hour that is the cells of a square row by
	// row: o is empty, x a wall, A the primary vehicle, B and so on the others and the
	// walls in their order, rows first. Of other puzzles it is the rows in their own
	// notation, with slashes between them.
	Board string
	// Layers has the number of states at each distance to the nearest goal, from
	// 0, the goal states, to that of the representative, the greatest there is.
	Layers []uint64
	// Vehicles counts those on the board, the primary included, and Walls the walls.
	// Of other puzzles Vehicles is the number of boxes or pieces, and Walls is 0: they
	// stand where the rules say.
	Vehicles, Walls int
	// Minimal means that whatever piece is taken away but the primary, what is
	// left is solved in fewer moves. It is asked of Rush Hour only.
	Minimal bool
}

// Distance is the fewest moves that solve the representative.
func (r *Record) Distance() int { return len(r.Layers) - 1 }

// Goals is the number of goal states of the cluster.
func (r *Record) Goals() uint64 { return r.Layers[0] }

// States is the size of the cluster.
func (r *Record) States() uint64 {
	var sum uint64
	for _, n := range r.Layers {
		sum += n
	}
	return sum
}

// Bounds of a record that is read. No board has more than 256 pieces, and a cluster
// has fewer distances than states.
const (
	boardBytesMax = 1 << 14
	piecesMax     = 256
	layersMax     = 1 << 16
)

// errRecord is what is wrong with a record that cannot be read.
var errRecord = errors.New("damaged record")

// AppendBinary appends the record's bytes: a byte of flags, of which the first
// says Minimal, and then varints: the vehicles, the walls, the length of the
// board, the board, the number of layers and each of them.
func (r *Record) AppendBinary(b []byte) ([]byte, error) {
	var flags byte
	if r.Minimal {
		flags = 1
	}
	b = append(b, flags)
	b = binary.AppendUvarint(b, uint64(r.Vehicles))
	b = binary.AppendUvarint(b, uint64(r.Walls))
	b = binary.AppendUvarint(b, uint64(len(r.Board)))
	b = append(b, r.Board...)
	b = binary.AppendUvarint(b, uint64(len(r.Layers)))
	for _, n := range r.Layers {
		b = binary.AppendUvarint(b, n)
	}
	return b, nil
}

// UnmarshalBinary reads what AppendBinary wrote.
func (r *Record) UnmarshalBinary(b []byte) error {
	if len(b) == 0 || b[0] > 1 {
		return fmt.Errorf("%w: no flags", errRecord)
	}
	d := decoder{rest: b[1:]}
	*r = Record{Minimal: b[0] == 1}
	r.Vehicles = int(d.number(piecesMax))
	r.Walls = int(d.number(piecesMax))
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

// A decoder takes varints off bytes. After a failure everything is 0.
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
