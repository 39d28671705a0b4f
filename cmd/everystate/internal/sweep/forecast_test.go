package sweep

import (
	"bytes"
	"strings"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/sweep/rushhour"
)

// TestAnnounce has the usual sweep, and one that is too small to be announced.
func TestAnnounce(t *testing.T) {
	t.Parallel()
	large, err := rushhour.New(rushhour.Rules{ExitRow: -1})
	if err != nil {
		t.Fatal(err)
	}
	const want = "8,696 units of work with 27,103,652,326 states: about 27 min 00 s with 2 workers on this machine"
	if got := announcement(large, 2, 27*60); !strings.HasPrefix(got, want) {
		t.Errorf("%s", got)
	}
	small, err := rushhour.New(rushhour.Rules{Size: 3, ExitRow: -1})
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	if err := announce(t.Context(), &shell.Env{Err: &errs}, &Sweeping{Workers: 2}, small); err != nil || errs.Len() > 0 {
		t.Errorf("%q, %v", errs.String(), err)
	}
}
