package limits

import (
	"math/rand/v2"
	"testing"

	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// TestCount compares counts with those of a twin that tries every way to choose lines.
func TestCount(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		given := []rules.Limit{{Vertical: true, Length: 2, Most: random.IntN(4)}, {Vertical: true, Length: 3, Most: random.IntN(3)}}
		const columns, masks = 4, 8
		var have [][][]int
		var fits [][][]uint64
		for j := range columns {
			have, fits = append(have, nil), append(fits, nil)
			for range 1 + random.IntN(4) {
				have[j] = append(have[j], []int{random.IntN(3), random.IntN(2)})
				fit := make([]uint64, masks)
				for m := range fit {
					fit[m] = random.Uint64N(4)
				}
				fits[j] = append(fits[j], fit)
			}
		}
		c := New(given, have, fits)
		for range 5 {
			var covered uint64
			for j := range columns {
				covered |= random.Uint64N(masks) << (8 * j)
			}
			var prefix []uint16
			for j := range random.IntN(columns + 1) {
				prefix = append(prefix, uint16(random.IntN(len(have[j]))))
			}
			got, want := c.Count(covered, prefix), slowCount(given, have, fits, covered, prefix, 0, [2]int{})
			if got != want {
				t.Fatalf("seed %d: %d ways with covered %x and prefix %v, want %d", seed, got, covered, prefix, want)
			}
		}
	}
}

// slowCount counts the ways to fill the columns from the j-th on, when those before have some
// vehicles.
func slowCount(given []rules.Limit, have [][][]int, fits [][][]uint64, covered uint64, prefix []uint16, j int, vehicles [2]int) uint64 {
	if vehicles[0] > given[0].Most || vehicles[1] > given[1].Most {
		return 0
	}
	if j == len(have) {
		return 1
	}
	var sum uint64
	for k, n := range have[j] {
		if j < len(prefix) && int(prefix[j]) != k {
			continue
		}
		then := [2]int{vehicles[0] + n[0], vehicles[1] + n[1]}
		sum += fits[j][k][covered>>(8*j)&0xff] * slowCount(given, have, fits, covered, prefix, j+1, then)
	}
	return sum
}
