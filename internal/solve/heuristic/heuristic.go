// Package heuristic estimates how far states are from a goal, to guide searches.
// Every estimate here is admissible: it never exceeds the fewest moves, so A* and
// IDA* stay optimal. It must never search.
package heuristic

import (
	"fmt"
	"strings"

	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/blocks"
	"github.com/everystate/everystate/puzzle/rushhour"
	"github.com/everystate/everystate/puzzle/tiles"
)

// A Kind is a heuristic for the puzzles of a family.
type Kind struct {
	Name   string
	Family string
	New    func(b *puzzle.Board) (solve.Heuristic, error)
}

// All returns the kinds of heuristics, the best of each family first.
func All() []Kind {
	return []Kind{
		{"linear-conflict", tiles.Family, newLinearConflict},
		{"manhattan", tiles.Family, newManhattan},
		{"blockers", rushhour.Family, newBlockers},
		{"places", blocks.Family, newPlaces},
	}
}

// For returns the heuristic with a name for a board. The empty name means the
// family's best, if it has one, and "none" means nil.
func For(b *puzzle.Board, name string) (solve.Heuristic, error) {
	if name == "none" {
		return nil, nil //nolint:nilnil // No heuristic is not an error.
	}
	var known []string
	for _, k := range All() {
		if k.Family != b.Family {
			continue
		}
		if name == "" || name == k.Name {
			h, err := k.New(b)
			if err != nil && name == "" {
				continue
			}
			return h, err
		}
		known = append(known, k.Name)
	}
	if name == "" {
		return nil, nil //nolint:nilnil // As above.
	}
	return nil, fmt.Errorf("%s has no heuristic %q; it has %s", b.Family, name, strings.Join(append(known, "none"), ", "))
}

// each estimates states one at a time.
type each struct {
	words int
	one   func(state []uint64) int32
}

func (e each) Estimate(states []uint64, h []int32) {
	for i := range h {
		h[i] = e.one(states[i*e.words : (i+1)*e.words])
	}
}

// Max returns the maximum of several admissible heuristics.
func Max(all ...solve.Heuristic) solve.Heuristic { return greatest(all) }

type greatest []solve.Heuristic

func (g greatest) Estimate(states []uint64, h []int32) {
	clear(h)
	other := make([]int32, len(h))
	for _, one := range g {
		one.Estimate(states, other)
		for i := range h {
			h[i] = max(h[i], other[i])
		}
	}
}
