package game

import (
	"slices"
	"strconv"
	"strings"
)

// checkCoincidences finds contradictions in the cells of rules, and drops terms
// without effect.
func (c *compiler) checkCoincidences(rules []*rule) {
	for _, r := range rules {
		for _, cells := range r.right {
			for _, content := range cells {
				c.checkRightNo(r, content)
			}
		}
		for i, cells := range r.right {
			for j := range cells {
				if i < len(r.left) && j < len(r.left[i]) {
					cells[j] = dropKnownNo(cells[j], r.left[i][j])
				}
			}
		}
		for _, cells := range r.left {
			for j := range cells {
				cells[j] = c.dropLeftNo(r, cells[j])
			}
		}
	}
}

// isNo reports whether a modifier begins as "no" does.
func isNo(modifier string) bool { return strings.HasPrefix(modifier, "no") }

func (c *compiler) checkRightNo(r *rule, content cell) {
	mask := c.newSet()
	var present []string
	for _, t := range content {
		if o := c.objects[t.name]; o != nil && !isNo(t.modifier) {
			present = append(present, t.name)
			mask.Add(o.bit())
		}
	}
	for _, t := range content {
		if no := c.masks[t.name]; isNo(t.modifier) && no != nil && no.Meets(mask) {
			c.log.Errorf(r.line, "You have specified that there should be NO %s but there is also a requirement that %s be here.  This is a mistake right?",
				strings.ToUpper(t.name), strings.ToUpper(strings.Join(present, ", ")))
		}
	}
}

// dropKnownNo drops "no" of an object from the right if the left has it too.
func dropKnownNo(right, left cell) cell {
	for i := 0; i < len(right); i++ {
		t := right[i]
		known := slices.ContainsFunc(left, func(l term) bool { return isNo(l.modifier) && l.name == t.name })
		if isNo(t.modifier) && known {
			right = slices.Delete(right, i, i+1)
		}
	}
	return right
}

// occupied is what must be in a cell of the left.
type occupied struct {
	layers  map[int]string // what takes each layer
	objects Set
}

func (c *compiler) occupied(content cell) occupied {
	o := occupied{map[int]string{}, c.newSet()}
	put := func(object, by string) {
		if at := c.objects[object]; at != nil {
			o.layers[max(at.layer, 0)] = by
			o.objects.Add(at.bit())
		}
	}
	for _, t := range content {
		if t.modifier == "no" {
			continue
		}
		if layer, one := c.oneLayer[t.name]; one {
			for _, item := range c.properties.get(t.name).items {
				put(item, t.name)
			}
			o.layers[max(layer, 0)] = t.name
		} else if c.objects[t.name] != nil {
			put(t.name, t.name)
		} else if l := c.aggregates.get(t.name); l != nil {
			for _, item := range l.items {
				put(item, t.name)
			}
		}
	}
	return o
}

// dropLeftNo drops from the left "no" of objects for which the objects that must be
// there leave no room.
func (c *compiler) dropLeftNo(r *rule, content cell) cell {
	known := c.occupied(content)
	for i := 0; i < len(content); i++ {
		t := content[i]
		no := c.masks[t.name]
		if !isNo(t.modifier) || no == nil || no.Meets(known.objects) {
			continue
		}
		covered := true
		var present, layers []string
		for layer, mask := range c.layers {
			by, taken := known.layers[layer]
			covered = covered && (taken || !mask.Meets(no))
			if taken {
				present = append(present, by)
				layers = append(layers, strconv.Itoa(layer+1))
			}
		}
		if covered {
			c.log.Warnf(r.line, "You have specified that there should be NO %s but there is also a requirement that %s be there, which collectively occupies the same layers (Layers %s), so you can leave this out.",
				strings.ToUpper(t.name), strings.ToUpper(strings.Join(present, ", ")), strings.Join(layers, ", "))
			content = slices.Delete(content, i, i+1)
			i--
		}
	}
	return content
}
