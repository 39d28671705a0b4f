package game

import (
	"strings"

	"github.com/everystate/everystate/puzzle/puzzlescript/syntax"
)

// list is what a name stands for. Two names may share a list.
type list struct{ items []string }

func (l *list) has(item string) bool {
	for _, known := range l.items {
		if known == item {
			return true
		}
	}
	return false
}

// dictionary keeps names in the order of insertion.
type dictionary struct {
	names []string
	lists map[string]*list
}

func (d *dictionary) get(name string) *list { return d.lists[name] }

func (d *dictionary) set(name string, l *list) {
	if d.lists == nil {
		d.lists = map[string]*list{}
	}
	if d.lists[name] == nil {
		d.names = append(d.names, name)
	}
	d.lists[name] = l
}

func (d *dictionary) delete(name string) {
	if d.lists[name] == nil {
		return
	}
	delete(d.lists, name)
	for i, known := range d.names {
		if known == name {
			d.names = append(d.names[:i], d.names[i+1:]...)
			return
		}
	}
}

// placed is an object with its layer and id. An object without a layer is an error,
// and is then treated as the first object, as in the reference.
type placed struct {
	*syntax.Object
	layer, id int
}

func (o *placed) bit() int { return max(o.id, 0) }

// place assigns ids to the objects, layer by layer.
func (c *compiler) place() {
	c.objects = map[string]*placed{}
	for _, o := range c.source.Objects() {
		c.objects[o.Name] = &placed{o, -1, -1}
	}
	for layer, names := range c.source.Layers {
		for _, name := range names {
			if o := c.objects[name]; o != nil {
				o.layer, o.id = layer, len(c.byID)
				c.byID = append(c.byID, o)
			}
		}
	}
}

// checkLooks checks colours and sprites.
func (c *compiler) checkLooks() {
	for _, o := range c.source.Objects() {
		if len(o.Colours) > 10 {
			c.log.Errorf(o.Line+1, "a sprite cannot have more than 10 colors.  Why you would want more than 10 is beyond me.")
		}
		if len(o.Colours) == 0 {
			c.log.Errorf(o.Line, "color not specified for object \"%s\".", o.Name)
		}
		square := len(o.Sprite) == 0 || len(o.Sprite) == 5
		for _, row := range o.Sprite {
			square = square && len(row) == 5
		}
		if !square {
			c.log.Warnf(o.Line, "Sprite graphics must be 5 wide and 5 high exactly.")
		}
	}
}

// glyph is what a name puts into each layer: an object id, or -1.
type glyph []int

// setGlyphs determines what each name stands for in a level.
func (c *compiler) setGlyphs() {
	c.glyphs = map[string]glyph{}
	blank := func() glyph {
		g := make(glyph, len(c.source.Layers))
		for i := range g {
			g[i] = -1
		}
		return g
	}
	for _, o := range c.source.Objects() {
		g := blank()
		if at := c.objects[o.Name]; at.layer >= 0 {
			g[at.layer] = at.id
		}
		c.glyphs[o.Name] = g
	}
	for added := true; added; {
		added = false
		for _, e := range c.source.Synonyms {
			if c.glyphs[e.Name] == nil && c.glyphs[e.Items[0]] != nil {
				c.glyphs[e.Name], added = c.glyphs[e.Items[0]], true
			}
		}
		for i := range c.source.Aggregates {
			e := &c.source.Aggregates[i]
			known := c.glyphs[e.Name] == nil
			for _, item := range e.Items {
				known = known && c.glyphs[item] != nil
			}
			if known {
				c.glyphs[e.Name], added = c.aggregateGlyph(e, blank()), true
			}
		}
	}
}

func (c *compiler) aggregateGlyph(e *syntax.Entry, g glyph) glyph {
	for _, name := range e.Items {
		o := c.objects[name]
		switch {
		case o == nil:
			c.log.Errorf(syntax.NoLine, "Object not found with name %s", name)
		case o.layer < 0:
			c.log.Errorf(e.Line, "Object \"%s\" has been defined, but not assigned to a layer.", strings.ToUpper(name))
		case g[o.layer] < 0:
			g[o.layer] = o.id
		default:
			c.log.Errorf(e.Line, "Trying to create an aggregate object (something defined in the LEGEND section using AND) with both \"%s\" and \"%s\", which are on the same layer and therefore can't coexist.",
				strings.ToUpper(name), strings.ToUpper(c.byID[g[o.layer]].Name))
		}
	}
	return g
}

// setNames expands the legend until its entries contain only objects.
func (c *compiler) setNames() {
	for _, e := range c.source.Aggregates {
		c.aggregates.set(e.Name, &list{append([]string(nil), e.Items...)})
	}
	for _, e := range c.source.Properties {
		c.properties.set(e.Name, &list{append([]string(nil), e.Items...)})
	}
	for _, e := range c.source.Synonyms {
		item := e.Items[0]
		switch {
		case c.aggregates.get(item) != nil:
			c.aggregates.set(e.Name, c.aggregates.get(item))
		case c.properties.get(item) != nil:
			c.properties.set(e.Name, c.properties.get(item))
		case e.Name != item:
			c.synonyms.set(e.Name, &list{[]string{item}})
		}
	}
	rounds := len(c.aggregates.names) + len(c.properties.names) + len(c.synonyms.names) + 2
	for modified := true; modified && rounds > 0; rounds-- {
		modified = c.resolveSynonyms()
		modified = c.expand(&c.properties, &c.aggregates, "property", "aggregate") || modified
		modified = c.expand(&c.aggregates, &c.properties, "aggregate", "property") || modified
	}
	c.oneLayer = map[string]int{}
	for _, name := range c.properties.names {
		if layer, ok := c.layerOf(c.properties.get(name).items); ok {
			c.oneLayer[name] = layer
		}
	}
}

// synonym returns what a synonym stands for.
func (c *compiler) synonym(name string) (string, bool) {
	if l := c.synonyms.get(name); l != nil {
		return l.items[0], true
	}
	return "", false
}

func (c *compiler) resolveSynonyms() (modified bool) {
	for _, name := range append([]string(nil), c.synonyms.names...) {
		value, _ := c.synonym(name)
		if l := c.properties.get(value); l != nil {
			c.synonyms.delete(name)
			c.properties.set(name, l)
			modified = true
		} else if further, ok := c.synonym(value); ok {
			c.synonyms.set(name, &list{[]string{further}})
		}
	}
	return modified
}

// expand replaces synonyms in each entry with their meaning, and entries of the same
// kind with their items.
func (c *compiler) expand(of, conflicting *dictionary, kind, other string) (modified bool) {
	for _, name := range append([]string(nil), of.names...) {
		l := of.get(name)
		for i := 0; i < len(l.items); i++ {
			value := l.items[i]
			if end, ok := c.synonym(value); ok {
				l.items[i], modified = end, true
			} else if entry := of.get(value); entry != nil {
				l.items = append(l.items[:i:i], l.items[i+1:]...)
				for _, item := range append([]string(nil), entry.items...) {
					if !l.has(item) {
						l.items = append(l.items, item)
					}
				}
				modified = true
			}
			if conflicting.get(value) != nil {
				c.log.Errorf(syntax.NoLine, "Trying to define %s \"%s\" in terms of %s \"%s\".", kind, strings.ToUpper(name), other, strings.ToUpper(value))
			}
		}
	}
	return modified
}

// layerOf returns the layer of objects if all are on the same.
func (c *compiler) layerOf(names []string) (layer int, ok bool) {
	for i, name := range names {
		o := c.objects[name]
		if o == nil || i > 0 && o.layer != layer {
			return 0, false
		}
		layer = o.layer
	}
	return layer, len(names) > 0
}

// setBackground finds the object that fills empty cells.
func (c *compiler) setBackground() {
	c.background = &placed{nil, -1, -1}
	first := func() {
		if len(c.byID) > 0 {
			c.background = c.byID[0]
		}
	}
	const name = "background"
	if o := c.objects[name]; o != nil {
		c.background = o
	} else if other, ok := c.synonym(name); ok {
		if o := c.objects[other]; o != nil {
			c.background = o
		}
	} else if l := c.properties.get(name); l != nil {
		c.backgroundOf(l.items)
	} else if c.aggregates.get(name) != nil {
		first()
		c.log.Errorf(c.source.BackgroundLine, "background cannot be an aggregate (declared with 'and'), it has to be a simple type, or property (declared in terms of others using 'or').")
	} else {
		first()
		c.log.Errorf(syntax.NoLine, "Seriously, you have to define something to be the background.")
	}
}

func (c *compiler) backgroundOf(items []string) {
	if len(items) == 0 || c.objects[items[0]] == nil {
		return
	}
	c.background = c.objects[items[0]]
	for _, item := range items[1:] {
		if o := c.objects[item]; o != nil && o.layer != c.background.layer {
			c.log.Errorf(c.source.BackgroundLine, "Background objects must be on the same layer")
		}
	}
}
