package hanoi

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/everystate/everystate/puzzle"
)

var (
	_ puzzle.Sized        = (*game)(nil)
	_ puzzle.OrbitCounter = (*action)(nil)
)

// Size returns the number of arrangements. With three pegs or more each of them can be
// reached, whatever the rule.
func (g *game) Size() puzzle.Size {
	return puzzle.Size{States: power(g.pegs, g.discs), Exact: true, Formula: fmt.Sprintf("%d^%d", g.pegs, g.discs)}
}

// Orbits returns the number of orbits, by Burnside's lemma: a permutation of the pegs maps
// an arrangement to itself if all discs are on pegs that it maps to themselves.
func (a *action) Orbits() puzzle.Size {
	var perms [pegsMax + 1]int64 // by number of pegs that they map to themselves
	for _, to := range a.pegs {
		same := 0
		for peg, image := range to {
			if int(image) == peg {
				same++
			}
		}
		perms[same]++
	}
	sum, terms := new(big.Int), []string(nil)
	for pegs := pegsMax; pegs > 0; pegs-- {
		n := perms[pegs]
		if n == 0 {
			continue
		}
		term := fmt.Sprintf("%d^%d", pegs, a.discs)
		if n > 1 {
			term = fmt.Sprintf("%d*%s", n, term)
		}
		terms = append(terms, term)
		sum.Add(sum, new(big.Int).Mul(big.NewInt(n), power(pegs, a.discs)))
	}
	count := int64(len(a.pegs))
	return puzzle.Size{
		States: sum.Div(sum, big.NewInt(count)), Exact: true,
		Formula: fmt.Sprintf("(%s)/%d", strings.Join(terms, " + "), count),
	}
}

func power(base, exponent int) *big.Int {
	return new(big.Int).Exp(big.NewInt(int64(base)), big.NewInt(int64(exponent)), nil)
}
