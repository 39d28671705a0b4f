package bars

import "testing"

func TestBars(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ got, want string }{
		{Bar(0, 100, 10), ""},
		{Bar(1, 1_000_000, 10), "▏"},
		{Bar(50, 100, 4), "██"},
		{Bar(100, 100, 4), "████"},
		{Bar(101, 100, 4), "████"},
		{Bar(9, 16, 2), "█▏"},
		{Bar(1, 0, 4), ""},
		{Gauge(0, 10, 4), "░░░░"},
		{Gauge(5, 10, 4), "██░░"},
		{Gauge(11, 10, 4), "████"},
		{Gauge(1, 0, 4), "░░░░"},
		{Sparkline(nil, 10), ""},
		{Sparkline([]int64{0, 0}, 10), "▁▁"},
		{Sparkline([]int64{1, 4, 8}, 10), "▂▅█"},
		{Sparkline([]int64{1, 8, 2, 4}, 2), "█▅"},
		{Sparkline([]int64{1, 2}, 0), ""},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}
