package division

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDivision searches random lists, each like the one before, in which a few numbers are not
// useless: the first of these is found whatever was divided before.
func TestDivision(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(21, 3))
	for range 200 {
		n := 1 + random.IntN(40)
		kinds, useful := make([]int, n), make([]bool, n)
		for p := range kinds {
			kinds[p] = random.IntN(3)
		}
		var d Division
		for range 20 {
			for range 1 + n/8 {
				kinds[random.IntN(n)] = random.IntN(3)
				useful[random.IntN(n)] = random.IntN(12) == 0
			}
			var list []int32
			for p := range n {
				if random.IntN(5) > 0 {
					list = append(list, int32(p))
				}
			}
			want := slices.IndexFunc(list, func(p int32) bool { return useful[p] })
			have := d.Find(list, func(from, to int) bool {
				if from >= to || to > len(list) {
					t.Fatalf("judged %d to %d of %d", from, to, len(list))
				}
				// Numbers of two kinds are not useless together.
				for _, p := range list[from:to] {
					if useful[p] || kinds[p] != kinds[list[from]] {
						return false
					}
				}
				return true
			})
			if have != want {
				t.Fatalf("%v: found %d, the first that is not useless is %d", list, have, want)
			}
		}
	}
}
