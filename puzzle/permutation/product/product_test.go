package product_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/everystate/everystate/puzzle/permutation/product"
)

// tuple is the numbers of some parts.
type tuple [3]int32

// reached is what moves reach from the start, by a search without numbers.
func reached(parts []product.Part, moves int) []tuple {
	seen := map[tuple]bool{{}: true}
	queue := []tuple{{}}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for move := range moves {
			var to tuple
			for i, part := range parts {
				to[i] = part[move][at[i]]
			}
			if !seen[to] {
				seen[to] = true
				queue = append(queue, to)
			}
		}
	}
	var all []tuple
	for t := range seen {
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b tuple) int { return slices.Compare(a[:], b[:]) })
	return all
}

// random returns parts whose numbers moves permute. With ties, one has the numbers of
// another.
func random(r *rand.Rand, moves int, tied bool) []product.Part {
	var parts []product.Part
	for i := range len(tuple{}) {
		part := make(product.Part, moves)
		size := 1 + r.IntN(7)
		for m := range part {
			if tied && i == 2 {
				part[m] = parts[0][m]
				continue
			}
			for _, to := range r.Perm(size) {
				part[m] = append(part[m], int32(to))
			}
		}
		parts = append(parts, part)
	}
	return parts
}

func TestSameAsSlowTwin(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 18))
	partial := 0
	for round := range 300 {
		moves := 1 + r.IntN(3)
		parts := random(r, moves, round%2 == 0)
		want := reached(parts, moves)
		p := product.New(parts, moves, len(want))
		if p == nil || p.Len() != len(want) {
			t.Fatalf("round %d: %v combinations, want %d", round, p, len(want))
		}
		all := uint64(parts[0].Size() * parts[1].Size() * parts[2].Size())
		if uint64(len(want)) < all {
			partial++
			if product.New(parts, moves, len(want)-1) != nil {
				t.Fatalf("round %d: more combinations than the limit", round)
			}
		}
		numbers := 0
		for c := range all + 1 {
			if i, ok := p.Number(c); ok {
				if numbers != i || p.Combination(i) != c {
					t.Fatalf("round %d: combination %d has number %d, want %d", round, c, i, numbers)
				}
				numbers++
			}
		}
		if numbers != len(want) {
			t.Fatalf("round %d: %d numbers, want %d", round, numbers, len(want))
		}
		for i, at := range want {
			var have tuple
			p.Numbers(p.Combination(i), func(part, number int) { have[part] = int32(number) })
			if have != at {
				t.Fatalf("round %d: number %d is %v, want %v", round, i, have, at)
			}
		}
		for move := range moves {
			for i, to := range p.Next(move) {
				for k, part := range parts {
					if part[move][want[i][k]] != want[to][k] {
						t.Fatalf("round %d: move %d leads from %v to %v", round, move, want[i], want[to])
					}
				}
			}
		}
	}
	if partial < 50 {
		t.Errorf("only %d of 300 products have combinations that are not reached", partial)
	}
}

// A product of nothing has one combination, and one that overflows is refused.
func TestExtremes(t *testing.T) {
	t.Parallel()
	if p := product.New(nil, 2, 1); p == nil || p.Len() != 1 || !slices.Equal(p.Next(0), []int32{0}) {
		t.Errorf("the product of nothing: %v", p)
	}
	wide := product.Part{make([]int32, 1<<22)}
	if p := product.New([]product.Part{wide, wide, wide}, 1, 10); p != nil {
		t.Errorf("a product of 2^66 combinations has %d", p.Len())
	}
}
