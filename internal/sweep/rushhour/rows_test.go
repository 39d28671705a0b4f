package rushhour

import (
	"slices"
	"testing"

	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// TestJoins compares joins with the steps to the right, in rows with as many vehicles as there can
// be where one can move.
func TestJoins(t *testing.T) {
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
	joined := make(map[[2]int]int)
	for _, j := range rs.joins {
		for p := range rs.n {
			if j.from[p/64]>>(p%64)&1 != 0 {
				joined[[2]int{p, p + j.by}]++
			}
		}
	}
	for v := range rs.vehicles {
		for p, to := range rs.links[2*v+1] {
			if to < 0 {
				continue
			}
			can[v]++
			if step := [2]int{p, int(to.to())}; joined[step] != 1 {
				t.Errorf("vehicle %d: %v is joined %d times", v, step, joined[step])
			}
			joined[[2]int{p, int(to.to())}]--
		}
	}
	for step, n := range joined {
		if n != 0 {
			t.Errorf("%v is joined, %d times too often", step, n)
		}
	}
	if len(can) != 33 || can[32] == 0 {
		t.Errorf("of %d vehicles the last can go right in %d placements: nothing is told", len(can), can[32])
	}
}
