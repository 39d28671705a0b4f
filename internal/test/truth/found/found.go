// Package found tells what a run has found as package truth compares it. It must
// never compare anything itself.
package found

import (
	"fmt"

	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/test/truth"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// Check compares what a run of a record's board has found with the record, whose states
// may be in another notation than the program's.
func Check(r *truth.Record, s *engine.Summary, distances bool) error {
	asked := *r
	if h := r.Hardest; h != nil && h.Example != nil {
		example, err := written(r, *h.Example)
		if err != nil {
			return fmt.Errorf("%s: the hardest example is not read: %w", r.ID, err)
		}
		hardest := *h
		hardest.Example, asked.Hardest = &example, &hardest
	}
	return asked.Check(by(s), distances)
}

// written returns a state of a record's board as the program writes it.
func written(r *truth.Record, state string) (string, error) {
	text, err := r.Text()
	if err != nil {
		return "", err
	}
	boards, err := families.Read([]byte(text), puzzle.ReadOptions{Metric: r.Metric})
	if err != nil {
		return "", err
	}
	key, err := boards[0].Puzzle.Parse(state)
	if err != nil {
		return "", err
	}
	return boards[0].Puzzle.Format(key), nil
}

func by(s *engine.Summary) *truth.Space {
	space := &truth.Space{
		Complete: s.Complete, States: s.States, Layers: s.Layers,
		Goals: s.GoalStates, SolutionLength: s.SolutionLength,
		DistanceToGoal: s.GoalDistanceLayers, Dead: s.UnsolvableStates,
	}
	if h := s.Hardest; h != nil {
		space.Hardest = &truth.Hardest{Distance: h.Distance, Count: &h.Count, Example: &h.Example}
	}
	return space
}
