package game

import (
	"strings"
)

// compileRules compiles the cells of rules to masks, and drops rules that can never
// match.
func (c *compiler) compileRules(rules []*rule) (kept []*rule) {
	c.compiled = map[*rule][]Row{}
	words := 0
	for _, r := range rules {
		const masks = 8 // of a cell
		if words += r.terms() * masks * max(len(c.newSet()), len(newMovements(len(c.layers)))); words > maskWordsMax {
			c.tooMany(r)
			return nil
		}
		if rows, ok := c.compileRule(r); ok {
			c.compiled[r] = rows
			kept = append(kept, r)
		}
	}
	return kept
}

func (c *compiler) compileRule(r *rule) (rows []Row, ok bool) {
	for i, cells := range r.left {
		row := Row{Cells: make([]Cell, len(cells))}
		for j, content := range cells {
			left, ok := c.leftCell(r, i, j, content)
			if !ok {
				return nil, false
			}
			row.Cells[j] = left
			if left.Ellipsis {
				row.Ellipses++
				continue
			}
			if left.Present.Meets(left.Missing) {
				c.warnContradiction(r, left)
				return nil, false
			}
			if len(r.right) > 0 {
				c.rightCell(r, content, r.right[i][j], &row.Cells[j])
			}
		}
		rows = append(rows, row)
	}
	return rows, !r.edge
}

func (c *compiler) warnContradiction(r *rule, left Cell) {
	var list []string
	for id, o := range c.byID {
		if left.Present.Has(id) && left.Missing.Has(id) {
			list = append(list, o.Name+" NO "+o.Name)
		}
	}
	c.log.Warnf(r.line, "This rule has something amounting to \"%s\" on the left-hand-side,which can never match, so the rule is getting removed during compilation.",
		strings.ToUpper(strings.Join(list, ", ")))
}

// leftEllipsis checks an ellipsis of the left.
func (c *compiler) leftEllipsis(r *rule, i, j int) bool {
	cells := r.left[i]
	if len(cells[j]) != 1 {
		c.log.Errorf(r.line, "You can't have anything in with an ellipsis. Sorry.")
		return false
	}
	if j == 0 || j == len(cells)-1 {
		c.log.Errorf(r.line, "There's no point in putting an ellipsis at the very start or the end of a rule")
		r.edge = true
	}
	if len(r.right) > 0 {
		if right := r.right[i][j]; len(right) != 1 || right[0].modifier != ellipsis {
			c.log.Errorf(r.line, "An ellipsis on the left must be matched by one in the corresponding place on the right.")
		}
	}
	return true
}

// layer returns the layer of an object, or of a property on one layer.
func (c *compiler) layer(r *rule, name string) (layer int, ok bool) {
	if o := c.objects[name]; o != nil {
		return max(o.layer, 0), true
	}
	if layer, ok := c.oneLayer[name]; ok && layer >= 0 {
		return layer, true
	}
	c.log.Errorf(r.line, "Oops! %s not assigned to a layer.", strings.ToUpper(name))
	return 0, false
}

// field returns the movements of a modifier.
func field(modifier string) Direction {
	if modifier == "stationary" {
		return LayerMask
	}
	return directions[modifier]
}

// leftCell compiles a cell of the left.
func (c *compiler) leftCell(r *rule, i, j int, content cell) (Cell, bool) {
	out := Cell{
		Present: c.newSet(), Missing: c.newSet(),
		Moving: newMovements(len(c.layers)), Still: newMovements(len(c.layers)),
		presentOfLayer: map[int]string{},
	}
	for _, t := range content {
		switch t.modifier {
		case ellipsis:
			return Cell{Ellipsis: true}, c.leftEllipsis(r, i, j)
		case "random":
			c.log.Errorf(r.line, "RANDOM cannot be matched on the left-hand side, it can only appear on the right")
			continue
		}
		layer, ok := c.layer(r, t.name)
		if !ok {
			continue
		}
		mask := c.masks[t.name]
		if t.modifier == "no" {
			out.Missing.Or(mask)
			continue
		}
		if existing, taken := out.presentOfLayer[layer]; taken {
			r.discard = &[2]string{strings.ToUpper(t.name), strings.ToUpper(existing)}
		}
		out.presentOfLayer[layer] = t.name
		if c.objects[t.name] != nil {
			out.Present.Or(mask)
		} else {
			out.Any = append(out.Any, mask)
		}
		if t.modifier == "stationary" {
			out.Still.AddField(layer, LayerMask)
		} else {
			out.Moving.AddField(layer, field(t.modifier))
		}
	}
	return out, true
}

// right is a cell of the right that is being compiled.
type right struct {
	*Replacement
	taken, random map[int]string // by layer
	given         Set            // layers where an object is put, as movements
}

// rightCell compiles a cell of the right.
func (c *compiler) rightCell(r *rule, left, content cell, into *Cell) {
	if len(content) > 0 && content[0].modifier == ellipsis && (len(left) == 0 || left[0].modifier != ellipsis) {
		c.log.Errorf(r.line, "An ellipsis on the right must be matched by one in the corresponding place on the left.")
	}
	for _, t := range content {
		if t.modifier == ellipsis && len(content) != 1 {
			c.log.Errorf(r.line, "You can't have anything in with an ellipsis. Sorry.")
		}
	}
	moves := func() Set { return newMovements(len(c.layers)) }
	out := right{
		&Replacement{c.newSet(), c.newSet(), moves(), moves(), moves(), c.newSet(), moves()},
		map[int]string{}, map[int]string{}, moves(),
	}
	for _, t := range content {
		if t.modifier == ellipsis {
			break
		}
		if t.modifier == "random" {
			c.randomObject(r, t.name, &out)
		} else {
			c.rightTerm(r, t, &out)
		}
	}
	if !into.Present.Within(out.Set) {
		out.Clear.Or(into.Present)
	}
	if !into.Moving.Within(out.SetMoves) {
		out.ClearMoves.Or(into.Moving)
	}
	for layer, mask := range c.layers {
		name, before := into.presentOfLayer[layer]
		if !before {
			continue
		}
		if _, after := out.taken[layer]; !after {
			out.Clear.Or(mask)
			out.Layers.AddField(layer, LayerMask)
		}
		if c.objects[name] != nil && out.given.Field(layer) == 0 {
			out.Layers.AddField(layer, LayerMask)
		}
	}
	out.settle(into)
}

// settle keeps a replacement that has an effect.
func (p *Replacement) settle(into *Cell) {
	for _, s := range []Set{p.Clear, p.Set, p.ClearMoves, p.SetMoves, p.Layers, p.RandomObject, p.RandomDirectionLayers} {
		if !s.Empty() {
			into.Replacement = p
			return
		}
	}
}

// rightTerm compiles an object of the right.
func (c *compiler) rightTerm(r *rule, t term, out *right) {
	layer, ok := c.layer(r, t.name)
	if !ok {
		return
	}
	if t.modifier == "no" {
		out.Clear.Or(c.masks[t.name])
		return
	}
	existing, taken := out.taken[layer]
	if !taken {
		existing, taken = out.random[layer]
	}
	if taken && r.discard == nil {
		c.log.Errorf(r.line, "Rule matches object types that can't overlap: \"%s\" and \"%s\".", strings.ToUpper(t.name), strings.ToUpper(existing))
	}
	out.taken[layer] = t.name
	if t.modifier != "" {
		out.Layers.AddField(layer, LayerMask)
	}
	if o := c.objects[t.name]; o != nil {
		out.Set.Add(o.bit())
		out.Clear.Or(c.layers[layer])
		out.given.AddField(layer, LayerMask)
	}
	switch t.modifier {
	case "stationary":
		out.ClearMoves.AddField(layer, LayerMask)
	case "randomdir":
		out.RandomDirectionLayers.AddField(layer, LayerMask)
	default:
		out.SetMoves.AddField(layer, field(t.modifier))
	}
}

// randomObject compiles an object that is chosen at random.
func (c *compiler) randomObject(r *rule, name string, out *right) {
	upper := strings.ToUpper(name)
	mask := c.masks[name]
	if mask == nil {
		c.log.Errorf(r.line, "You want to spawn a random \"%s\", but I don't know how to do that", upper)
		return
	}
	out.RandomObject.Or(mask)
	values := []string{name}
	if l := c.properties.get(name); l != nil {
		values = l.items
	}
	if len(values) == 1 {
		c.log.Warnf(r.line, "In this rule you're asking me to spawn a random %s for you, but that's already a concrete single object. You wanna be using random with properties (things defined in terms of OR in the legend) so there's some things to select between.", upper)
	}
	for _, value := range values {
		o := c.objects[value]
		if o == nil || o.layer < 0 {
			continue
		}
		if existing, taken := out.taken[o.layer]; taken && existing != value {
			c.log.Warnf(r.line, "This rule may try to spawn a %s with random, but also requires a %s be here, which is on the same layer - they shouldn't be able to coexist!", strings.ToUpper(value), strings.ToUpper(existing))
		}
		out.random[o.layer] = value
	}
}
