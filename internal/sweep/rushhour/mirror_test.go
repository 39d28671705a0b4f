package rushhour

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
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
// images of each other the one whose representative comes first: all are found, and
// each is looked up from below.
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
			if w.before(image.board, c.board) {
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

// TestMergedPuzzlesOf5x5 has the puzzles of the reference merged by looking at all
// states of their clusters.
func TestMergedPuzzlesOf5x5(t *testing.T) {
	t.Parallel()
	given := rules.Rules{Size: rules.Square(5), ExitRow: 2}
	apart, _ := all(t, given)
	given.MirrorsMerged = true
	records, totals := all(t, given)
	if totals.Puzzles != uint64(len(records)) || len(records) <= len(apart)/2 || len(records) >= len(apart) {
		t.Errorf("%d puzzles of %d are left, counted as %d", len(records), len(apart), totals.Puzzles)
	}
	left := make(map[string]bool)
	for i := range records {
		left[puzzleLine(&records[i])] = true
	}
	given.EnsureDefaults()
	w := newTwin(given)
	found := 0
	for i := range apart {
		line := puzzleLine(&apart[i])
		if left[line] {
			found++
		}
		if i%10 > 0 || apart[i].States() > 1000 {
			continue
		}
		own, image := w.farthest(piecesOf(apart[i].Board, given.Size.Columns))
		if keep := slices.Compare(own[:], image[:]) <= 0; keep != left[line] {
			t.Errorf("%s is left: %t; its cells are %x, those of its mirror image %x", line, left[line], own, image)
		}
	}
	if found != len(records) {
		t.Errorf("%d of %d are puzzles of the reference", found, len(records))
	}
}

// farthest returns the least cells of the states of a cluster that are as far from a
// goal as the given one, the farthest, and of their mirror images.
func (w *twin) farthest(board []twinPiece) (own, image [2]uint64) {
	all, _ := w.reach(board)
	var layer [][]twinPiece
	distance := make(map[string]int)
	for key, b := range all {
		if w.goal(b) {
			distance[key] = 0
			layer = append(layer, b)
		}
	}
	for depth := 1; len(layer) > 0; depth++ {
		var next [][]twinPiece
		for i, b := range layer {
			cells, below := w.masks(b), w.masks(w.flip(b))
			if i == 0 || slices.Compare(cells[:], own[:]) < 0 {
				own = cells
			}
			if i == 0 || slices.Compare(below[:], image[:]) < 0 {
				image = below
			}
			for _, m := range w.moves(b) {
				key := w.text(m)
				if _, ok := distance[key]; !ok {
					distance[key] = depth
					next = append(next, m)
				}
			}
		}
		layer = next
	}
	return own, image
}
