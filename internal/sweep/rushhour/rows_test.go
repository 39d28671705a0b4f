package rushhour

import (
	"slices"
	"testing"

	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// TestRights compares which vehicles can go right with the steps, in rows with as many vehicles
// as there can be where one can move.
func TestRights(t *testing.T) {
	t.Parallel()
	b := newBook(rules.Size{Rows: 5, Columns: 7}, 2, false)
	var rows []*line
	for i, vehicles := range []int{7, 7, 6, 7, 6} {
		l := line{lengths: slices.Repeat([]int{1}, vehicles), gaps: make([]int, vehicles)}
		if i == b.exit {
			l.primary, l.lengths[vehicles-1] = true, 2
		}
		rows = append(rows, b.row(l))
	}
	rs := newRowSet(rows, b.exit)
	rs.detail()
	can := make([]int, len(rs.vehicles))
	for p, rights := range rs.rights {
		for v := range rs.vehicles {
			right := rs.links[p*rs.perPlace+2*v+1] >= 0
			if right != (rights>>v&1 != 0) {
				t.Errorf("placement %d, vehicle %d: %v by its step", p, v, right)
			}
			if right {
				can[v]++
			}
		}
	}
	if len(can) != 33 || can[32] == 0 {
		t.Errorf("of %d vehicles the last can go right in %d placements: nothing is told", len(can), can[32])
	}
}
