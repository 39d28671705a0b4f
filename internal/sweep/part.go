package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Part is some of the equal parts into which the units of a sweep are dealt, so that
// machines that do not know of one another can each do some. The zero Part is the whole.
type Part struct {
	// Of is how many parts there are, and Numbers which of them, from 1, ascending.
	Of      int
	Numbers []int
}

// partsMax bounds how many parts there are.
const partsMax = 1 << 20

var errTwice = errors.New("names a part twice")

// ParsePart reads K/N, or with ranges and lists 1-3,7/N.
func ParsePart(text string) (Part, error) {
	wrong := errors.New("must be K/N, such as 3/64, or several parts, such as 1-8,11/64")
	list, of, ok := strings.Cut(text, "/")
	n, err := strconv.Atoi(of)
	if !ok || err != nil || n < 1 || n > partsMax {
		return Part{}, wrong
	}
	p := Part{Of: n}
	for field := range strings.SplitSeq(list, ",") {
		first, last, two := strings.Cut(field, "-")
		if !two {
			last = first
		}
		from, err1 := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if err1 != nil || err2 != nil || from < 1 || to < from {
			return Part{}, wrong
		}
		if to > n {
			return Part{}, fmt.Errorf("there is no part %d of %d", to, n)
		}
		if to-from >= n-len(p.Numbers) {
			return Part{}, errTwice // there are no more than n
		}
		for k := from; k <= to; k++ {
			p.Numbers = append(p.Numbers, k)
		}
	}
	slices.Sort(p.Numbers)
	if len(slices.Compact(slices.Clone(p.Numbers))) < len(p.Numbers) {
		return Part{}, errTwice
	}
	return p, nil
}

// String returns what ParsePart reads. The whole is 1/1.
func (p Part) String() string {
	if p.Of == 0 {
		return "1/1"
	}
	var b strings.Builder
	for i := 0; i < len(p.Numbers); {
		end := i + 1
		for end < len(p.Numbers) && p.Numbers[end] == p.Numbers[end-1]+1 {
			end++
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprint(&b, p.Numbers[i])
		if end > i+1 {
			fmt.Fprintf(&b, "-%d", p.Numbers[end-1])
		}
		i = end
	}
	return fmt.Sprintf("%s/%d", b.String(), p.Of)
}

// Whole reports whether the part is all there is.
func (p Part) Whole() bool { return len(p.Numbers) == p.Of }

// And joins parts of the same division that share none.
func (p Part) And(q Part) (Part, error) {
	p, q = p.named(), q.named()
	if p.Of != q.Of {
		return Part{}, fmt.Errorf("parts of %d and of %d do not add up", p.Of, q.Of)
	}
	for _, k := range q.Numbers {
		if _, has := slices.BinarySearch(p.Numbers, k); has {
			return Part{}, fmt.Errorf("part %d/%d is there twice", k, p.Of)
		}
	}
	p.Numbers = append(slices.Clone(p.Numbers), q.Numbers...)
	slices.Sort(p.Numbers)
	return p, nil
}

// named returns the part with its numbers, which the zero Part does not have.
func (p Part) named() Part {
	if p.Of == 0 {
		return Part{Of: 1, Numbers: []int{1}}
	}
	return p
}

// Grouped is an enumeration whose units fall into groups: those of one take about as
// long for the same cost.
type Grouped interface{ Group(unit int) int }

// Units lists the units of a part, in the order of their numbers. Which these are depends
// only on the rules, as that order does: group by group, the units are dealt from the
// most costly to the least, forth and back, so that the parts of each group differ by at
// most one unit, and hardly in cost.
func (p Part) Units(e Enumeration) []int {
	units := make([]int, e.Units())
	for i := range units {
		units[i] = i
	}
	if p.Whole() {
		return units
	}
	sortByCost(units, e)
	if g, ok := e.(Grouped); ok {
		slices.SortStableFunc(units, func(a, b int) int { return cmp.Compare(g.Group(a), g.Group(b)) })
	}
	wanted := make([]bool, p.Of)
	for _, k := range p.Numbers {
		wanted[k-1] = true
	}
	var some []int
	for i, unit := range units {
		place := i % p.Of
		if i/p.Of%2 == 1 {
			place = p.Of - 1 - place
		}
		if wanted[place] {
			some = append(some, unit)
		}
	}
	slices.Sort(some)
	return some
}
