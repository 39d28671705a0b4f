package sweep

import (
	"bytes"
	"strings"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/sweep/rushhour"
)

// TestAnnounce has a large sweep and a small one.
func TestAnnounce(t *testing.T) {
	for size, want := range map[int]string{3: "", 6: " states to go through: about "} {
		e, err := rushhour.New(rushhour.Rules{Size: size, ExitRow: -1})
		if err != nil {
			t.Fatal(err)
		}
		var errs bytes.Buffer
		env := &shell.Env{Err: &errs}
		if err := announce(t.Context(), env, &Sweeping{Workers: 2}, e); err != nil || (errs.String() == "") != (want == "") || !strings.Contains(errs.String(), want) {
			t.Errorf("%d: %q, %v", size, errs.String(), err)
		}
	}
}
