package game

import (
	"slices"
	"strings"

	"github.com/everystate/everystate/puzzle/puzzlescript/syntax"
)

// everything is the name of the set of all objects, which no game can write.
const everything = "\nall\n"

// setMasks determines the objects that each name stands for.
func (c *compiler) setMasks() {
	c.player = c.playerMask()
	c.layers = make([]Set, len(c.source.Layers))
	for i := range c.layers {
		c.layers[i] = c.newSet()
	}
	for _, o := range c.byID {
		c.layers[o.layer].Add(o.bit())
	}
	c.masks = map[string]Set{}
	for name, o := range c.objects {
		mask := c.newSet()
		mask.Add(o.bit())
		c.masks[name] = mask
	}
	// Synonyms may stand for properties, and properties for synonyms.
	entries := slices.Concat(c.source.Synonyms, c.source.Properties)
	slices.SortStableFunc(entries, func(a, b syntax.Entry) int { return a.Line - b.Line })
	for _, e := range entries {
		if len(e.Items) == 1 {
			if mask := c.masks[e.Items[0]]; mask != nil {
				c.masks[e.Name] = mask
			}
			continue
		}
		c.masks[e.Name] = c.union(e.Items)
	}
	all := c.newSet()
	for i := range all {
		all[i] = ^uint64(0)
	}
	c.masks[everything] = all
	c.aggregateMasks = map[string]Set{}
	for _, name := range c.aggregates.names {
		c.aggregateMasks[name] = c.union(c.aggregates.get(name).items)
	}
}

func (c *compiler) newSet() Set { return newSet(len(c.byID)) }

func (c *compiler) union(names []string) Set {
	mask := c.newSet()
	for _, name := range names {
		mask.Or(c.masks[name])
	}
	return mask
}

// playerMask finds the player, which means all of several objects if it is an
// aggregate.
func (c *compiler) playerMask() Matcher {
	const name = "player"
	mask := c.newSet()
	add := func(name string) {
		if o := c.objects[name]; o != nil {
			mask.Add(o.bit())
		}
	}
	add(name)
	l := c.aggregates.get(name)
	aggregate := l != nil
	if aggregate {
		for _, item := range l.items {
			add(item)
		}
	}
	if l := c.properties.get(name); l != nil {
		for _, item := range l.items {
			add(item)
		}
	}
	if other, ok := c.synonym(name); ok {
		add(other)
	}
	if mask.Empty() {
		c.log.Errorf(syntax.NoLine, "Error, didn't find any object called %s, either in the objects section, or the legends section.", name)
	}
	return Matcher{mask, aggregate}
}

// setConditions compiles the win conditions.
func (c *compiler) setConditions() {
	for _, w := range c.source.Conditions {
		words := w.Words
		var condition Condition
		if len(words) > 0 {
			switch words[0] {
			case "no":
				condition.Quantifier = No
			case "all":
				condition.Quantifier = All
			}
		}
		if len(words) <= 1 {
			c.log.Errorf(w.Line, "Win conditions is badly formatted - needs to look something like \"No Fruit\", \"All Target On Crate\", \"Some Fruit\", \"Some Gold on Chest\", \"No Gold on Chest\", or the like.")
			continue
		}
		second := everything
		if len(words) == 4 {
			second = words[3]
		}
		a, okA := c.conditionMask(words[1], w.Line)
		b, okB := c.conditionMask(second, w.Line)
		if okA && okB {
			condition.A, condition.B = a, b
			c.game.Conditions = append(c.game.Conditions, condition)
		}
	}
}

func (c *compiler) conditionMask(name string, line int) (Matcher, bool) {
	if mask := c.masks[name]; mask != nil {
		return Matcher{mask, false}, true
	}
	if mask := c.aggregateMasks[name]; mask != nil {
		return Matcher{mask, true}, true
	}
	c.log.Errorf(line, "Unwelcome term \"%s\" found in win condition. I don't know what I'm supposed to do with this. ", name)
	return Matcher{}, false
}

// checkLayered reports objects without a layer.
func (c *compiler) checkLayered() {
	for _, o := range c.source.Objects() {
		if c.objects[o.Name].layer < 0 {
			c.log.Errorf(o.Line, "Object \"%s\" has been defined, but not assigned to a layer.", strings.ToUpper(o.Name))
		}
	}
}
