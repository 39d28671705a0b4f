package kinds_test

import (
	"strings"
	"testing"

	"github.com/everystate/everystate/sweep/kinds"
	"github.com/everystate/everystate/sweep/rushhour"
)

func TestOpen(t *testing.T) {
	for _, rules := range []rushhour.Rules{
		{Size: 4, ExitRow: -1},
		{Size: 5, ExitRow: 1, Step: true, WallsMax: 1, Lengths: []int{2}, Limits: []rushhour.Limit{{Vertical: true, Length: 2, Most: 3}, {Length: 2, Most: 1}}},
		{Size: 4, ExitRow: 0, Everything: true, MinDistance: 2, Sample: 7, FullRows: true, FullColumns: true},
		{Size: 5, ExitRow: 2, MirrorsMerged: true, PrimaryRowShared: true},
	} {
		e, err := rushhour.New(rules)
		if err != nil {
			t.Fatal(err)
		}
		again, err := kinds.Open(e.Rules())
		if err != nil {
			t.Errorf("%s: %v", e.Rules(), err)
			continue
		}
		if again.Rules() != e.Rules() || again.Units() != e.Units() {
			t.Errorf("read again: %d units of\n%s, want %d of\n%s", again.Units(), again.Rules(), e.Units(), e.Rules())
		}
	}
	e, _ := rushhour.New(rushhour.Rules{Size: 4, ExitRow: -1})
	for _, text := range []string{"", "sweep: chess\n", e.Rules() + "sample: 1/1\n", strings.Replace(e.Rules(), "4x4", "9x9", 1), strings.TrimSuffix(e.Rules(), "\n"), e.Rules() + "limits: q=1\n"} {
		if _, err := kinds.Open(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}
