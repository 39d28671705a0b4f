package main

import (
	"math"
	"math/rand/v2"
)

// A space is a puzzle's states, as far as they matter for time.
type space struct {
	name   string
	layers []int64

	// moves is the mean number of moves of a state; onward is the same without the
	// inverse of the link.
	moves, onward float64

	keyBits  float64 // per key; the logarithm of the number of keys
	moveBits float64

	// Measured values, where the formulas for evenly spread keys do not hold: zero
	// means the formula.
	bytesState, bytesCandidate float64

	// sent is the share of the candidates for other workers that remains after
	// dropping duplicates within a chunk.
	sent  float64
	rates rates
	note  string
}

func (s *space) states() (n int64) {
	for _, l := range s.layers {
		n += l
	}
	return n
}

// stored returns the bytes of n states of one layer: after Elias and Fano, the
// logarithm of the mean gap plus two bits, and the link. Blocks and tables add a
// fiftieth.
func (s *space) stored(n float64) float64 {
	if n == 0 {
		return 0
	}
	if s.bytesState > 0 {
		return n * s.bytesState
	}
	return n * 1.02 * (max(0, s.keyBits-math.Log2(n)) + 2 + s.moveBits) / 8
}

// packed returns the bytes per candidate in a block of block candidates, for one of
// the given number of partitions.
func (s *space) packed(partitions int, block float64) float64 {
	block = max(1, block)
	if s.bytesCandidate > 0 {
		return s.bytesCandidate
	}
	gap := s.keyBits - math.Log2(float64(partitions)) - math.Log2(block)
	return 1.01*(max(0, gap)+2+s.moveBits)/8 + 24/block
}

// sized returns the sizes of the partitions, for every layer.
func (s *space) sized(partitions int) [][]int64 {
	rng := rand.New(rand.NewPCG(uint64(partitions), uint64(len(s.layers))))
	out := make([][]int64, len(s.layers))
	for i, n := range s.layers {
		parts := make([]int64, partitions)
		spread(rng, n, parts)
		out[i] = sums(parts)
	}
	return out
}

// spaces returns two spaces of the literature, and two that are explored in minutes.
func spaces() []*space {
	return []*space{tiles3x4(), tiles4x4(), unitRush(), deep8x8()}
}

func tiles3x4() *space {
	return &space{
		name: "tiles 3x4", layers: layers3x4, moves: 34. / 12, onward: 34./12 - 1,
		keyBits: math.Log2(479_001_600), moveBits: 2, sent: 0.985, rates: denseTiles,
		note: "OEIS A090166, recomputed",
	}
}

func tiles4x4() *space {
	return &space{
		name: "tiles 4x4", layers: layers4x4, moves: 3, onward: 2,
		keyBits: math.Log2(20_922_789_888_000), moveBits: 2, sent: 1, rates: sparse,
		note: "OEIS A089484",
	}
}

// unitRush is the 6x6 board of cars of one cell with one cell free: 36 places for the
// hole, and each car lies along a row or a column (J. Tromp, R. Cilibrasi, Limits of
// Rush Hour Logic Complexity). All states count as reachable from the solved ones,
// which is too many. The eccentricity is 732 moves. The sizes of the layers are not
// published; this is a guess with one early peak, and a tail that ends there.
func unitRush() *space {
	const states, depth, scale = 36 << 35, 732, 27
	layers := make([]int64, depth+1)
	weight := func(d int) float64 { return float64(d+1) * math.Exp(-float64(d)/scale) }
	var all float64
	for d := range layers {
		all += weight(d)
	}
	rest, peak := int64(states), 0
	for d := range layers {
		layers[d] = max(1, int64(weight(d)/all*states))
		rest -= layers[d]
		if layers[d] > layers[peak] {
			peak = d
		}
	}
	layers[peak] += rest
	s := &space{
		name: "unit cars 6x6", layers: layers, moves: 5. / 3, onward: 2. / 3,
		keyBits: math.Log2(states), moveBits: 2, sent: 1, rates: sparse,
		note: "36 * 2^35 states; the shape of the layers is a guess",
	}
	s.rates.successor = largeRush.successor
	return s
}

func deep8x8() *space {
	return &space{
		name: "deep 8x8", layers: layersDeep, moves: 39_525_850. / 3_549_037, onward: 1.10,
		bytesState: 4.3, bytesCandidate: 3.62, sent: 1, rates: deepRush, note: "160 small layers",
	}
}

func large8x8() *space {
	return &space{
		name: "large 8x8", layers: layersLarge, moves: 139_784_208. / 10_219_743, onward: 1.11,
		bytesState: 3.9, bytesCandidate: 3.77, sent: 0.94, rates: largeRush, note: "76 layers",
	}
}
