package syntax

import (
	"slices"
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

// Values of index in lines of the prelude.
const (
	preludeKey   = 0
	preludeValue = 1
	preludeFlag  = -1 // a setting without a value
)

// preludeToken parses the key of a setting, or its value.
func (p *parser) preludeToken() {
	c := p.cur
	if p.start {
		p.index = preludeKey
	}
	if p.index != preludeKey {
		c.skipCode()
		p.index++
		if p.index > preludeValue+1 {
			p.warnf("Error: you can't embed comments in metadata values. Anything after the comment will be ignored.")
		}
		return
	}
	key, ok := c.take(letter)
	switch {
	case !ok:
		p.errorf("Unrecognised stuff \"%s\" in the prelude.", string(c.text))
		c.at++
	case !p.start:
	case slices.Contains(settingsWithValue, key):
		p.setting(key)
	case slices.Contains(settingsWithout, key):
		p.Prelude = append(p.Prelude, Setting{key, "true"})
		p.index = preludeFlag
		if extra := c.rest(); len(extra) > 0 && code(extra[0]) {
			p.warnf("MetaData %s doesn't take any parameters, but you went and gave it \"%s\".", strings.ToUpper(key), p.value())
		}
	default:
		p.errorf("Unrecognised stuff in the prelude.")
	}
}

// value returns the rest of the line up to a comment.
func (p *parser) value() string {
	rest := p.cur.rest()
	return strings.TrimFunc(string(rest[:span(rest, code)]), blank)
}

func (p *parser) setting(key string) {
	c := p.cur
	p.index = preludeValue
	switch key {
	case "author", "homepage", "title":
		c.text = c.original
	case "youtube":
		p.warnf("Unfortunately, YouTube support hasn't been working properly for a long time - it was always a hack and it hasn't gotten less hacky over time, so I can no longer pretend to support it.")
	}
	if rest := c.rest(); len(rest) == 0 || !code(rest[0]) {
		p.errorf("MetaData \"%s\" needs a value.", key)
		return
	}
	p.Prelude = append(p.Prelude, Setting{key, p.value()})
	if line, before := p.PreludeLines[key]; before {
		p.warnf("You've already defined a %s in the prelude on line %d.", strings.ToUpper(key), line)
	}
	p.PreludeLines[key] = p.line
}
