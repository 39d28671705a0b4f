package symmetry

import (
	"slices"
	"sync"

	"github.com/everystate/everystate/puzzle"
)

// merged is a puzzle whose states are the representatives of the orbits of another's.
type merged struct {
	*puzzle.Symmetries
	base   puzzle.Puzzle // the other puzzle
	layout puzzle.Layout
	words  int
	count  int // of symmetries
	starts []uint64
	least  []puzzle.Move // of the images of each move
	// relations holds the relation of each of some moves of base with each other, or is nil.
	relations []relation
	moves     int

	ranks func() *puzzle.Ranks
}

// goalLister is a merged puzzle of one that lists its goals, backward one of a puzzle
// that generates predecessors.
type (
	goalLister struct {
		*merged
		listing puzzle.GoalLister
	}
	backward struct {
		*merged
		undoing puzzle.Backward
	}
	both struct {
		*merged
		goalLister
		backward
	}
)

var (
	_ puzzle.Merged             = (*merged)(nil)
	_ puzzle.Weighted           = (*merged)(nil)
	_ puzzle.Onward             = (*merged)(nil)
	_ puzzle.Pictured           = (*merged)(nil)
	_ puzzle.SolvabilityChecker = (*merged)(nil)
	_ puzzle.Defined            = (*merged)(nil)
	_ puzzle.Merging            = (*merged)(nil)
	_ puzzle.Failing            = (*merged)(nil)
	_ puzzle.Retrograde         = (*merged)(nil)
	_ puzzle.Sized              = (*merged)(nil)
	_ puzzle.Phased             = (*merged)(nil)
	_ puzzle.RankCounter        = (*merged)(nil)
	_ puzzle.Dense              = (*merged)(nil)
	_ puzzle.GoalLister         = goalLister{}
	_ puzzle.Backward           = backward{}
)

// Merge returns the puzzle whose states are the representatives. It reports false if
// there would be too many moves.
func Merge(s *puzzle.Symmetries) (puzzle.Puzzle, bool) {
	m := &merged{Symmetries: s, base: s.Puzzle, layout: s.Puzzle.Layout(), count: len(s.Names)}
	if m.count > puzzle.SymmetriesMax || m.layout.Moves*m.count > puzzle.MovesMax {
		return nil, false
	}
	m.setRelations(m.layout.Moves)
	for id := range m.layout.Moves {
		least := puzzle.Move(id)
		for _, images := range s.Moves {
			least = min(least, images[id])
		}
		m.least = append(m.least, least)
	}
	m.words = m.layout.Words()
	m.layout.Moves *= m.count
	m.starts = m.represented(m.base.Starts())
	m.ranks = sync.OnceValue(func() *puzzle.Ranks {
		if ranker, ok := m.SymmetryAction.(puzzle.OrbitRanker); ok {
			return ranker.OrbitRanks()
		}
		return nil
	})
	listing, lists := m.base.(puzzle.GoalLister)
	undoing, back := m.base.(puzzle.Backward)
	switch {
	case lists && back:
		return both{m, goalLister{m, listing}, backward{m, undoing}}, true
	case lists:
		return goalLister{m, listing}, true
	case back:
		return backward{m, undoing}, true
	}
	return m, true
}

// represented returns the representatives of states, each once.
func (m *merged) represented(states []uint64) []uint64 {
	var keys []uint64
	for state := range slices.Chunk(slices.Clone(states), m.words) {
		m.Represent(state, state)
		known := false
		for other := range slices.Chunk(keys, m.words) {
			known = known || slices.Equal(other, state)
		}
		if !known {
			keys = append(keys, state...)
		}
	}
	return keys
}

func (m *merged) Unmerged() puzzle.Puzzle { return m.base }

func (m *merged) Represent(dst, state []uint64) { m.Image(dst, state, m.First(state)) }

func (m *merged) Plain(move puzzle.Move) puzzle.Move { return move * puzzle.Move(m.count) }

func (m *merged) Bare(move puzzle.Move) puzzle.Move { return move / puzzle.Move(m.count) }

func (m *merged) Layout() puzzle.Layout { return m.layout }

func (m *merged) Starts() []uint64 { return slices.Clone(m.starts) }

// GoalStates returns the representatives of the goals.
func (m goalLister) GoalStates() []uint64 {
	return m.represented(m.listing.GoalStates())
}

// Valid reports whether key is a representative.
func (m *merged) Valid(key []uint64) bool { return m.base.Valid(key) && m.First(key) == 0 }

func (m *merged) Goals(states []uint64, marks []bool) { m.base.Goals(states, marks) }

// Merges reports whether the other puzzle has moves that lead from several states to
// one.
func (m *merged) Merges() bool { return puzzle.Merges(m.base) }

// Err returns the failure of the other puzzle, or nil.
func (m *merged) Err() error { return puzzle.Err(m.base) }

// Retrograde reports whether the other puzzle is explored from its goals.
func (m *merged) Retrograde() bool { return puzzle.IsRetrograde(m.base) }

// Weights counts the states of the orbits.
func (m *merged) Weights(states, weights []uint64) {
	for i := range weights {
		weights[i] = uint64(m.count / m.Fixing(states[i*m.words:(i+1)*m.words]))
	}
}

// Ranks returns the ranks of the representatives where the symmetries know them, or nil.
func (m *merged) Ranks() *puzzle.Ranks { return m.ranks() }

// RankCount returns their number.
func (m *merged) RankCount() int64 {
	if r := m.ranks(); r != nil {
		return r.States()
	}
	return 0
}

// Size returns the number of orbits where the symmetries know it, and otherwise at most as
// many as there are states.
func (m *merged) Size() puzzle.Size {
	if counter, ok := m.SymmetryAction.(puzzle.OrbitCounter); ok {
		return counter.Orbits()
	}
	sized, ok := m.base.(puzzle.Sized)
	if !ok {
		return puzzle.Size{}
	}
	size := sized.Size()
	size.Exact, size.Formula = false, ""
	return size
}

func (m *merged) Unsolvable(state []uint64) string {
	if knows, ok := m.base.(puzzle.SolvabilityChecker); ok {
		return knows.Unsolvable(state)
	}
	return ""
}

// WithSolved calls f with the states of the orbit in which some pieces are solved.
func (m *merged) WithSolved(pieces string) (func(state []uint64, f func(state []uint64)), error) {
	solved, err := puzzle.WithSolved(m.base, pieces)
	if err != nil {
		return nil, err
	}
	var images []uint64
	return func(state []uint64, f func(state []uint64)) {
		images = images[:0]
		for g := range m.count {
			at := len(images)
			images = append(images, state...)
			image := images[at:]
			m.Image(image, state, g)
			for other := range slices.Chunk(images[:at], m.words) {
				if slices.Equal(other, image) {
					images = images[:at]
					break
				}
			}
			if len(images) > at {
				solved(image, f)
			}
		}
	}, nil
}

// Definition writes the definition of the other puzzle.
func (m *merged) Definition(format string) (text, what string, ok bool) {
	if defined, is := m.base.(puzzle.Defined); is {
		return defined.Definition(format)
	}
	return "", "this puzzle has its own notation, and no definition of moves", false
}

func (m *merged) Format(state []uint64) string { return m.base.Format(state) }

func (m *merged) Draw(state []uint64) string { return m.base.Draw(state) }

func (m *merged) Picture(state []uint64) *puzzle.Picture { return m.Puzzle.Picture(state) }

// Parse reads a state, which need not be a representative.
func (m *merged) Parse(text string) ([]uint64, error) { return m.base.Parse(text) }

// FormatMove names a move and the symmetry after it.
func (m *merged) FormatMove(move puzzle.Move) string {
	name := m.base.FormatMove(puzzle.Move(int(move) / m.count))
	if g := int(move) % m.count; g > 0 {
		name += " " + m.Names[g]
	}
	return name
}
