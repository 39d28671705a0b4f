package mirror

import "slices"

// unordered checks that the rules of each group lead to the same board in any order.
func (r *Rules) unordered(groups []group, c contents) *Doubt {
	for _, rules := range groups {
		for _, u := range rules {
			single := u.writers(c) <= 1
			for _, v := range rules {
				if !r.meet(u, v, c) {
					continue
				}
				if doubt := r.pair(u, v, single, c); doubt != nil {
					return doubt
				}
			}
		}
	}
	return nil
}

// pair checks the matches of two rules of a group, or of one. It is told whether the
// first writes in one row only.
func (r *Rules) pair(u, v *rule, single bool, c contents) *Doubt {
	for i := range u.spots {
		a := &u.spots[i]
		if !a.changes(c) {
			continue
		}
		for k := range v.spots {
			b := &v.spots[k]
			if u == v && a == b && single && !u.stretch[a.row] {
				continue // two matches that share this cell are one
			}
			if r.coincide(u, a, v, b, c) && !r.agree(a, b, c) {
				return &Doubt{v.Line, "the result of this rule may depend on the order in which rules and matches are applied"}
			}
			if r.work > workMax {
				return &Doubt{What: "there are too many rules and objects to examine"}
			}
		}
	}
	return nil
}

// meet reports whether two rules may match the same board. If both require an object of
// which there is one, they require it of the same cell.
func (r *Rules) meet(u, v *rule, c contents) bool {
	for i := range u.spots {
		for k := range v.spots {
			if r.shareUnique(&u.spots[i], &v.spots[k]) && !r.overlay(u, &u.spots[i], v, &v.spots[k], c) {
				return false
			}
		}
	}
	return true
}

// shareUnique reports whether two cells of rules require the same object, of which
// there is one.
func (r *Rules) shareUnique(a, b *spot) bool {
	for i := range a.sides {
		id := a.sides[i].object
		if id == nothing || !r.unique.Has(id) {
			continue
		}
		if s := b.side(a.sides[i].layer); s != nil && s.object == id {
			return true
		}
	}
	return false
}

// coincide reports whether a cell of a match of one rule may be a cell of a match of
// another, or of the same one.
func (r *Rules) coincide(u *rule, a *spot, v *rule, b *spot, c contents) bool {
	if !r.overlay(u, a, v, b, c) {
		return false
	}
	if u.stretch[a.row] || v.stretch[b.row] {
		return true
	}
	for i := range u.spots {
		for k := range v.spots {
			x, y := &u.spots[i], &v.spots[k]
			if x.row == a.row && y.row == b.row && r.shareUnique(x, y) && u.offset(a, x) != v.offset(b, y) {
				return false
			}
		}
	}
	return true
}

// offset is the way from one cell of a row to another.
type offset struct{ right, down int }

func (u *rule) offset(from, to *spot) offset {
	n := to.column - from.column
	return offset{n * u.step.right, n * u.step.down}
}

// overlay reports whether all cells that two rows share, if they share a and b, may
// match both.
func (r *Rules) overlay(u *rule, a *spot, v *rule, b *spot, c contents) bool {
	if u.stretch[a.row] || v.stretch[b.row] {
		return r.both(a, b, c)
	}
	for i := range u.spots {
		for k := range v.spots {
			x, y := &u.spots[i], &v.spots[k]
			if x.row == a.row && y.row == b.row && u.offset(a, x) == v.offset(b, y) && !r.both(x, y, c) {
				return false
			}
		}
	}
	return true
}

// both reports whether a cell may match two cells of rules.
func (r *Rules) both(a, b *spot, c contents) bool {
	for i := range a.sides {
		s := &a.sides[i]
		t := b.side(s.layer)
		r.work += len(c[s.layer])
		if !slices.ContainsFunc(c[s.layer], func(v content) bool { return s.matches(v) && (t == nil || t.matches(v)) }) {
			return false
		}
	}
	return true // what only b requires is possible: its rule may match
}

// agree reports whether in a cell that matches both a and b, b still matches after a
// has been written, and both orders of writing are the same.
func (r *Rules) agree(a, b *spot, c contents) bool {
	for i := range a.sides {
		s := &a.sides[i]
		t := b.side(s.layer)
		if t == nil {
			continue
		}
		r.work += len(c[s.layer])
		for _, v := range c[s.layer] {
			if !s.matches(v) || !t.matches(v) {
				continue
			}
			first, _ := s.write(v)
			second, _ := t.write(v)
			one, _ := t.write(first)
			other, _ := s.write(second)
			if !t.matches(first) || one != other {
				return false
			}
		}
	}
	return true
}

// changes reports whether a cell of a rule may change.
func (p *spot) changes(c contents) bool {
	for i := range p.sides {
		s := &p.sides[i]
		if s.writes && slices.ContainsFunc(c[s.layer], func(v content) bool {
			after, _ := s.write(v)
			return s.matches(v) && after != v
		}) {
			return true
		}
	}
	return false
}

// writers counts the rows of a rule in which a cell may change.
func (u *rule) writers(c contents) int {
	rows := make([]bool, u.rows)
	n := 0
	for i := range u.spots {
		if p := &u.spots[i]; !rows[p.row] && p.changes(c) {
			rows[p.row] = true
			n++
		}
	}
	return n
}
