package rushhour

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// databaseLines are lines of the published database: moves, board, states.
func databaseLines(tb testing.TB) (lines [][]string) {
	tb.Helper()
	f, err := os.Open("../../../testdata/truth/rush-hour-database-lines.txt")
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for s := bufio.NewScanner(f); s.Scan(); {
		if fields := strings.Fields(s.Text()); len(fields) == 3 && !strings.HasPrefix(s.Text(), ";") {
			lines = append(lines, fields)
		}
	}
	if len(lines) < 900 {
		tb.Fatalf("only %d lines", len(lines))
	}
	return lines
}

// recordOf sweeps the family of a board and returns the record of which it is the
// representative.
func recordOf(tb testing.TB, given rules.Rules) (found sweep.Record) {
	tb.Helper()
	records, _ := all(tb, given)
	for _, r := range records {
		if r.Board == given.Family {
			return r
		}
	}
	tb.Errorf("%s: is not among the %d puzzles of its family", given.Family, len(records))
	return found
}

// TestDatabaseLinesAreDerivedAgain sweeps the families of published puzzles: each
// of them is minimal and the representative of its cluster, takes that many moves,
// and its cluster has that many states.
func TestDatabaseLinesAreDerivedAgain(t *testing.T) {
	t.Parallel()
	for i, line := range databaseLines(t) {
		if !thorough() && i%15 != 0 || testing.Short() && i%50 != 0 {
			continue
		}
		r := recordOf(t, rules.Rules{Family: line[1]})
		if r.Layers == nil {
			continue
		}
		if moves, states := strconv.Itoa(r.Distance()), strconv.FormatUint(r.States(), 10); moves != strings.TrimLeft(line[0], "0") || states != line[2] {
			t.Errorf("%s: %s moves, %s states; the database says %s and %s", line[1], moves, states, line[0], line[2])
		}
	}
}
