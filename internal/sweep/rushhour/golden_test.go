package rushhour

import (
	"testing"

	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// TestHardestFamilies sweeps the families of the hardest boards that are known.
// Each holds a puzzle that takes as many moves as is published.
func TestHardestFamilies(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		rules  rules.Rules
		moves  int
		board  string // of the representative, empty if the source has another
		states uint64
	}{
		{
			"the hardest with walls", rules.Rules{Family: "IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM"}, 60,
			"IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM", 2332,
		},
		{
			"the hardest without", rules.Rules{Family: "GBBoLoGHIoLMGHIAAMCCCKoMooJKDDEEJFFo"}, 51,
			"GBBoLoGHIoLMGHIAAMCCCKoMooJKDDEEJFFo", 4780,
		},
		{
			"the hardest without, in steps", rules.Rules{Family: "BBBKLM/HCCKLM/HoAALM/DDJooo/oIJoEE/oIFFGG", Step: true}, 93,
			"", 24132,
		},
		{
			"the same, in slides", rules.Rules{Family: "BBBKLM/HCCKLM/HoAALM/DDJooo/oIJoEE/oIFFGG"}, 49,
			"", 24132,
		},
	} {
		records, _ := all(t, test.rules)
		var hardest sweep.Record
		for _, r := range records {
			if hardest.Layers == nil || r.Distance() > hardest.Distance() {
				hardest = r
			}
		}
		if hardest.Layers == nil || hardest.Distance() != test.moves || hardest.States() != test.states ||
			test.board != "" && hardest.Board != test.board {
			t.Errorf("%s: %+v, want %d moves, %d states", test.name, hardest, test.moves, test.states)
		}
	}
}
