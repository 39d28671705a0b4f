package game

import (
	"slices"
	"strings"
	"unicode"

	"github.com/everystate/everystate/puzzle/puzzlescript/syntax"
)

// term is an object in a cell of a rule with its modifier: a direction, "no", "random"
// or nothing.
type term struct{ modifier, name string }

// ellipsis is the modifier and the name of an ellipsis.
const ellipsis = "..."

// cell is a cell of a rule as written, and row what is between brackets.
type (
	cell []term
	row  []cell
)

// rule is a rule during compilation.
type rule struct {
	line      int
	group     int
	direction string
	left      []row
	right     []row
	late      bool
	rigid     bool
	random    bool
	commands  []Command

	directions []string
	moving     []moving     // what directions on the left became
	properties []occurrence // what properties on the left became
	text       string
	discard    *[2]string
	edge       bool // it has an ellipsis at an end
}

func (r *rule) clone() *rule {
	clone := func(rows []row) []row {
		rows = slices.Clone(rows)
		for i, cells := range rows {
			rows[i] = slices.Clone(cells)
			for j, c := range cells {
				rows[i][j] = slices.Clone(c)
			}
		}
		return rows
	}
	c := *r
	c.left, c.right = clone(r.left), clone(r.right)
	c.moving, c.properties = slices.Clone(r.moving), slices.Clone(r.properties)
	return &c
}

// The words for directions in rules.
var (
	aggregateDirections = map[string][]string{
		"horizontal": {"left", "right"}, "horizontal_par": {"left", "right"}, "horizontal_perp": {"left", "right"},
		"vertical": {"up", "down"}, "vertical_par": {"up", "down"}, "vertical_perp": {"up", "down"},
		"moving":     {"up", "down", "left", "right", "action"},
		"orthogonal": {"up", "down", "left", "right"}, "perpendicular": {"^", "v"}, "parallel": {"<", ">"},
	}
	absoluteDirections = []string{"up", "down", "left", "right"}
	relativeDirections = []string{"^", "v", "<", ">", "parallel", "perpendicular"}
	cellModifiers      = []string{">", "<", "^", "v", "up", "down", "left", "right", "moving", "stationary", "no", "randomdir", "random", "horizontal", "vertical", "orthogonal", "perpendicular", "parallel", "action"}
)

// loopMark is the position of a startloop or endloop.
type loopMark struct {
	line  int
	start bool
}

// reader reads the line of one rule.
type reader struct {
	c      *compiler
	line   syntax.Line
	tokens []string
	before []*rule // the rules of the preceding lines

	rule      *rule
	plus      bool
	balance   int // of brackets
	inRow     bool
	pending   string // a modifier that has no object yet
	isPending bool
	cell      cell
	cells     row
	isRight   bool
}

func (r *reader) errorf(format string, args ...any) { r.c.log.Errorf(r.line.Number, format, args...) }
func (r *reader) warnf(format string, args ...any)  { r.c.log.Warnf(r.line.Number, format, args...) }

// tokens splits a line of a rule.
func tokens(line string) []string {
	line = strings.NewReplacer("[", " [ ", "]", " ] ", "|", " | ", "->", " -> ").Replace(line)
	line = strings.TrimSpace(line)
	if rest, ok := strings.CutPrefix(line, "+"); ok {
		line = "+ " + rest
	}
	return strings.Fields(line)
}

// readRules reads all lines of rules.
func (c *compiler) readRules() (rules []*rule) {
	for _, line := range c.source.Rules {
		r := &reader{c: c, line: line, tokens: tokens(line.Text), before: rules}
		if strings.Contains(line.Original, "(") && !strings.Contains(line.Text, "->") {
			r.errorf("You can't have comments inside rules, sorry. In PuzzleScript, '(' starts a comment, so everything after the first '(' on this line was ignored before your rule was parsed.")
			continue
		}
		if len(r.tokens) == 1 && (r.tokens[0] == "startloop" || r.tokens[0] == "endloop") {
			c.loops = append(c.loops, loopMark{line.Number, r.tokens[0] == "startloop"})
			continue
		}
		if r.read() {
			rules = append(rules, r.rule)
		}
	}
	return rules
}

// read reads the line, and reports whether it contains a rule.
func (r *reader) read() bool {
	r.rule = &rule{line: r.line.Number, group: r.line.Number}
	if len(r.tokens) == 0 {
		r.errorf("Spooky error!  Empty line passed to rule function.")
	}
	if !slices.Contains(r.tokens, "->") {
		r.errorf("A rule has to have an arrow in it.  There's no arrow here! Consider reading up about rules - you're clearly doing something weird")
	}
	i := 0
	for i < len(r.tokens) && r.tokens[i] != "[" {
		r.prefix(i)
		i++
	}
	if i < len(r.tokens) && len(r.rule.directions) == 0 {
		r.rule.directions = slices.Clone(absoluteDirections)
	}
	for i < len(r.tokens) {
		next, ok := r.part(i)
		if !ok {
			return false
		}
		i = next
	}
	return r.finish()
}

// prefix reads a word before the first bracket.
func (r *reader) prefix(i int) {
	token := r.tokens[i]
	switch {
	case token == "+":
		r.readPlus(i)
	case slices.Contains(relativeDirections, token):
		r.errorf("You cannot use relative directions (\"^v<>\") to indicate in which direction(s) a rule applies.  Use absolute directions indicators (Up, Down, Left, Right, Horizontal, or Vertical, for instance), or, if you want the rule to apply in all four directions, do not specify directions")
	case aggregateDirections[token] != nil:
		r.rule.directions = append(r.rule.directions, aggregateDirections[token]...)
	case token == "late":
		r.rule.late = true
	case token == "rigid":
		r.rule.rigid = true
	case token == "random":
		r.rule.random = true
		if r.plus {
			r.errorf("A rule-group can only be marked random by the opening rule in the group (aka, a '+' and 'random' can't appear as rule modifiers on the same line).  Why? Well, you see \"random\" isn't a property of individual rules, but of whole rule groups.  It indicates that a single possible application of some rule from the whole group should be applied at random.")
		}
	case slices.Contains(absoluteDirections, token):
		r.rule.directions = append(r.rule.directions, token)
	default:
		r.errorf("The start of a rule must consist of some number of directions (possibly 0), before the first bracket, specifying in what directions to look (with no direction specified, it applies in all four directions).  It seems you've just entered \"%s\".", strings.ToUpper(token))
	}
}

func (r *reader) readPlus(i int) {
	r.plus = true
	if r.rule.group != r.line.Number {
		r.errorf("Two \"+\"s (the \"append to previous rule group\" symbol) applied to the same rule.")
		return
	}
	if len(r.before) == 0 {
		r.errorf("The \"+\" symbol, for joining a rule with the group of the previous rule, needs a previous rule to be applied to.")
		r.plus = false
	}
	if i != 0 {
		r.errorf("The \"+\" symbol, for joining a rule with the group of the previous rule, must be the first symbol on the line ")
	}
	if r.plus {
		r.rule.group = r.before[len(r.before)-1].group
	}
}

// push adds a word to the cell: alternately a modifier and a name.
func (r *reader) push(word string) {
	if r.isPending {
		r.cell = append(r.cell, term{r.pending, word})
	} else {
		r.pending = word
	}
	r.isPending = !r.isPending
}

// part reads a word at or after the first bracket, and returns the index of the next.
func (r *reader) part(i int) (next int, ok bool) {
	token := r.tokens[i]
	switch {
	case token == "[":
		r.openRow()
	case slices.Contains(cellModifiers, token):
		switch {
		case r.isPending:
			r.errorf("Error, an item can only have one direction/action at a time, but you're looking for several at once!")
		case !r.inRow:
			r.warnf("Invalid syntax. Directions should be placed at the start of a rule.")
		case r.rule.late && token != "no" && token != "random" && token != "randomdir":
			r.errorf("Movements cannot appear in late rules.")
		default:
			r.push(token)
		}
	case token == "|":
		switch {
		case !r.inRow:
			r.warnf("Janky syntax.  \"|\" should only be used inside cell rows (the square brackety bits).")
		case r.isPending:
			r.errorf("In a rule, if you specify a movement, it has to act on an object.")
		default:
			r.cells, r.cell = append(r.cells, r.cell), nil
		}
	case token == "]":
		return i + 1, r.closeRow()
	case token == "->":
		return i + 1, r.arrow()
	case r.c.source.Names[token]:
		r.object(token)
	case token == ellipsis:
		if !r.inRow {
			r.warnf("Invalid syntax, ellipses should only be used within cells (square brackets).")
		} else {
			r.push(token)
			r.push(token)
		}
	case syntax.IsCommand(token):
		return r.command(i), true
	default:
		r.errorf("Error, malformed cell rule - was looking for cell contents, but found \"%s\".  What am I supposed to do with this, eh, please tell me that.", token)
	}
	return i + 1, true
}

func (r *reader) openRow() {
	r.balance++
	if r.balance > 1 {
		r.warnf("Multiple opening brackets without closing brackets.  Something fishy here.  Every '[' has to be closed by a ']', and you can't nest them.")
	}
	if len(r.cell) > 0 || r.isPending {
		r.errorf("Error, malformed cell rule - encountered a \"[\"\" before previous bracket was closed")
	}
	r.inRow = true
	r.cell, r.isPending = nil, false
}

func (r *reader) closeRow() bool {
	r.balance--
	if r.balance < 0 {
		r.warnf("Multiple closing brackets without corresponding opening brackets.  Something fishy here.  Every '[' has to be closed by a ']', and you can't nest them.")
		return false
	}
	switch {
	case !r.isPending:
		r.cells, r.cell = append(r.cells, r.cell), nil
	case len(r.cell) > 0 && r.cell[0].modifier == ellipsis || len(r.cell) == 0 && r.pending == ellipsis:
		r.errorf("Cannot end a rule with ellipses.")
	default:
		r.errorf("In a rule, if you specify a movement, it has to act on an object.")
	}
	if r.isRight {
		r.rule.right = append(r.rule.right, r.cells)
	} else {
		r.rule.left = append(r.rule.left, r.cells)
	}
	r.cells, r.inRow = nil, false
	return true
}

func (r *reader) arrow() bool {
	if r.rule.group != r.line.Number && r.before[len(r.before)-1].late != r.rule.late {
		r.warnf("Oh gosh you can mix late and non-late rules in a rule-group if you really want to, but gosh why would you want to do that?  What do you expect to accomplish?")
	}
	switch {
	case r.inRow:
		r.warnf("Encountered an unexpected \"->\" inside square brackets.  It's used to separate states, it has no place inside them >:| .")
	case r.isRight:
		r.errorf("Error, you can only use \"->\" once in a rule; it's used to separate before and after states.")
		return false
	default:
		r.isRight = true
	}
	return true
}

// object reads the name of an object.
func (r *reader) object(name string) {
	upper := strings.ToUpper(name)
	if !r.inRow {
		r.warnf("Invalid token %s. Object names should only be used within cells (square brackets).", upper)
		return
	}
	for _, t := range r.cell {
		if t.name != name {
			continue
		}
		if t.modifier == "no" && r.isPending && r.pending == "no" {
			r.warnf("I notice that you have NO %s more than once in a single cell. That's redundant innit.", upper)
			continue
		}
		r.errorf("You cannot specify the same object more than once in a single cell (in this case %s occurs multiple times).", upper)
		if r.c.properties.get(name) != nil {
			r.c.log.Warnf(syntax.NoLine, "( However, noticing that you're committing this crime with properties, and not being able to help but acknowledge that you may be trying to do something esoteric and clever with the property inference system,  I might be brought to suggest that you consider this: you can have multiple equivalent properties with different names. )")
		}
	}
	if !r.isPending {
		r.push("")
	}
	r.push(name)
}

// command reads a command, and returns the index of the word after it.
func (r *reader) command(i int) int {
	token := r.tokens[i]
	const where = "Commands should only appear at the end of rules, not in or before the pattern-detection/-replacement sections."
	if !r.isRight {
		r.errorf(where)
	} else if r.inRow || slices.Contains(r.tokens[i:], "]") {
		r.warnf(where)
	}
	if token == "message" {
		r.rule.commands = append(r.rule.commands, Command{token, r.message(i)})
		return len(r.tokens)
	}
	if strings.HasPrefix(token, "sfx") {
		defined := slices.ContainsFunc(r.c.source.Sounds, func(s syntax.Sound) bool { return s.Words[0].Text == token })
		if !defined {
			r.warnf("Sound effect \"%s\" not defined.", token)
		}
	}
	r.rule.commands = append(r.rule.commands, Command{Name: token})
	return i + 1
}

// message returns what follows word number i, as written.
func (r *reader) message(i int) string {
	original := []rune(r.line.Original)
	lower := make([]rune, len(original))
	for n, char := range original {
		lower[n] = unicode.ToLower(char)
	}
	at := 0
	for _, token := range r.tokens[:i+1] {
		t := []rune(token)
		for at+len(t) <= len(lower) && !slices.Equal(lower[at:at+len(t)], t) {
			at++
		}
		at = min(at+len(t), len(lower))
	}
	if text := strings.TrimSpace(string(original[at:])); text != "" {
		return text
	}
	return " "
}

// finish checks the rule as a whole.
func (r *reader) finish() bool {
	u := r.rule
	if u.late && u.rigid {
		r.errorf("Late rules cannot be marked as rigid (rigid rules are all about dealing with the consequences of unresolvable movements, and late rules can't even have movements).")
	}
	if len(u.left) != len(u.right) {
		if len(u.commands) == 0 || len(u.right) > 0 {
			r.warnf("Error, when specifying a rule, the number of matches (square bracketed bits) on the left hand side of the arrow must equal the number on the right")
			return false
		}
	} else {
		for i, left := range u.left {
			if len(left) != len(u.right[i]) {
				r.errorf("In a rule, each pattern to match on the left must have a corresponding pattern on the right of equal length (number of cells).")
				r.c.invalid = true
			}
			if len(left) == 0 {
				r.c.log.Errorf(syntax.NoLine, "You have an totally empty pattern on the left-hand side.  This will match *everything*.  You certainly don't want this.")
			}
		}
	}
	if len(u.left) == 0 {
		r.errorf("This rule refers to nothing.  What the heck? :O")
	}
	if !u.directional() && len(u.directions) > 1 {
		u.directions = u.directions[:1]
	}
	return true
}

// directional reports whether a rule differs by direction.
func (r *rule) directional() bool {
	relative := func(cells row) bool {
		return slices.ContainsFunc(cells, func(c cell) bool {
			return slices.ContainsFunc(c, func(t term) bool { return slices.Contains(relativeDirections, t.modifier) })
		})
	}
	return slices.ContainsFunc(r.left, func(cells row) bool { return len(cells) > 1 || relative(cells) }) ||
		slices.ContainsFunc(r.right, relative)
}
