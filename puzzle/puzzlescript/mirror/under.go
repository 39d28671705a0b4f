package mirror

import (
	"fmt"
	"slices"
	"strings"

	"github.com/everystate/everystate/puzzle/puzzlescript/game"
)

// Under returns a doubt unless the map maps the rules that may match after each input to
// those that may match after the input's image.
func (r *Rules) Under(m *Map) *Doubt {
	for n, d := range inputs {
		image := slices.Index(inputs, m.Direction(d))
		if doubt := r.onto(r.early[n], r.early[image], m); doubt != nil {
			return doubt
		}
	}
	return r.onto(r.late, r.late, m)
}

// onto returns a doubt unless a map maps the rules of each group to those of another.
func (r *Rules) onto(from, to []group, m *Map) *Doubt {
	identity := &Map{sides: [4]game.Direction{game.Up, game.Right, game.Down, game.Left}}
	for n := range from {
		known := map[string]*rule{}
		for _, u := range to[n] {
			known[r.text(u, identity)] = u
		}
		met := map[string]bool{}
		for _, u := range from[n] {
			text := r.text(u, m)
			if known[text] == nil {
				return &Doubt{u.Line, "this rule is not the same in all directions"}
			}
			met[text] = true
		}
		for text, u := range known {
			if !met[text] {
				return &Doubt{u.Line, "this rule is not the same in all directions"}
			}
		}
	}
	return nil
}

// text returns the image of a rule in a form that does not depend on the end from which
// its rows are read.
func (r *Rules) text(u *rule, m *Map) string {
	direction := m.Direction(u.Direction)
	backwards := direction == game.Up || direction == game.Left
	if backwards {
		direction = map[game.Direction]game.Direction{game.Up: game.Down, game.Left: game.Right}[direction]
	}
	if !slices.ContainsFunc(u.Rows, func(row game.Row) bool { return len(row.Cells) > 1 }) {
		direction = 0
	}
	var b strings.Builder
	fmt.Fprint(&b, direction, u.Replaces)
	for _, c := range u.Commands {
		fmt.Fprintf(&b, " %s", c.Name)
	}
	for k := range u.Rows {
		cells := slices.Clone(u.Rows[k].Cells)
		if backwards {
			slices.Reverse(cells)
		}
		b.WriteString("[")
		for i := range cells {
			r.writeCell(&b, &cells[i], m)
		}
		b.WriteString("]")
	}
	return b.String()
}

// writeCell writes the image of a cell of a rule.
func (r *Rules) writeCell(b *strings.Builder, c *game.Cell, m *Map) {
	if c.Ellipsis {
		b.WriteString("...|")
		return
	}
	moves := func(set game.Set) {
		for layer := range r.game.Layers {
			fmt.Fprintf(b, "%x,", m.Direction(set.Field(layer)))
		}
		b.WriteByte(' ')
	}
	fmt.Fprintf(b, "%x %x %x ", c.Present, c.Missing, c.Any)
	moves(c.Moving)
	moves(c.Still)
	if p := c.Replacement; p != nil {
		fmt.Fprintf(b, "> %x %x ", p.Clear, p.Set)
		moves(p.ClearMoves)
		moves(p.SetMoves)
		moves(p.Layers)
	}
	b.WriteByte('|')
}
