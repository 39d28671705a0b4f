package syntax

import (
	"slices"
	"strings"
)

// objectPart is the part of an object that is expected next.
type objectPart uint8

const (
	partName objectPart = iota
	partNamed
	partColours
	partSprite
)

func (p *parser) objectToken() {
	if p.start && p.part == partColours {
		p.part = partSprite
	}
	if p.start && p.part == partNamed {
		p.part = partColours
	}
	switch p.part {
	case partColours:
		p.colourToken()
	case partSprite:
		p.spriteToken()
	default:
		p.objectName()
	}
}

// objectName parses the name of an object, or a synonym.
func (p *parser) objectName() {
	class := plain
	if p.start {
		class = letter
	}
	name, ok := p.cur.take(class)
	if !ok {
		p.cur.skipCode()
		if p.cur.at > 0 {
			p.warnf("Unknown junk in object section (possibly: sprites have to be 5 pixels wide and 5 pixels high exactly. Or maybe: the main names for objects have to be words containing only the letters a-z0.9 - if you want to call them something like \",\", do it in the legend section).")
		}
		return
	}
	upper := strings.ToUpper(name)
	if p.objects[name] != nil {
		p.errorf("Object \"%s\" defined multiple times.", upper)
		return
	}
	if p.entries[synonyms][name] != nil {
		p.errorf("Name \"%s\" already in use.", upper)
	}
	if slices.Contains(keywords, name) {
		p.warnf("You named an object \"%s\", but this is a keyword. Don't do that!", upper)
	}
	if p.start {
		p.object = &Object{Name: name, Line: p.line}
		p.objects[name] = p.object
		p.order = append(p.order, p.object)
	} else {
		if p.object == nil {
			return
		}
		p.add(synonyms, Entry{name, []string{p.object.Name}, p.line})
	}
	p.part = partNamed
}

func (p *parser) colourToken() {
	p.index = 0
	colour := p.takeColour()
	if colour != "" {
		p.object.Colours = append(p.object.Colours, colour)
		return
	}
	from := p.cur.at
	if _, ok := p.cur.take(letter); !ok {
		p.cur.skipCode()
	}
	got := "null"
	if p.cur.at > from {
		got = string(p.cur.text[from:p.cur.at])
	}
	p.errorf("Was looking for color for object %s, got \"%s\" instead.", strings.ToUpper(p.object.Name), got)
}

// takeColour parses a colour, which need not end at the end of a word.
func (p *parser) takeColour() string {
	rest := string(p.cur.rest()[:min(len(p.cur.rest()), wordMax)])
	colour := ""
	for _, name := range colourNames {
		if colour == "" && strings.HasPrefix(rest, name) {
			colour = name
		}
	}
	if digits, ok := strings.CutPrefix(rest, "#"); ok {
		n := span([]rune(digits), func(r rune) bool { return digit(r) || r >= 'a' && r <= 'f' })
		if n = min(n, 6) / 3 * 3; n > 0 {
			colour = rest[:1+n]
		}
	}
	p.cur.at += len(colour)
	if colour != "" {
		p.cur.skipBlanks()
	}
	return colour
}

// The rows and columns of a sprite.
const spriteSize = 5

// spriteToken parses one character of a sprite.
func (p *parser) spriteToken() {
	o := p.object
	upper := strings.ToUpper(o.Name)
	r := p.cur.peek()
	if !digit(r) && r != '.' {
		if len(o.Sprite) == 0 {
			p.objectName()
			return
		}
		p.errorf("Unknown junk in spritematrix for object %s.", upper)
		p.cur.skipCode()
		return
	}
	p.cur.at++
	if p.start || len(o.Sprite) == 0 {
		o.Sprite = append(o.Sprite, "")
	}
	row := &o.Sprite[len(o.Sprite)-1]
	*row += string(r)
	if len(*row) > spriteSize {
		p.warnf("Sprites must be 5 wide and 5 high.")
		p.cur.skipCode()
		return
	}
	if len(o.Sprite) == spriteSize && len(*row) == spriteSize {
		p.part = partName
	}
	if n := int(r - '0'); r != '.' && n >= len(o.Colours) {
		p.errorf("Trying to access color number %d from the color palette of sprite %s, but there are only %d defined in it.", n, upper, len(o.Colours))
	}
}
