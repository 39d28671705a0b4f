package grading

import (
	"context"
	"errors"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/internal/grade"
	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/database"
	"github.com/everystate/everystate/internal/sweep/pack"
	"github.com/everystate/everystate/internal/sweep/rushhour"
	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// swept is a complete sweep of the solvable clusters of 4x4.
func swept(t *testing.T) (*database.Database, *pack.Boards) {
	t.Helper()
	e, err := rushhour.New(rules.Rules{Size: rules.Square(4), ExitRow: -1, Everything: true})
	if err != nil {
		t.Fatal(err)
	}
	d, err := database.Create("sweep", e.Rules(), database.Options{FS: vfs.NewMem(), Units: e.Units()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := sweep.Run(t.Context(), e, sweep.Part{}, d, 2); err != nil {
		t.Fatal(err)
	}
	boards, err := pack.BoardsOf(d.Rules())
	if err != nil {
		t.Fatal(err)
	}
	return d, boards
}

// TestRun is stopped after some records, and then measures the others: with any number of
// workers each record has the measures of its board.
func TestRun(t *testing.T) {
	t.Parallel()
	d, boards := swept(t)
	ctx, stop := context.WithCancel(t.Context())
	left := 3
	err := d.Chunks(func(c *database.Chunk) error {
		if left--; left == 0 {
			stop()
			return ctx.Err()
		}
		var e pack.Explorer
		if err := measure(ctx, &e, boards, c); err != nil {
			return err
		}
		return d.Measure(c)
	})
	if !errors.Is(err, context.Canceled) || d.Graded() {
		t.Fatalf("stopped: %v", err)
	}
	var p Progress
	if err := Run(ctx, d, boards, 2, &p); !errors.Is(err, context.Canceled) || d.Graded() {
		t.Errorf("cancelled: %v", err)
	}
	if p.Done.Load() != 0 || p.All.Load() != 0 { // stopped before it has read all records
		t.Errorf("cancelled: %d of %d measured", p.Done.Load(), p.All.Load())
	}
	if err := Run(t.Context(), d, boards, 3, &p); err != nil || !d.Graded() {
		t.Fatal(err)
	}
	if all := int64(d.Totals().Records); p.Done.Load() != all || p.All.Load() != all {
		t.Errorf("%d of %d measured, of %d records", p.Done.Load(), p.All.Load(), all)
	}
	var e pack.Explorer
	n := 0
	for r, err := range d.Select(database.Everything(), database.ByDistance) {
		if err != nil {
			t.Fatal(err)
		}
		b, err := boards.Board(r)
		if err != nil {
			t.Fatal(err)
		}
		want, err := e.Measure(t.Context(), r, b)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := grade.FromNumbers(r.Distance(), r.States(), r.Measures); !ok || got != want {
			t.Fatalf("%s has %+v, want %+v", r.Board, got, want)
		}
		n++
	}
	if n < 300 {
		t.Errorf("%d records", n)
	}
}

// TestDamagedRecord: a record that says something else of its board than the board does ends
// the measuring.
func TestDamagedRecord(t *testing.T) {
	t.Parallel()
	_, boards := swept(t)
	r := sweep.Record{Board: "BBoFAAoFECCCEoDD", Layers: []uint64{4, 4, 6, 5, 4, 6, 3, 2}}
	if err := measureOne(t.Context(), new(pack.Explorer), boards, &r); err == nil {
		t.Error("it has measures")
	}
}
