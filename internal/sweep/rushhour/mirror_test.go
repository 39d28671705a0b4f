package rushhour

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
	"github.com/everystate/everystate/internal/test/effort"
)

// flip returns a board from below.
func (w *twin) flip(pieces []twinPiece) []twinPiece {
	image := slices.Clone(pieces)
	for i := range image {
		p := &image[i]
		p.cells = slices.Clone(p.cells)
		for k, c := range p.cells {
			p.cells[k] = (w.rows-1-c/w.size)*w.size + c%w.size
		}
		slices.Sort(p.cells)
	}
	return image
}

// lines writes what each row and each column holds.
func (w *twin) lines(pieces []twinPiece) []string {
	lines := make([]string, w.rows+w.size)
	sorted := slices.Clone(pieces)
	slices.SortFunc(sorted, func(a, b twinPiece) int { return a.cells[0] - b.cells[0] })
	for _, p := range sorted {
		row, column := p.cells[0]/w.size, p.cells[0]%w.size
		switch {
		case p.wall:
			lines[row] += fmt.Sprintf("x%d", column)
		case p.primary:
			lines[row] += "A"
		case p.vertical:
			lines[w.rows+column] += fmt.Sprint(len(p.cells))
		default:
			lines[row] += fmt.Sprint(len(p.cells))
		}
	}
	for i := range lines {
		if lines[i] == "" {
			lines[i] = "-"
		}
	}
	return lines
}

// before reports whether a representative comes before another.
func (w *twin) before(a, b []twinPiece) bool {
	x, y := w.masks(a), w.masks(b)
	order := slices.Compare(x[:], y[:])
	if order == 0 {
		order = slices.Compare(w.lines(a), w.lines(b))
	}
	return order < 0
}

// merged returns a line for every cluster that can be solved, of two that are mirror
// images of each other the one that is a puzzle, or else the one whose representative
// comes first: all are found, and each is looked up from below.
func (w *twin) merged() (lines []string, pairs, ties int) {
	all := w.boards()
	cluster, members := w.clusters(all)
	for number, m := range members {
		c, ok := w.describe(all, m)
		if !ok {
			continue
		}
		other := cluster[w.text(w.flip(c.board))]
		if other != number {
			pairs++
			image, _ := w.describe(all, members[other])
			if w.masks(image.board) == w.masks(c.board) {
				ties++
			}
			if image.minimal && !c.minimal || image.minimal == c.minimal && w.before(image.board, c.board) {
				continue
			}
		}
		lines = append(lines, c.line())
	}
	sort.Strings(lines)
	return lines, pairs, ties
}

// single writes vehicles of one cell alike: a record does not say which way they move.
var single = strings.NewReplacer("v1", "1", "h1", "1")

func TestMirrorImagesAreMerged(t *testing.T) {
	t.Parallel()
	cases := []struct {
		rules rules.Rules
		ties  bool
	}{
		{rules.Rules{Size: rules.Square(3), ExitRow: 1, WallsMax: 2}, false},
		{rules.Rules{Size: rules.Square(3), ExitRow: 1, Lengths: []int{1, 2}, FullRows: true, FullColumns: true}, true},
		{rules.Rules{Size: rules.Square(3), ExitRow: 1, Lengths: []int{1, 2}, WallsMax: 2, FullColumns: true, Step: true}, true},
		{rules.Rules{Size: rules.Square(3), ExitRow: 1, Lengths: []int{1, 2}, PrimaryRowShared: true, FullRows: true, FullColumns: true}, true},
		{rules.Rules{Size: rules.Size{Rows: 3, Columns: 4}, ExitRow: 1, Lengths: []int{1, 2}, FullColumns: true, Limits: []rules.Limit{vertical(1, 1), horizontal(1, 1)}}, true},
		{rules.Rules{Size: rules.Square(5), ExitRow: 2, FullColumns: true, Limits: []rules.Limit{horizontal(2, 1), horizontal(3, 0), vertical(2, 1), vertical(3, 1)}}, true},
	}
	for _, test := range cases {
		given := test.rules
		given.Everything = true
		given.EnsureDefaults()
		t.Run(strings.ReplaceAll(given.String(), "\n", " "), func(t *testing.T) {
			t.Parallel()
			if testing.Short() && given.Size.Rows > 3 {
				t.Skip("takes seconds")
			}
			w := newTwin(given)
			want, pairs, ties := w.merged()
			if pairs == 0 || test.ties && ties == 0 {
				t.Fatalf("%d clusters are not their own mirror image, %d have one with the same cells: nothing is told", pairs, ties)
			}
			_, apart := all(t, given)
			given.MirrorsMerged = true
			records, totals := all(t, given)
			var got []string
			minimal := uint64(0)
			for i := range records {
				r := &records[i]
				got = append(got, twinLine(r.Layers, textOf(r, given.Size.Columns), r.Attribute(Minimal) == 1))
				if r.Attribute(Minimal) == 1 {
					minimal++
				}
			}
			for _, lines := range [][]string{got, want} {
				for i := range lines {
					lines[i] = single.Replace(lines[i])
				}
				sort.Strings(lines)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%d clusters are left, the twin leaves %d", len(got), len(want))
			}
			if totals.Puzzles != minimal || totals.Clusters != apart.Clusters || totals.States != apart.States ||
				totals.Solvable != apart.Solvable || totals.Goals != apart.Goals || totals.SolvableStates != apart.SolvableStates {
				t.Errorf("merged %+v, apart %+v", totals, apart)
			}
		})
	}
}

// TestMergedPuzzlesOf5x5 merges the puzzles of the reference by looking at all states of
// their clusters, also from below.
func TestMergedPuzzlesOf5x5(t *testing.T) {
	t.Parallel()
	effort.Needed(t, "takes seconds")
	given := rules.Rules{Size: rules.Square(5), ExitRow: 2}
	apart, _ := all(t, given)
	given.MirrorsMerged = true
	records, totals := all(t, given)
	if totals.Puzzles != uint64(len(records)) {
		t.Errorf("%d puzzles are left, counted as %d", len(records), totals.Puzzles)
	}
	given.EnsureDefaults()
	w := newTwin(given)
	puzzles := make(map[string]string) // of the reference, by line: the least text of all states of both
	pairs := make(map[string]int)      // by that text: the records left
	for i := range apart {
		pair := w.pair(apart[i].Board)
		puzzles[puzzleLine(&apart[i])] = pair
		pairs[pair] = 0
	}
	for i := range records {
		line := puzzleLine(&records[i])
		if puzzles[line] == "" {
			t.Errorf("%s is no puzzle of the reference", line)
		}
		pairs[puzzles[line]]++
	}
	for text, left := range pairs {
		if left != 1 {
			t.Errorf("%d are left of %s and its mirror image", left, text)
		}
	}
}

// pair returns the least text of the states of a board's cluster and of its mirror image.
func (w *twin) pair(board string) string {
	states, members := w.reach(piecesOf(board, w.size))
	least := members[0]
	for text, b := range states {
		least = min(least, text, w.text(w.flip(b)))
	}
	return least
}
