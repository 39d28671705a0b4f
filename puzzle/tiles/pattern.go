package tiles

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
)

// A pattern is a puzzle in which the tiles listed in the header any are
// indistinguishable. It has fewer states than the full puzzle, and none is farther
// from the goal than the states that project to it. Its goal distances are therefore
// an admissible heuristic for them: a pattern database.
//
// A key is the rank of the cells of the hole and of the named tiles in order, as a
// number whose digits select each cell among those still free.
type pattern struct {
	shape
	named  []uint8 // distinguishable tiles, in increasing order
	digits [cellsMax]int8
	layout puzzle.Layout
	start  uint64
	goal   uint64
}

// anyTile is the value of a cell with an unnamed tile.
const anyTile = 0xFF

var (
	_ puzzle.Pictured   = (*pattern)(nil)
	_ puzzle.GoalLister = (*pattern)(nil)
)

// readPattern reads a file with the header any.
func readPattern(f *boardfile.File, list boardfile.Piece, opts puzzle.ReadOptions) (*puzzle.Board, *puzzle.InputError) {
	for _, m := range []func() (metric, *puzzle.InputError){
		func() (metric, *puzzle.InputError) { return metricOf(f) },
		func() (metric, *puzzle.InputError) {
			if opts.Metric == "" {
				return metricTile, nil
			}
			return parseMetric(boardfile.Piece{Text: strings.TrimSpace(opts.Metric)})
		},
	} {
		switch of, fault := m(); {
		case fault != nil:
			return nil, fault
		case of != metricTile:
			return nil, list.Faultf("with tiles that cannot be told apart, the metric must be %s", metricTile)
		}
	}
	name, fault := f.Name()
	if fault != nil {
		return nil, fault
	}
	expect, fault := f.Expect()
	if fault != nil {
		return nil, fault
	}
	s, pieces, fault := splitBody(f)
	if fault != nil {
		return nil, fault
	}
	p := &pattern{shape: s}
	if fault := p.setNamed(list); fault != nil {
		return nil, fault
	}
	if p.start, fault = p.keyOf(pieces); fault != nil {
		return nil, fault
	}
	if p.goal, fault = p.goalOf(f); fault != nil {
		return nil, fault
	}
	return &puzzle.Board{
		Puzzle: p, Family: Family, Name: name, Metric: metricTile.String(), Text: p.text(),
		Note:   fmt.Sprintf("%dx%d, %d tiles that are all alike, goal %s", s.rows, s.cols, s.cells()-1-len(p.named), p.goalText()),
		Expect: expect,
	}, nil
}

// setNamed names all tiles except those of the header any.
func (p *pattern) setNamed(list boardfile.Piece) *puzzle.InputError {
	var listed [cellsMax]bool
	fields := list.Fields()
	if len(fields) == 0 {
		return list.Faultf("no tiles: the header any must list those that cannot be told apart")
	}
	for _, field := range fields {
		tile, fault := p.tile(field)
		if fault != nil {
			return fault
		}
		if tile == 0 || listed[tile] {
			return field.Faultf("%s is not allowed here, or is listed twice: the header any must list tiles, each once", tileName(tile))
		}
		listed[tile] = true
	}
	count := uint64(p.cells())
	for tile := 1; tile < p.cells(); tile++ {
		p.digits[tile] = -1
		if !listed[tile] {
			count *= uint64(p.cells() - 1 - len(p.named))
			p.named = append(p.named, uint8(tile)) // less than 16
			p.digits[tile] = int8(len(p.named))
		}
	}
	p.layout = puzzle.Layout{KeyBits: bits.Len64(count - 1), Moves: len(directions), Reversible: true, HasGoal: true}
	return nil
}

// keyOf reads an arrangement, in which x is an unnamed tile.
func (p *pattern) keyOf(pieces []boardfile.Piece) (uint64, *puzzle.InputError) {
	var cells [cellsMax]uint8
	var seen [cellsMax]bool
	unnamed := 0
	for i, piece := range pieces {
		if piece.Text == "x" || piece.Text == "X" {
			cells[i] = anyTile
			unnamed++
			continue
		}
		tile, fault := p.tile(piece)
		if fault != nil {
			return 0, fault
		}
		if seen[tile] {
			return 0, piece.Faultf("%s appears a second time", tileName(tile))
		}
		seen[tile] = true
		cells[i] = tile
	}
	for tile := range p.cells() {
		if (tile == 0 || p.digits[tile] > 0) && !seen[tile] {
			return 0, pieces[0].Faultf("%s is missing: only tiles of the header any may be x", tileName(uint8(tile))) // less than 16
		}
	}
	return p.rank(cells[:p.cells()]), nil
}

// goalOf returns the goal of a file.
func (p *pattern) goalOf(f *boardfile.File) (uint64, *puzzle.InputError) {
	v, ok := f.Value("goal")
	if !ok {
		var cells [cellsMax]uint8
		for i := range p.cells() - 1 {
			cells[i] = uint8(i + 1) // less than 16
		}
		return p.rank(cells[:p.cells()]), nil
	}
	of, pieces, fault := split([]boardfile.Piece{v}, p.shape)
	if fault != nil {
		return 0, fault
	}
	if of != p.shape {
		return 0, v.Faultf("a goal of %dx%d, but the board is %dx%d", of.rows, of.cols, p.rows, p.cols)
	}
	return p.keyOf(pieces)
}

// rank returns the key of an arrangement, row by row. Unnamed tiles may be given by
// number or as anyTile.
func (p *pattern) rank(cells []uint8) uint64 {
	var at [cellsMax]uint8
	for cell, tile := range cells {
		switch {
		case tile == 0:
			at[0] = uint8(cell) // less than 16
		case tile != anyTile && p.digits[tile] > 0:
			at[p.digits[tile]] = uint8(cell)
		}
	}
	return p.rankOf(&at)
}

// rankOf returns the key of the cells of the hole and of the named tiles.
func (p *pattern) rankOf(at *[cellsMax]uint8) uint64 {
	key, taken := uint64(0), uint32(0)
	for i, cell := range at[:len(p.named)+1] {
		free := uint64(cell) - uint64(bits.OnesCount32(taken&(1<<cell-1)))
		key = key*uint64(p.cells()-i) + free
		taken |= 1 << cell
	}
	return key
}

// cellsOf decodes a key into the cells of the hole and of the named tiles.
func (p *pattern) cellsOf(key uint64, at *[cellsMax]uint8) {
	var digits [cellsMax]uint8
	for i := len(p.named); i >= 0; i-- {
		radix := uint64(p.cells() - i)
		digits[i] = uint8(key % radix) // less than 16
		key /= radix
	}
	free := uint32(1)<<p.cells() - 1
	for i, digit := range digits[:len(p.named)+1] {
		left := free
		for range digit {
			left &= left - 1
		}
		at[i] = uint8(bits.TrailingZeros32(left)) // less than 16
		free &^= 1 << at[i]
	}
}

func (p *pattern) Layout() puzzle.Layout { return p.layout }

func (p *pattern) Starts() []uint64 { return []uint64{p.start} }

// Valid reports whether key is an arrangement.
func (p *pattern) Valid(key []uint64) bool {
	count := uint64(1)
	for i := range len(p.named) + 1 {
		count *= uint64(p.cells() - i)
	}
	return len(key) == 1 && key[0] < count
}

// Goals marks the goal.
func (p *pattern) Goals(states []uint64, marks []bool) {
	for i := range marks {
		marks[i] = states[i] == p.goal
	}
}

// GoalStates returns the goal.
func (p *pattern) GoalStates() []uint64 { return []uint64{p.goal} }

// directions names the moves by id: the direction in which a tile moves.
var directions = [...]string{"U", "D", "L", "R"}

// enters returns the cell that the hole moves to, or false at the edge.
func (p *pattern) enters(hole int, m puzzle.Move) (int, bool) {
	row, col := hole/p.cols, hole%p.cols
	switch m {
	case 0:
		row++
	case 1:
		row--
	case 2:
		col++
	default:
		col--
	}
	return row*p.cols + col, row >= 0 && row < p.rows && col >= 0 && col < p.cols
}

// moved returns the key after a move, and restores at.
func (p *pattern) moved(at *[cellsMax]uint8, m puzzle.Move) (uint64, bool) {
	hole := at[0]
	to, ok := p.enters(int(hole), m)
	if !ok {
		return 0, false
	}
	tile := slices.Index(at[1:len(p.named)+1], uint8(to)) + 1 // less than 16
	at[tile], at[0] = hole, uint8(to)
	key := p.rankOf(at)
	at[tile], at[0] = uint8(to), hole
	return key, true
}

// Successors appends the successors of each state.
func (p *pattern) Successors(states []uint64, out *puzzle.Edges) {
	var at [cellsMax]uint8
	for _, state := range states {
		p.cellsOf(state, &at)
		for m := range puzzle.Move(len(directions)) {
			if key, ok := p.moved(&at, m); ok {
				out.Keys = append(out.Keys, key)
				out.Moves = append(out.Moves, m)
			}
		}
	}
}

// Apply writes the state that a move leads to.
func (p *pattern) Apply(dst, state []uint64, m puzzle.Move) bool {
	if int(m) >= len(directions) {
		return false
	}
	var at [cellsMax]uint8
	p.cellsOf(state[0], &at)
	key, ok := p.moved(&at, m)
	if ok {
		dst[0] = key
	}
	return ok
}

// Undo writes the state that a move comes from: the result of the inverse move.
func (p *pattern) Undo(dst, state []uint64, m puzzle.Move) bool { return p.Apply(dst, state, m^1) }

// FormatMove names the direction in which a tile moves.
func (p *pattern) FormatMove(m puzzle.Move) string {
	if int(m) >= len(directions) {
		return fmt.Sprintf("no move %d", m)
	}
	return directions[m]
}

// Format writes rows of numbers, with x for unnamed tiles.
func (p *pattern) Format(state []uint64) string { return p.drawn(state, 0, "0") }

// Draw writes aligned rows of numbers, with a dot for the hole.
func (p *pattern) Draw(state []uint64) string {
	return p.drawn(state, len(fmt.Sprint(p.cells()-1)), ".")
}

func (p *pattern) drawn(state []uint64, width int, hole string) string {
	var text strings.Builder
	for i, name := range p.names(state, hole) {
		switch {
		case i == 0:
		case i%p.cols == 0:
			text.WriteByte('\n')
		default:
			text.WriteByte(' ')
		}
		fmt.Fprintf(&text, "%*s", width, name)
	}
	return text.String()
}

// names returns what each cell shows.
func (p *pattern) names(state []uint64, hole string) []string {
	var at [cellsMax]uint8
	p.cellsOf(state[0], &at)
	names := slices.Repeat([]string{"x"}, p.cells())
	names[at[0]] = hole
	for i, tile := range p.named {
		names[at[i+1]] = fmt.Sprint(tile)
	}
	return names
}

// Picture draws a state.
func (p *pattern) Picture(state []uint64) *puzzle.Picture {
	pic := &puzzle.Picture{Rows: p.rows, Cols: p.cols, Ground: make([]puzzle.Ground, p.cells())}
	for i, name := range p.names(state, "") {
		if name == "" {
			continue
		}
		piece := puzzle.Piece{Kind: puzzle.PieceTile, Cells: []puzzle.Cell{{Row: i / p.cols, Col: i % p.cols}}}
		if tile := slices.IndexFunc(p.named, func(t uint8) bool { return fmt.Sprint(t) == name }); tile >= 0 {
			piece.Label, piece.Colour = name, tile+1
		}
		pic.Pieces = append(pic.Pieces, piece)
	}
	return pic
}

// Parse reads a state of this puzzle, in which unnamed tiles may be given by number.
func (p *pattern) Parse(text string) ([]uint64, error) {
	f, fault := open([]byte(text))
	if fault != nil {
		return nil, fault
	}
	s, pieces, fault := split(f.Body, p.shape)
	if fault != nil {
		return nil, fault
	}
	if s != p.shape {
		return nil, f.Body[0].Faultf("a board of %dx%d, but the puzzle has %dx%d", s.rows, s.cols, p.rows, p.cols)
	}
	key, fault := p.keyOf(pieces)
	if fault != nil {
		return nil, fault
	}
	return []uint64{key}, nil
}

// text writes the puzzle with every header that it depends on.
func (p *pattern) text() string {
	var list []string
	for tile := 1; tile < p.cells(); tile++ {
		if p.digits[tile] < 0 {
			list = append(list, fmt.Sprint(tile))
		}
	}
	return fmt.Sprintf("puzzle: %s\nmetric: %s\n%sany: %s\ngoal: %s\n\n%s\n", Family, metricTile, p.sizeHeader(),
		strings.Join(list, " "), p.goalText(), p.Format([]uint64{p.start}))
}

func (p *pattern) goalText() string {
	return strings.ReplaceAll(p.Format([]uint64{p.goal}), "\n", " / ")
}

// Projection returns the mapping of a puzzle's states to those of an abstraction: the
// same puzzle, or one in which some tiles are indistinguishable. The abstraction's
// goal distances are no greater than the puzzle's.
func Projection(concrete, abstract puzzle.Puzzle) (func(state uint64) uint64, error) {
	from, ok := concrete.(*game)
	if !ok {
		return nil, errors.New("the puzzle to solve has tiles that cannot be told apart")
	}
	if to, same := abstract.(*game); same {
		if to.shape != from.shape || to.metric != from.metric || to.goal != from.goal {
			return nil, errors.New("it has another size, metric or goal")
		}
		return func(state uint64) uint64 { return state }, nil
	}
	to, ok := abstract.(*pattern)
	var cells [cellsMax]uint8
	if ok && to.shape == from.shape {
		from.arrangement(from.goal, cells[:])
	}
	if !ok || to.shape != from.shape || from.metric != metricTile || to.rank(cells[:from.cells()]) != to.goal {
		return nil, errors.New("it has another size, metric or goal")
	}
	return func(state uint64) uint64 {
		var cells [cellsMax]uint8
		from.arrangement(state, cells[:])
		return to.rank(cells[:from.cells()])
	}, nil
}
