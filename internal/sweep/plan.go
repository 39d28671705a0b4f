package sweep

import (
	"cmp"
	"slices"
)

// sortByCost puts the most costly units first, equal ones by number.
func sortByCost(units []int, e Enumeration) {
	slices.SortFunc(units, func(a, b int) int {
		return cmp.Or(cmp.Compare(e.Cost(b), e.Cost(a)), cmp.Compare(a, b))
	})
}
