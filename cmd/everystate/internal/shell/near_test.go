package shell

import (
	"os"
	"slices"
	"testing"
)

func TestNearest(t *testing.T) {
	known := []string{"rushhour", "sokoban", "blocks", "astar", "wastar", "idastar", "top", "goal-distance", "step", "slide", "pocket-cube", "15-puzzle"}
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
		"cube":         {"pocket-cube"},
		"15":           {"15-puzzle"},
		"furlong":      nil,
		"":             nil,
		"-":            nil,
	} {
		if got := nearest(name, known); !slices.Equal(got, want) {
			t.Errorf("%q: %q, not %q", name, got, want)
		}
	}
}

// TestRedraws has terminals, and one that knows no escape sequences.
func TestRedraws(t *testing.T) {
	for kind, want := range map[string]bool{"xterm-256color": true, "": true, "dumb": false} {
		t.Setenv("TERM", kind)
		if got := (Terminal{os.Stdout}).Redraws(); got != want {
			t.Errorf("TERM=%s: %v", kind, got)
		}
	}
	if (Terminal{}).Redraws() {
		t.Error("what is no terminal redraws")
	}
}
