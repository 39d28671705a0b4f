package bydepth

import (
	"math"
	"slices"
	"testing"
)

func TestEvenShare(t *testing.T) {
	for _, test := range []struct {
		counts []int64
		shown  int64
		want   int64
	}{
		{nil, 10, math.MaxInt64},
		{[]int64{1, 2, 3}, 6, math.MaxInt64},
		{[]int64{1, 100, 2, 100}, 23, 10},
		{[]int64{5, 5, 5}, 1, 1},
	} {
		counts := slices.Clone(test.counts)
		if got := evenShare(counts, test.shown); got != test.want || !slices.Equal(counts, test.counts) {
			t.Errorf("%d of %v: at most %d each, want %d", test.shown, test.counts, got, test.want)
		}
	}
}
