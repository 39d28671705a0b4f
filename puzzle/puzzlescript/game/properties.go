package game

import (
	"slices"
	"strings"
)

// occurrence is a property on the left, and the object it stands for in this rule.
type occurrence struct {
	property, object string
	count            int
}

// expandProperties expands a rule whose left side has properties to one rule per
// object that they may mean, where the object matters.
func (c *compiler) expandProperties(r *rule) []*rule {
	if c.spellOutNo(r); c.excess {
		return nil
	}
	ambiguous := c.ambiguousProperties(r)
	queue := []*rule{r}
	var done []*rule
	for len(queue) > 0 {
		current := queue[0]
		queue = queue[1:]
		expanded, ok := c.expandProperty(current, ambiguous)
		if !ok {
			done = append(done, current)
			continue
		}
		queue = append(queue, expanded...)
		if len(queue)+len(done) > rulesMax || c.terms > termsMax {
			c.tooMany(r)
			return nil
		}
	}
	for _, d := range done {
		for _, o := range d.properties {
			if o.count != 1 {
				continue
			}
			for _, cells := range d.right {
				for _, content := range cells {
					content.setProperty(o.property, o.object)
				}
			}
		}
	}
	remains := ""
	for _, d := range done {
		d.properties = nil
		for _, cells := range d.right {
			for _, content := range cells {
				for _, property := range c.propertiesOf(content) {
					if ambiguous[property] {
						remains = property
					}
				}
			}
		}
	}
	if remains != "" {
		c.log.Errorf(r.line, "This rule has a property on the right-hand side, \"%s\", that can't be inferred from the left-hand side.  (either for every property on the right there has to be a corresponding one on the left in the same cell, OR, if there's a single occurrence of a particular property name on the left, all properties of the same name on the right are assumed to be the same).", strings.ToUpper(remains))
		return nil
	}
	return done
}

// spellOutNo replaces "no property" with "no" of each of its objects.
func (c *compiler) spellOutNo(r *rule) {
	r.sides(func(content cell) cell {
		var spelled cell
		for _, t := range content {
			l := c.properties.get(t.name)
			if t.modifier != "no" || l == nil {
				spelled = append(spelled, t)
				continue
			}
			if !spell(c, r, len(l.items)) {
				return nil
			}
			for _, item := range l.items {
				spelled = append(spelled, term{"no", item})
			}
		}
		return spelled
	})
}

// propertiesOf returns the properties of a cell, except random ones.
func (c *compiler) propertiesOf(content cell) (names []string) {
	for _, t := range content {
		if t.modifier != "random" && c.properties.get(t.name) != nil {
			names = append(names, t.name)
		}
	}
	return names
}

// ambiguousProperties returns the properties on the right that are not in the same
// cell on the left.
func (c *compiler) ambiguousProperties(r *rule) map[string]bool {
	names := map[string]bool{}
	for i, cells := range r.right {
		for j, content := range cells {
			left := c.propertiesOf(r.left[i][j])
			for _, property := range c.propertiesOf(content) {
				if !slices.Contains(left, property) {
					names[property] = true
				}
			}
		}
	}
	return names
}

// expandProperty replaces the first property that matters with each of its objects. A
// property of one layer does not matter, unless the right needs to know which object
// it is.
func (c *compiler) expandProperty(r *rule, ambiguous map[string]bool) (expanded []*rule, ok bool) {
	for i, cells := range r.left {
		for j, content := range cells {
			for _, property := range c.propertiesOf(content) {
				if _, one := c.oneLayer[property]; one && !ambiguous[property] {
					continue
				}
				items := c.properties.get(property).items
				if c.terms += len(items) * r.terms(); c.terms > termsMax {
					return nil, true
				}
				for _, object := range items {
					n := r.clone()
					n.left[i][j].setProperty(property, object)
					if len(n.right) > 0 {
						n.right[i][j].setProperty(property, object)
					}
					n.noteProperty(property, object)
					expanded = append(expanded, n)
				}
				return expanded, true
			}
		}
	}
	return nil, false
}

func (r *rule) noteProperty(property, object string) {
	for i := range r.properties {
		if r.properties[i].property == property {
			r.properties[i].count++
			return
		}
	}
	r.properties = append(r.properties, occurrence{property, object, 1})
}

// setProperty replaces a property with an object.
func (c cell) setProperty(property, object string) {
	for i, t := range c {
		if t.name == property && t.modifier != "random" {
			c[i].name = object
		}
	}
}
