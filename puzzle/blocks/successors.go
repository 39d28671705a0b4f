package blocks

import (
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// Successors appends the successors of each state.
func (g *game) Successors(states []uint64, out *puzzle.Edges) { g.successors(states, nil, out) }

// Onward appends the successors of each state except those that its link prunes: the
// inverse, what the piece could have reached in one move, and moves of other pieces
// with greater ids that commute with the link.
func (g *game) Onward(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	return g.successors(states, links, out)
}

// successors omits what links prune, if there are any.
func (g *game) successors(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	t := g.tables()
	if t.narrow != nil {
		return t.narrow.successors(states, links, out, t)
	}
	words := g.layout.Words()
	if links == nil {
		g.wideSuccessors(states, out)
	}
	for i, link := range links {
		state := states[i*words : (i+1)*words]
		begin := len(out.Moves)
		g.wideSuccessors(state, out)
		pruned += g.widePrune(state, t.pairs[link], link, begin, out)
	}
	return pruned
}

// widePrune removes the edges of a state, from index begin on, that its link prunes,
// by the definition of Onward, and returns their number.
func (g *game) widePrune(state []uint64, l pair, link puzzle.Move, begin int, out *puzzle.Edges) int {
	words := len(state)
	var before, other [puzzle.WordsMax]uint64
	p, q := before[:words], other[:words]
	g.apply(p, state, l.back())
	n := begin
	for at := begin; at < len(out.Moves); at++ {
		next, m := out.Keys[at*words:(at+1)*words], out.Moves[at]
		then := g.built.pairs[m]
		var prune bool
		switch {
		case then.from == l.to: // the same piece
			prune = then.to == l.from || g.apply(q, p, l.join(then)) && slices.Equal(q, next)
		case then.to == l.from && g.apply(q, p, then.join(l)) && slices.Equal(q, next):
			prune = true // a piece of the same class goes to where it was
		default:
			prune = m > link && g.apply(q, p, then) && g.apply(q, q, l) && slices.Equal(q, next)
		}
		if !prune {
			copy(out.Keys[n*words:(n+1)*words], next)
			out.Moves[n] = m
			n++
		}
	}
	pruned := len(out.Moves) - n
	out.Keys, out.Moves = out.Keys[:n*words], out.Moves[:n]
	return pruned
}

// wideSuccessors works for all boards and keys.
func (g *game) wideSuccessors(states []uint64, out *puzzle.Edges) {
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
		var heads mask
		if g.sequence != nil {
			heads = g.sequence.floor
			heads.subtract(&taken)
			heads.join(&firsts)
		}
		for from := firsts.next(0); from >= 0; from = firsts.next(from + 1) {
			c, at := g.classes[classAt[from]], placeAt[from]
			blocked := taken
			blocked.subtract(&c.places[at].cells)
			targets := c.targets(at, &blocked, g.metric)
			for to := targets.next(0); to >= 0; to = targets.next(to + 1) {
				old := len(out.Keys)
				out.Keys = slices.Grow(out.Keys, words)[:old+words]
				g.moved(out.Keys[old:], &p, heads, c, at, uint8(c.at[to]))
				out.Moves = append(out.Moves, g.moves.id(from, to))
			}
		}
	}
}

// moved writes the key of a state after a piece of a class has moved. heads are the
// state's heads if keys are sequences. It leaves p unchanged.
func (g *game) moved(dst []uint64, p *placed, heads mask, c *class, from, to uint8) {
	places := p.of(c)
	replace(places, from, to)
	if g.ranking != nil {
		dst[0] = g.ranking.encode(p)
	} else {
		before, after := &c.places[from], &c.places[to]
		heads.join(&before.cells)
		heads.subtract(&after.cells)
		heads.add(after.first)
		g.sequence.encode(dst, p, &heads)
	}
	replace(places, to, from)
}
