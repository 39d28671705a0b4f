// Package found tells what a run has found as package truth compares it. It must
// never compare anything itself.
package found

import (
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/test/truth"
)

// By returns what a run has found.
func By(s *engine.Summary) *truth.Space {
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
