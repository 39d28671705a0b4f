package explore

import (
	"errors"

	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/engine"
)

// storeFlag is the flag --store.
type storeFlag struct{ choice engine.StoreChoice }

func (f *storeFlag) String() string {
	switch f.choice {
	case engine.StoreAny: // the run's own; no flag selects it
	case engine.StoreAuto:
		return "auto"
	case engine.StoreLayers:
		return "layers"
	case engine.StoreTable:
		return "table"
	}
	return ""
}

// Set parses the flag.
func (f *storeFlag) Set(text string) error {
	for _, choice := range []engine.StoreChoice{engine.StoreAuto, engine.StoreLayers, engine.StoreTable} {
		if known := (&storeFlag{choice}); known.String() == text {
			*f = *known
			return nil
		}
	}
	return errors.New("must be auto, layers or table" + shell.Meant(text, []string{"auto", "layers", "table"}))
}

// Type returns the name of the value in help.
func (f *storeFlag) Type() string { return "STORE" }
