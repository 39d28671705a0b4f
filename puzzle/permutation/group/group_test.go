package group

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// cycles makes a permutation of cycles of points from 1.
func cycles(points int, list ...[]int) Permutation {
	p := identity(points)
	for _, cycle := range list {
		for i, from := range cycle {
			p[from-1] = uint16(cycle[(i+1)%len(cycle)] - 1)
		}
	}
	return p
}

func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i + 1
	}
	return list
}

// TestOrders compares orders with those of the literature.
func TestOrders(t *testing.T) {
	m24 := cycles(24, []int{1, 24}, []int{2, 23}, []int{3, 12}, []int{4, 16}, []int{5, 18}, []int{6, 10}, []int{7, 20}, []int{8, 14}, []int{9, 21}, []int{11, 17}, []int{13, 22}, []int{15, 19})
	for _, c := range []struct {
		name       string
		points     int
		generators []Permutation
		want       string
	}{
		{"M11", 11, []Permutation{cycles(11, upTo(11)), cycles(11, []int{3, 7, 11, 8}, []int{4, 10, 5, 6})}, "7920"},
		{"M24", 24, []Permutation{cycles(24, upTo(23)), cycles(24, []int{3, 17, 10, 7, 9}, []int{4, 13, 14, 19, 5}, []int{8, 18, 11, 12, 23}, []int{15, 20, 22, 21, 16}), m24}, "244823040"},
		{"S20", 20, []Permutation{cycles(20, upTo(20)), cycles(20, []int{1, 2})}, "2432902008176640000"},
		{"A9", 9, []Permutation{cycles(9, upTo(9)), cycles(9, []int{1, 2, 3})}, "181440"},
		{"nothing", 5, []Permutation{identity(5)}, "1"},
	} {
		got, proved := Order(c.points, c.generators, nil)
		if !proved || got.String() != c.want {
			t.Errorf("%s: order %v, proved %v, want %s", c.name, got, proved, c.want)
		}
	}
}

// TestSmall compares orders, and subgroups of products of cyclic groups, with what
// multiplying out finds.
func TestSmall(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 100 {
		points := 2 + rng.IntN(5)
		var generators []Permutation
		for range 1 + rng.IntN(3) {
			p := identity(points)
			for _, i := range rng.Perm(points)[:1+rng.IntN(points)] {
				p[0], p[i] = p[i], p[0]
			}
			generators = append(generators, p)
		}
		all := []Permutation{identity(points)}
		for at := 0; at < len(all); at++ {
			for _, g := range generators {
				p := all[at].then(g)
				if !slices.ContainsFunc(all, func(q Permutation) bool { return slices.Equal(p, q) }) {
					all = append(all, p)
				}
			}
		}
		if got, proved := Order(points, generators, nil); !proved || got.Int64() != int64(len(all)) {
			t.Fatalf("%v: order %v, want %d", generators, got, len(all))
		}
	}
	for range 100 {
		moduli := make([]int, 1+rng.IntN(3))
		for i := range moduli {
			moduli[i] = 1 + rng.IntN(6)
		}
		vectors := make([][]int, rng.IntN(4))
		for i := range vectors {
			for _, m := range moduli {
				vectors[i] = append(vectors[i], rng.IntN(m))
			}
		}
		all := [][]int{make([]int, len(moduli))}
		for at := 0; at < len(all); at++ {
			for _, v := range vectors {
				sum := make([]int, len(moduli))
				for j, m := range moduli {
					sum[j] = (all[at][j] + v[j]) % m
				}
				if !slices.ContainsFunc(all, func(w []int) bool { return slices.Equal(sum, w) }) {
					all = append(all, sum)
				}
			}
		}
		if got := Spanned(moduli, vectors); got.Cmp(big.NewInt(int64(len(all)))) != 0 {
			t.Fatalf("%v in %v: %v, want %d", vectors, moduli, got, len(all))
		}
	}
}
