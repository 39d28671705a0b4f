package stored

import (
	"testing"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/table"
)

// Whatever differs in a layer is a fault; goals of the goal phase are not counted.
func TestSameLayer(t *testing.T) {
	t.Parallel()
	committed := history.Layer{Phase: history.Forward, Depth: 3, States: 5, PartStates: []int64{2, 3}, Goals: 1, Represented: 9, Generated: 20}
	for name, change := range map[string]func(l *table.Layer){
		"":            func(*table.Layer) {},
		"states":      func(l *table.Layer) { l.States++ },
		"parts":       func(l *table.Layer) { l.PartStates = []int64{3, 2} },
		"digest":      func(l *table.Layer) { l.Digest.AddNarrow(1, 2, 3) },
		"goals":       func(l *table.Layer) { l.Goals-- },
		"represented": func(l *table.Layer) { l.Represented-- },
		"generated":   func(l *table.Layer) { l.Generated++ },
	} {
		got := table.Layer{Depth: 3, States: 5, PartStates: []int64{2, 3}, Goals: 1, Represented: 9, Generated: 20}
		change(&got)
		if err := sameLayer(committed, got); (err == nil) != (name == "") {
			t.Errorf("%q: %v", name, err)
		}
		goal := committed
		goal.Phase = history.Goal
		if err := sameLayer(goal, got); (err == nil) != (name == "" || name == "goals") {
			t.Errorf("%q in the goal phase: %v", name, err)
		}
	}
}
