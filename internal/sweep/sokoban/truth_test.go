package sokoban

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/test/puzzletest"
)

// TestKnownLevelsAreFound sweeps the goal sets of levels whose spaces, backwards from
// the goals, are known.
func TestKnownLevelsAreFound(t *testing.T) {
	t.Parallel()
	found := 0
	for _, r := range puzzletest.Records(t, "sokoban.json") {
		if !strings.HasSuffix(r.ID, "/backward-push") || r.Hardest == nil {
			continue
		}
		boxes := strings.Count(r.Input, "$") + strings.Count(r.Input, "*")
		if !strings.ContainsAny(r.Input, "@+") || boxes == 0 {
			continue
		}
		e, err := New(Rules{Room: r.Input, Boxes: boxes})
		if err != nil {
			continue // boxes that are out of reach
		}
		set := goalSet(r.Input)
		found++
		t.Run(r.ID, func(t *testing.T) {
			t.Parallel()
			w := e.Worker().(*worker)
			if err := w.explore(t.Context(), set); err != nil {
				t.Fatal(err)
			}
			var layers []int64
			for _, n := range w.layers {
				layers = append(layers, int64(n))
			}
			if !slices.Equal(layers, r.Layers) {
				t.Errorf("states by distance %v, want %v", layers, r.Layers)
			}
			if got, want := w.hardest(set), oneLine(*r.Hardest.Example); trimmed(got) != trimmed(want) {
				t.Errorf("the hardest is %s, want %s", got, want)
			}
		})
	}
	if found < 20 {
		t.Errorf("%d known levels are too few", found)
	}
}

// trimmed leaves out floor at the ends of rows.
func trimmed(board string) string {
	rows := strings.Split(board, "/")
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], "-")
	}
	return strings.Join(rows, "/")
}

// goalSet returns the number of the goal set of a level: the cells of the floor are
// numbered row by row, and a set is the sum of choose(cell, 1), choose(cell, 2) and
// so on over its cells.
func goalSet(level string) uint64 {
	t := &twin{rows: strings.Split(level, "\n")}
	for _, row := range t.rows {
		t.width = max(t.width, len(row))
	}
	for i, row := range t.rows {
		t.rows[i] = row + strings.Repeat(" ", t.width-len(row))
	}
	all := strings.Join(t.rows, "")
	set, i := uint64(0), int64(0)
	for cell, at := range t.walk(nil, strings.IndexAny(all, "@+")) {
		if strings.IndexByte(".*+", all[at]) >= 0 {
			i++
			set += new(big.Int).Binomial(int64(cell), i).Uint64()
		}
	}
	return set
}
