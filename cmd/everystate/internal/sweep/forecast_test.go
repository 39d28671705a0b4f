package sweep

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/sweep/forecast"
	"github.com/everystate/everystate/internal/sweep/rushhour"
	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// TestAnnounce has the usual sweep, and one that is too small to be announced.
func TestAnnounce(t *testing.T) {
	t.Parallel()
	large, err := rushhour.New(rules.Rules{ExitRow: -1})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // before the estimate: the size must be there all the same
	var size bytes.Buffer
	err = announce(ctx, &shell.Env{Err: &size}, &Sweeping{Workers: 2}, large)
	if !errors.Is(err, context.Canceled) || !strings.Contains(size.String(), "8,696 units of work with 27,103,652,326 states (") {
		t.Errorf("%q, %v", size.String(), err)
	}
	small, err := rushhour.New(rules.Rules{Size: rules.Square(3), ExitRow: -1})
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	if err := announce(t.Context(), &shell.Env{Err: &errs}, &Sweeping{Workers: 2}, small); err != nil || errs.Len() > 0 {
		t.Errorf("%q, %v", errs.String(), err)
	}
}

// The time beside other work is named if it is much longer, and not of what takes no time.
func TestAboutTime(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		alone, busy float64
		want        string
	}{
		{100, 120, "about 1 min 40 s with 2 workers on this machine"},
		{100, 200, "about 1 min 40 s with 2 workers on this machine, or 3 min 20 s while it is as busy as now"},
		{0.5, 5, "less than a second with 2 workers on this machine"},
	} {
		if got := aboutTime(forecast.Estimate{Alone: test.alone, Busy: test.busy}, 2); got != test.want {
			t.Errorf("%v alone, %v busy: %q, want %q", test.alone, test.busy, got, test.want)
		}
	}
}
