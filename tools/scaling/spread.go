package main

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// spread divides n things among the partitions as an even hash does: each is equally
// likely to go to any of them, and none is lost. len(parts) is a power of two: it is
// halved recursively down to one.
func spread(rng *rand.Rand, n int64, parts []int64) {
	if len(parts) == 1 {
		parts[0] = n
		return
	}
	left := half(rng, n)
	mid := len(parts) / 2
	spread(rng, left, parts[:mid])
	spread(rng, n-left, parts[mid:])
}

// half draws how many of n coins show heads. From 64 on, the normal distribution
// replaces the binomial one.
func half(rng *rand.Rand, n int64) int64 {
	if n < 64 {
		return int64(bits.OnesCount64(rng.Uint64() & (1<<uint(n) - 1)))
	}
	k := int64(math.Round(float64(n)/2 + math.Sqrt(float64(n))/2*rng.NormFloat64()))
	return min(max(k, 0), n)
}

// sums returns the running sums of the partitions, from 0 to all of them, so that a
// range of partitions takes one subtraction.
func sums(parts []int64) []int64 {
	out := make([]int64, len(parts)+1)
	for i, n := range parts {
		out[i+1] = out[i] + n
	}
	return out
}

// divide returns where share i of n begins among the partitions: shares are equal to
// within one partition.
func divide(partitions, n, i int) int { return i * partitions / n }
