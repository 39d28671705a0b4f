package murphi

import (
	"fmt"
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/murphi/machine"
)

// undefined is written for a variable without a value.
const undefined = "undefined"

// value writes the value of a variable.
func value(v *machine.Variable, n int32) string {
	if n == machine.Undefined {
		return undefined
	}
	return v.Type.Text(int64(n))
}

// values returns the values of a state.
func (g *model) values(state []uint64) []int32 {
	values := make([]int32, len(g.program.Variables))
	g.coding.unpack(state, values)
	return values
}

// lines writes each variable with its value.
func (g *model) lines(state []uint64, is string) []string {
	var list []string
	for i, n := range g.values(state) {
		v := &g.program.Variables[i]
		list = append(list, v.Name+is+value(v, n))
	}
	return list
}

// Format writes the variables on one line.
func (g *model) Format(state []uint64) string { return strings.Join(g.lines(state, "="), " ") }

// Draw writes one line per variable.
func (g *model) Draw(state []uint64) string { return strings.Join(g.lines(state, " = "), "\n") }

// FormatMove names a rule and its parameters.
func (g *model) FormatMove(move puzzle.Move) string {
	if int(move) >= len(g.program.Rules) {
		return fmt.Sprintf("no-rule-%d", move)
	}
	return g.program.Rules[move].Name
}

// Parse reads the variables in any order.
func (g *model) Parse(text string) ([]uint64, error) {
	const bytesMax = 1 << 20
	if len(text) > bytesMax {
		return nil, &puzzle.InputError{What: fmt.Sprintf("a state of %d bytes: at most %d are allowed", len(text), bytesMax)}
	}
	index := make(map[string]int, len(g.program.Variables))
	for i := range g.program.Variables {
		index[g.program.Variables[i].Name] = i
	}
	values := make([]int32, len(index))
	seen := make([]bool, len(index))
	words := strings.Fields(strings.NewReplacer("=", " = ", ",", " ").Replace(text))
	for ; len(words) > 0; words = words[3:] {
		if len(words) < 3 || words[1] != "=" {
			return nil, &puzzle.InputError{What: fmt.Sprintf("%.40q is not a variable with its value: write a state as %.80s", words[0], g.Format(g.start[:len(g.coding.ends)]))}
		}
		i, ok := index[words[0]]
		if !ok || seen[i] {
			return nil, &puzzle.InputError{What: fmt.Sprintf("%.40q is not a variable of the model, or is given twice", words[0])}
		}
		seen[i] = true
		n, fault := g.read(i, words[2])
		if fault != nil {
			return nil, fault
		}
		values[i] = n
	}
	for i, there := range seen {
		if !there {
			return nil, &puzzle.InputError{What: fmt.Sprintf("%s has no value", g.program.Variables[i].Name)}
		}
	}
	key := make([]uint64, len(g.coding.ends))
	g.coding.pack(values, key)
	if !g.Valid(key) {
		return nil, &puzzle.InputError{What: "an assumption of the model does not hold in this state"}
	}
	return key, nil
}

// read reads the value of a variable.
func (g *model) read(i int, text string) (int32, *puzzle.InputError) {
	v := &g.program.Variables[i]
	if text == undefined && g.coding.digits[i].radix > v.Type.Values() {
		return machine.Undefined, nil
	}
	n, ok := v.Type.Parse(text)
	if !ok {
		return 0, &puzzle.InputError{What: fmt.Sprintf("%s: %.40q is not %s", v.Name, text, v.Type.Describe())}
	}
	return int32(n), nil
}

// Bounds of a picture: a variable with more values than columns has one column.
const (
	columnsMax = 24
	rowsMax    = 256
)

// Picture shows one row per variable, with a piece that names its value in the column
// of the value.
func (g *model) Picture(state []uint64) *puzzle.Picture {
	variables := g.program.Variables[:min(rowsMax, len(g.program.Variables))]
	p := &puzzle.Picture{Rows: len(variables), Cols: 1}
	columns := make([]int, len(variables))
	for i := range variables {
		if columns[i] = 1; variables[i].Type.Values() <= columnsMax {
			columns[i] = int(variables[i].Type.Values())
		}
		p.Cols = max(p.Cols, columns[i])
	}
	p.Ground = make([]puzzle.Ground, p.Rows*p.Cols)
	colours := map[string]int{}
	for i, n := range g.values(state)[:len(variables)] {
		v := &variables[i]
		for column := columns[i]; column < p.Cols; column++ {
			p.Ground[i*p.Cols+column] = puzzle.GroundNone
		}
		root, _, _ := strings.Cut(v.Name, "[")
		root, _, _ = strings.Cut(root, ".")
		if _, known := colours[root]; !known {
			colours[root] = len(colours)
		}
		if n == machine.Undefined {
			continue
		}
		cell := puzzle.Cell{Row: i}
		if columns[i] > 1 {
			cell.Col = int(int64(n) - v.Type.Lo)
		}
		p.Pieces = append(p.Pieces, puzzle.Piece{Kind: puzzle.PieceTile, Cells: []puzzle.Cell{cell}, Label: value(v, n), Colour: colours[root]})
	}
	return p
}
