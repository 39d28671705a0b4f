package mirror

import (
	"slices"

	"github.com/everystate/everystate/puzzle/puzzlescript/game"
)

// nothing is the object of a layer without one.
const nothing = -1

// content is what is in one layer of a cell.
type content struct {
	object int
	moves  game.Direction
}

// contents lists, by layer, what may be there.
type contents [][]content

func (c contents) add(layer int, v content) bool {
	if slices.Contains(c[layer], v) {
		return false
	}
	c[layer] = append(c[layer], v)
	return true
}

// side is a cell of a rule, as far as it concerns one layer.
type side struct {
	layer   int
	object  int        // that must be there, or nothing
	any     []game.Set // one of each of these must be there
	missing game.Set
	moving  game.Direction
	still   game.Direction

	writes     bool
	clear      game.Set
	set        int // the object that is put there, or nothing
	clearMoves game.Direction
	setMoves   game.Direction
}

// matches reports whether a content suits the rule.
func (s *side) matches(v content) bool {
	if s.object != nothing && v.object != s.object || v.object != nothing && s.missing.Has(v.object) {
		return false
	}
	for _, some := range s.any {
		if v.object == nothing || !some.Has(v.object) {
			return false
		}
	}
	return s.moving&^v.moves == 0 && s.still&v.moves == 0
}

// write returns the content after the rule has been applied. It reports false if there
// would be two objects.
func (s *side) write(v content) (content, bool) {
	if !s.writes {
		return v, true
	}
	if v.object != nothing && s.clear.Has(v.object) {
		v.object = nothing
	}
	if s.set != nothing {
		if v.object != nothing && v.object != s.set {
			return v, false
		}
		v.object = s.set
	}
	v.moves = v.moves&^s.clearMoves | s.setMoves
	return v, true
}

// spot is a cell of a rule.
type spot struct {
	sides  []side // of the layers that it concerns
	row    int
	column int // in the row, without ellipses
}

// side returns what a spot requires of a layer, or nil.
func (p *spot) side(layer int) *side {
	for i := range p.sides {
		if p.sides[i].layer == layer {
			return &p.sides[i]
		}
	}
	return nil
}

// newSpot splits a cell of a rule by layers. It reports false if one of its conditions
// or replacements is not about single layers.
func newSpot(g *game.Game, c *game.Cell) (spot, bool) {
	var p spot
	single := 0
	for layer, mask := range g.Layers {
		s := side{layer: layer, object: nothing, set: nothing, missing: c.Missing, moving: c.Moving.Field(layer), still: c.Still.Field(layer)}
		concerned := s.moving|s.still != 0 || c.Missing.Meets(mask)
		for _, id := range c.Present.List() {
			if mask.Has(id) {
				if s.object != nothing {
					return p, false
				}
				s.object, concerned = id, true
			}
		}
		for _, some := range c.Any {
			if some.Meets(mask) {
				if !some.Within(mask) {
					return p, false
				}
				s.any, concerned = append(s.any, some), true
				single++
			}
		}
		if r := c.Replacement; r != nil {
			if !s.replace(r, mask) {
				return p, false
			}
			concerned = concerned || s.writes
		}
		if concerned {
			p.sides = append(p.sides, s)
		}
	}
	return p, single == len(c.Any)
}

// replace adds a replacement to what a rule says of a layer.
func (s *side) replace(r *game.Replacement, mask game.Set) bool {
	s.clear = r.Clear
	s.clearMoves = r.ClearMoves.Field(s.layer) | r.Layers.Field(s.layer)
	s.setMoves = r.SetMoves.Field(s.layer)
	s.writes = r.Clear.Meets(mask) || s.clearMoves|s.setMoves != 0
	for _, id := range r.Set.List() {
		if mask.Has(id) {
			if s.set != nothing {
				return false
			}
			s.set, s.writes = id, true
		}
	}
	return r.RandomObject.Empty() && r.RandomDirectionLayers.Empty()
}
