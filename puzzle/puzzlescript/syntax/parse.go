package syntax

import (
	"slices"
	"strings"
)

// errorsMax is the number of errors in the text that the reference tolerates.
const errorsMax = 5

// Bounds of a text, which the reference does not have.
const (
	BytesMax   = 4 << 20
	ObjectsMax = 10_000
	LinesMax   = 100_000
	ColumnsMax = 20_000
	LayersMax  = 1_000

	placesMax = 1 << 23 // layers times objects and aggregates: each has a table by layer
)

// parser parses a text line by line.
type parser struct {
	*Source
	log *Log
	cur *cursor

	line    int
	section string
	visited []string

	comment      int  // nesting depth of comments
	afterComment bool // what follows counts as the beginning of the line
	start        bool // at the beginning of the line
	ended        string
	ahead        rune // the next character, before blanks were skipped twice

	index     int // index of the word in the line; inMessage in a message
	words     []string
	sound     []SoundWord
	part      objectPart
	object    *Object
	levelKeys map[rune]bool
	layersOf  map[string][]int // by object: the layers it is in
	open      *Level           // the level that further rows are added to
	expanded  int              // names that were looked up to expand the legend
	layered   int              // likewise for the collision layers
	excessive bool             // the text exceeds a bound, which is reported
}

// inMessage is the index in lines whose remainder is a message.
const inMessage = -4

// Parse parses a game. It returns nil if the text is too faulty for the rest to be of
// use.
func Parse(text string, log *Log) *Source {
	p := &parser{
		Source: &Source{
			objects: map[string]*Object{}, Names: map[string]bool{}, PreludeLines: map[string]int{}, BackgroundLine: NoLine,
		},
		log:       log,
		levelKeys: map[rune]bool{},
		layersOf:  map[string][]int{},
	}
	if len(text) > BytesMax {
		log.Errorf(NoLine, "a game of %d bytes: at most %d are allowed", len(text), BytesMax)
		return nil
	}
	lines := strings.Split(text, "\n")
	if len(lines) > LinesMax {
		log.Errorf(NoLine, "a game of %d lines: at most %d are allowed", len(lines), LinesMax)
		return nil
	}
	for i, line := range lines {
		if len(line) > ColumnsMax {
			log.Errorf(i+1, "a line of %d bytes: at most %d are allowed", len(line), ColumnsMax)
			return nil
		}
		p.cur = newCursor(line)
		for {
			at := p.cur.at
			p.token()
			if log.Errors > errorsMax || log.Full() || p.excessive {
				return nil
			}
			if p.cur.end() {
				break
			}
			if p.cur.at == at { // nothing fits; the reference would loop forever
				p.cur.at++
			}
		}
	}
	return p.bounded()
}

// bounded returns the source, or nil if it is too large.
func (p *parser) bounded() *Source {
	if n := len(p.order); n > ObjectsMax {
		p.log.Errorf(NoLine, "a game of %d objects: at most %d are allowed", n, ObjectsMax)
		return nil
	}
	names, layers := len(p.order)+len(p.Aggregates), len(p.Layers)
	if layers > LayersMax || names*layers > placesMax {
		p.log.Errorf(NoLine, "a game of %d collision layers with %d objects and aggregates is too large: at most %d layers, and %d for layers times objects and aggregates", layers, names, LayersMax, placesMax)
		return nil
	}
	return p.Source
}

// within adds one to what the text comes to, and reports whether that is at most a
// bound. If not, nothing more is parsed.
func within(p *parser, n *int, most int, what string) bool {
	if *n++; *n > most && !p.excessive {
		p.errorf("more than %d %s", most, what)
		p.excessive = true
	}
	return !p.excessive
}

func (p *parser) errorf(format string, args ...any) { p.log.Errorf(p.line, format, args...) }
func (p *parser) warnf(format string, args ...any)  { p.log.Warnf(p.line, format, args...) }

// token parses the next word, sign or comment.
func (p *parser) token() {
	c := p.cur
	p.start = c.at == 0
	if p.start {
		p.line++
		p.words, p.sound = nil, nil
		p.index = 0
		p.ended = ""
	}
	if p.afterComment {
		p.start, p.afterComment = true, false
	}
	c.skipBlanks()
	if p.skipComment() {
		return
	}
	switch {
	case p.start && c.end():
		p.endLine()
		p.blankLine()
		return
	case p.ended != "" && !c.end():
		p.errorf("Only comments should go after %s on a line.", p.ended)
		c.at = len(c.text)
		return
	case p.start && p.equalsRow():
		p.ended = "a bunch of equals signs ('===')"
		return
	case p.section != "levels" && p.sectionName():
		return
	case c.end():
		p.endLine()
		return
	}
	p.inSection()
}

// inSection parses a token of the current section.
func (p *parser) inSection() {
	switch p.section {
	case "objects":
		p.objectToken()
	case "legend":
		p.legendToken()
	case "sounds":
		p.soundToken()
	case "collisionlayers":
		p.layerToken()
	case "rules":
		p.ruleToken()
	case "winconditions":
		p.conditionToken()
	case "levels":
		p.levelToken()
	default:
		p.preludeToken()
	}
}

// skipComment skips a comment or a part of one, and reports whether there was one.
func (p *parser) skipComment() bool {
	c := p.cur
	p.ahead = c.peek()
	switch {
	case p.ahead == '(' && p.index != inMessage:
		c.at++
		p.comment++
	case p.ahead == ')':
		c.at++
		if p.comment == 0 {
			p.warnf("You're trying to close a comment here, but I can't find any opening bracket to match it? [This is highly suspicious; you probably want to fix it.]")
			return true
		}
		p.comment--
		if p.comment == 0 {
			p.afterComment = true
			return true
		}
	}
	if p.comment == 0 {
		return false
	}
	if p.start {
		p.afterComment = true
	}
	for p.comment > 0 && !c.end() {
		switch c.peek() {
		case '(':
			p.comment++
		case ')':
			p.comment--
		}
		c.at++
	}
	if c.end() {
		p.endLine()
	}
	return true
}

// endLine processes a completed line of words.
func (p *parser) endLine() {
	switch p.section {
	case "legend":
		p.legendLine()
	case "sounds":
		p.soundLine()
	}
}

func (p *parser) blankLine() {
	switch p.section {
	case "levels":
		p.open = nil
	case "objects":
		p.part = partName
	}
}

// equalsRow skips a row of "=". In the section of levels the line must contain nothing
// else.
func (p *parser) equalsRow() bool {
	rest := p.cur.rest()
	if p.section == "levels" && span(rest, func(r rune) bool { return blank(r) || r == '=' }) < len(rest) {
		return false
	}
	n := span(rest, func(r rune) bool { return r == '=' })
	p.cur.at += n
	return n > 0
}

// sectionName parses the name of a section. In the middle of a line it consumes the
// name without effect, and reports false.
func (p *parser) sectionName() bool {
	rest := p.cur.rest()
	beginning := string(rest[:min(len(rest), wordMax)])
	name := ""
	for _, s := range sectionNames {
		if after, ok := strings.CutPrefix(beginning, s); ok && span([]rune(after), letter) == 0 {
			name = s
		}
	}
	if name == "" {
		return false
	}
	p.cur.at += len(name)
	p.cur.skipBlanks()
	if !p.start {
		return false
	}
	p.enter(name)
	return true
}

func (p *parser) enter(name string) {
	upper := strings.ToUpper(name)
	p.section = name
	if slices.Contains(p.visited, name) {
		p.errorf("cannot duplicate sections (you tried to duplicate \"%s\").", upper)
	}
	p.ended = `a section name ("` + upper + `")`
	p.visited = append(p.visited, name)
	i := slices.Index(sectionNames, name)
	if i == 0 {
		p.part = partName
		if len(p.visited) > 1 {
			p.errorf("section \"%s\" must be the first section", upper)
		}
	} else if before := sectionNames[i-1]; !slices.Contains(p.visited, before) {
		before = strings.ToUpper(before)
		p.errorf("section \"%s\" is out of order, must follow  \"%s\" (or it could be that the section \"%s\"is just missing totally.  You have to include all section headings, even if the section itself is empty).", upper, before, before)
	}
	switch name {
	case "sounds":
		for _, o := range p.order {
			p.Names[o.Name] = true
		}
		for _, list := range [][]Entry{p.Synonyms, p.Aggregates, p.Properties} {
			for _, e := range list {
				p.Names[e.Name] = true
			}
		}
	case "levels":
		p.setLevelKeys()
	}
}

// setLevelKeys records the characters that levels may use. Properties are ambiguous,
// and not among them.
func (p *parser) setLevelKeys() {
	var names []string
	for _, o := range p.order {
		names = append(names, o.Name)
	}
	for _, list := range [][]Entry{p.Synonyms, p.Aggregates} {
		for _, e := range list {
			names = append(names, e.Name)
		}
	}
	for _, name := range names {
		if r := []rune(name); len(r) == 1 {
			p.levelKeys[r[0]] = true
		}
	}
}
