package puzzlescript

import (
	"slices"

	"github.com/everystate/everystate/puzzle/puzzlescript/game"
)

// reach holds, for each cell of a level, what may ever be there. It may hold too much,
// but never too little: rules are assumed to match wherever each of their cells may
// match by itself, whatever is in the other cells.
type reach struct {
	g             *game.Game
	width, height int

	objects   []game.Set
	empty     [][]bool   // by cell and layer: whether the layer may be empty
	movements []game.Set // by cell: movements that its objects may be given

	changed bool
	work    int
}

// reachWorkMax bounds how many cells of rules are compared with cells of a level.
const reachWorkMax = 1 << 28

// newReach finds what may ever be in the cells of a level that begins with the given
// objects. It reports false if that takes too long.
func newReach(g *game.Game, l *game.Level, start func(i int) game.Set) (*reach, bool) {
	n := l.Width * l.Height
	r := &reach{g: g, width: l.Width, height: l.Height}
	for i := range n {
		objects := g.NewObjects()
		objects.Or(start(i))
		empty := make([]bool, len(g.Layers))
		for layer, mask := range g.Layers {
			empty[layer] = !mask.Meets(objects)
		}
		r.objects = append(r.objects, objects)
		r.empty = append(r.empty, empty)
		r.movements = append(r.movements, g.NewMovements())
	}
	for r.changed = true; r.changed; {
		r.changed = false
		r.moveAllPlayers()
		r.move()
		for _, groups := range [][]game.Group{g.Rules, g.Late} {
			for i := range groups {
				for j := range groups[i].Rules {
					r.apply(&groups[i].Rules[j])
				}
			}
		}
		if r.work > reachWorkMax {
			return nil, false
		}
	}
	return r, true
}

// add records that an object may come into a cell.
func (r *reach) add(i, id int) {
	if !r.objects[i].Has(id) {
		r.objects[i].Add(id)
		r.changed = true
	}
}

func (r *reach) mayEmpty(i, layer int) {
	if !r.empty[i][layer] {
		r.empty[i][layer] = true
		r.changed = true
	}
}

func (r *reach) give(i, layer int, d game.Direction) {
	if r.movements[i].Field(layer)|d != r.movements[i].Field(layer) {
		r.movements[i].AddField(layer, d)
		r.changed = true
	}
}

// moveAllPlayers gives all players all movements.
func (r *reach) moveAllPlayers() {
	inputs := game.Up | game.Down | game.Left | game.Right
	if !r.g.NoAction {
		inputs |= game.Action
	}
	for i, objects := range r.objects {
		for id := range r.g.Objects {
			if objects.Has(id) && r.g.Player.Objects.Has(id) {
				r.give(i, r.g.Objects[id].Layer, inputs)
			}
		}
	}
}

// next returns the cell in a direction.
func (r *reach) next(i int, d game.Direction) (int, bool) {
	x, y := i/r.height, i%r.height
	switch d {
	case game.Up:
		y--
	case game.Down:
		y++
	case game.Left:
		x--
	case game.Right:
		x++
	default:
	}
	return x*r.height + y, x >= 0 && x < r.width && y >= 0 && y < r.height
}

// move moves everything that has a movement to where there may be room.
func (r *reach) move() {
	for i, objects := range r.objects {
		for layer, mask := range r.g.Layers {
			field := r.movements[i].Field(layer)
			if field == 0 || !mask.Meets(objects) {
				continue
			}
			for _, d := range []game.Direction{game.Up, game.Down, game.Left, game.Right} {
				target, ok := r.next(i, d)
				if field&d == 0 || !ok || !r.empty[target][layer] {
					continue
				}
				for _, id := range objects.List() {
					if mask.Has(id) {
						r.add(target, id)
					}
				}
				r.mayEmpty(i, layer)
			}
		}
	}
}

// part is a run of cells between the ellipses of a row.
type part []*game.Cell

func parts(row *game.Row) []part {
	list := []part{nil}
	for k := range row.Cells {
		if c := &row.Cells[k]; c.Ellipsis {
			list = append(list, nil)
		} else {
			list[len(list)-1] = append(list[len(list)-1], c)
		}
	}
	return list
}

// apply applies every effect that a rule may have.
func (r *reach) apply(u *game.Rule) {
	rows := make([][]part, len(u.Rows))
	for k := range u.Rows {
		rows[k] = parts(&u.Rows[k])
		if !r.mayMatch(u, rows[k]) {
			return
		}
	}
	for _, row := range rows {
		for i := range r.objects {
			r.chain(u, row, i, true)
		}
	}
}

func (r *reach) mayMatch(u *game.Rule, row []part) bool {
	for i := range r.objects {
		if r.chain(u, row, i, false) {
			return true
		}
	}
	return false
}

// chain reports whether parts of a row may match one after another, the first of them
// at a cell. If they do and put is set, it applies their replacements.
func (r *reach) chain(u *game.Rule, row []part, i int, put bool) bool {
	r.work += len(row[0]) + 1
	at, ok := i, true
	cells := make([]int, 0, 8)
	for _, c := range row[0] {
		if !ok || !r.mayBe(c, at) {
			return false
		}
		cells = append(cells, at)
		at, ok = r.next(at, u.Direction)
	}
	if len(row) > 1 {
		rest := false
		for ; ok && (!rest || put); at, ok = r.next(at, u.Direction) {
			rest = r.chain(u, row[1:], at, put) || rest
		}
		if !rest {
			return false
		}
	}
	if put {
		for k, c := range row[0] {
			if c.Replacement != nil {
				r.replace(c.Replacement, cells[k])
			}
		}
	}
	return true
}

// mayBe reports whether a cell may match a cell of a rule.
func (r *reach) mayBe(c *game.Cell, i int) bool {
	objects := r.objects[i]
	if !c.Present.Within(objects) || !c.Moving.Within(r.movements[i]) {
		return false
	}
	for _, some := range c.Any {
		if !some.Meets(objects) {
			return false
		}
	}
	if c.Missing.Empty() || !c.Missing.Meets(objects) {
		return true
	}
	for layer, mask := range r.g.Layers {
		if r.empty[i][layer] || !mask.Meets(c.Missing) {
			continue
		}
		other := false
		for word, w := range mask {
			other = other || w&objects[word]&^c.Missing[word] != 0
		}
		if !other {
			return false
		}
	}
	return true
}

func (r *reach) replace(p *game.Replacement, i int) {
	for _, set := range []game.Set{p.Set, p.RandomObject} {
		set.All(func(id int) {
			if id < len(r.g.Objects) {
				r.add(i, id)
			}
		})
	}
	for layer, mask := range r.g.Layers {
		going := false
		for word, w := range mask {
			going = going || w&p.Clear[word]&r.objects[i][word] != 0
		}
		if going && !mask.Meets(p.Set) {
			r.mayEmpty(i, layer)
		}
		d := p.SetMoves.Field(layer)
		if p.RandomDirectionLayers.Field(layer) != 0 {
			d |= game.Up | game.Down | game.Left | game.Right
		}
		r.give(i, layer, d)
	}
}

// digits returns the possible contents of a layer of a cell: objects, and first -1 for
// nothing, if it may be empty.
func (r *reach) digits(i, layer int) []int {
	var digits []int
	if r.empty[i][layer] {
		digits = append(digits, -1)
	}
	for _, id := range r.objects[i].List() {
		if r.g.Layers[layer].Has(id) {
			digits = append(digits, id)
		}
	}
	return digits
}

// conserved reports whether the number of an object never changes: no rule creates or
// removes one without doing the opposite.
func conserved(g *game.Game, id int, single bool) bool {
	mask := g.Layers[g.Objects[id].Layer]
	for _, groups := range [][]game.Group{g.Rules, g.Late} {
		for i := range groups {
			for j := range groups[i].Rules {
				if !keeps(&groups[i].Rules[j], id, mask, single) {
					return false
				}
			}
		}
	}
	return true
}

// change counts what a row of a rule does to an object.
type change struct {
	put     int  // cells whose replacement names the object
	removed int  // of these, the cells that lose it
	added   int  // the cells that get it
	sure    bool // every cell in which it is not required is known to be without it
	known   bool // some cell requires it
}

func changeOf(row *game.Row, id int, layer game.Set) change {
	n := change{sure: true}
	for k := range row.Cells {
		c := &row.Cells[k]
		if c.Ellipsis {
			continue
		}
		present := c.Present.Has(id)
		n.known = n.known || present
		p := c.Replacement
		if p == nil || !p.Set.Has(id) && !p.Clear.Has(id) {
			continue
		}
		n.put++
		n.sure = n.sure && (present || absent(c, id, layer))
		switch {
		case present && !p.Set.Has(id):
			n.removed++
		case !present && p.Set.Has(id):
			n.added++
		}
	}
	return n
}

// keeps reports whether a rule leaves the number of an object as it is. Cells of one
// row are distinct, but those of two rows may be the same cell.
func keeps(u *game.Rule, id int, layer game.Set, single bool) bool {
	var all, last change
	rows, balanced := 0, true
	all.sure = true
	for k := range u.Rows {
		for n := range u.Rows[k].Cells {
			if p := u.Rows[k].Cells[n].Replacement; p != nil && p.RandomObject.Has(id) {
				return false
			}
		}
		n := changeOf(&u.Rows[k], id, layer)
		if n.put == 0 {
			continue
		}
		rows, last = rows+1, n
		balanced = balanced && n.removed == n.added
		all.put += n.put
		all.removed += n.removed
		all.added += n.added
		all.sure = all.sure && (n.sure || single && n.known)
		if rows > 1 && single && n.added == 1 && n.put == 1 && all.removed == 1 {
			all.sure = true // taken from one row before it is put into another
		}
	}
	switch {
	case !all.sure:
		return false
	case all.removed == 0 && all.added == 0:
		return true
	case rows <= 1:
		return balanced
	}
	return all.put == 2 && all.removed == 1 && all.added == 1 && last.put == 1
}

// absent reports whether a rule's cell matches only cells without an object.
func absent(c *game.Cell, id int, layer game.Set) bool {
	if c.Missing.Has(id) || c.Present.Meets(layer) {
		return true
	}
	return slices.ContainsFunc(c.Any, func(some game.Set) bool { return some.Within(layer) && !some.Has(id) })
}
