package blocks

import (
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// Successors appends the successors of each state.
func (g *game) Successors(states []uint64, out *puzzle.Edges) { g.successors(states, nil, out) }

// Onward appends the successors of each state but for the way back.
func (g *game) Onward(states []uint64, links []puzzle.Move, out *puzzle.Edges) {
	g.successors(states, links, out)
}

// successors leaves out the way back of links, if there are any.
func (g *game) successors(states []uint64, links []puzzle.Move, out *puzzle.Edges) {
	t := g.tables()
	if t.narrow != nil {
		t.narrow.successors(states, links, out, t.back)
		return
	}
	g.wideSuccessors(t, states, links, out)
}

// wideSuccessors works for all boards and keys.
func (g *game) wideSuccessors(t *tables, states []uint64, links []puzzle.Move, out *puzzle.Edges) {
	words := g.layout.Words()
	var p placed
	for i := range len(states) / words {
		state := states[i*words : (i+1)*words]
		g.decode(state, &p)
		taken, firsts := mask{}, mask{}
		var classAt, placeAt [cellsMax]uint8
		for n, c := range g.classes {
			for _, at := range p.of(c) {
				place := &c.places[at]
				taken.join(&place.cells)
				firsts.add(place.first)
				classAt[place.first], placeAt[place.first] = uint8(n), at
			}
		}
		skip := -1
		if links != nil {
			skip = int(t.back[links[i]])
		}
		var heads mask
		if g.sequence != nil {
			heads = g.sequence.floor
			heads.leave(&taken)
			heads.join(&firsts)
		}
		for from := firsts.next(0); from >= 0; from = firsts.next(from + 1) {
			c, at := g.classes[classAt[from]], placeAt[from]
			blocked := taken
			blocked.leave(&c.places[at].cells)
			targets := c.targets(at, &blocked, g.metric)
			for to := targets.next(0); to >= 0; to = targets.next(to + 1) {
				id := g.moves.id(from, to)
				if int(id) == skip {
					continue
				}
				old := len(out.Keys)
				out.Keys = slices.Grow(out.Keys, words)[:old+words]
				g.moved(out.Keys[old:], &p, heads, c, at, uint8(c.at[to]))
				out.Moves = append(out.Moves, id)
			}
		}
	}
}

// moved writes the key of a state, whose heads are given if keys are sequences,
// after a piece of a class has moved. It leaves p as it was.
func (g *game) moved(dst []uint64, p *placed, heads mask, c *class, from, to uint8) {
	places := p.of(c)
	replace(places, from, to)
	if g.ranking != nil {
		dst[0] = g.ranking.encode(p)
	} else {
		before, after := &c.places[from], &c.places[to]
		heads.join(&before.cells)
		heads.leave(&after.cells)
		heads.add(after.first)
		g.sequence.encode(dst, p, &heads)
	}
	replace(places, to, from)
}
