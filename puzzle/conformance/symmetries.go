package conformance

import (
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// checkSymmetries checks the usual group of symmetries of a puzzle that has one. A
// puzzle may say that there is none.
func checkSymmetries(c *checker) {
	p, ok := c.p.(puzzle.Symmetric)
	if !ok {
		return
	}
	c.doing = said("Symmetries")
	s, err := p.Symmetries("on")
	if err != nil {
		return
	}
	g := &groupChecker{checker: c, Symmetries: s, count: len(s.Names)}
	if !g.checkTables() {
		return
	}
	var states [][]uint64
	for start := range slices.Chunk(s.Puzzle.Starts(), c.words) {
		states = append(states, start)
	}
	for _, state := range c.states[:min(len(c.states), groupStatesMax, 1+groupImagesMax/g.count)] {
		if words := c.wordsOf(state); s.Puzzle.Valid(words) {
			states = append(states, words)
		}
	}
	for _, state := range states {
		g.checkState(state)
	}
}

// Bounds of the states whose images under every symmetry are examined, and of all
// their images.
const (
	groupStatesMax = 60
	groupImagesMax = 2000
)

// groupChecker examines a group of symmetries.
type groupChecker struct {
	*checker
	*puzzle.Symmetries
	count int
}

// checkTables checks the sizes of the tables, and that each maps moves one to one.
func (g *groupChecker) checkTables() bool {
	moves := g.Puzzle.Layout().Moves
	if g.count == 0 || len(g.Moves) != g.count || len(g.Inverse) != g.count {
		g.fault("symmetry", "Symmetries names %d symmetries, but has the moves of %d and the inverses of %d", g.count, len(g.Moves), len(g.Inverse))
		return false
	}
	for n, images := range g.Moves {
		inverse := g.Inverse[n]
		if inverse < 0 || inverse >= g.count || len(images) != moves || len(g.Moves[inverse]) != moves {
			g.fault("symmetry", "symmetry %d has %d images of moves and the inverse %d: there are %d moves and %d symmetries", n, len(images), inverse, moves, g.count)
			return false
		}
		for m, image := range images {
			if int(image) >= moves || n == 0 && int(image) != m || int(g.Moves[inverse][image]) != m {
				g.fault("symmetry", "symmetry %d maps move %d to %d, and its inverse does not map that back; symmetry 0 must be the identity", n, m, image)
				return false
			}
		}
	}
	return true
}

// checkState checks the images of a state, of its successors and of its goal mark.
func (g *groupChecker) checkState(state []uint64) {
	where := func() string { return g.name(state) }
	images := make([][]uint64, g.count)
	first := g.First(state)
	if first < 0 || first >= g.count {
		g.fault("symmetry", "First of %s is %d: must be 0 to %d", where(), first, g.count-1)
		return
	}
	fixing := 0
	marks := make([]bool, 2)
	g.Puzzle.Goals(state, marks[:1])
	for n := range images {
		images[n] = make([]uint64, g.words)
		g.Image(images[n], state, n)
		if slices.Equal(images[n], state) {
			fixing++
		}
		if !g.Puzzle.Valid(images[n]) {
			g.fault("symmetry", "symmetry %d maps %s to %s, which is not a state", n, where(), hex(images[n]))
			return
		}
		back := slices.Clone(images[n])
		if g.Image(back, back, g.Inverse[n]); !slices.Equal(back, state) || n == 0 && fixing == 0 {
			g.fault("symmetry", "symmetry %d maps %s to %s, and its inverse does not map that back; symmetry 0 must be the identity", n, where(), g.name(images[n]))
		}
		if g.Puzzle.Goals(images[n], marks[1:]); marks[0] != marks[1] {
			g.fault("symmetric goals", "symmetry %d maps %s to %s, but only one of them is a goal", n, where(), g.name(images[n]))
		}
		g.checkMoves(state, images[n], n)
	}
	if got := g.Fixing(state); got != fixing {
		g.fault("symmetry", "Fixing of %s is %d, but %d of its images are the state itself", where(), got, fixing)
	}
	g.checkOrbit(state, images, first)
}

// checkOrbit checks that all images have one representative, and that the symmetries
// are closed: the images of an image are those of the state.
func (g *groupChecker) checkOrbit(state []uint64, images [][]uint64, first int) {
	rep, twice := images[first], make([]uint64, g.words)
	for n, image := range images {
		if g.Image(twice, image, g.First(image)); !slices.Equal(twice, rep) {
			g.fault("symmetry", "%s and its image under symmetry %d have different representatives", g.name(state), n)
		}
		again := g.random.below(g.count)
		g.Image(twice, image, again)
		if !slices.ContainsFunc(images, func(other []uint64) bool { return slices.Equal(other, twice) }) {
			g.fault("symmetry group", "no symmetry maps %s where symmetry %d and then %d do: they are not a group", g.name(state), n, again)
		}
	}
	if got := g.First(rep); got != 0 {
		g.fault("symmetry", "First of the representative %s is %d: must be 0", g.name(rep), got)
	}
}

// checkMoves checks that a symmetry maps the moves of a state to those of its image,
// and that Merge agrees with First and Image.
func (g *groupChecker) checkMoves(state, image []uint64, n int) {
	var edges puzzle.Edges
	g.Puzzle.Successors(state, &edges)
	next, dst := make([]uint64, g.words), make([]uint64, g.words)
	for i, m := range edges.Moves {
		key := edges.Keys[i*g.words : (i+1)*g.words]
		g.Image(next, key, n)
		if !g.Puzzle.Apply(dst, image, g.Moves[n][m]) || !slices.Equal(dst, next) {
			g.fault("symmetry", "symmetry %d maps move %d (%s) of %s to move %d, which does not lead to the image of the state after it",
				n, m, g.Puzzle.FormatMove(m), g.name(state), g.Moves[n][m])
		}
	}
	if n > 0 {
		return
	}
	merged := puzzle.Edges{Keys: slices.Clone(edges.Keys), Moves: slices.Clone(edges.Moves)}
	g.Merge(state, merged.Keys, merged.Moves)
	for i, m := range edges.Moves {
		key := edges.Keys[i*g.words : (i+1)*g.words]
		first := g.First(key)
		g.Image(next, key, first)
		if !slices.Equal(next, merged.Keys[i*g.words:(i+1)*g.words]) || int(merged.Moves[i]) != int(m)*g.count+first {
			g.fault("symmetry", "Merge of move %d of %s does not give the representative and the symmetry that First and Image give", m, g.name(state))
		}
	}
}
