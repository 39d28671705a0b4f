package rushhour

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/rushhour/boards"
	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// The twin knows nothing of lines, families or boxes: it lays pieces on cells in
// all ways, moves them one by one, and searches with maps.

// twinPiece is a piece of a board: its cells, in order.
type twinPiece struct {
	cells    []int
	vertical bool
	wall     bool
	primary  bool
}

type twin struct {
	rules rules.Rules
	rows  int
	size  int // columns
}

func newTwin(r rules.Rules) *twin { return &twin{rules: r, rows: r.Size.Rows, size: r.Size.Columns} }

// boards lists all boards as sets of pieces, by their text.
func (w *twin) boards() map[string][]twinPiece {
	all := make(map[string][]twinPiece)
	n := w.size
	free := make([]bool, w.rows*n)
	for i := range free {
		free[i] = true
	}
	var pieces []twinPiece
	var lay func(cell int)
	put := func(cell, length, by int, p twinPiece) {
		for k := range length {
			if !free[cell+k*by] {
				return
			}
		}
		for k := range length {
			free[cell+k*by] = false
			p.cells = append(p.cells, cell+k*by)
		}
		pieces = append(pieces, p)
		lay(cell + 1)
		pieces = pieces[:len(pieces)-1]
		for k := range length {
			free[cell+k*by] = true
		}
	}
	lay = func(cell int) {
		if !w.within(pieces) {
			return
		}
		if cell == w.rows*n {
			if w.legal(pieces) {
				all[w.text(pieces)] = slices.Clone(pieces)
			}
			return
		}
		lay(cell + 1)
		if !free[cell] {
			return
		}
		row, column := cell/n, cell%n
		if column+2 <= n && row == w.rules.ExitRow {
			put(cell, 2, 1, twinPiece{primary: true})
		}
		for _, k := range w.rules.Lengths {
			if column+k <= n && (row != w.rules.ExitRow || w.rules.PrimaryRowShared) {
				put(cell, k, 1, twinPiece{})
			}
			if row+k <= w.rows {
				put(cell, k, n, twinPiece{vertical: true})
			}
		}
		if w.rules.WallsMax > 0 {
			put(cell, 1, 1, twinPiece{wall: true})
		}
	}
	lay(0)
	return all
}

// legal reports whether a board is one of the rules.
func (w *twin) legal(pieces []twinPiece) bool {
	primaries, walls := 0, 0
	inRow, inColumn := make([]int, w.rows), make([]int, w.size)
	exit := -1
	for _, p := range pieces {
		switch {
		case p.wall:
			walls++
			inRow[p.cells[0]/w.size]++
		case p.vertical:
			inColumn[p.cells[0]%w.size] += len(p.cells)
		default:
			inRow[p.cells[0]/w.size] += len(p.cells)
		}
		if p.primary {
			primaries++
			exit = p.cells[0]
		}
	}
	if primaries != 1 || walls < w.rules.WallsMin || walls > w.rules.WallsMax {
		return false
	}
	for _, p := range pieces {
		if !p.vertical && p.cells[0]/w.size == w.rules.ExitRow && p.cells[0] > exit {
			return false
		}
	}
	return (w.rules.FullRows || !slices.Contains(inRow, w.size)) && (w.rules.FullColumns || !slices.Contains(inColumn, w.rows))
}

// within reports whether the limits are kept.
func (w *twin) within(pieces []twinPiece) bool {
	for _, l := range w.rules.Limits {
		n := 0
		for _, p := range pieces {
			if !p.wall && !p.primary && p.vertical == l.Vertical && len(p.cells) == l.Length {
				n++
			}
		}
		if n > l.Most {
			return false
		}
	}
	return true
}

// text writes two bytes for each cell: at a piece's first cell its kind and length.
func (w *twin) text(pieces []twinPiece) string {
	cells := bytes.Repeat([]byte(". "), w.rows*w.size)
	for _, p := range pieces {
		for _, c := range p.cells {
			cells[2*c] = '+'
		}
		copy(cells[2*p.cells[0]:], p.kind())
	}
	return string(cells)
}

// kind returns what a piece is, in two bytes.
func (p *twinPiece) kind() string {
	switch {
	case p.wall:
		return "x "
	case p.primary:
		return "A "
	case p.vertical:
		return "v" + string(rune('0'+len(p.cells)))
	}
	return "h" + string(rune('0'+len(p.cells)))
}

// moves lists the boards one move away.
func (w *twin) moves(pieces []twinPiece) (next [][]twinPiece) {
	taken := make([]bool, w.rows*w.size)
	for _, p := range pieces {
		for _, c := range p.cells {
			taken[c] = true
		}
	}
	for i, p := range pieces {
		if p.wall {
			continue
		}
		by := 1
		if p.vertical {
			by = w.size
		}
		for _, way := range []int{-by, by} {
			moved := slices.Clone(p.cells)
			for {
				head := moved[0]
				if way > 0 {
					head = moved[len(moved)-1]
				}
				to := head + way
				if to < 0 || to >= w.rows*w.size || taken[to] && !slices.Contains(p.cells, to) ||
					by == 1 && to/w.size != head/w.size {
					break
				}
				moved = slices.Clone(moved)
				for k := range moved {
					moved[k] += way
				}
				other := slices.Clone(pieces)
				other[i].cells = moved
				next = append(next, other)
				if w.rules.Step {
					break
				}
			}
		}
	}
	return next
}

func (w *twin) goal(pieces []twinPiece) bool {
	for _, p := range pieces {
		if p.primary {
			return p.cells[1]%w.size == w.size-1
		}
	}
	return false
}

// solution returns the fewest moves to a goal, -1 if there is no way.
func (w *twin) solution(start []twinPiece) int {
	seen := map[string]bool{w.text(start): true}
	layer := [][]twinPiece{start}
	for depth := 0; len(layer) > 0; depth++ {
		var next [][]twinPiece
		for _, b := range layer {
			if w.goal(b) {
				return depth
			}
			for _, m := range w.moves(b) {
				if key := w.text(m); !seen[key] {
					seen[key] = true
					next = append(next, m)
				}
			}
		}
		layer = next
	}
	return -1
}

// masks are the cells that are covered horizontally and vertically.
func (w *twin) masks(pieces []twinPiece) (m [2]uint64) {
	for _, p := range pieces {
		for _, c := range p.cells {
			if p.vertical {
				m[1] |= 1 << c
			} else {
				m[0] |= 1 << c
			}
		}
	}
	return m
}

// sweep returns a line for every cluster that can be solved, and the number of
// all clusters.
func (w *twin) sweep() (lines []string, clusters int) {
	all := w.boards()
	_, members := w.clusters(all)
	for _, m := range members {
		if c, ok := w.describe(all, m); ok {
			lines = append(lines, c.line())
		}
	}
	sort.Strings(lines)
	return lines, len(members)
}

// clusters returns the number of the cluster of each board, and the boards of each.
func (w *twin) clusters(all map[string][]twinPiece) (cluster map[string]int, members map[int][]string) {
	clusters := 0
	cluster = make(map[string]int)
	var names []string
	for name := range all {
		names = append(names, name)
	}
	sort.Strings(names)
	members = make(map[int][]string)
	for _, name := range names {
		if _, ok := cluster[name]; ok {
			continue
		}
		clusters++
		cluster[name] = clusters
		queue := []string{name}
		for len(queue) > 0 {
			at := queue[0]
			queue = queue[1:]
			members[clusters] = append(members[clusters], at)
			for _, m := range w.moves(all[at]) {
				if key := w.text(m); cluster[key] == 0 {
					cluster[key] = clusters
					queue = append(queue, key)
				}
			}
		}
	}
	return cluster, members
}

// twinCluster is a cluster: its layers, its representative, and whether that is
// minimal.
type twinCluster struct {
	layers  []uint64
	board   []twinPiece
	text    string
	minimal bool
}

func (c *twinCluster) line() string { return twinLine(c.layers, c.text, c.minimal) }

// describe returns a cluster, if it can be solved.
func (w *twin) describe(all map[string][]twinPiece, members []string) (*twinCluster, bool) {
	distance := make(map[string]int)
	var layers []uint64
	var layer []string
	for _, m := range members {
		if w.goal(all[m]) {
			distance[m] = 0
			layer = append(layer, m)
		}
	}
	if len(layer) == 0 {
		return nil, false
	}
	last := layer
	for len(layer) > 0 {
		layers = append(layers, uint64(len(layer)))
		last = layer
		var next []string
		for _, b := range layer {
			for _, m := range w.moves(all[b]) {
				key := w.text(m)
				if _, ok := distance[key]; !ok {
					distance[key] = len(layers)
					next = append(next, key)
				}
			}
		}
		layer = next
	}
	sort.Slice(last, func(i, j int) bool {
		a, b := w.masks(all[last[i]]), w.masks(all[last[j]])
		return slices.Compare(a[:], b[:]) < 0
	})
	board := all[last[0]]
	minimal := true
	for i, p := range board {
		if p.primary {
			continue
		}
		less := slices.Delete(slices.Clone(board), i, i+1)
		if w.solution(less) >= len(layers)-1 {
			minimal = false
		}
	}
	return &twinCluster{layers, board, w.text(board), minimal}, true
}

func twinLine(layers []uint64, board string, minimal bool) string {
	return fmt.Sprintf("%02d %v %s %v", len(layers)-1, layers, board, minimal)
}

// textOf writes the board of a record as the twin does.
func textOf(r *sweep.Record, size int) string {
	board := strings.ReplaceAll(r.Board, "/", "")
	cells := bytes.Repeat([]byte(". "), len(board))
	for i := range board {
		c := board[i]
		p := twinPiece{cells: make([]int, strings.Count(board, string(c))), primary: c == boards.Letters[0], wall: c == boards.Wall}
		p.vertical = i+size < len(board) && board[i+size] == c
		left := i%size > 0 && board[i-1] == c
		above := i >= size && board[i-size] == c
		switch {
		case c == boards.Empty:
		case (left || above) && !p.wall:
			cells[2*i] = '+'
		default:
			copy(cells[2*i:], p.kind())
		}
	}
	return string(cells)
}

func TestTwinFindsTheSame(t *testing.T) {
	t.Parallel()
	cases := []rules.Rules{
		{Size: rules.Square(3), ExitRow: 1},
		{Size: rules.Square(3), ExitRow: 0, WallsMax: 3},
		{Size: rules.Square(3), ExitRow: 2, WallsMin: 1, WallsMax: 2, FullColumns: true, FullRows: true},
		{Size: rules.Square(4), ExitRow: 1},
		{Size: rules.Size{Rows: 3, Columns: 4}, ExitRow: -1, WallsMax: 1, FullColumns: true},
		{Size: rules.Size{Rows: 4, Columns: 3}, ExitRow: 2, WallsMax: 2, Step: true},
		{Size: rules.Size{Rows: 4, Columns: 3}, ExitRow: 0, FullRows: true, FullColumns: true},
		{Size: rules.Size{Rows: 3, Columns: 5}, ExitRow: 1, Lengths: []int{2, 4}, PrimaryRowShared: true},
		{Size: rules.Size{Rows: 5, Columns: 4}, ExitRow: 2, Lengths: []int{3}, WallsMax: 1},
		{Size: rules.Size{Rows: 5, Columns: 4}, ExitRow: 3, Limits: []rules.Limit{horizontal(2, 1), vertical(2, 2), vertical(3, 1)}},
		{Size: rules.Square(4), ExitRow: 3, Step: true},
		{Size: rules.Square(4), ExitRow: 0, Lengths: []int{2}, FullRows: true, FullColumns: true},
		{Size: rules.Square(4), ExitRow: 2, Lengths: []int{3}, WallsMax: 2, FullColumns: true},
		{Size: rules.Square(4), ExitRow: 1, Limits: []rules.Limit{horizontal(2, 1), vertical(2, 3), vertical(3, 1)}},
		{Size: rules.Square(4), ExitRow: 2, PrimaryRowShared: true, FullRows: true, Limits: []rules.Limit{horizontal(2, 2)}},
		{Size: rules.Square(4), ExitRow: 1, PrimaryRowShared: true, FullRows: true, WallsMax: 1, Lengths: []int{2}, Step: true},
	}
	if thorough() {
		cases = append(cases, rules.Rules{Size: rules.Square(4), ExitRow: 1, WallsMax: 1}, rules.Rules{Size: rules.Size{Rows: 5, Columns: 4}, ExitRow: 1})
	}
	for _, given := range cases {
		given.Everything = true
		given.EnsureDefaults()
		t.Run(strings.ReplaceAll(given.String(), "\n", " "), func(t *testing.T) {
			t.Parallel()
			w := newTwin(given)
			want, clusters := w.sweep()
			records, totals := all(t, given)
			var got []string
			for i := range records {
				r := &records[i]
				got = append(got, twinLine(r.Layers, textOf(r, given.Size.Columns), r.Attribute(Minimal) == 1))
			}
			sort.Strings(got)
			if totals.Clusters != uint64(clusters) || !slices.Equal(got, want) {
				t.Errorf("%d clusters, %d of them solvable; the twin has %d and %d", totals.Clusters, len(got), clusters, len(want))
				for i := range min(len(got), len(want)) {
					if got[i] != want[i] {
						t.Fatalf("first difference:\n%s\n%s", got[i], want[i])
					}
				}
			}
		})
	}
}

// TestRandomFamilies compares the clusters of single families of larger boards with what
// the twin finds from their representatives.
func TestRandomFamilies(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 7))
	checked := 0
	for checked < 40 {
		board, ok := randomBoard(random, randomSize(random))
		if !ok {
			continue
		}
		given := rules.Rules{Family: board, Everything: true, Step: random.IntN(2) == 0, PrimaryRowShared: true}
		records, _ := all(t, given)
		for i := range records {
			r := &records[i]
			if r.States() > 600 {
				continue
			}
			checked++
			e, err := New(given)
			if err != nil {
				t.Fatal(err)
			}
			w := newTwin(e.rules)
			want, _ := w.describe(w.reach(piecesOf(r.Board, e.rules.Size.Columns)))
			if got := twinLine(r.Layers, textOf(r, e.rules.Size.Columns), r.Attribute(Minimal) == 1); got != want.line() {
				t.Fatalf("family of %s, step %v:\n%s\nthe twin says\n%s", board, given.Step, got, want.line())
			}
		}
	}
}

// reach returns all boards of the cluster of one.
func (w *twin) reach(start []twinPiece) (all map[string][]twinPiece, members []string) {
	all = map[string][]twinPiece{w.text(start): start}
	members = append(members, w.text(start))
	for i := 0; i < len(members); i++ {
		for _, m := range w.moves(all[members[i]]) {
			if key := w.text(m); all[key] == nil {
				all[key] = m
				members = append(members, key)
			}
		}
	}
	return all, members
}

// randomSize returns a size of 4x4 to 5x5.
func randomSize(random *rand.Rand) rules.Size {
	return rules.Size{Rows: 4 + random.IntN(2), Columns: 4 + random.IntN(2)}
}

// randomBoard lays pieces at random.
func randomBoard(random *rand.Rand, size rules.Size) (string, bool) {
	all, columns := size.Cells(), size.Columns
	cells := []byte(strings.Repeat("o", all))
	exit := random.IntN(size.Rows)
	primary := exit*columns + random.IntN(columns-1)
	copy(cells[primary:], "AA")
	next := 1
	for range 12 {
		i, k := random.IntN(all), 2+random.IntN(2)
		by := 1
		if random.IntN(2) == 0 {
			by = columns
		}
		if by == 1 && (i%columns+k > columns || i/columns == exit && i > primary) || i+(k-1)*by >= all {
			continue
		}
		free := true
		for j := range k {
			free = free && cells[i+j*by] == 'o'
		}
		if !free {
			continue
		}
		for j := range k {
			cells[i+j*by] = boards.Letters[next]
		}
		next++
	}
	if i := random.IntN(all); cells[i] == 'o' && i/columns != exit {
		cells[i] = 'x'
	}
	return string(bytes.Join(slices.Collect(slices.Chunk(cells, columns)), []byte("/"))), next > 4
}

// piecesOf reads the board of a record.
func piecesOf(board string, size int) (pieces []twinPiece) {
	board = strings.ReplaceAll(board, "/", "")
	byLetter := make(map[byte]*twinPiece)
	var order []byte
	for i := range board {
		c := board[i]
		switch c {
		case boards.Empty:
			continue
		case boards.Wall:
			pieces = append(pieces, twinPiece{cells: []int{i}, wall: true})
			continue
		}
		if byLetter[c] == nil {
			byLetter[c] = &twinPiece{primary: c == boards.Letters[0]}
			order = append(order, c)
		}
		byLetter[c].cells = append(byLetter[c].cells, i)
	}
	for _, c := range order {
		p := byLetter[c]
		p.vertical = p.cells[1] == p.cells[0]+size
		pieces = append(pieces, *p)
	}
	return pieces
}
