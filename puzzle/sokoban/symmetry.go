package sokoban

import (
	"math/bits"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// Symmetries returns the rotations and reflections that map the floor, the targets and the
// starts to themselves.
func (g *game) Symmetries(string) (*puzzle.Symmetries, error) {
	if g.pruned != pruneNone {
		return nil, &puzzle.InputError{What: "states are not merged where dead ones are left out: leave out --prune"}
	}
	a := &action{game: g}
	s := &puzzle.Symmetries{Puzzle: g, SymmetryAction: a}
	images, ways := g.symmetries()
	for i, to := range images {
		same := func(t turn) bool { return slices.Equal(t.to, to) } // a flip of a single row does nothing
		if slices.ContainsFunc(a.list, same) || !closed(g, to) {
			continue
		}
		t := turn{to: to}
		for d := range t.directions {
			t.directions[d] = turned(ways[i], direction(d))
		}
		a.list = append(a.list, t)
		if n := len(a.list) - 1; !a.keepsStarts(n) {
			a.list = a.list[:n]
			continue
		}
		s.Names = append(s.Names, wayNames[ways[i]])
		s.Moves = append(s.Moves, a.moves(&t))
	}
	if len(a.list) < 2 {
		return nil, &puzzle.InputError{What: "only the identity maps the room, its targets and its start to themselves"}
	}
	for i := range a.list {
		s.Inverse = append(s.Inverse, slices.IndexFunc(a.list, func(other turn) bool {
			for cell, to := range a.list[i].to {
				if int(other.to[to]) != cell {
					return false
				}
			}
			return true
		}))
	}
	return s, nil
}

// wayNames names the ways of level.symmetries.
var wayNames = [...]string{"r0", "mirror", "flip", "r180", "diagonal", "r90", "r270", "antidiagonal"}

// turned returns the image of a direction: rows and columns are exchanged first, and then
// each reversed.
func turned(way int, d direction) direction {
	if way&4 != 0 {
		d ^= 2
	}
	if way&2 != 0 && d < left || way&1 != 0 && d >= left {
		d ^= 1
	}
	return d
}

// closed reports whether the targets are mapped to themselves.
func closed(g *game, to []int16) bool {
	for c := range g.places {
		if g.targets.has(c) && !g.targets.has(int(to[c])) {
			return false
		}
	}
	return true
}

// A turn is a rotation or reflection: the image of each cell and of each direction.
type turn struct {
	to         []int16
	directions [4]direction
}

// boxes returns the image of a set of boxes.
func (t *turn) boxes(of *cellSet) (image cellSet) {
	for w, word := range of {
		for ; word != 0; word &= word - 1 {
			image.add(int(t.to[w<<6+bits.TrailingZeros64(word)]))
		}
	}
	return image
}

// action is what turns do to keys. The representative of an orbit has the set of boxes
// whose last cells come first, and of those the least cell of the player.
type action struct {
	*game
	list []turn
}

// moves returns the images of all moves.
func (a *action) moves(t *turn) []puzzle.Move {
	var moves []puzzle.Move
	for m := range a.Layout().Moves {
		if a.metric == metricMove {
			moves = append(moves, puzzle.Move(t.directions[m>>1])<<1|puzzle.Move(m&1))
			continue
		}
		moves = append(moves, puzzle.Move(t.to[m>>2])<<2|puzzle.Move(t.directions[m&3]))
	}
	return moves
}

// keepsStarts reports whether a symmetry maps the starts to themselves.
func (a *action) keepsStarts(symmetry int) bool {
	var image [puzzle.WordsMax]uint64
	words := a.words()
	for start := range slices.Chunk(a.starts, words) {
		a.Image(image[:words], start, symmetry)
		found := false
		for other := range slices.Chunk(a.starts, words) {
			found = found || slices.Equal(other, image[:words])
		}
		if !found {
			return false
		}
	}
	return true
}

// player returns where the player is in an image with those boxes.
func (a *action) player(symmetry int, boxes *cellSet, at int) int {
	to := int(a.list[symmetry].to[at])
	if a.metric != metricMove {
		_, to = a.region(boxes, to)
	}
	return to
}

// first returns the first symmetry that leads to the representative, and replaces the
// state by it.
func (a *action) first(boxes *cellSet, player *int) (first int) {
	from, at, known := *boxes, *player, true // known: player is that of the image
	for g := 1; g < len(a.list); g++ {
		image := a.list[g].boxes(&from)
		switch order := compare(&image, boxes); {
		case order < 0:
			*boxes, first, known = image, g, false
		case order == 0:
			if !known {
				*player, known = a.player(first, boxes, at), true
			}
			if p := a.player(g, boxes, at); p < *player {
				*player, first = p, g
			}
		}
	}
	if !known {
		*player = a.player(first, boxes, at)
	}
	return first
}

// compare orders sets by their last cells.
func compare(a, b *cellSet) int {
	for w := len(a) - 1; w >= 0; w-- {
		switch {
		case a[w] < b[w]:
			return -1
		case a[w] > b[w]:
			return 1
		}
	}
	return 0
}

// Image writes the image of a state.
func (a *action) Image(dst, state []uint64, symmetry int) {
	var boxes cellSet
	player, _ := a.decode(state, &boxes)
	boxes = a.list[symmetry].boxes(&boxes)
	a.encode(dst, &boxes, a.player(symmetry, &boxes, player))
}

// First returns the first symmetry that leads to the representative.
func (a *action) First(state []uint64) int {
	var boxes cellSet
	player, _ := a.decode(state, &boxes)
	return a.first(&boxes, &player)
}

// Fixing counts the symmetries that map a state to itself.
func (a *action) Fixing(state []uint64) int {
	var boxes cellSet
	player, _ := a.decode(state, &boxes)
	count := 1
	for g := 1; g < len(a.list); g++ {
		if a.list[g].boxes(&boxes) == boxes && a.player(g, &boxes, player) == player {
			count++
		}
	}
	return count
}

// Merge replaces keys by those of the representatives.
func (a *action) Merge(_, keys []uint64, moves []puzzle.Move) {
	words, n := a.words(), puzzle.Move(len(a.list))
	var boxes cellSet
	for i := range moves {
		key := keys[i*words : (i+1)*words]
		player, _ := a.decode(key, &boxes)
		first := a.first(&boxes, &player)
		if first > 0 {
			a.encode(key, &boxes, player)
		}
		moves[i] = moves[i]*n + puzzle.Move(first)
	}
}
