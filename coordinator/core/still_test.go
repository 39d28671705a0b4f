package core

import "testing"

// TestStill: of workers that stand still for so much of the time, the one that does most
// of the time is suspected, unless the others are not lively either. A slow one, which
// stands still for half of the time, is not.
func TestStill(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		stand []Ticks // percent
		want  string
	}{
		{"all are lively", []Ticks{0, 0, 0}, ""},
		{"one stands still", []Ticks{0, 98, 3}, "b"},
		{"one is slow", []Ticks{0, 60, 3}, ""},
		{"the machine that all are on is busy", []Ticks{90, 98, 95}, ""},
		{"half of the others are slow", []Ticks{50, 98, 0}, ""},
		{"two of five", []Ticks{0, 90, 98, 0, 0}, "c"},
		{"one of two", []Ticks{98, 0}, "a"},
		{"alone", []Ticks{98}, ""},
	} {
		var s Still
		var names []string
		for i, percent := range c.stand {
			name := string(rune('a' + i))
			names = append(names, name)
			for at := Ticks(0); at <= 30_000; at += 1000 {
				s.Call(at, 30_000, name, 1, at*percent/100)
			}
		}
		if got, _ := s.Suspect(names); got != c.want && !(c.want == "" && !second(s.Suspect(names))) {
			t.Errorf("%s: %q is suspected, want %q", c.name, got, c.want)
		}
	}
}

func second(_ string, is bool) bool { return is }

// TestStillForgets: a new process, and a new window, begin afresh.
func TestStillForgets(t *testing.T) {
	t.Parallel()
	var s Still
	s.Call(0, 1000, "a", 1, 0)
	s.Call(1000, 1000, "a", 1, 990)
	if !s.Stands("a") {
		t.Error("99 % of the time is not most of the time")
	}
	s.Call(1500, 1000, "a", 1, 990)
	if !s.Stands("a") {
		t.Error("half a window has decided")
	}
	s.Call(2000, 1000, "a", 1, 990)
	if s.Stands("a") {
		t.Error("it stood still before, and does not any more")
	}
	s.Call(3000, 1000, "a", 1, 1980)
	s.Call(3100, 1000, "a", 2, 0)
	if s.Stands("a") {
		t.Error("the process before stood still")
	}
}
