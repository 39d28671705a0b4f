package mirror

import (
	"fmt"
	"slices"
	"strings"

	"github.com/everystate/everystate/puzzle/puzzlescript/game"
)

// A Doubt says why the rules of a game may not be symmetric.
type Doubt struct {
	Line int // of a rule, or 0
	What string
}

func (d *Doubt) String() string {
	if d.Line == 0 {
		return d.What
	}
	return fmt.Sprintf("line %d: %s", d.Line, d.What)
}

// inputs are the movements that begin a turn; a turn that follows another has none.
var inputs = []game.Direction{0, game.Up, game.Down, game.Left, game.Right, game.Action}

// Rules are the rules of a game, in which nothing depends on an order.
type Rules struct {
	game   *game.Game
	unique game.Set  // the objects of which there is always one
	early  [][]group // by input and group: the rules that may match
	late   []group
	work   int
}

// group holds the rules of a group that may match.
type group []*rule

// rule is a rule, split by cells and layers.
type rule struct {
	*game.Rule
	rows    int
	spots   []spot
	step    offset // from one cell of a row to the next
	stretch []bool // by row: it has an ellipsis
}

// workMax bounds the comparisons of an examination.
const workMax = 1 << 26

// Examine examines the rules of a game in a level that never has other objects than
// those given, and always one of those that are unique, even while rules are applied. It
// returns a doubt if something may depend on an order.
func Examine(g *game.Game, objects, unique game.Set) (*Rules, *Doubt) {
	if len(g.Rigid) > 0 {
		return nil, &Doubt{g.Rules[g.Rigid[0]].Line, "this rule is rigid"}
	}
	r := &Rules{game: g, unique: unique}
	early, doubt := r.split(g.Rules)
	if doubt != nil {
		return nil, doubt
	}
	late, doubt := r.split(g.Late)
	if doubt != nil {
		return nil, doubt
	}
	for _, d := range inputs {
		if d == game.Action && g.NoAction {
			r.early = append(r.early, make([]group, len(early)))
			continue
		}
		active, within, doubt := r.follow(early, r.begin(objects, d))
		if doubt == nil {
			doubt = r.together(within)
		}
		if doubt == nil {
			doubt = r.unordered(active, within)
		}
		if doubt != nil {
			return nil, doubt
		}
		r.early = append(r.early, active)
	}
	active, within, doubt := r.follow(late, r.begin(objects, 0))
	if doubt == nil {
		doubt = r.unordered(active, within)
	}
	for _, list := range within {
		if doubt == nil && slices.ContainsFunc(list, func(v content) bool { return v.moves != 0 }) {
			doubt = &Doubt{What: "a late rule moves objects"}
		}
	}
	r.late = active
	if doubt != nil {
		return nil, doubt
	}
	return r, nil
}

// steps are the ways from a cell to the next by direction.
var steps = map[game.Direction]offset{game.Up: {0, -1}, game.Right: {1, 0}, game.Down: {0, 1}, game.Left: {-1, 0}}

// split splits rules by cells and layers.
func (r *Rules) split(groups []game.Group) ([]group, *Doubt) {
	list := make([]group, len(groups))
	for n := range groups {
		if groups[n].Random {
			return nil, &Doubt{groups[n].Line, "this rule is random"}
		}
		for i := range groups[n].Rules {
			u := &rule{Rule: &groups[n].Rules[i], rows: len(groups[n].Rules[i].Rows)}
			u.step = steps[u.Direction]
			for k := range u.Rows {
				column := 0
				u.stretch = append(u.stretch, u.Rows[k].Ellipses > 0)
				for j := range u.Rows[k].Cells {
					c := &u.Rows[k].Cells[j]
					if c.Ellipsis {
						continue
					}
					p, ok := newSpot(r.game, c)
					if !ok {
						return nil, &Doubt{u.Line, "a cell of this rule does not say what is in each layer"}
					}
					p.row, p.column = k, column
					column++
					u.spots = append(u.spots, p)
				}
			}
			list[n] = append(list[n], u)
		}
	}
	return list, nil
}

// begin returns what may be in a layer when the rules begin.
func (r *Rules) begin(objects game.Set, d game.Direction) contents {
	c := make(contents, len(r.game.Layers))
	for layer, mask := range r.game.Layers {
		c.add(layer, content{nothing, 0})
		for _, id := range objects.List() {
			if id < len(r.game.Objects) && mask.Has(id) {
				c.add(layer, content{id, 0})
				if d != 0 && r.game.Player.Objects.Has(id) {
					c.add(layer, content{id, d})
				}
			}
		}
	}
	return c
}

// follow adds to contents what rules may write. It returns the rules that may match,
// and all contents.
func (r *Rules) follow(groups []group, c contents) (active []group, all contents, doubt *Doubt) {
	for changed := true; changed; {
		changed = false
		active = make([]group, len(groups))
		for n, rules := range groups {
			for _, u := range rules {
				if !r.mayMatch(u, c) {
					continue
				}
				active[n] = append(active[n], u)
				more, doubt := r.writeAll(u, c)
				if doubt != nil {
					return nil, c, doubt
				}
				changed = changed || more
			}
		}
		if r.work > workMax {
			return nil, c, &Doubt{What: "there are too many rules and objects to examine"}
		}
	}
	return active, c, nil
}

// mayMatch reports whether each layer of each cell of a rule may match.
func (r *Rules) mayMatch(u *rule, c contents) bool {
	for i := range u.spots {
		for k := range u.spots[i].sides {
			s := &u.spots[i].sides[k]
			r.work += len(c[s.layer])
			if !slices.ContainsFunc(c[s.layer], s.matches) {
				return false
			}
		}
	}
	return true
}

// writeAll adds what a rule may write.
func (r *Rules) writeAll(u *rule, c contents) (changed bool, doubt *Doubt) {
	for i := range u.spots {
		for k := range u.spots[i].sides {
			s := &u.spots[i].sides[k]
			if !s.writes {
				continue
			}
			for _, v := range slices.Clone(c[s.layer]) {
				if !s.matches(v) {
					continue
				}
				after, ok := s.write(v)
				if !ok {
					return false, &Doubt{u.Line, "this rule may put two objects of a layer into a cell"}
				}
				r.work += len(c[s.layer])
				changed = c.add(s.layer, after) || changed
			}
		}
	}
	return changed, nil
}

// together checks that the objects of each layer all move in one direction.
func (r *Rules) together(c contents) *Doubt {
	for layer, list := range c {
		var direction game.Direction
		for _, v := range list {
			if v.moves == 0 || v.moves == game.Action && v.object != nothing {
				continue
			}
			if v.object == nothing || v.moves&(v.moves-1) != 0 || direction != 0 && direction != v.moves {
				return &Doubt{What: fmt.Sprintf("objects on the layer of %s may move in several directions in one turn, and the first to move may take the place of another", r.layerName(layer))}
			}
			direction = v.moves
		}
	}
	return nil
}

// layerName names the first object of a layer.
func (r *Rules) layerName(layer int) string {
	for _, o := range r.game.Objects {
		if o.Layer == layer {
			return strings.ToUpper(o.Name)
		}
	}
	return fmt.Sprint(layer + 1)
}

// roundsMax is the number of rounds after which the language ends a group.
const roundsMax = 200

// Rounds returns, for each group of rules and of late rules, after how many rounds it
// might end in different ways: 0 if never.
func (r *Rules) Rounds() (rules, late []int) {
	rules = make([]int, len(r.game.Rules))
	late = make([]int, len(r.game.Late))
	note := func(rounds []int, active []group) {
		for n, list := range active {
			if len(list) > 1 && (rounds[n] == 0 || (roundsMax-1)/len(list) < rounds[n]) {
				rounds[n] = (roundsMax - 1) / len(list)
			}
		}
	}
	for _, active := range r.early {
		note(rules, active)
	}
	note(late, r.late)
	return rules, late
}
