package game

import (
	"slices"
	"strings"

	"github.com/everystate/everystate/puzzle/puzzlescript/syntax"
)

// rulesMax bounds the expansion of the lines of rules. The reference has no bound.
const rulesMax = 1 << 16

// Bounds on the size of all rules: the objects they name, and the words of their
// masks.
const (
	termsMax     = 1 << 22
	maskWordsMax = 1 << 24
	setWordsMax  = 1 << 22 // of the kinds of cells of all levels, and of all sounds
)

// terms returns how many objects a rule names.
func (r *rule) terms() (n int) {
	for _, rows := range [][]row{r.left, r.right} {
		for _, cells := range rows {
			for _, content := range cells {
				n += len(content) + 1
			}
		}
	}
	return n
}

// expandRules expands each line of a rule to the rules that it stands for: one for
// each direction, and for each movement and object that a word may mean.
func (c *compiler) expandRules(lines []*rule) []*rule {
	var rules []*rule
	for _, line := range lines {
		for _, direction := range line.directions {
			if !spell(c, line, line.terms()) {
				return nil
			}
			r := line.clone()
			r.direction = direction
			rules = append(rules, r)
		}
	}
	for _, r := range rules {
		r.absolute()
		r.turn()
		c.atomize(r)
		if c.invalid {
			return nil
		}
		c.renameSynonyms(r)
	}
	for _, expand := range []func(*rule) []*rule{c.expandMoving, c.expandProperties} {
		var expanded []*rule
		for _, r := range rules {
			expanded = append(expanded, expand(r)...)
			if len(expanded) > rulesMax {
				c.tooMany(r)
			}
			if c.invalid && c.excess {
				return nil
			}
		}
		rules = expanded
	}
	for _, r := range rules {
		c.settleSpawned(r)
	}
	return rules
}

// spell adds to the objects that the lines of rules name in each of their directions,
// where an aggregate, and a property after "no", counts as all its objects. It reports
// whether they are within the bound.
func spell(c *compiler, r *rule, terms int) bool {
	if c.spelled += terms; c.spelled > termsMax && !c.excess {
		c.log.Errorf(r.line, "up to this rule, the rules name more than %d objects in all", termsMax)
		c.invalid, c.excess = true, true
	}
	return !c.excess
}

func (c *compiler) tooMany(r *rule) {
	c.log.Errorf(r.line, "this rule expands to too many rules: at most %d are allowed in all", rulesMax)
	c.invalid, c.excess = true, true
}

// sides calls f for the cells of both sides.
func (r *rule) sides(f func(c cell) cell) {
	for _, rows := range [][]row{r.left, r.right} {
		for _, cells := range rows {
			for i := range cells {
				cells[i] = f(cells[i])
			}
		}
	}
}

// turned gives the meaning of relative directions, by the direction of the rule. A
// name such as horizontal_par keeps the word that a direction comes from, which
// determines what may stand for what.
var turned = map[string][6]string{ // ^ v < > parallel perpendicular
	"right": {"up", "down", "left", "right", "horizontal_par", "vertical_perp"},
	"up":    {"left", "right", "down", "up", "vertical_par", "horizontal_perp"},
	"down":  {"right", "left", "up", "down", "vertical_par", "horizontal_perp"},
	"left":  {"down", "up", "right", "left", "horizontal_par", "vertical_perp"},
}

// absolute replaces relative directions.
func (r *rule) absolute() {
	r.sides(func(c cell) cell {
		for i, t := range c {
			if at := slices.Index(relativeDirections, t.modifier); at >= 0 {
				c[i].modifier = turned[r.direction][at]
			}
		}
		return c
	})
}

// turn turns a rule upwards into one downwards and one to the left into one to the
// right, unless it has an ellipsis: that would change the order of matches.
func (r *rule) turn() {
	for _, cells := range r.left {
		for _, c := range cells {
			if len(c) > 0 && c[0].name == ellipsis {
				return
			}
		}
	}
	switch r.direction {
	case "up":
		r.direction = "down"
	case "left":
		r.direction = "right"
	default:
		return
	}
	for i := range r.left {
		slices.Reverse(r.left[i])
		if i < len(r.right) {
			slices.Reverse(r.right[i])
		}
	}
}

// atomize replaces aggregates by their objects.
func (c *compiler) atomize(r *rule) {
	r.sides(func(cells cell) cell {
		for i := 0; i < len(cells); i++ {
			t := cells[i]
			l := c.aggregates.get(t.name)
			if l == nil {
				continue
			}
			if t.modifier == "no" {
				c.log.Errorf(r.line, "You cannot use 'no' to exclude the aggregate object %s (defined using 'AND'), only regular objects, or properties (objects defined using 'OR').  If you want to do this, you'll have to write it out yourself the long way.", strings.ToUpper(t.name))
			}
			if !spell(c, r, len(l.items)) {
				return cells
			}
			for n, item := range l.items {
				if n == 0 {
					cells[i].name = item
				} else if len(cells) < syntax.ObjectsMax {
					cells = append(cells, term{t.modifier, item})
				}
			}
		}
		return cells
	})
}

func (c *compiler) renameSynonyms(r *rule) {
	r.sides(func(cells cell) cell {
		for i, t := range cells {
			if name, ok := c.synonym(t.name); ok {
				cells[i].name = name
			}
		}
		return cells
	})
}

// moving is a word such as "moving" before an object on the left, and the direction it
// has in this rule.
type moving struct {
	word, object string // object is empty if only the word counts
	direction    string
	count        int
	row, column  int
}

// expandMoving expands a rule whose left side has words for several movements, to one
// rule per movement. A rule with several such words occurs once per order of
// expansion; the copies are dropped later, and which of them remain is part of the
// language.
func (c *compiler) expandMoving(r *rule) []*rule {
	queue := []*rule{r}
	var done []*rule
	for len(queue) > 0 {
		current := queue[0]
		queue = queue[1:]
		expanded := c.expandMovingOnce(current)
		if expanded == nil {
			done = append(done, current)
			continue
		}
		queue = append(queue, expanded...)
		c.terms += len(expanded) * current.terms()
		if len(queue)+len(done) > rulesMax || c.terms > termsMax {
			c.tooMany(r)
			return nil
		}
	}
	for _, d := range done {
		d.inferMovements()
		d.moving = nil
	}
	for _, d := range done {
		for _, cells := range d.right {
			for _, content := range cells {
				if t, ok := ambiguous(content); ok {
					c.log.Errorf(r.line, "This rule has an ambiguous movement on the right-hand side, \"%s\", that can't be inferred from the left-hand side.  (either for every ambiguous movement associated to an entity on the right there has to be a corresponding one on the left attached to the same entity, OR, if there's a single occurrence of a particular ambiguous movement on the left, all properties of the same movement attached to the same object on the right are assumed to be the same (or something like that)).", t.modifier)
					c.invalid = true
					return done
				}
			}
		}
	}
	return done
}

// ambiguous returns the first term of a cell that stands for several movements.
func ambiguous(c cell) (term, bool) {
	for _, t := range c {
		if aggregateDirections[t.modifier] != nil {
			return t, true
		}
	}
	return term{}, false
}

func (c *compiler) expandMovingOnce(r *rule) (expanded []*rule) {
	for i, cells := range r.left {
		for j, content := range cells {
			t, ok := ambiguous(content)
			if !ok {
				continue
			}
			for _, direction := range aggregateDirections[t.modifier] {
				n := r.clone()
				n.left[i][j].setMovement(t.modifier, t.name, direction)
				if len(n.right) > 0 {
					n.right[i][j].setMovement(t.modifier, t.name, direction)
				}
				n.noteMoving(moving{t.modifier, t.name, direction, 1, i, j}, false)
				n.noteMoving(moving{t.modifier, "", direction, 1, i, j}, true)
				expanded = append(expanded, n)
			}
		}
	}
	return expanded
}

// noteMoving counts a word. The same word of the same object counts once per cell, the
// word alone each time.
func (r *rule) noteMoving(m moving, each bool) {
	for i := range r.moving {
		known := &r.moving[i]
		if known.word == m.word && known.object == m.object {
			if each || known.row != m.row || known.column != m.column {
				known.count++
			}
			return
		}
	}
	r.moving = append(r.moving, m)
}

// setMovement replaces a word before an object with a movement.
func (c cell) setMovement(word, object, direction string) {
	for i, t := range c {
		if t.modifier == word && (object == "" || t.name == object) {
			c[i].modifier = direction
		}
	}
}

// inferMovements replaces words on the right with their directions on the left, if it
// is clear which one is meant: first by word and object, then by the word alone.
func (r *rule) inferMovements() {
	for _, alone := range []bool{false, true} {
		for _, m := range r.moving {
			if (m.object == "") != alone || m.count != 1 {
				continue
			}
			for _, cells := range r.right {
				for _, c := range cells {
					c.setMovement(m.word, m.object, m.direction)
				}
			}
		}
	}
}

// settleSpawned makes objects stationary that a rule puts where their layer was empty.
func (c *compiler) settleSpawned(r *rule) {
	if r.late {
		return
	}
	for i, cells := range r.right {
		for j, content := range cells {
			present := c.possible(r.left[i][j])
			layers := map[int]bool{}
			for _, name := range present {
				if o := c.objects[name]; o != nil {
					layers[o.layer] = true
				}
			}
			for k, t := range content {
				o := c.objects[t.name]
				if t.modifier != "" || o == nil || c.properties.get(t.name) != nil || slices.Contains(present, t.name) {
					continue
				}
				if !layers[o.layer] {
					content[k].modifier = "stationary"
				}
			}
		}
	}
}

// possible returns all objects that a cell of a rule may name.
func (c *compiler) possible(content cell) (names []string) {
	for _, t := range content {
		if c.objects[t.name] != nil {
			names = append(names, t.name)
		} else if l := c.properties.get(t.name); l != nil {
			names = append(names, l.items...)
		}
	}
	return names
}
