package quantity

import "testing"

func TestSpent(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		seconds   float64
		states    int64
		perSecond float64
		want      string
	}{
		{2, 3_000_000, 1_500_000, "2.0 s, 1,500,000 states per second"},
		{3.5, 3_000_000, 1_500_000, "3.5 s: 2.0 s for the states, 1,500,000 per second, and 1.5 s for goal distances"},
		{0, 1, 0, "0.000 s, 0 states per second"},
	} {
		if got := Spent(test.seconds, test.states, test.perSecond); got != test.want {
			t.Errorf("%v s for %d states: %q, want %q", test.seconds, test.states, got, test.want)
		}
	}
}
