package ranking

import (
	"slices"
	"testing"
)

// lists returns all lists of items that occur so often, in lexicographic order.
func lists(occurs []uint8) (all [][]uint8) {
	left := slices.Clone(occurs)
	var list []uint8
	var next func(length int)
	next = func(length int) {
		if length == 0 {
			all = append(all, slices.Clone(list))
			return
		}
		for item := range left {
			if left[item] == 0 {
				continue
			}
			left[item]--
			list = append(list, uint8(item))
			next(length - 1)
			list = list[:len(list)-1]
			left[item]++
		}
	}
	total := 0
	for _, n := range occurs {
		total += int(n)
	}
	next(total)
	return all
}

func TestRanks(t *testing.T) {
	t.Parallel()
	for _, occurs := range [][]uint8{{1}, {1, 1}, {1, 1, 1, 1, 1, 1, 1}, {3, 4}, {1, 6}, {5, 1}, {2, 1, 3}, {1, 2, 1, 2}, {4}} {
		all := lists(occurs)
		for rank, list := range all {
			check := func(what string, got uint64, write func(items []uint8)) {
				items := make([]uint8, len(list))
				write(items)
				if got != uint64(rank) || !slices.Equal(items, list) {
					t.Errorf("%v: %s: %v has rank %d, want %d, and %v that of %d", occurs, what, list, got, rank, items, rank)
				}
			}
			check("alike", Alike(occurs, uint64(len(all)), list), func(items []uint8) { ToAlike(occurs, uint64(len(all)), items, uint64(rank)) })
			if len(occurs) == 2 {
				check("two", Two(int(occurs[0]), list), func(items []uint8) { ToTwo(int(occurs[0]), items, uint64(rank)) })
			}
			if slices.Max(occurs) == 1 {
				check("distinct", Distinct(list), func(items []uint8) { ToDistinct(items, uint64(rank)) })
			}
		}
	}
}

// TestTwoKinds compares the two ways to rank lists of two kinds of items.
func TestTwoKinds(t *testing.T) {
	t.Parallel()
	for _, items := range []uint64{5, 13, 40, ItemsMax} {
		for i, lists := range []uint64{items, items * (items - 1) / 2, items * (items - 1) * (items - 2) / 6} {
			ones := i + 1
			occurs := []uint8{uint8(items) - uint8(ones), uint8(ones)}
			a, b := make([]uint8, items), make([]uint8, items)
			for rank := range lists {
				ToTwo(int(occurs[0]), a, rank)
				ToAlike(occurs, lists, b, rank)
				if !slices.Equal(a, b) || Two(int(occurs[0]), a) != rank || Alike(occurs, lists, a) != rank {
					t.Fatalf("%d of %d, rank %d: %v and %v", ones, items, rank, a, b)
				}
			}
		}
	}
}

// TestLongLists ranks the first and last lists of more items than a word has digits for.
func TestLongLists(t *testing.T) {
	t.Parallel()
	items, last := make([]uint8, 20), make([]uint8, 20)
	for i := range last {
		last[i] = uint8(len(last) - 1 - i)
	}
	const factorial = 2_432_902_008_176_640_000
	if got := Distinct(last); got != factorial-1 {
		t.Errorf("the last permutation of 20 has rank %d", got)
	}
	if ToDistinct(items, factorial-1); !slices.Equal(items, last) {
		t.Errorf("the last rank is %v", items)
	}
	zeros := slices.Concat(slices.Repeat([]uint8{1}, 31), slices.Repeat([]uint8{0}, 31))
	const lists = 465_428_353_255_261_088 // 62 over 31
	if got := Two(31, zeros); got != lists-1 {
		t.Errorf("the last list of 31 zeros and ones has rank %d", got)
	}
}
