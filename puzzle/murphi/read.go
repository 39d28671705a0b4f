package murphi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
	"github.com/everystate/everystate/puzzle/murphi/machine"
	"github.com/everystate/everystate/puzzle/murphi/syntax"
)

// Family is the name of the family.
const Family = "murphi"

// Metric is the only metric.
const Metric = "rule"

const notation = "murphi"

// broken is the value of the header goal that asks for states that break any
// invariant.
const broken = "broken"

// Looks reports whether a file has lines that begin with the words startstate and
// rule or ruleset.
func Looks(f *boardfile.File) bool {
	start, rule := false, false
	for _, line := range f.Body {
		words := strings.FieldsFunc(strings.ToLower(line.Text), func(r rune) bool { return r < 'a' || r > 'z' })
		if text := strings.TrimSpace(strings.ToLower(line.Text)); len(words) > 0 && strings.HasPrefix(text, words[0]) {
			start = start || words[0] == "startstate"
			rule = rule || words[0] == "rule" || words[0] == "ruleset"
		}
	}
	return start && rule
}

// Read reads a model.
func Read(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, error) {
	board, fault := read(text, opts)
	if fault != nil {
		return nil, fault
	}
	return []puzzle.Board{board}, nil
}

func read(text []byte, opts puzzle.ReadOptions) (b puzzle.Board, fault *puzzle.InputError) {
	f, fault := boardfile.Parse(text)
	if fault != nil {
		return b, fault
	}
	if fault = checkNames(f, opts); fault != nil {
		return b, fault
	}
	b = puzzle.Board{Family: Family, Metric: Metric}
	if b.Name, fault = f.Name(); fault != nil {
		return b, fault
	}
	if b.Expect, fault = f.Expect(); fault != nil {
		return b, fault
	}
	if len(f.Body) == 0 {
		return b, boardfile.Piece{}.Faultf("no model: write its variables, a startstate and rules")
	}
	before := f.Body[0].Line - 1
	b.Above = before - opts.Added
	lines := strings.Split(strings.ReplaceAll(strings.TrimPrefix(string(text), "\uFEFF"), "\r", ""), "\n")
	body := strings.TrimRight(strings.Join(lines[before:], "\n"), " \t\n")
	tree, wrong := syntax.Parse(body, before+1)
	if wrong != nil {
		return b, at(wrong.At, wrong.What)
	}
	program, wrong := machine.Compile(tree)
	if wrong != nil {
		return b, at(wrong.At, wrong.What)
	}
	g := &model{program: program, added: opts.Added}
	if fault = g.begins(); fault != nil {
		return b, fault
	}
	goal, _ := f.Value("goal")
	if fault = g.aim(goal); fault != nil {
		return b, fault
	}
	g.layout = puzzle.Layout{KeyBits: g.coding.keyBits(), Moves: max(1, len(program.Rules)), HasGoal: len(g.goals) > 0}
	b.Puzzle, b.Note = g, g.note()
	b.Text = fmt.Sprintf("puzzle: %s\nmetric: %s\n", Family, Metric)
	if goal.Text != "" {
		b.Text += "goal: " + goal.Text + "\n"
	}
	b.Text += "\n" + body + "\n"
	return b, nil
}

// checkNames checks the headers, and names that must have their only possible value.
func checkNames(f *boardfile.File, opts puzzle.ReadOptions) *puzzle.InputError {
	if fault := f.CheckKeys("puzzle", "name", "metric", "notation", "goal", "moves", "states"); fault != nil {
		return fault
	}
	for _, c := range []struct{ key, want, option string }{
		{"puzzle", Family, ""}, {"metric", Metric, opts.Metric}, {"notation", notation, opts.Notation},
	} {
		if v, ok := f.Value(c.key); ok && !strings.EqualFold(v.Text, c.want) {
			return v.Faultf("unknown %s %s: must be %s", c.key, boardfile.Quote(v.Text), c.want)
		}
		if c.option != "" && !strings.EqualFold(strings.TrimSpace(c.option), c.want) {
			return boardfile.Piece{}.Faultf("unknown %s %s: must be %s", c.key, boardfile.Quote(c.option), c.want)
		}
	}
	return nil
}

// at makes a fault at a position in the model. What may quote the model.
func at(p syntax.Position, what string) *puzzle.InputError {
	what = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, what)
	return &puzzle.InputError{Line: p.Line, Column: p.Column, What: what}
}

// begins runs the start states, and chooses the layout of keys by whether they leave a
// variable without a value.
func (g *model) begins() *puzzle.InputError {
	partial := g.program.Partial
	var starts [][]int32
	const valuesMax = 1 << 24
	if len(g.program.Variables) == 0 {
		return at(syntax.Position{}, "the model has no variables: declare them with var")
	}
	tooMany := false
	if f := g.program.Starts(func(values []int32) {
		if tooMany = tooMany || len(starts)*len(values) > valuesMax; !tooMany {
			starts = append(starts, slices.Clone(values))
			partial = partial || slices.Contains(values, machine.Undefined)
		}
	}); f != nil {
		return at(f.At, f.What)
	}
	switch {
	case tooMany:
		return at(syntax.Position{}, "the start states have too many values in all")
	case len(starts) == 0:
		return at(syntax.Position{}, "no start state: startstate gives the variables their first values")
	}
	if g.coding = newCoding(g.program.Variables, partial); !g.coding.fits() {
		return at(syntax.Position{}, fmt.Sprintf("the variables take %d bits: at most %d are allowed", g.coding.bits, 64*puzzle.WordsMax))
	}
	key := make([]uint64, len(g.coding.ends))
	seen := map[[puzzle.WordsMax]uint64]bool{}
	for _, values := range starts {
		g.coding.pack(values, key)
		var known [puzzle.WordsMax]uint64
		if copy(known[:], key); !seen[known] {
			seen[known] = true
			g.start = append(g.start, key...)
		}
	}
	return nil
}

// aim chooses the goal: what the header names, otherwise the goals of the model,
// otherwise states that break an invariant.
func (g *model) aim(header boardfile.Piece) *puzzle.InputError {
	kinds := map[syntax.PropertyKind][]*machine.Property{}
	var named []*machine.Property
	var names []string
	for i := range g.program.Claims {
		p := &g.program.Claims[i]
		kinds[p.Kind] = append(kinds[p.Kind], p)
		if header.Text != "" && (p.Name == header.Text || p.Base == header.Text) {
			named = append(named, p)
		}
		if p.Base != "" && !slices.Contains(names, p.Base) && len(names) < 20 {
			names = append(names, p.Base)
		}
	}
	invariants := kinds[syntax.Invariant]
	switch {
	case len(named) > 0:
		g.goals = slices.DeleteFunc(named, func(p *machine.Property) bool { return p.Kind != named[0].Kind })
		g.broken = g.goals[0].Kind == syntax.Invariant
	case header.Text == broken && len(invariants) > 0:
		g.goals, g.broken = invariants, true
	case header.Text != "":
		if len(invariants) > 0 {
			names = append(names, broken)
		}
		return header.Faultf("the model has no goal or invariant %s; it has %s", boardfile.Quote(header.Text), strings.Join(names, ", "))
	case len(kinds[syntax.Goal]) > 0:
		g.goals = kinds[syntax.Goal]
	default:
		g.goals, g.broken = invariants, true
	}
	for _, p := range invariants {
		if !slices.Contains(g.goals, p) {
			g.musts = append(g.musts, p)
		}
	}
	return nil
}

// note describes the model in one line.
func (g *model) note() string {
	text := fmt.Sprintf("%s in %d bits, %s", count(len(g.program.Variables), "variable"), max(1, g.coding.bits), count(len(g.program.Rules), "rule"))
	if n := len(g.start) / len(g.coding.ends); n > 1 {
		text += fmt.Sprintf(", %d start states", n)
	}
	var names []string
	for _, p := range g.goals {
		name := p.Name
		if name == "" {
			name = "unnamed"
		}
		if names = append(names, name); len(names) == 5 {
			names = append(names, "...")
			break
		}
	}
	switch all := strings.Join(names, ", "); {
	case len(g.goals) == 0:
		text += "; no goal"
	case g.broken:
		text += "; goal a broken invariant: " + all
	default:
		text += "; goal " + all
	}
	if len(g.musts) > 0 {
		text += "; " + count(len(g.musts), "invariant") + " must hold"
	}
	return text
}

// count formats a count of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
