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

// TestPartsAreRemembered searches a list of four kinds, none of use, until as few parts are judged
// as there are kinds.
func TestPartsAreRemembered(t *testing.T) {
	t.Parallel()
	var list []int32
	for p := range int32(64) {
		list = append(list, p)
	}
	kind := func(i int) int { n, _ := slices.BinarySearch([]int{5, 17, 40}, i+1); return n }
	var d Division
	var counts []int
	for range 8 {
		count := 0
		if i := d.Find(list, func(from, to int) bool { count++; return kind(from) == kind(to-1) }); i >= 0 {
			t.Fatalf("found %d, but none is of use", i)
		}
		counts = append(counts, count)
	}
	if least := counts[len(counts)-1]; least != 4 {
		t.Errorf("judged %v parts, time after time; want 4 in the end", counts)
	}
	d.Forget()
	count := 0
	d.Find(list, func(from, to int) bool { count++; return kind(from) == kind(to-1) })
	if count != counts[0] {
		t.Errorf("judged %d parts after what was known was dropped, %d the first time", count, counts[0])
	}
}
