package sweep_test

import (
	"reflect"
	"testing"

	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/rushhour"
	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// unitOf does a unit of the 4x4 boards.
func unitOf(tb testing.TB, unit int) sweep.Findings {
	tb.Helper()
	e, err := rushhour.New(rules.Rules{Size: rules.Square(4), ExitRow: -1})
	if err != nil {
		tb.Fatal(err)
	}
	f, err := e.Worker().Do(tb.Context(), unit)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

func TestFindingsTravel(t *testing.T) {
	t.Parallel()
	records := 0
	for unit := range 12 {
		f := unitOf(t, unit)
		records += len(f.Records)
		b, err := sweep.EncodeFindings(&f)
		if err != nil {
			t.Fatal(err)
		}
		got, err := sweep.DecodeFindings(unit, b)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, f) {
			t.Errorf("unit %d: %+v\nwant %+v", unit, got, f)
		}
		totals, err := sweep.DecodeTotals(b)
		if err != nil || !reflect.DeepEqual(totals, f.Totals) {
			t.Errorf("unit %d: totals %+v (%v)\nwant %+v", unit, totals, err, f.Totals)
		}
		if _, err := sweep.DecodeFindings(unit+1, b); err == nil {
			t.Errorf("unit %d passes for the next", unit)
		}
		if _, err := sweep.DecodeFindings(unit, b[:len(b)-1]); err == nil {
			t.Errorf("unit %d: an end that is missing is not noticed", unit)
		}
		f.Totals.Clusters++
		if b, err = sweep.EncodeFindings(&f); err != nil {
			t.Fatal(err)
		}
		if _, err := sweep.DecodeFindings(unit, b); err == nil {
			t.Errorf("unit %d: a count that is wrong is not noticed", unit)
		}
	}
	if records == 0 {
		t.Error("no unit has records: nothing was told")
	}
}

func FuzzFindings(f *testing.F) {
	for unit := range 3 {
		found := unitOf(f, unit)
		b, err := sweep.EncodeFindings(&found)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(unit, b)
	}
	f.Fuzz(func(t *testing.T, unit int, b []byte) {
		found, err := sweep.DecodeFindings(unit, b)
		if err != nil {
			return
		}
		if _, err := sweep.DecodeTotals(b); err != nil {
			t.Errorf("the totals of good findings: %v", err)
		}
		again, err := sweep.EncodeFindings(&found)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sweep.DecodeFindings(unit, again); err != nil {
			t.Errorf("written again: %v", err)
		}
	})
}
