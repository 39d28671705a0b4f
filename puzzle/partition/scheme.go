// Package partition fixes, for one run, the order in which states are kept and
// which partition owns each of them.
//
// A state key is passed through a bijection, the mix, which spreads the keys of a
// space evenly over [0, 2^bits). The mixed key serves every purpose: its top bits are
// the partition, and the bits below them sort the states of a partition. Since mixed
// keys are evenly spread, any range of them is a bucket of predictable size. Since the
// mix can be inverted, full keys are compared and stored, never fingerprints.
//
// Everything here is integer arithmetic, the same on every machine; golden values pin
// it, because stored runs depend on it. The package must never depend on the number of
// workers, the clock or the order of arrival.
package partition

import (
	"fmt"
	"math/bits"

	"github.com/everystate/everystate/puzzle"
)

// ID names a partition of a run, from 0 to Scheme.Partitions()-1.
type ID uint32

// Numbers returns partitions as numbers.
func Numbers(parts []ID) []uint32 {
	numbers := make([]uint32, len(parts))
	for i, p := range parts {
		numbers[i] = uint32(p)
	}
	return numbers
}

// Max is the largest number of partitions of a run.
const Max = 1 << 12

// Check returns an error if a run cannot have so many partitions.
func Check(partitions int) error {
	if partitions < 1 || partitions > Max || partitions&(partitions-1) != 0 {
		return fmt.Errorf("%d partitions: must be a power of two from 1 to %d", partitions, Max)
	}
	return nil
}

// The multipliers of the mix, odd so that they have inverses modulo every power
// of two. The first two are from the 64-bit finaliser of MurmurHash3
// (A. Appleby), the last is 2^64 divided by the golden ratio.
const (
	mulA = 0xff51afd7ed558ccd
	mulB = 0xc4ceb9fe1a85ec53
	mulC = 0x9e3779b97f4a7c15
)

// A Scheme packs a state key and a move into a record: one or more words that
// sort by (mixed key, move). There are two forms.
//
// Narrow: the mixed key without its partition bits, followed by the move, in
// one word. This is the form of nearly every puzzle, and the fast one.
//
// Wide: the words of the mixed key followed by a word for the move; the
// partition bits stay in the first word.
//
// A Scheme is a value; copies are cheap and safe for concurrent use.
type Scheme struct {
	words    int  // words of a state key
	stride   int  // words of a record
	keyBits  uint // bits of a mixed key; wide: 64, of its first word
	partBits uint
	moveBits uint
	half     uint // shift of the mix
	keyMask  uint64
	invA     uint64
	invB     uint64
	invC     uint64
}

// New returns the scheme for a puzzle's layout and a number of partitions that passes
// Check.
func New(layout puzzle.Layout, partitions int) (Scheme, error) {
	if err := Check(partitions); err != nil {
		return Scheme{}, err
	}
	if layout.KeyBits < 1 || layout.Words() > puzzle.WordsMax {
		return Scheme{}, fmt.Errorf("key of %d bits: must be 1 to %d", layout.KeyBits, 64*puzzle.WordsMax)
	}
	if layout.Moves < 1 || layout.Moves > puzzle.MovesMax {
		return Scheme{}, fmt.Errorf("%d moves: must be 1 to %d", layout.Moves, puzzle.MovesMax)
	}
	s := Scheme{
		words:    layout.Words(),
		partBits: uint(bits.TrailingZeros(uint(partitions))),
		moveBits: uint(bits.Len(uint(layout.Moves - 1))),
		keyBits:  64,
		invA:     inverse(mulA),
		invB:     inverse(mulB),
		invC:     inverse(mulC),
	}
	if s.words == 1 {
		s.keyBits = max(uint(layout.KeyBits), s.partBits)
	}
	s.half = (s.keyBits + 1) / 2
	s.keyMask = ^uint64(0) >> (64 - s.keyBits)
	s.stride = s.words + 1
	if s.words == 1 && s.keyBits-s.partBits+s.moveBits <= 64 {
		s.stride = 1
	}
	return s, nil
}

// inverse returns x with x*m = 1 modulo 2^64, by Newton's iteration; each step doubles
// the number of correct low bits (m*m = 1 modulo 8 for odd m).
func inverse(m uint64) uint64 {
	x := m
	for range 5 {
		x *= 2 - m*x
	}
	return x
}

// Partitions returns the number of partitions.
func (s *Scheme) Partitions() int { return 1 << s.partBits }

// Words returns the number of words of a state key.
func (s *Scheme) Words() int { return s.words }

// Stride returns the number of words of a record.
func (s *Scheme) Stride() int { return s.stride }

// Narrow reports whether a record is a single word.
func (s *Scheme) Narrow() bool { return s.stride == 1 }

// MoveBits returns the number of bits of a move id, 0 if there is one move.
func (s *Scheme) MoveBits() uint { return s.moveBits }

// LocalBits returns, for a narrow scheme, the number of bits of a record's key: those
// of the mixed key below the partition bits.
func (s *Scheme) LocalBits() uint { return s.keyBits - s.partBits }

// mix spreads a key over [0, 2^keyBits). Each step is a bijection there: a
// multiplication by an odd number, and an exclusive or with the top half.
func (s *Scheme) mix(k uint64) uint64 {
	// The shifts are below 64. The mask states that, here and below, and spares the
	// instructions that make a greater shift give 0.
	half := s.half & 63
	k = k * mulA & s.keyMask
	k ^= k >> half
	k = k * mulB & s.keyMask
	k ^= k >> half
	k = k * mulC & s.keyMask
	return k
}

func (s *Scheme) unmix(h uint64) uint64 {
	half := s.half & 63
	h = h * s.invC & s.keyMask
	h ^= h >> half
	h = h * s.invB & s.keyMask
	h ^= h >> half
	return h * s.invA & s.keyMask
}

// fold condenses the words after the first into one.
func fold(rest []uint64) uint64 {
	var f uint64
	for _, w := range rest {
		f = bits.RotateLeft64((f^w)*mulA, 29) * mulB
	}
	return f ^ f>>31
}

// Record writes to dst, of Stride words, the record of a state key and a move,
// and returns the partition that owns it.
func (s *Scheme) Record(dst, key []uint64, move puzzle.Move) ID {
	if s.stride == 1 {
		id, rec := s.RecordNarrow(key[0], move)
		dst[0] = rec
		return id
	}
	h := s.mix(key[0] ^ fold(key[1:s.words]))
	copy(dst[1:], key[1:s.words])
	dst[0] = h
	dst[s.words] = uint64(move)
	return ID(h >> (s.keyBits - s.partBits))
}

// RecordNarrow is Record for a narrow scheme.
func (s *Scheme) RecordNarrow(key uint64, move puzzle.Move) (ID, uint64) {
	h := s.mix(key)
	local := s.keyBits - s.partBits
	return ID(h >> local), (h&(1<<local-1))<<(s.moveBits&63) | uint64(move)
}

// CountNarrow adds, for a narrow scheme, to each partition how many keys it owns.
func (s *Scheme) CountNarrow(parts []int64, keys []uint64) {
	if s.partBits == 0 {
		parts[0] += int64(len(keys))
		return
	}
	c := *s // a copy that no write to parts can change
	local := (c.keyBits - c.partBits) & 63
	for _, key := range keys {
		parts[c.mix(key)>>local]++
	}
}

// Key appends to dst the state key of a record of partition id.
func (s *Scheme) Key(dst []uint64, id ID, rec []uint64) []uint64 {
	if s.stride == 1 {
		return append(dst, s.KeyNarrow(id, rec[0]))
	}
	dst = append(dst, s.unmix(rec[0])^fold(rec[1:s.words]))
	return append(dst, rec[1:s.words]...)
}

// KeyNarrow is Key for a narrow scheme.
func (s *Scheme) KeyNarrow(id ID, rec uint64) uint64 {
	return s.unmix(uint64(id)<<(s.keyBits-s.partBits) | rec>>s.moveBits)
}

// Keys appends to dst the state keys of the given records of partition id.
func (s *Scheme) Keys(dst []uint64, id ID, recs []uint64) []uint64 {
	if s.stride == 1 {
		top := uint64(id) << (s.keyBits - s.partBits)
		for _, r := range recs {
			dst = append(dst, s.unmix(top|r>>(s.moveBits&63)))
		}
		return dst
	}
	for i := 0; i < len(recs); i += s.stride {
		dst = s.Key(dst, id, recs[i:i+s.stride])
	}
	return dst
}

// KeyBits returns the number of bits of a mixed key, or of its first word if it has
// several.
func (s *Scheme) KeyBits() uint { return s.keyBits }

// Mixed appends to dst the mixed key of a record of partition id: words that identify
// the state and its partition.
func (s *Scheme) Mixed(dst []uint64, id ID, rec []uint64) []uint64 {
	if s.stride == 1 {
		return append(dst, uint64(id)<<(s.keyBits-s.partBits)|rec[0]>>s.moveBits)
	}
	return append(dst, rec[:s.words]...)
}

// OfMixed writes to dst the record of a mixed key and a move, and returns the
// partition that owns it.
func (s *Scheme) OfMixed(dst, mixed []uint64, move puzzle.Move) ID {
	local := s.keyBits - s.partBits
	if s.stride == 1 {
		dst[0] = (mixed[0]&(1<<local-1))<<s.moveBits | uint64(move)
	} else {
		copy(dst, mixed[:s.words])
		dst[s.words] = uint64(move)
	}
	return ID(mixed[0] >> local)
}

// Move returns the move of a record.
func (s *Scheme) Move(rec []uint64) puzzle.Move {
	if s.stride == 1 {
		return puzzle.Move(rec[0] & (1<<s.moveBits - 1))
	}
	return puzzle.Move(rec[s.words])
}

// Moves appends to dst the moves of the given records.
func (s *Scheme) Moves(dst []puzzle.Move, recs []uint64) []puzzle.Move {
	if s.stride == 1 {
		mask := uint64(1)<<s.moveBits - 1
		for _, r := range recs {
			dst = append(dst, puzzle.Move(r&mask))
		}
		return dst
	}
	for i := s.words; i < len(recs); i += s.stride {
		dst = append(dst, puzzle.Move(recs[i]))
	}
	return dst
}

// Holds reports whether records have keys of partition id and moves below the given
// number, as those made by Record do. It is for records from elsewhere.
func (s *Scheme) Holds(id ID, recs []uint64, moves int) bool {
	if s.Narrow() {
		mask := uint64(1)<<s.moveBits - 1
		for _, rec := range recs {
			if rec>>s.moveBits>>s.LocalBits() != 0 || rec&mask >= uint64(moves) {
				return false
			}
		}
		return true
	}
	for i := 0; i < len(recs); i += s.stride {
		if recs[i]>>s.LocalBits() != uint64(id) || recs[i+s.stride-1] >= uint64(moves) {
			return false
		}
	}
	return true
}
