package sweep

import (
	"cmp"
	"slices"
)

// sortByCost sorts units by decreasing cost, those of equal cost by number.
func sortByCost(units []int, e Enumeration) {
	slices.SortFunc(units, func(a, b int) int {
		return cmp.Or(cmp.Compare(e.Cost(b), e.Cost(a)), cmp.Compare(a, b))
	})
}
