package rushhour

import (
	"testing"

	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
	"github.com/everystate/everystate/internal/test/effort"
)

// A profile is what the cells of a board so far mean for the others: for each
// column how many cells of a vertical vehicle are still to come, and whether all
// cells so far are covered by vertical vehicles; and the same of the row.
type profile struct {
	below      [rules.SizeMax]uint8
	filled     [rules.SizeMax]bool
	right      uint8
	allCovered bool
	primary    bool // laid
	walls      uint8
	goal       bool
}

// placements counts all boards, and those whose primary is at the exit, cell by
// cell from the top left, with nothing of lines and families.
func placements(r rules.Rules) (boards, goals uint64) {
	r.EnsureDefaults()
	rows, n := r.Size.Rows, r.Size.Columns
	now := map[profile]uint64{{}: 1}
	for cell := range rows * n {
		row, column := cell/n, cell%n
		next := make(map[profile]uint64)
		for p, count := range now {
			if column == 0 {
				p.allCovered = true
			}
			if row == 0 {
				p.filled[column] = true
			}
			done := func(p profile, vertical, covered bool) {
				p.filled[column] = p.filled[column] && vertical
				p.allCovered = p.allCovered && covered
				if column == n-1 && p.allCovered && !r.FullRows || row == rows-1 && p.filled[column] && !r.FullColumns {
					return
				}
				next[p] += count
			}
			switch {
			case p.right > 0:
				if p.below[column] == 0 {
					p.right--
					done(p, false, true)
				}
				continue
			case p.below[column] > 0:
				p.below[column]--
				done(p, true, false)
				continue
			}
			done(p, false, false)
			if int(p.walls) < r.WallsMax && (row != r.ExitRow || !p.primary) {
				q := p
				q.walls++
				done(q, false, true)
			}
			if row == r.ExitRow && !p.primary && column+2 <= n {
				q := p
				q.primary, q.right, q.goal = true, 1, column+2 == n
				done(q, false, true)
			}
			for _, k := range r.Lengths {
				if (row != r.ExitRow || r.PrimaryRowShared && !p.primary) && column+k <= n {
					q := p
					q.right = uint8(k - 1)
					done(q, false, true)
				}
				if row+k <= rows {
					q := p
					q.below[column] = uint8(k - 1)
					done(q, true, false)
				}
			}
		}
		now = next
	}
	for p, count := range now {
		if p.primary && int(p.walls) >= r.WallsMin {
			boards += count
			if p.goal {
				goals += count
			}
		}
	}
	return boards, goals
}

// TestExpectedIsTheClosedForm compares the number of states that units are to
// have with a count that knows of no units, and both with the reference.
func TestExpectedIsTheClosedForm(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rules         rules.Rules
		boards, goals uint64 // of the reference; 0 if it does not say
	}{
		{rules.Rules{Size: rules.Square(4), ExitRow: 1}, 9304, 2896},
		{rules.Rules{Size: rules.Square(5), ExitRow: 2}, 6795364, 1566424},
		{rules.Rules{Size: rules.Square(6), ExitRow: 2}, 27103652326, 4965155137},
		{rules.Rules{Size: rules.Square(5), ExitRow: 0}, 0, 0},
		{rules.Rules{Size: rules.Size{Rows: 5, Columns: 6}, ExitRow: 2}, 0, 0},
		{rules.Rules{Size: rules.Size{Rows: 6, Columns: 5}, ExitRow: 3}, 0, 0},
		{rules.Rules{Size: rules.Size{Rows: 3, Columns: 8}, ExitRow: 1, FullRows: true, WallsMax: 1, Lengths: []int{2, 5}}, 0, 0},
		{rules.Rules{Size: rules.Size{Rows: 8, Columns: 3}, ExitRow: 6, FullColumns: true, PrimaryRowShared: true}, 0, 0},
		{rules.Rules{Size: rules.Size{Rows: 4, Columns: 5}, ExitRow: 0, Lengths: []int{1, 4}}, 0, 0},
		{rules.Rules{Size: rules.Square(5), ExitRow: 1, WallsMin: 1, WallsMax: 2}, 0, 0},
		{rules.Rules{Size: rules.Square(effort.Of(5, 4)), ExitRow: effort.Of(4, 3), Lengths: []int{1, 3}, FullRows: true}, 0, 0},
		{rules.Rules{Size: rules.Square(4), ExitRow: 0, WallsMax: 3, FullColumns: true}, 0, 0},
		{rules.Rules{Size: rules.Square(5), ExitRow: 2, PrimaryRowShared: true}, 0, 0},
		{rules.Rules{Size: rules.Square(6), ExitRow: 2, PrimaryRowShared: true}, 0, 0},
		{rules.Rules{Size: rules.Square(5), ExitRow: 1, WallsMax: 1, Lengths: []int{2}, PrimaryRowShared: true, FullRows: true}, 0, 0},
	} {
		if test.rules.Size == rules.Square(6) && !thorough() {
			continue // seconds each
		}
		e, err := New(test.rules)
		if err != nil {
			t.Fatal(err)
		}
		boards, goals := placements(test.rules)
		if e.Expected() != boards {
			t.Errorf("%s: %d states, the other count is %d", e.Rules(), e.Expected(), boards)
		}
		if test.boards > 0 && (boards != test.boards || goals != test.goals) {
			t.Errorf("%s: %d states, %d goals; the reference has %d and %d", e.Rules(), boards, goals, test.boards, test.goals)
		}
	}
}

// TestGoalsAreTheClosedForm compares the goal states that a sweep met.
func TestGoalsAreTheClosedForm(t *testing.T) {
	t.Parallel()
	for _, given := range []rules.Rules{
		{Size: rules.Square(5), ExitRow: 2},
		{Size: rules.Size{Rows: 4, Columns: 5}, ExitRow: 2},
		{Size: rules.Size{Rows: 5, Columns: 3}, ExitRow: 2, WallsMax: 1},
		{Size: rules.Square(4), ExitRow: 2, WallsMax: 1},
		{Size: rules.Square(4), ExitRow: 3, Lengths: []int{1, 3}, FullColumns: true},
		{Size: rules.Square(4), ExitRow: 1, WallsMax: 1, PrimaryRowShared: true, FullRows: true},
	} {
		_, totals := all(t, given)
		boards, goals := placements(given)
		if totals.States != boards || totals.Goals != goals {
			t.Errorf("%d states, %d goals; the other count has %d and %d", totals.States, totals.Goals, boards, goals)
		}
	}
}

// TestLimitsAreCounted compares what is counted beforehand with what is met, where
// vehicles in columns have limits and units are split at every column.
func TestLimitsAreCounted(t *testing.T) {
	t.Parallel()
	for _, limits := range [][]rules.Limit{
		{vertical(2, 1)},
		{vertical(2, 2), vertical(3, 1), horizontal(2, 2)},
		{vertical(3, 0), vertical(2, 40)},
	} {
		given := rules.Rules{Size: rules.Square(5), ExitRow: 2, Limits: limits}
		_, totals := all(t, given)
		whole, err := New(given)
		if err != nil {
			t.Fatal(err)
		}
		split, err := newEnumeration(given, 1000)
		if err != nil {
			t.Fatal(err)
		}
		if split.Units() <= whole.Units() {
			t.Errorf("%v: %d units, split %d", limits, whole.Units(), split.Units())
		}
		if totals.States != whole.Expected() || totals.States != split.Expected() {
			t.Errorf("%v: %d states; %d were expected, and %d of the split units", limits, totals.States, whole.Expected(), split.Expected())
		}
	}
}
