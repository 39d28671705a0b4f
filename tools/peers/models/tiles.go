package models

import (
	"fmt"
	"strconv"
	"strings"
)

// Tiles is a board of sliding tiles with one blank, numbered 0.
type Tiles struct {
	rows, cols int
	cells      []int // row by row
}

// ReadTiles reads a board whose tiles are numbers separated by blanks.
func ReadTiles(text string) (*Tiles, error) {
	t := &Tiles{}
	for row := range strings.Lines(text) {
		cells := strings.Fields(row)
		if t.rows > 0 && len(cells) != t.cols {
			return nil, fmt.Errorf("%w: row %d has %d cells where the rows above have %d", ErrNoModel, t.rows+1, len(cells), t.cols)
		}
		t.rows, t.cols = t.rows+1, len(cells)
		for _, cell := range cells {
			n, err := strconv.Atoi(cell)
			if err != nil {
				return nil, fmt.Errorf("%w: %q is not a tile", ErrNoModel, cell)
			}
			t.cells = append(t.cells, n)
		}
	}
	seen := make([]bool, len(t.cells))
	for _, n := range t.cells {
		if n < 0 || n >= len(seen) || seen[n] {
			return nil, fmt.Errorf("%w: its tiles are not 1 to %d and the blank 0, once each", ErrNoModel, len(seen)-1)
		}
		seen[n] = true
	}
	if len(t.cells) == 0 || len(t.cells) > 256 {
		return nil, fmt.Errorf("%w: it has %d cells", ErrNoModel, len(t.cells))
	}
	return t, nil
}

// A slide moves a tile into the blank.
type slide struct {
	name  string // where the blank goes
	guard string // when it can, in terms of the blank's place b
	by    int    // how far the blank moves
}

// slides returns the moves that the board has room for. The guards are in C syntax;
// with these operators they are also valid Promela and Murphi.
func (t *Tiles) slides() []slide {
	var all []slide
	if t.rows > 1 {
		all = append(all,
			slide{"up", fmt.Sprintf("b >= %d", t.cols), -t.cols},
			slide{"down", fmt.Sprintf("b < %d", t.cols*(t.rows-1)), t.cols})
	}
	if t.cols > 1 {
		all = append(all,
			slide{"left", fmt.Sprintf("b %% %d != 0", t.cols), -1},
			slide{"right", fmt.Sprintf("b %% %d != %d", t.cols, t.cols-1), 1})
	}
	return all
}

// blank returns the blank's place.
func (t *Tiles) blank() int {
	for i, n := range t.cells {
		if n == 0 {
			return i
		}
	}
	panic("models: a board without a blank")
}

// Promela returns the board for Spin: a byte per cell and one for the blank's place.
// That is redundant, but saves every move from searching for it.
func (t *Tiles) Promela(name string) string {
	var m strings.Builder
	fmt.Fprintf(&m, "/* Sliding tiles: %s. Cells are counted row by row; b is where the blank is. */\n\n", name)
	cells := make([]string, len(t.cells))
	for i, n := range t.cells {
		cells[i] = strconv.Itoa(n)
	}
	fmt.Fprintf(&m, "byte t[%d] = { %s };\nbyte b = %d;\n\nactive proctype board() {\n\tdo\n", len(cells), strings.Join(cells, ", "), t.blank())
	for _, s := range t.slides() {
		fmt.Fprintf(&m, "\t:: d_step { %s -> t[b] = t[b %s]; b = b %s; t[b] = 0 } /* %s */\n", s.guard, signed(s.by), signed(s.by), s.name)
	}
	m.WriteString("\tod\n}\n")
	return m.String()
}

// Murphi returns the board for Rumur, with the same variables.
func (t *Tiles) Murphi(name string) string {
	var m strings.Builder
	last := len(t.cells) - 1
	fmt.Fprintf(&m, "-- Sliding tiles: %s. Cells are counted row by row; b is where the blank is.\n\n", name)
	fmt.Fprintf(&m, "var\n  t: array [0..%d] of 0..%d;\n  b: 0..%d;\n\nstartstate begin\n", last, last, last)
	for i, n := range t.cells {
		fmt.Fprintf(&m, "  t[%d] := %d;\n", i, n)
	}
	fmt.Fprintf(&m, "  b := %d;\nend;\n", t.blank())
	for _, s := range t.slides() {
		fmt.Fprintf(&m, "\nrule %q %s ==> begin\n  t[b] := t[b %s];\n  b := b %s;\n  t[b] := 0;\nend;\n", s.name, s.guard, signed(s.by), signed(s.by))
	}
	return m.String()
}

// signed writes a number as an addend: "+ 1", "- 1".
func signed(n int) string {
	if n < 0 {
		return fmt.Sprintf("- %d", -n)
	}
	return fmt.Sprintf("+ %d", n)
}
