package game

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// rigidMax is the largest number of rigid groups.
const rigidMax = 30

// write sets the text of a rule, which identifies copies.
func (r *rule) write() {
	var b strings.Builder
	for _, flag := range []struct {
		set  bool
		name string
	}{{r.late, "late "}, {r.random, "random "}, {r.rigid, "rigid "}} {
		if flag.set {
			b.WriteString(flag.name)
		}
	}
	fmt.Fprintf(&b, "%d ", r.line)
	if slices.ContainsFunc(r.left, func(cells row) bool { return len(cells) > 1 }) {
		b.WriteString(r.direction + " ")
	}
	for side, rows := range [][]row{r.left, r.right} {
		if side == 1 {
			b.WriteString("-> ")
		}
		for _, cells := range rows {
			b.WriteString("[ ")
			for i, content := range cells {
				if i > 0 {
					b.WriteString("| ")
				}
				for _, t := range content {
					b.WriteString(t.modifier + " " + t.name + " ")
				}
			}
			b.WriteString("] ")
		}
	}
	for _, command := range r.commands {
		b.WriteString("(" + command.Name + ", " + command.Text + ") ")
	}
	r.text = b.String()
}

// dropCopies keeps the last of equal rules in a group.
func dropCopies(rules []*rule) []*rule {
	seen := map[string]bool{}
	group := -1
	var kept []*rule
	for _, r := range slices.Backward(rules) {
		r.write()
		if r.group != group {
			clear(seen)
			group = r.group
		}
		if !seen[r.text] {
			seen[r.text] = true
			kept = append(kept, r)
		}
		r.text = ""
	}
	slices.Reverse(kept)
	return kept
}

// groups collects rules by the number of their group.
func (c *compiler) groups(rules []*rule) (groups [][]*rule) {
	rules = slices.Clone(rules)
	slices.SortStableFunc(rules, func(a, b *rule) int { return cmp.Compare(a.group, b.group) })
	for len(rules) > 0 {
		n := 1
		for n < len(rules) && rules[n].group == rules[0].group {
			n++
		}
		if group := c.dropImpossible(rules[:n]); len(group) > 0 {
			groups = append(groups, group)
		}
		rules = rules[n:]
	}
	return groups
}

// dropImpossible drops rules that require two objects of one layer in a cell. It is an
// error if no rule of a line is left.
func (c *compiler) dropImpossible(group []*rule) []*rule {
	group = slices.Clone(group)
	var discards [][2]string
	for i := 0; i < len(group); i++ {
		r := group[i]
		if r.discard == nil {
			continue
		}
		same := i > 0 && group[i-1].line == r.line || i+1 < len(group) && group[i+1].line == r.line
		group = slices.Delete(group, i, i+1)
		i--
		if !slices.Contains(discards, *r.discard) {
			discards = append(discards, *r.discard)
		}
		if !same || len(group) == 0 {
			c.log.Errorf(r.line, "%s and %s can never overlap%s. This rule requires that to happen, so it impossible it will ever trigger.",
				discards[0][0], discards[0][1], ditto(discards))
		}
	}
	return group
}

// ditto lists all pairs but the first.
func ditto(discards [][2]string) string {
	if len(discards) <= 1 {
		return ""
	}
	text := " (ditto for "
	for j := 1; j < len(discards); j++ {
		if j > 1 {
			text += ", "
			if j == len(discards)-1 {
				text += "and "
			}
		}
		text += discards[j][0] + "/" + discards[j][1]
		if j == 3 && len(discards) > 4 {
			text += " etc."
			break
		}
	}
	return text + ")"
}

// finishGroups makes groups of the rules, and loops of groups.
func (c *compiler) finishGroups(rules []*rule) {
	var early, late []*rule
	for _, r := range rules {
		if r.late {
			late = append(late, r)
		} else {
			early = append(early, r)
		}
	}
	first, second := c.groups(early), c.groups(late)
	c.game.Rules, c.game.Late = c.finish(first), c.finish(second)
	for i := range c.game.Rules {
		if g := &c.game.Rules[i]; g.Rigid {
			c.game.Rigid = append(c.game.Rigid, i)
			for j := range g.Rules {
				if first[i][j].rigid {
					g.Rules[j].Rigid = len(c.game.Rigid)
				}
			}
		}
	}
	if len(c.game.Rigid) > rigidMax {
		c.log.Errorf(c.game.Rules[c.game.Rigid[rigidMax]].Line, "There can't be more than 30 rigid groups (rule groups containing rigid members).")
	}
}

// finish compiles groups of rules to their final form.
func (c *compiler) finish(groups [][]*rule) []Group {
	list := make([]Group, 0, len(groups))
	for _, rules := range groups {
		g := Group{Line: rules[0].line, Random: rules[0].random}
		for _, r := range rules {
			rows := c.compiled[r]
			c.checkEllipses(r, rows)
			g.Rigid = g.Rigid || r.rigid
			g.Rules = append(g.Rules, Rule{
				Line: r.line, Direction: directions[r.direction], Rows: rows, Replaces: len(r.right) > 0, Commands: r.commands,
			})
		}
		list = append(list, g)
	}
	return list
}

func (c *compiler) checkEllipses(r *rule, rows []Row) {
	for _, row := range rows {
		n := 0
		for k, content := range row.Cells {
			if !content.Ellipsis {
				continue
			}
			n++
			if n > 2 {
				c.log.Errorf(r.line, "You can't use more than two ellipses in a single cell match pattern.")
			} else if k > 0 && row.Cells[k-1].Ellipsis {
				c.log.Warnf(r.line, "Why would you go and have two ellipses in a row like that? It's exactly the same as just having a single ellipsis, right?")
			}
		}
	}
}

// setLoops determines where loops of groups begin and end.
func (c *compiler) setLoops() {
	for i, mark := range c.loops {
		switch {
		case i%2 == 0 && !mark.start:
			c.log.Errorf(mark.line, "Found an ENDLOOP, but I'm not in a loop?")
		case i%2 == 1 && mark.start:
			c.log.Errorf(mark.line, "Found a STARTLOOP, but I'm already inside a loop? (Puzzlescript can't nest loops, FWIW).")
		}
	}
	if n := len(c.loops); n%2 != 0 {
		c.log.Errorf(c.loops[n-1].line, "Yo I found a STARTLOOP without a corresponding ENDLOOP.")
		c.loops = append(c.loops, loopMark{c.loops[n-1].line, false})
	}
	c.game.Loops = c.loopsOf(c.game.Rules)
	c.game.LateLoops = c.loopsOf(c.game.Late)
}

func (c *compiler) loopsOf(groups []Group) []int {
	back := slices.Repeat([]int{NoLoop}, len(groups))
	for j := 0; j+1 < len(c.loops); j += 2 {
		start, end := c.loops[j].line, c.loops[j+1].line
		first := -1
		for i := range groups {
			from, to := groups[i].Rules[0].Line, groups[i].Rules[len(groups[i].Rules)-1].Line
			if from <= start && start <= to || from <= end && end <= to {
				c.log.Errorf(start, "Found a loop point in the middle of a rule. You probably don't want to do this, right?")
			}
			if end < from {
				break
			}
			if start <= from && from <= end {
				if first < 0 {
					first = i
				}
				if i > 0 && back[i-1] == first { // only the last group of a loop leads back
					back[i-1] = NoLoop
				}
				back[i] = first
			}
		}
	}
	return back
}
