package worker

import (
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
)

// A Form is the form of the candidates of an attempt: states with the moves that lead to
// them or, FromMoves, the moves themselves, reversed. It is immutable.
type Form struct {
	scheme partition.Scheme
	shape  store.Shape
	edges  bool
}

// FormOf returns the form of candidates from a source.
func FormOf(scheme partition.Scheme, source Source) Form {
	if source != FromMoves {
		return Form{scheme: scheme, shape: ShapeOf(scheme)}
	}
	f := Form{scheme: scheme, edges: true}
	f.shape = store.Shape{Stride: 2*scheme.Words() + 1, MoveBits: scheme.MoveBits()}
	if key := scheme.LocalBits() + scheme.KeyBits(); scheme.Narrow() && key+scheme.MoveBits() <= 64 {
		f.shape = store.Shape{Stride: 1, KeyBits: key, MoveBits: scheme.MoveBits()}
	}
	return f
}

// Shape returns the shape of the records.
func (f Form) Shape() store.Shape { return f.shape }

// BlockRecords returns how many records a block for another worker may have: no block is
// larger than 4,096 records of nine words.
func (f Form) BlockRecords() int {
	if f.edges {
		return edgeBlockRecords
	}
	return store.BlockRecords
}

// Holds reports whether records from elsewhere have states of a partition, and moves
// below the given number.
func (f Form) Holds(part partition.ID, recs []uint64, moves int) bool {
	if !f.edges {
		return f.scheme.Holds(part, recs, moves)
	}
	s, stride := &f.scheme, f.shape.Stride
	moveMask, keyMask := uint64(1)<<s.MoveBits()-1, uint64(1)<<s.KeyBits()-1
	for i := 0; i < len(recs); i += stride {
		var to, from, move uint64
		if rec := recs[i : i+stride]; stride == 1 {
			to, from, move = rec[0]>>s.MoveBits()>>s.KeyBits(), rec[0]>>s.MoveBits()&keyMask, rec[0]&moveMask
		} else {
			to, from, move = rec[0], rec[s.Words()], rec[stride-1]
		}
		if !s.Narrow() { // its partition is in the first word
			if to>>s.LocalBits() != uint64(part) {
				return false
			}
		} else if to>>s.LocalBits() != 0 {
			return false
		}
		if from&^keyMask != 0 || move >= uint64(moves) {
			return false
		}
	}
	return true
}

// Joined returns the shape of records that have their partition in their keys: those of
// many partitions make one block. It reports false if they do not fit in a word.
func (f Form) Joined() (shape store.Shape, ok bool) {
	s := &f.scheme
	shape = store.Shape{Stride: 1, KeyBits: s.KeyBits(), MoveBits: s.MoveBits()}
	return shape, !f.edges && s.Narrow() && s.KeyBits()+s.MoveBits() <= 64
}

// Join appends records of a partition to dst as Joined ones.
func (f Form) Join(dst []uint64, part partition.ID, recs []uint64) []uint64 {
	top := uint64(part) << (f.scheme.LocalBits() + f.scheme.MoveBits())
	for _, r := range recs {
		dst = append(dst, top|r)
	}
	return dst
}

// Split calls take with the records of one partition after the other, which it makes of
// joined ones in place, until take returns an error. A partition may be any number.
func (f Form) Split(joined []uint64, take func(part uint64, recs []uint64) error) error {
	bits := f.scheme.LocalBits() + f.scheme.MoveBits()
	for len(joined) > 0 {
		part, n := joined[0]>>bits, 0
		for n < len(joined) && joined[n]>>bits == part {
			joined[n] -= part << bits
			n++
		}
		if err := take(part, joined[:n]); err != nil {
			return err
		}
		joined = joined[n:]
	}
	return nil
}

// edge writes to dst, which has room, the move from the state with the mixed key from to
// the state with the record to, and returns what it has written.
func (f Form) edge(dst, to, from []uint64, move puzzle.Move) []uint64 {
	s := &f.scheme
	dst = dst[:f.shape.Stride]
	if f.shape.Stride == 1 {
		dst[0] = to[0]>>s.MoveBits()<<s.KeyBits()<<s.MoveBits() | from[0]<<s.MoveBits() | uint64(move)
		return dst
	}
	words := s.Words()
	copy(dst, to[:words])
	if s.Narrow() {
		dst[0] >>= s.MoveBits()
	}
	copy(dst[words:], from)
	dst[2*words] = uint64(move)
	return dst
}
