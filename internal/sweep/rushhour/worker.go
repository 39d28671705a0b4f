package rushhour

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"github.com/everystate/everystate/internal/sweep"
)

// A worker enumerates units. It is for one goroutine.
type worker struct {
	e     *Enumeration
	book  *book
	lines [][]*line // of each column, its lines
	// sums holds, for each column and set of its cells that the rows cover, the placements
	// of all its lines together.
	sums   [][]uint64
	prunes bool // families are passed over many at a time

	rows    *rowSet
	unit    *unit
	columns []*line
	chosen  []uint16
	// alive[j] holds, after the first j columns, a bit for each placement of the rows
	// that leaves each of them a placement; fits[j][k] those that leave line k of
	// column j one.
	alive [][]uint64
	fits  [][][]uint64
	goals []uint64 // the placements of the rows with the primary at the exit

	frame  frame
	framed bool // whether frame is that of the current columns
	// weights[j] is, by the cells of column j that the rows cover, the states of the other
	// columns: of the current ones before it, and of all after it. It is empty if not known.
	weights [][]uint64
	// products[j] is, by placement of the rows that the first j columns fit, the states that
	// share it, of these columns. It is empty if not known.
	products [][]uint64
	boxes    boxes
	roots    []int32
	space    space
	test     minimality
	needs    needs
	seek     witnesses
	hints    []int32 // placements of the rows where boards may be minimal, the last one first
	rest     []int32
	open     []bool // of each cluster, by its root: whether it can be a puzzle
	known    ledger

	ctx      context.Context //nolint:containedctx // of the current unit
	families uint64
	found    sweep.Findings
}

// Worker returns a worker for units.
func (e *Enumeration) Worker() sweep.Worker {
	size := e.rules.Size
	w := &worker{
		e: e, book: newBook(size, e.rules.ExitRow, e.rules.Step), columns: make([]*line, size.Columns), chosen: make([]uint16, size.Columns),
		weights: make([][]uint64, size.Columns), products: make([][]uint64, size.Columns),
		space: space{inSteps: e.rules.Step},
		needs: needs{aside: !e.rules.Step && e.rules.ReducedAs != 1, confined: e.rules.ReducedAs == 0},
	}
	w.seek = witnesses{boxes: &w.boxes, needs: &w.needs, coarse: e.rules.ReducedAs != 0}
	w.test = minimality{book: w.book, known: &w.known, needs: &w.needs, exit: e.rules.ExitRow, space: space{inSteps: e.rules.Step}}
	for _, lines := range e.columns {
		var column []*line
		for _, l := range lines {
			column = append(column, w.book.column(l))
		}
		w.lines = append(w.lines, column)
		sums := make([]uint64, 1<<size.Rows)
		for _, l := range column {
			for m := range sums {
				sums[m] += uint64(l.fits.Count[m])
			}
		}
		w.sums = append(w.sums, sums)
	}
	return w
}

// Do enumerates a unit.
func (w *worker) Do(ctx context.Context, number int) (f sweep.Findings, err error) {
	defer func() {
		if r := recover(); r != nil {
			if r != errTooLarge { //nolint:errorlint // a value that was thrown
				panic(r)
			}
			err = fmt.Errorf("unit %d (%s): %w", number, w.e.Name(number), errTooLarge)
		}
	}()
	w.ctx = ctx
	w.found = sweep.Findings{}
	w.unit = &w.e.units[number]
	w.prepare()
	w.hints = w.hints[:0]
	w.needs.division.Forget()
	w.seek.division.Forget()
	w.walk(0, w.unit.family)
	if err := ctx.Err(); err != nil {
		return sweep.Findings{}, err
	}
	if t := &w.found.Totals; w.e.rules.Sample == 1 && t.States+t.Passed != w.unit.states {
		panic(fmt.Sprintf("rushhour: unit %d (%s) has %d states, enumerated %d", number, w.e.Name(number), w.unit.states, t.States+t.Passed))
	}
	for i := range w.found.Records {
		w.found.Totals.AddRecord(&w.found.Records[i])
	}
	w.found.Totals.Seal(number)
	return w.found, nil
}

// prepare lays out the rows of a unit.
func (w *worker) prepare() {
	var rows []*line
	for i, k := range w.unit.rows {
		rows = append(rows, w.book.row(w.e.rowSets[i][k]))
	}
	w.rows = newRowSet(rows, w.e.rules.ExitRow)
	w.rows.detail()
	w.test.forget()
	w.openLedger()
	// In a sample, and with limits, not all families count. And without walls too few can
	// be passed over for it to pay.
	w.prunes = w.e.rules.Reduced && w.e.rules.Sample == 1 && len(w.e.rules.Limits) == 0 && w.rows.walls() > 0
	size := w.e.rules.Size.Columns
	words := (w.rows.n + 63) / 64
	w.alive = make([][]uint64, size+1)
	for j := range w.alive {
		w.alive[j] = make([]uint64, words)
	}
	w.goals = make([]uint64, words)
	for p := range w.rows.n {
		w.alive[0][p/64] |= 1 << (p % 64)
		if w.rows.goal[p] {
			w.goals[p/64] |= 1 << (p % 64)
		}
	}
	w.fits = make([][][]uint64, size)
	for j := range size {
		w.fits[j] = make([][]uint64, len(w.lines[j]))
		for k, l := range w.lines[j] {
			set := make([]uint64, words)
			for p := range w.rows.n {
				if l.fits.Set[w.rows.covered[p].of(j)] != 0 {
					set[p/64] |= 1 << (p % 64)
				}
			}
			w.fits[j][k] = set
		}
	}
}

// openLedger sets up the distances of a unit. A sample omits it, having few of the
// boards that a removed piece leaves.
func (w *worker) openLedger() {
	columns := make([][]*line, len(w.lines))
	for j := range columns {
		columns[j] = w.lines[j]
		if j < len(w.unit.prefix) {
			columns[j] = columns[j][w.unit.prefix[j] : w.unit.prefix[j]+1]
		}
	}
	states := w.unit.bound
	if w.e.rules.Sample > 1 || w.e.rules.Family != "" {
		states = math.MaxUint64
	}
	w.known.open(w.rows, states, columns)
}

// walk visits the lines of the columns from the j-th on. number counts families.
func (w *worker) walk(j int, number uint64) {
	if j == len(w.columns) {
		w.families++
		if w.families%1024 == 0 && w.ctx.Err() != nil {
			return
		}
		if !sweep.Sampled(number, w.e.rules.Sample) {
			return
		}
		if len(w.e.rules.Limits) > 0 && !w.e.allowed(w.e.columns, w.chosen, true) {
			return
		}
		w.family()
		return
	}
	w.framed, w.weights[j], w.products[j] = false, w.weights[j][:0], w.products[j][:0]
	for k, l := range w.lines[j] {
		if j < len(w.unit.prefix) && int(w.unit.prefix[j]) != k {
			continue
		}
		var left uint64
		to := w.alive[j+1]
		from, fits := w.alive[j][:len(to)], w.fits[j][k][:len(to)]
		for i := range to {
			both := from[i] & fits[i]
			to[i] = both
			left |= both
		}
		if left == 0 || w.families%1024 == 0 && w.ctx.Err() != nil {
			continue
		}
		w.columns[j] = l
		w.chosen[j] = uint16(k)
		if w.prunes && j+1 < len(w.columns) && j+1 >= len(w.unit.prefix) && !w.worth(j+1) {
			w.countPassed(j + 1)
			continue
		}
		w.walk(j+1, number*uint64(len(w.lines[j]))+uint64(k))
	}
}

// family finds the clusters of the family of the current rows and columns.
func (w *worker) family() {
	t := &w.found.Totals
	if !w.e.rules.Reduced {
		t.Families++
	} else {
		// Earlier versions counted families in which the primary cannot leave the exit.
		leaves := w.leaves()
		useful := (leaves || w.e.rules.ReducedAs != 0) && w.worth(len(w.columns)) && w.findUseful()
		if useful {
			t.Families++
		}
		if !useful || !leaves {
			w.countPassed(len(w.columns))
			return
		}
	}
	if !w.framed {
		w.framed = true
		w.frame.bind(w.rows, w.columns, w.alive[len(w.columns)-1], w.product(len(w.columns)-1))
	}
	b := &w.boxes
	b.bind(&w.frame, w.columns)
	b.join()
	w.roots = b.gather(w.roots[:0])
	if w.e.rules.Reduced {
		w.choose()
	}
	bound := false
	for _, root := range w.roots {
		states, goals := b.states[root], b.goals[root]
		if w.e.rules.Reduced && !w.open[root] {
			t.Passed += states
			continue
		}
		if goals == 0 || goals == states {
			w.countUnsolvableOrTrivial(root, states, goals)
			continue
		}
		if !bound {
			bound = true
			if !w.space.bind(w.rows, w.columns, false) {
				panic(errTooLarge)
			}
			w.known.begin(&w.space, w.columns, w.frame.list)
		}
		w.solve(root, states, goals)
	}
	if bound {
		w.known.close()
	}
}

// countUnsolvableOrTrivial counts a cluster with no goal state, or with no other state.
func (w *worker) countUnsolvableOrTrivial(root int32, states, goals uint64) {
	t := &w.found.Totals
	if goals == 0 {
		t.AddCluster(states)
		return
	}
	t.AddSolvable([]uint64{goals}, false)
	if w.e.rules.Everything && w.e.rules.MinDistance == 0 {
		w.keepSolved(root)
	}
}

// worth reports whether the families with the current first n columns can have a puzzle:
// they have goal states and others, and no piece is useless in all of their boards.
// w.rest becomes the placements of the rows that are not at the exit.
func (w *worker) worth(n int) bool {
	w.rest = w.rest[:0]
	goals := false
	for i, word := range w.alive[n] {
		goals = goals || word&w.goals[i] != 0
		for word &^= w.goals[i]; word != 0; word &= word - 1 {
			w.rest = append(w.rest, int32(i*64+bits.TrailingZeros64(word)))
		}
	}
	if !goals || len(w.rest) == 0 {
		return false
	}
	w.needs.bind(w.rows, w.columns[:n])
	return !w.needs.uselessTogether(w.rows, w.rest, w.columns[:n])
}

// leaves reports whether the primary can move from the exit in the current family. It can if
// two placements of the rows are this step apart and each leaves all columns a placement, as
// of each column one of them covers all that the other does.
func (w *worker) leaves() bool {
	alive := w.alive[len(w.columns)]
	for i, word := range alive {
		for word &= w.goals[i]; word != 0; word &= word - 1 {
			p := i*64 + bits.TrailingZeros64(word)
			if to := w.rows.links[0][p].to(); to >= 0 && alive[to/64]>>(to%64)&1 != 0 {
				return true
			}
		}
	}
	return false
}

// findUseful looks for a placement of the rows where a board of the family may be
// minimal, and makes it the first hint.
func (w *worker) findUseful() bool {
	alive := w.alive[len(w.columns)]
	// The families before often have the same.
	for i, r := range w.hints {
		if alive[r/64]>>(r%64)&1 != 0 && !w.needs.uselessTogether(w.rows, w.hints[i:i+1], w.columns) {
			copy(w.hints[1:], w.hints[:i])
			w.hints[0] = r
			return true
		}
	}
	r := w.needs.useful(w.rows, w.rest, w.columns)
	if r < 0 {
		return false
	}
	if len(w.hints) < hintsMax {
		w.hints = append(w.hints, 0)
	}
	copy(w.hints[1:], w.hints)
	w.hints[0] = r
	return true
}

// hintsMax is how many placements of the rows are remembered.
const hintsMax = 8

// countPassed counts the states of the families with the current first n columns, which
// are not visited.
func (w *worker) countPassed(n int) {
	last := n - 1
	if len(w.weights[last]) == 0 {
		w.weigh(last)
	}
	for m, weight := range w.weights[last] {
		w.found.Totals.Passed += weight * uint64(w.columns[last].fits.Count[m])
	}
}

// weigh finds the weights of a column.
func (w *worker) weigh(last int) {
	weights := zeroed(w.weights[last], 1<<w.e.rules.Size.Rows)
	w.weights[last] = weights
	products := w.product(last)
	for i, word := range w.alive[last] {
		for ; word != 0; word &= word - 1 {
			p := i*64 + bits.TrailingZeros64(word)
			covered, states := w.rows.covered[p], products[p]
			for j := last + 1; j < len(w.sums); j++ {
				states *= w.sums[j][covered.of(j)]
			}
			weights[covered.of(last)] += states
		}
	}
}

// product returns products[j].
func (w *worker) product(j int) []uint64 {
	if len(w.products[j]) > 0 {
		return w.products[j]
	}
	products := resized(w.products[j], w.rows.n)
	w.products[j] = products
	if j == 0 {
		for p := range products {
			products[p] = 1
		}
		return products
	}
	before, covered, count := w.product(j-1), w.rows.covered, &w.columns[j-1].fits.Count
	for i, word := range w.alive[j] {
		for ; word != 0; word &= word - 1 {
			p := i*64 + bits.TrailingZeros64(word)
			products[p] = before[p] * uint64(count[covered[p].of(j-1)])
		}
	}
	return products
}

// choose marks the clusters that can be puzzles: they have goal states and others, and among
// the others a board that may be minimal.
func (w *worker) choose() {
	b := &w.boxes
	w.open = resized(w.open, len(b.joined))
	hint := w.frame.index[w.hints[0]] - 1
	for _, root := range w.roots {
		goals := b.goals[root]
		w.open[root] = goals != 0 && goals != b.states[root] && w.seek.in(root, hint)
	}
}

// solve finds the distances of a cluster to its goal states.
func (w *worker) solve(root int32, states, goals uint64) {
	s := &w.space
	s.fill(&w.boxes, root, &w.known)
	w.seed(root)
	layers := append(make([]uint64, 0, 16), goals)
	for left := states - goals; ; {
		n := s.advance()
		if n == 0 || n > left {
			panic(fmt.Sprintf("rushhour: cluster of %d states has %v at distances 0 to %d", states, layers, len(layers)-1))
		}
		w.known.note(s, len(layers))
		layers = append(layers, n)
		if left -= n; left == 0 {
			break
		}
		s.expand()
	}
	t := &w.found.Totals
	distance := len(layers) - 1
	t.AddSolvable(layers, false)
	at, minimal, kept := w.judge(w.representative, distance)
	if !kept {
		return
	}
	if minimal {
		t.Puzzles++
		t.PuzzleStates += states
		d := t.At(distance)
		d.Puzzles++
		d.PuzzleStates += states
	}
	if (minimal || w.e.rules.Everything) && distance >= w.e.rules.MinDistance {
		w.keep(&at, layers, minimal)
	}
}

// seed finds the states one move from the goal states of a cluster. Only moves of the
// primary lead from goals to other states.
func (w *worker) seed(root int32) {
	s, b := &w.space, &w.boxes
	var groups [outerMax]uint64
	class := s.rowClass(0)
	s.openClass(class)
	b.eachGoal(root, func(x box) {
		by := s.rows.links[0][b.row(x).rows]
		if by < 0 || s.fields[by.to()].outer == 0 {
			return // the primary cannot go there in any state of the box
		}
		states := uint64(1)
		for i := range s.inner {
			in := &s.inner[i]
			m, g := b.groupOf(x, in.column)
			states *= in.spreadOf(in.fits.Member(m, g))
		}
		for i := range s.outer {
			o := &s.outer[i]
			m, g := b.groupOf(x, o.column)
			groups[i] = o.fits.Member(m, g) << o.shift
		}
		e := entry{bits: states, outer: s.always, rows: b.row(x).rows}
		w.seedOuter(e, groups[:len(s.outer)])
	})
	for class++; class < len(s.ending); class++ {
		s.openClass(class)
	}
}

// seedOuter makes a move of the primary for all joint placements of the outer columns.
func (w *worker) seedOuter(e entry, groups []uint64) {
	if len(groups) == 0 {
		w.space.alongRow([]entry{e}, w.rows.links[0], &everywhere)
		return
	}
	outer := e.outer
	for rest := groups[0]; rest != 0; rest &= rest - 1 {
		e.outer = outer | rest&-rest
		w.seedOuter(e, groups[1:])
	}
}
