package permutation

import (
	"slices"
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
	"github.com/everystate/everystate/puzzle/permutation/definition"
	"github.com/everystate/everystate/puzzle/permutation/source"
)

// readMasks reads the headers that make pieces partly indistinguishable: "only" keeps
// the sets or places that it lists and ignores the rest; "ignore" makes pieces alike
// and drops their orientation; "alike" does only the former, and "ignore-turns" only
// the latter. Pieces are named by the places where they belong. Only pieces of one set
// and of one list between commas become alike.
func (g *moveReader) readMasks(s *source.File) *puzzle.InputError {
	for _, mask := range []struct {
		key         string
		alike, turn bool
	}{{"only", true, true}, {"ignore", true, true}, {"alike", true, false}, {"ignore-turns", false, true}} {
		v, ok := s.Value(mask.key)
		if !ok {
			continue
		}
		lists, fault := g.readPlaces(v, mask.key == "only")
		if fault != nil {
			return fault
		}
		for _, places := range lists {
			if fault := g.mask(v, places, mask.alike, mask.turn); fault != nil {
				return fault
			}
		}
	}
	return nil
}

// readPlaces reads comma-separated lists of places: a set, a set with places of it
// counted from 1, or places. With others, it returns the places not listed, set by
// set.
func (g *moveReader) readPlaces(v boardfile.Piece, others bool) (lists [][]int, fault *puzzle.InputError) {
	var listed []int
	for _, part := range v.Split(',') {
		words := part.Fields()
		if len(words) == 0 {
			return nil, part.Faultf("no places: write a set, or a set and places of it, as in EDGES 1 2 3")
		}
		of := set{places: len(g.solved.pieces)}
		i := slices.IndexFunc(g.sets, func(s set) bool { return s.name == words[0].Text })
		if i >= 0 {
			of, words = g.sets[i], words[1:]
		} else if strings.ContainsFunc(words[0].Text, definition.IsLetter) {
			var names []string
			for _, s := range g.sets {
				names = append(names, s.name)
			}
			if names = slices.DeleteFunc(names, func(name string) bool { return name == "" }); len(names) == 0 {
				return nil, words[0].Faultf("unknown set %s; the puzzle has no sets with names: write places, as in 1 2 3", boardfile.Quote(words[0].Text))
			}
			return nil, words[0].Faultf("unknown set %s; the sets are %s", boardfile.Quote(words[0].Text), strings.Join(names, " "))
		}
		var places []int
		for _, w := range words {
			place, fault := w.Number("place", 1, of.places)
			if fault != nil {
				return nil, fault
			}
			places = append(places, of.first+place-1)
		}
		for place := of.first; len(words) == 0 && place < of.first+of.places; place++ {
			places = append(places, place)
		}
		lists, listed = append(lists, places), append(listed, places...)
	}
	if !others {
		return lists, nil
	}
	lists = nil
	for _, s := range g.sets {
		var places []int
		for place := s.first; place < s.first+s.places; place++ {
			if !slices.Contains(listed, place) {
				places = append(places, place)
			}
		}
		lists = append(lists, places)
	}
	return lists, nil
}

// mask makes the pieces that belong at places, and pieces like them, alike, or drops
// their orientation.
func (g *moveReader) mask(at boardfile.Piece, places []int, alike, turn bool) *puzzle.InputError {
	first := map[int]uint8{} // by set
	into := make([]uint8, len(g.labels))
	for piece := range into {
		into[piece] = uint8(piece)
	}
	for _, place := range places {
		piece, set := g.solved.pieces[place], g.setOf(place)
		if turn {
			g.ways[piece] = 1
		}
		if _, has := first[set]; !has {
			first[set] = into[piece]
		}
		if alike {
			into[piece] = first[set]
		}
	}
	for piece, other := range into {
		if g.ways[piece] != g.ways[other] {
			return at.Faultf("pieces %s and %s cannot be alike: the orientation of only one is ignored", g.labels[piece], g.labels[other])
		}
		for _, b := range g.blocked {
			if slices.Contains(g.blocked, block{b.place, uint8(piece)}) != slices.Contains(g.blocked, block{b.place, other}) {
				return at.Faultf("pieces %s and %s cannot be alike: only one is excluded from place %d", g.labels[piece], g.labels[other], b.place+1)
			}
		}
	}
	g.merge(into)
	return nil
}

// merge makes pieces alike, and renumbers them.
func (g *moveReader) merge(into []uint8) {
	old := *g
	g.labels, g.of, g.ways = nil, nil, nil
	renumbered := make([]uint8, len(into))
	for _, piece := range old.solved.pieces { // every piece occurs in it
		kept := into[piece]
		renumbered[piece] = g.addPiece(old.of[kept], old.labels[kept], old.ways[kept])
	}
	translate := func(a arrangement) arrangement {
		b := arrangement{slices.Clone(a.pieces), slices.Clone(a.orients)}
		for i, piece := range a.pieces {
			b.pieces[i] = renumbered[piece]
		}
		g.settle(b)
		return b
	}
	g.solved, g.start, g.solution = translate(g.solved), translate(g.start), translate(g.solution)
	for i, goal := range g.goals {
		g.goals[i] = translate(goal)
	}
	var blocked []block
	for _, b := range g.blocked {
		if b.piece = renumbered[b.piece]; !slices.Contains(blocked, b) {
			blocked = append(blocked, b)
		}
	}
	g.blocked = blocked
}
