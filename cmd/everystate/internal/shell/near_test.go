package shell

import (
	"slices"
	"testing"
)

func TestNearest(t *testing.T) {
	known := []string{"rushhour", "sokoban", "blocks", "astar", "wastar", "idastar", "top", "goal-distance", "step", "slide"}
	for name, want := range map[string][]string{
		"rush-hour":    {"rushhour"},
		"rush":         {"rushhour"},
		"A*":           {"astar"},
		"IDA*":         {"idastar"},
		"tpo":          {"top"},
		"goal-distnce": {"goal-distance"},
		"slid":         {"slide"},
		"blokcs":       {"blocks"},
		"stepp":        {"step"},
		"furlong":      nil,
		"":             nil,
		"-":            nil,
	} {
		if got := nearest(name, known); !slices.Equal(got, want) {
			t.Errorf("%q: %q, not %q", name, got, want)
		}
	}
}
