package game

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/everystate/everystate/puzzle/puzzlescript/syntax"
)

// The size of the screen on which messages and titles are written.
const (
	screenWidth     = 34
	messageLinesMax = 12
)

// setLevels compiles the levels.
func (c *compiler) setLevels() {
	for i := range c.source.Levels {
		l := &c.source.Levels[i]
		if l.IsMessage {
			if wrapped(l.Message) > messageLinesMax {
				c.log.Warnf(l.Line, "Message too long to fit on screen.")
			}
			c.game.Levels = append(c.game.Levels, Level{Line: l.Line, Message: l.Message, IsMessage: true})
			continue
		}
		c.game.Levels = append(c.game.Levels, c.level(l))
		if c.kinds > setWordsMax {
			c.log.Errorf(l.Line, "up to this level, the levels have too many kinds of cells for a game of %d objects", len(c.byID))
			c.invalid = true
			return
		}
	}
}

// wrapped returns the number of lines that a text takes on the screen.
func wrapped(text string) int {
	lines := 0
	for r := []rune(text); len(r) > 0; lines++ {
		n := min(len(r), screenWidth)
		for n > 0 && n < len(r) && !unicode.IsSpace(r[n]) {
			n--
		}
		switch {
		case n == 0:
			n = min(len(r), screenWidth)
		case n < len(r):
			n++ // and the blank
		}
		r = r[n:]
	}
	return lines
}

// level compiles a level. An unknown character leaves the rest of the level empty.
func (c *compiler) level(source *syntax.Level) Level {
	rows := make([][]rune, len(source.Rows))
	for i, row := range source.Rows {
		rows[i] = []rune(row)
	}
	l := Level{Line: source.Line, Width: len(rows[0]), Height: len(rows)}
	l.Cells = make([]uint32, l.Width*l.Height)
	l.Kinds = []Set{c.newSet()} // for cells that are not reached
	c.kinds += 2 * len(c.newSet())
	kinds := map[rune]uint32{}
	for x := range l.Width {
		for y, row := range rows {
			r := rune(0)
			if len(row) > 0 {
				r = row[min(x, len(row)-1)]
			}
			kind, ok := kinds[r]
			if !ok {
				mask := c.levelKey(r, source.Line+y)
				if mask == nil {
					return l
				}
				kind = uint32(len(l.Kinds))
				kinds[r] = kind
				if c.kinds += len(mask); c.kinds > setWordsMax {
					return l
				}
				l.Kinds = append(l.Kinds, mask)
			}
			l.Cells[x*l.Height+y] = kind
		}
	}
	c.fillBackground(&l)
	return l
}

// levelKey returns the objects that a character puts into a cell, or nil.
func (c *compiler) levelKey(r rune, line int) Set {
	name := string(r)
	if r == 0 {
		name = ""
	}
	g := c.glyphs[name]
	if g == nil {
		if c.properties.get(name) == nil {
			c.log.Errorf(line, "Error, symbol \"%s\", used in map, not found.", name)
		} else {
			c.log.Errorf(line, "Error, symbol \"%s\" is defined using OR, and therefore ambiguous - it cannot be used in a map. Did you mean to define it in terms of AND?", name)
		}
		return nil
	}
	mask := c.newSet()
	for _, id := range g {
		if id >= 0 {
			mask.Add(id)
		}
	}
	return mask
}

// fillBackground puts a background into the cells without one: that of the first cell
// that has one.
func (c *compiler) fillBackground(l *Level) {
	fill, layer := c.newSet(), c.newSet()
	if c.background.layer < 0 {
		c.log.Errorf(syntax.NoLine, "you have to have a background layer")
	} else {
		layer = c.layers[c.background.layer]
		fill.Add(c.background.bit())
	}
	for _, kind := range l.Cells {
		if layer.Meets(l.Kinds[kind]) {
			for i, w := range l.Kinds[kind] {
				fill[i] = w & layer[i]
			}
			break
		}
	}
	l.Fill = fill
	for _, kind := range l.Kinds {
		if !layer.Meets(kind) {
			kind.Or(fill)
		}
	}
}

// setKeys lists the characters of levels, in the order of the game.
func (c *compiler) setKeys() {
	add := func(name string) {
		r, size := utf8.DecodeRuneInString(name)
		g := c.glyphs[name]
		if g == nil || size != len(name) {
			return
		}
		mask := c.newSet()
		for _, id := range g {
			if id >= 0 {
				mask.Add(id)
			}
		}
		c.game.Keys = append(c.game.Keys, Key{r, mask})
	}
	for _, o := range c.source.Objects() {
		add(o.Name)
	}
	for _, e := range slices.Concat(c.source.Synonyms, c.source.Aggregates) {
		add(e.Name)
	}
}
