// Package table formats rows in columns. All of it is pure.
package table

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/everystate/everystate/internal/terminal/paint"
)

// Column is a column of a table.
type Column struct {
	Title string
	Left  bool // aligned left; numbers are aligned right
	Bar   bool // coloured as a bar of a chart
}

// Table is rows below a head. A nil row stands for rows that were left out.
type Table struct {
	Columns []Column
	Rows    [][]string
}

// Add appends a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// Skip notes that rows were left out here.
func (t *Table) Skip() { t.Rows = append(t.Rows, nil) }

// Write writes the table.
func (t *Table) Write(w io.Writer, p paint.Paint) {
	widths := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		widths[i] = utf8.RuneCountInString(c.Title)
		for _, row := range t.Rows {
			if row != nil {
				widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
			}
		}
	}
	titles := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		titles[i] = c.Title
	}
	fmt.Fprintln(w, p.Faint(t.line(titles, widths, paint.Paint{})))
	for _, row := range t.Rows {
		if row == nil {
			fmt.Fprintln(w, p.Faint(strings.Repeat(" ", max(0, widths[0]-3))+"..."))
			continue
		}
		fmt.Fprintln(w, t.line(row, widths, p))
	}
}

func (t *Table) line(cells []string, widths []int, p paint.Paint) string {
	var line strings.Builder
	gap := 0 // blanks due before the next cell that is not empty
	for i, c := range t.Columns {
		blanks := widths[i] - utf8.RuneCountInString(cells[i])
		if !c.Left {
			gap, blanks = gap+blanks, 0
		}
		if cells[i] != "" {
			line.WriteString(strings.Repeat(" ", gap))
			gap = 0
		}
		if c.Bar {
			line.WriteString(p.Bar(cells[i]))
		} else {
			line.WriteString(cells[i])
		}
		gap += blanks + 2
	}
	return line.String()
}
