package hanoi

import (
	"fmt"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

func (r reversible) Symmetries(string) (*puzzle.Symmetries, error) { return symmetries(r, r.game) }
func (o oneWay) Symmetries(string) (*puzzle.Symmetries, error)     { return symmetries(o, o.game) }

// symmetries returns the permutations of pegs under which the rule, the start and the
// goal remain the same.
func symmetries(p interface {
	puzzle.Puzzle
	puzzle.Pictured
}, g *game) (*puzzle.Symmetries, error) {
	below := (g.discs - 1) / g.chunkDiscs * g.chunkDiscs
	a := &action{game: g, topPower: g.powers[below], topStates: 1}
	for range g.discs - below {
		a.topStates *= uint64(g.pegs)
	}
	a.add(make([]uint8, 0, g.pegs))
	if len(a.pegs) < 2 {
		return nil, &puzzle.InputError{What: "only the identity maps the moves, the start and the goal to themselves: no two pegs are alike"}
	}
	if len(a.pegs) > puzzle.SymmetriesMax {
		return nil, &puzzle.InputError{What: fmt.Sprintf("there are %d permutations of pegs, and at most %d can be used", len(a.pegs), puzzle.SymmetriesMax)}
	}
	s := &puzzle.Symmetries{Puzzle: p, SymmetryAction: a}
	for _, to := range a.pegs {
		a.addTable(to)
		name := make([]byte, 0, 2*g.pegs)
		for _, peg := range to {
			name = append(name, '1'+peg)
		}
		s.Names = append(s.Names, "pegs:"+string(name))
		s.Inverse = append(s.Inverse, slices.IndexFunc(a.pegs, func(other []uint8) bool {
			for peg, image := range to {
				if int(other[image]) != peg {
					return false
				}
			}
			return true
		}))
		var moves []puzzle.Move
		for _, m := range g.moves {
			moves = append(moves, puzzle.Move(slices.Index(g.moves, shift{to[m.from], to[m.to]})))
		}
		s.Moves = append(s.Moves, moves)
	}
	s.Cancels = func(a, b puzzle.Move) bool {
		m, n := g.moves[a], g.moves[b]
		return n.from == m.to && (n.to == m.from || g.rule.allows(int(m.from), int(n.to), g.pegs))
	}
	return s, nil
}

// action is what permutations of pegs do to keys. The representative of an orbit is its
// least key.
type action struct {
	*game
	pegs   [][]uint8  // by symmetry: the image of each peg
	tables [][]uint64 // by symmetry: the image of each arrangement of a chunk

	// The last chunk, which may be padded: the weight of its number in a key, and
	// the number of its arrangements.
	topPower, topStates uint64
}

// add adds the permutations that begin with some images, in lexicographic order.
func (a *action) add(to []uint8) {
	if len(to) == a.setup.pegs {
		same := func(discs []uint8) bool {
			return !slices.ContainsFunc(discs, func(peg uint8) bool { return to[peg] != peg })
		}
		if same(a.start) && same(a.goal) {
			a.pegs = append(a.pegs, slices.Clone(to))
		}
		return
	}
	for image := range uint8(a.setup.pegs) {
		if slices.Contains(to, image) || !a.alike(append(to, image)) {
			continue
		}
		a.add(append(to, image))
	}
}

// alike reports whether the rule allows moves between the last of some images and the
// others as it does between the pegs.
func (a *action) alike(to []uint8) bool {
	pegs, last := a.setup.pegs, len(to)-1
	for peg := range last {
		if a.rule.allows(peg, last, pegs) != a.rule.allows(int(to[peg]), int(to[last]), pegs) ||
			a.rule.allows(last, peg, pegs) != a.rule.allows(int(to[last]), int(to[peg]), pegs) {
			return false
		}
	}
	return true
}

// addTable adds the images of the arrangements of a chunk.
func (a *action) addTable(to []uint8) {
	table := make([]uint64, a.chunkStates)
	pegs := uint64(len(to))
	for i := range table {
		rest, power := uint64(i), uint64(1)
		for range a.chunkDiscs {
			table[i] += uint64(to[rest%pegs]) * power
			rest /= pegs
			power *= pegs
		}
	}
	a.tables = append(a.tables, table)
}

// image returns the image of a key. The last chunk may be padded with discs on the
// first peg, whose images are not part of the key.
func (a *action) image(key uint64, symmetry int) uint64 {
	table := a.tables[symmetry]
	image, power := uint64(0), uint64(1)
	for below := 0; below < a.discs; below += a.chunkDiscs {
		part := table[key%a.chunkStates]
		if left := a.discs - below; left < a.chunkDiscs {
			part %= a.powers[left]
		}
		image += part * power
		key /= a.chunkStates
		power *= a.chunkStates
	}
	return image
}

// least returns the least image of a key, and the first symmetry that leads to it.
// Images are compared by the chunk of the largest discs first, and only those that are
// not greater there are computed.
func (a *action) least(key uint64) (least uint64, first int) {
	top := key / a.topPower
	least, leastTop := key, top
	for g := 1; g < len(a.tables); g++ {
		imageTop := a.tables[g][top] % a.topStates
		if imageTop > leastTop {
			continue
		}
		if image := a.image(key, g); image < least {
			least, leastTop, first = image, imageTop, g
		}
	}
	return least, first
}

// First returns the first symmetry that leads to the least image.
func (a *action) First(state []uint64) int {
	_, first := a.least(state[0])
	return first
}

// Image writes the image of a state.
func (a *action) Image(dst, state []uint64, symmetry int) { dst[0] = a.image(state[0], symmetry) }

// Fixing counts the symmetries that map a state to itself.
func (a *action) Fixing(state []uint64) int {
	count := 0
	for g := range a.tables {
		if a.image(state[0], g) == state[0] {
			count++
		}
	}
	return count
}

// Merge replaces keys by the least of their images.
func (a *action) Merge(_, keys []uint64, moves []puzzle.Move) {
	n := puzzle.Move(len(a.tables))
	for i, key := range keys[:len(moves)] {
		least, first := a.least(key)
		keys[i], moves[i] = least, moves[i]*n+puzzle.Move(first)
	}
}
