package syntax

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// layerToken parses a name in a collision layer, or a separator.
func (p *parser) layerToken() {
	if p.start {
		p.Layers = append(p.Layers, nil)
		p.words = nil
		p.index = 0
	}
	name, ok := p.cur.take(letter)
	if !ok {
		n := span(p.cur.rest(), func(r rune) bool { return r == ' ' || r == ',' })
		p.cur.at += n
		if n == 0 {
			p.errorf("error detected - unexpected character %c", p.cur.peek())
			p.cur.at++
		}
		return
	}
	if len(p.Layers) == 0 {
		p.errorf("no layers found.")
		return
	}
	layer := &p.Layers[len(p.Layers)-1]
	switch {
	case name == "background":
		if len(*layer) > 0 {
			p.errorf("Background must be in a layer by itself.")
		}
		p.index = 1
	case p.index != 0:
		p.errorf("Background must be in a layer by itself.")
	}
	objects := p.layerObjects(name)
	p.checkLayers(name, objects)
	p.words = append(p.words, name)
	*layer = append(*layer, objects...)
	for _, o := range objects {
		if in := p.layersOf[o]; len(in) == 0 || in[len(in)-1] != len(p.Layers)-1 {
			p.layersOf[o] = append(in, len(p.Layers)-1)
		}
	}
}

// layeredMax bounds the names in collision layers, the objects that they stand for
// included.
const layeredMax = 2 * ObjectsMax

// layerObjects returns the objects that a name puts into a layer.
func (p *parser) layerObjects(name string) []string {
	var objects, open []string // open are the properties being expanded
	var expand func(item string)
	expand = func(item string) {
		kind, end, entry := p.Lookup(item)
		if !within(p, &p.layered, layeredMax, "objects in collision layers") || kind == IsProperty && slices.Contains(open, end) {
			return
		}
		switch kind {
		case IsObject:
			objects = append(objects, end)
		case IsAggregate:
			p.errorf("\"%s\" is an aggregate (defined using \"and\"), and cannot be added to a single layer because its constituent objects must be able to coexist.", end)
		case IsProperty:
			open = append(open, end)
			for _, item := range entry.Items {
				expand(item)
			}
			open = open[:len(open)-1]
		default:
			p.errorf("Cannot add \"%s\" to a collision layer; it has not been declared.", strings.ToUpper(name))
		}
	}
	expand(name)
	return objects
}

// checkLayers warns of objects that are already in a layer.
func (p *parser) checkLayers(name string, objects []string) {
	last := len(p.Layers) - 1
	var others strings.Builder
	for _, o := range objects {
		for _, i := range p.layersOf[o] {
			if i != last {
				others.WriteString("#" + itoa(i+1) + ", ")
			}
		}
	}
	if others.Len() > 0 {
		p.warnf("Object \"%s\" included in multiple collision layers ( layers %s#%d ). You should fix this!", strings.ToUpper(name), others.String(), last+1)
	}
	if slices.Contains(p.words, name) {
		p.warnf("Object \"%s\" included explicitly multiple times in the same layer. Don't do that innit.", strings.ToUpper(name))
	}
}

// ruleToken parses a word or sign of a rule. It only checks its words; they are
// interpreted when the line is compiled.
func (p *parser) ruleToken() {
	c := p.cur
	if p.start {
		p.Rules = append(p.Rules, Line{p.line, codeOf(c.text), string(c.original)})
		p.index = 0 // 1 after a bracket
	}
	if p.index == inMessage {
		c.at = len(c.text)
		return
	}
	if r := c.rest(); len(r) > 1 && r[0] == '-' && r[1] == '>' {
		c.at += 2
		c.skipBlanks()
		return
	}
	if r := p.ahead; r == '[' || r == '|' || r == ']' || r == '+' {
		if r != '+' {
			p.index = 1
		}
		c.at++
		c.skipBlanks()
		return
	}
	n := span(c.rest(), func(r rune) bool { return !blank(r) && r != '[' && r != '|' && r != ']' })
	word := string(c.text[c.at : c.at+n])
	c.at += n
	p.ruleWord(word)
}

func (p *parser) ruleWord(word string) {
	switch {
	case p.index == 0 && (word == "startloop" || word == "endloop"):
	case p.index == 0 && slices.Contains(ruleDirections, word),
		p.index == 1 && slices.Contains(cellDirections, word):
		p.cur.skipBlanks()
	case p.Names[word]:
		if p.start {
			p.errorf("Objects cannot appear outside of square brackets in rules, only directions can.")
			return
		}
		p.cur.skipBlanks()
	case word == "..." || word == "rigid" || word == "random":
	case IsCommand(word):
		if word == "message" {
			p.index = inMessage
		}
	default:
		p.errorf("Name \"%s\", referred to in a rule, does not exist.", word)
	}
}

// conditionToken parses a word of a win condition.
func (p *parser) conditionToken() {
	c := p.cur
	if p.start {
		p.Conditions = append(p.Conditions, Condition{strings.FieldsFunc(codeOf(c.text), blank), p.line})
		p.index = -1
	}
	p.index++
	word, ok := c.take(letter)
	if !ok {
		p.errorf("incorrect format of win condition.")
		c.skipCode()
		return
	}
	upper := strings.ToUpper(word)
	switch p.index {
	case 0:
		if !slices.Contains(words("all any no some"), word) {
			p.errorf("Expecting the start of a win condition (\"ALL\",\"SOME\",\"NO\") but got \"%s'.", upper)
		}
	case 2:
		if word != "on" {
			p.errorf("Expecting the word \"ON\" but got \"%s\".", upper)
		}
	case 1, 3:
		if !p.Names[word] {
			p.errorf("Error in win condition: \"%s\" is not a valid object name.", upper)
		}
	default:
		p.errorf("Error in win condition: I don't know what to do with %s.", upper)
	}
}

// levelToken parses a row of a level, then its characters one by one; or a message.
func (p *parser) levelToken() {
	c := p.cur
	if p.start {
		if p.levelMessage() {
			return
		}
		p.levelRow()
	} else if p.index == inMessage {
		c.at = len(c.text)
		return
	}
	if p.index == inRow && !c.end() {
		r := c.peek()
		c.at++
		if !p.levelKeys[r] {
			p.errorf("Key \"%s\" not found. Do you need to add it to the legend, or define a new object?", strings.ToUpper(string(r)))
		}
	}
}

// inRow is the value of index in the row of a level.
const inRow = 2

// levelMessage parses a message.
func (p *parser) levelMessage() bool {
	c := p.cur
	rest := string(c.rest())
	after, ok := strings.CutPrefix(rest, "message")
	if !ok {
		return false
	}
	if r, _ := utf8.DecodeRuneInString(after); ascii(r) {
		p.warnf("You probably meant to put a space after 'message' innit.  That's ok, I'll still interpret it as a message, but you probably want to put a space there.")
	}
	c.at += len("message")
	c.skipBlanks()
	p.index = inMessage
	p.Levels = append(p.Levels, Level{Line: p.line, IsMessage: true, Message: strings.TrimFunc(string(c.original[c.at:]), blank)})
	p.open = nil
	return true
}

// levelRow parses a row. Rows without a blank line between them form a level.
func (p *parser) levelRow() {
	rest := p.cur.rest()
	row := strings.TrimFunc(string(rest[:span(rest, code)]), blank)
	p.index = inRow
	if p.open == nil {
		p.Levels = append(p.Levels, Level{Line: p.line})
		p.open = &p.Levels[len(p.Levels)-1]
	}
	p.open.Rows = append(p.open.Rows, row)
	if utf8.RuneCountInString(row) != utf8.RuneCountInString(p.open.Rows[0]) {
		p.warnf("Maps must be rectangular, yo (In a level, the length of each row must be the same).")
	}
}
