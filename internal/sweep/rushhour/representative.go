package rushhour

import (
	"math/bits"

	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/rushhour/boards"
	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// A position is one state: a placement of the rows, and one of each column.
type position struct {
	rows    int32
	columns [rules.SizeMax]int32
}

// representative returns, among the states of the last layer and in a view, the one
// with the smallest mask of cells covered by rows, then by columns.
func (w *worker) representative(v view) (best position, least cells) {
	s := &w.space
	var rows, columns uint64
	first := true
	for i := range s.layer {
		e := &s.layer[i]
		r := e.rows
		if h := w.rows.cells[v][r]; first || h < rows {
			first = false
			rows, columns = h, ^uint64(0)
			best.rows = r
		} else if h > rows {
			continue
		}
		var outer uint64
		for k := range s.outer {
			o := &s.outer[k]
			outer |= o.line.down[v][bits.TrailingZeros64(e.outer&o.mask)-o.shift] << o.column
		}
		for rest := e.bits; rest != 0; rest &= rest - 1 {
			bit := bits.TrailingZeros64(rest)
			cells := outer
			for k := range s.inner {
				in := &s.inner[k]
				cells |= in.line.down[v][bit/in.stride%in.fits.N] << in.column
			}
			if cells < columns {
				columns = cells
				s.placements(e.outer, bit, &best)
			}
		}
	}
	return best, cells{rows, columns}
}

// placements sets the placements of the columns of a state.
func (s *space) placements(outer uint64, bit int, at *position) {
	for k := range s.outer {
		o := &s.outer[k]
		at.columns[o.column] = int32(bits.TrailingZeros64(outer&o.mask) - o.shift)
	}
	for k := range s.inner {
		in := &s.inner[k]
		at.columns[in.column] = int32(bit / in.stride % in.fits.N)
	}
}

// start adds a state, and reports whether it is legal.
func (s *space) start(at *position) bool {
	outer := s.always
	for k := range s.outer {
		o := &s.outer[k]
		outer |= 1 << (int(at.columns[o.column]) + o.shift)
	}
	bit := 0
	for k := range s.inner {
		in := &s.inner[k]
		bit += int(at.columns[in.column]) * in.stride
	}
	f := &s.fields[at.rows]
	if !s.opens(at.rows, outer) || f.inner>>bit&1 == 0 {
		return false
	}
	s.openClass(len(s.marks) - 1)
	s.put(f, at.rows, outer, 1<<bit)
	return true
}

// The attributes of records, by place.
const (
	// Minimal is 1 if removing any piece but the primary leaves a board that takes
	// fewer moves.
	Minimal = iota
	// Walls counts the walls.
	Walls
)

// keep records a cluster.
func (w *worker) keep(at *position, layers []uint64, minimal bool) {
	r := sweep.Record{Board: w.draw(at), Layers: layers}
	var attributes [Walls + 1]uint64
	if minimal {
		attributes[Minimal] = 1
	}
	attributes[Walls] = uint64(w.rows.walls())
	for i := range w.rows.lines {
		r.Pieces += len(w.rows.lines[i].lengths)
	}
	for _, c := range w.columns {
		r.Pieces += len(c.lengths)
	}
	r.Attributes = sweep.Attributes(attributes[:]...)
	w.found.Records = append(w.found.Records, r)
}

// keepSolved records a cluster whose states are all goals.
func (w *worker) keepSolved(root int32) {
	least := func(v view) (position, cells) { return w.solvedRepresentative(root, v) }
	if at, minimal, kept := w.judge(least, 0); kept {
		w.keep(&at, []uint64{w.boxes.states[root]}, minimal)
	}
}

// solvedRepresentative returns the representative of such a cluster in a view.
func (w *worker) solvedRepresentative(root int32, v view) (best position, least cells) {
	b := &w.boxes
	var rows, columns uint64
	first := true
	b.eachGoal(root, func(x box) {
		at := position{rows: b.row(x).rows}
		var cells uint64
		for j := range b.columns {
			m, g := b.groupOf(x, j)
			p := b.columns[j].least(b.columns[j].fits.Member(m, g), v)
			at.columns[j] = p
			cells |= b.columns[j].down[v][p] << j
		}
		if h := w.rows.cells[v][at.rows]; first || h < rows || h == rows && cells < columns {
			first, best, rows, columns = false, at, h, cells
		}
	})
	return best, cells{rows, columns}
}

// least returns, of a set of placements of a column, the one with the smallest mask.
// Columns share no cells, so the mask of all columns is a sum, which is least where
// each term is.
func (l *line) least(set uint64, v view) int32 {
	best := int32(bits.TrailingZeros64(set))
	for ; set != 0; set &= set - 1 {
		if p := int32(bits.TrailingZeros64(set)); l.down[v][p] < l.down[v][best] {
			best = p
		}
	}
	return best
}

// draw returns the cells of a state, with the rows apart if the board is not square.
// Pieces take letters in order: the primary, the
// rest of its row, those of the other rows from the top, left to right with the walls
// among them, then those of the columns.
func (w *worker) draw(at *position) string {
	size := w.e.rules.Size
	d := boards.NewDrawing(size.Cells())
	exit := w.e.rules.ExitRow
	drawRow(d, w.rows, int(at.rows), exit)
	for i := range size.Rows {
		if i != exit {
			drawRow(d, w.rows, int(at.rows), i)
		}
	}
	for j, c := range w.columns {
		p := &c.placements[at.columns[j]]
		for v, start := range p.starts {
			d.Piece(d.Letter(), start*size.Columns+j, c.lengths[v], size.Columns)
		}
	}
	return d.Text(size)
}

// drawRow draws a row.
func drawRow(d *boards.Drawing, rows *rowSet, at, i int) {
	l := rows.lines[i]
	p := &l.placements[rows.digit(at, i)]
	for cell := range l.size {
		first := i*l.size + cell
		if l.walls>>cell&1 != 0 {
			d.Letter()
			d.Piece(boards.Wall, first, 1, 1)
			continue
		}
		for v, start := range p.starts {
			switch {
			case start != cell:
			case l.isPrimary(v):
				d.Piece(boards.Letters[0], first, l.lengths[v], 1)
			default:
				d.Piece(d.Letter(), first, l.lengths[v], 1)
			}
		}
	}
}
