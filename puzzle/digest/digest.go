// Package digest condenses a set of states, with what a run found out about each of
// them, into 128 bits that do not depend on any order.
//
// The digest of a set is the sum of the digests of its members, so workers can add up
// what they hold, and the coordinator what the workers report. Runs that agree on
// every state, its depth and its predecessor link have the same digest; runs that
// differ have the same only by chance. It guards against mistakes and damage, not
// against someone who looks for collisions.
package digest

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/everystate/everystate/puzzle"
)

// Digest is a sum of state digests. The zero Digest is the digest of the empty set.
type Digest [2]uint64

// Size is the number of bytes of a digest.
const Size = 16

// Salt separates the digests of one layer from those of all others.
type Salt uint64

// LayerSalt returns the salt of a layer of a phase.
func LayerSalt(phase uint8, depth uint32) Salt {
	return Salt(finalise(uint64(phase)<<32 | uint64(depth)))
}

// finalise is the 64-bit finaliser of MurmurHash3 (A. Appleby), a bijection
// each of whose output bits depends on every input bit.
func finalise(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// odd multiplies the move, so that neighbouring ids are far apart.
const odd = 0x9e3779b97f4a7c15

// AddState adds a state: its key, and the move that led to it.
func (d *Digest) AddState(salt Salt, key []uint64, move puzzle.Move) {
	h := uint64(salt) + uint64(move)*odd
	for _, w := range key {
		h = finalise(h ^ w)
	}
	d.add(h)
}

// AddNarrow is AddState for a key of one word.
func (d *Digest) AddNarrow(salt Salt, key uint64, move puzzle.Move) {
	d.add(finalise((uint64(salt) + uint64(move)*odd) ^ key))
}

// AddAll adds states whose keys have one word and that have one link.
func (d *Digest) AddAll(salt Salt, keys []uint64, move puzzle.Move) {
	first := uint64(salt) + uint64(move)*odd
	a, b := d[0], d[1]
	for _, key := range keys {
		h := finalise(first ^ key)
		a += h
		b += finalise(h + odd)
	}
	d[0], d[1] = a, b
}

// AddEach adds states whose keys have one word, with a link for each.
func (d *Digest) AddEach(salt Salt, keys []uint64, moves []puzzle.Move) {
	a, b := d[0], d[1]
	moves = moves[:len(keys)]
	for i, key := range keys {
		h := finalise((uint64(salt) + uint64(moves[i])*odd) ^ key)
		a += h
		b += finalise(h + odd)
	}
	d[0], d[1] = a, b
}

func (d *Digest) add(h uint64) {
	d[0] += h
	d[1] += finalise(h + odd)
}

// Add adds another digest.
func (d *Digest) Add(e Digest) {
	d[0] += e[0]
	d[1] += e[1]
}

// String returns the digest as 32 hexadecimal digits.
func (d Digest) String() string { return hex.EncodeToString(d.Bytes()) }

// Bytes returns the digest as Size bytes.
func (d Digest) Bytes() []byte {
	b := binary.BigEndian.AppendUint64(nil, d[0])
	return binary.BigEndian.AppendUint64(b, d[1])
}

// FromBytes is the inverse of Bytes.
func FromBytes(b []byte) (Digest, error) {
	if len(b) != Size {
		return Digest{}, fmt.Errorf("digest of %d bytes: must be %d", len(b), Size)
	}
	return Digest{binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])}, nil
}
