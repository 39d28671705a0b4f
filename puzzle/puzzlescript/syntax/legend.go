package syntax

import (
	"slices"
	"strings"
)

// legendToken parses a word of a line such as "A = B or C".
func (p *parser) legendToken() {
	c := p.cur
	index := p.index
	switch index {
	case 0:
		name, _ := c.take(func(r rune) bool { return !blank(r) && r != '=' && r != '(' })
		p.words = append(p.words, name)
		p.index++
	case 1:
		if c.peek() == '=' {
			c.at++
			p.words = append(p.words, "=")
		} else {
			p.errorf(`In the legend, define new items using the equals symbol - declarations must look like "A = B", "A = B or C [ or D ...]", "A = B and C [ and D ...]".`)
			c.skipCode()
			p.words = append(p.words, "ERROR")
		}
		c.skipBlanks()
		p.index++
	default:
		name, ok := c.take(letter)
		if !ok {
			p.errorf("Something bad's happening in the LEGEND")
			c.skipCode()
		} else {
			if index%2 == 1 {
				p.checkConnective(name)
			}
			p.words = append(p.words, name)
		}
		if ok || index%2 == 1 {
			p.index++
		}
	}
	if c.end() {
		p.legendLine()
	}
}

func (p *parser) checkConnective(name string) {
	switch {
	case name != "and" && name != "or":
		p.errorf("Expected and 'AND' or an 'OR' here, but got %s instead. In the legend, define new items using the equals symbol - declarations must look like 'A = B' or 'A = B and C' or 'A = B or C'.", strings.ToUpper(name))
	case p.index >= 5 && (len(p.words) <= 3 || name != p.words[3]):
		p.errorf("Hey! You can't go mixing ANDs and ORs in a single legend entry.")
	}
}

// legendLine processes a completed line.
func (p *parser) legendLine() {
	w := p.words
	ok := true
	switch {
	case len(w) == 0:
		return
	case len(w) == 1:
		p.errorf(`Incorrect format of legend - should be one of "A = B", "A = B or C [ or D ...]", "A = B and C [ and D ...]".`)
		return
	case len(w)%2 == 0:
		p.errorf(`Incorrect format of legend - should be one of "A = B", "A = B or C [ or D ...]", "A = B and C [ and D ...]", but it looks like you have a dangling "%s"?`, strings.ToUpper(w[len(w)-1]))
		return
	}
	name := w[0]
	upper := strings.ToUpper(name)
	if line, used := p.Declared(name); used {
		p.errorf("Name \"%s\" already in use (on line line %d).", upper, line)
		ok = false
	}
	if slices.Contains(keywords, name) {
		p.warnf("You named an object \"%s\", but this is a keyword. Don't do that!", upper)
	}
	w, selfless := p.checkItems(w)
	ok = ok && selfless
	for i := 2; i < len(w); i += 2 {
		if _, known := p.Declared(w[i]); !known && w[i] != name {
			p.errorf("You're talking about %s but it's not defined anywhere.", strings.ToUpper(w[i]))
		}
	}
	switch {
	case len(w) == 3:
		inLegend(p)
		p.named(name)
		p.add(synonyms, Entry{name, []string{w[2]}, p.line})
	case len(w) > 3 && w[3] == "and":
		p.aggregate(w)
	case len(w) > 3 && w[3] == "or":
		p.property(w)
	case ok:
		p.errorf("This legend-entry is incorrectly-formatted - it should be one of A = B, A = B or C ( or D ...), A = B and C (and D ...)")
	}
}

// named records the line that defines the background.
func (p *parser) named(name string) {
	if name == "background" {
		p.BackgroundLine = p.line
	}
}

// checkItems drops a name from its own definition, and reports duplicates.
func (p *parser) checkItems(w []string) ([]string, bool) {
	name, ok := w[0], true
	seen := map[string]bool{} // the items before i
	for i := 2; i < len(w); i += 2 {
		item := w[i]
		if item == name {
			p.errorf("You can't define object %s in terms of itself!", strings.ToUpper(name))
			ok = false
			for at := 2; at < len(w); {
				switch {
				case w[at] != name:
					at++
				case at >= 4:
					w = slices.Delete(w, at-1, at+1)
					at = 2
				default:
					w = slices.Delete(w, at, min(at+2, len(w)))
					at = 2
				}
			}
			clear(seen)
			for j := 2; j < i && j < len(w); j += 2 {
				seen[w[j]] = true
			}
		}
		if seen[item] {
			p.warnf("You're repeating the object %s here multiple times on the RHS.  This makes no sense.  Don't do that.", strings.ToUpper(item))
		}
		if i < len(w) {
			seen[w[i]] = true
		}
	}
	return w, ok
}

// itemsMax bounds the names in the legend, those that its items stand for included.
const itemsMax = 4 * ObjectsMax

// inLegend reports whether one more name in the legend is within the bound.
func inLegend(p *parser) bool {
	return within(p, &p.expanded, itemsMax, "names in the legend, with those that they stand for")
}

func (p *parser) aggregate(w []string) {
	var items, open []string // open are the aggregates being expanded
	var expand func(name string)
	expand = func(name string) {
		kind, end, entry := p.Lookup(name)
		if !inLegend(p) || kind == IsAggregate && slices.Contains(open, end) {
			return
		}
		switch kind {
		case IsAggregate:
			open = append(open, end)
			for _, item := range entry.Items {
				expand(item)
			}
			open = open[:len(open)-1]
			return
		case IsProperty:
			p.errorf("Cannot define an aggregate (using 'and') in terms of properties (something that uses 'or').")
		default:
		}
		items = append(items, end)
	}
	for i := 2; i < len(w); i += 2 {
		expand(w[i])
	}
	p.named(w[0])
	p.add(aggregates, Entry{w[0], items, p.line})
}

func (p *parser) property(w []string) {
	for i := 5; i < len(w); i += 2 {
		if w[i] != "or" {
			return
		}
	}
	var items, open []string // open are the properties being expanded
	var expand func(name string)
	expand = func(name string) {
		kind, end, entry := p.Lookup(name)
		if !inLegend(p) || kind == IsProperty && slices.Contains(open, end) {
			return
		}
		switch kind {
		case IsAggregate:
			p.errorf("Cannot define a property (something defined in terms of 'or') in terms of an aggregate (something that uses 'and').  In this case, you can't define \"%s\" in terms of \"%s\".", strings.ToUpper(w[0]), strings.ToUpper(end))
		case IsProperty:
			open = append(open, end)
			for _, item := range entry.Items {
				expand(item)
			}
			open = open[:len(open)-1]
		default:
			items = append(items, end)
		}
	}
	for i := 2; i < len(w); i += 2 {
		expand(w[i])
	}
	if len(items) > 0 {
		p.named(w[0])
		p.add(properties, Entry{w[0], items, p.line})
	}
}
