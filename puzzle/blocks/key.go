package blocks

import "slices"

// If the board has at most 64 cells and its tables stay small, a key is one word, made
// by ranking. Otherwise it is made by sequence.

// placed is a decoded state: the places of all pieces, class by class, in increasing
// order within each. A class has at most 256 places.
type placed [piecesMax]uint8

// of returns the part of a state that belongs to a class.
func (p *placed) of(c *class) []uint8 { return p[c.piece : c.piece+c.count] }

// decode decodes a key and reports whether it is valid except for stray bits.
func (g *game) decode(key []uint64, p *placed) bool {
	if g.ranking != nil {
		return g.ranking.decode(key[0], p)
	}
	return g.sequence.decode(key, p)
}

// encode writes the key of a state, whose places must be sorted within each class.
func (g *game) encode(key []uint64, p *placed) {
	if g.ranking != nil {
		key[0] = g.ranking.encode(p)
		return
	}
	heads := g.sequence.heads(p)
	g.sequence.encode(key, p, &heads)
}

// replace replaces a place in a sorted list.
func replace(places []uint8, from, to uint8) {
	i := slices.Index(places, from)
	for ; i > 0 && places[i-1] > to; i-- {
		places[i] = places[i-1]
	}
	for ; i+1 < len(places) && places[i+1] < to; i++ {
		places[i] = places[i+1]
	}
	places[i] = to
}
