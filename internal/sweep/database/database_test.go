package database

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/rushhour"
	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
	"github.com/everystate/everystate/internal/test/crashdisk"
)

func enumeration(t *testing.T) *rushhour.Enumeration {
	t.Helper()
	e, err := rushhour.New(rules.Rules{Size: rules.Square(4), ExitRow: -1})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func create(t *testing.T, fs vfs.FS, rules string) *Database {
	t.Helper()
	d, err := Create("sweep", rules, Options{FS: fs})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// counts commits some units of an enumeration and then has it stop.
type counts struct {
	*Database
	left int
	stop context.CancelFunc
}

func (c *counts) Commit(unit int, f *sweep.Findings) error {
	err := c.Database.Commit(unit, f)
	if c.left--; c.left == 0 {
		c.stop()
	}
	return err
}

// TestInterruptedSweepIsTheSame stops a sweep after every few units, loses what
// was not synced, and goes on with another number of workers.
func TestInterruptedSweepIsTheSame(t *testing.T) {
	t.Parallel()
	e := enumeration(t)
	whole := create(t, vfs.NewMem(), e.Rules())
	if err := sweep.Run(t.Context(), e, sweep.Part{}, whole, 1); err != nil {
		t.Fatal(err)
	}
	want := whole.Totals()
	if want.Clusters != 880 || want.Puzzles != 32 || want.Records != 32 {
		t.Fatalf("whole: %+v", want)
	}
	disk := crashdisk.New()
	lost := 0
	for round := 1; ; round++ {
		d := create(t, disk, e.Rules())
		ctx, stop := context.WithCancel(t.Context())
		err := sweep.Run(ctx, e, sweep.Part{}, &counts{d, 3, stop}, round%3+1)
		stop()
		if round%2 == 0 {
			if n, err := d.Sync(); err != nil || n != d.Totals().Units {
				t.Fatalf("%d units are synced: %v", n, err)
			}
		}
		before, saved := d.Totals(), d.saved
		// The machine crashes here: only what is synced is left.
		disk = crashdisk.Of(disk.Cut())
		if err := errors.Join(d.Close()); err != nil {
			t.Fatal(err)
		}
		d = create(t, disk, e.Rules())
		got := d.Totals()
		switch {
		case got.Units < saved || got.Units > before.Units || d.saved != got.Units:
			t.Fatalf("round %d: %d units are left of %d, of which %d were saved", round, got.Units, before.Units, saved)
		case got.Units == before.Units && got.Digest != before.Digest:
			t.Fatalf("round %d: %+v, want %+v", round, got, before)
		case round%2 == 0 && got.Units != before.Units:
			t.Fatalf("round %d: %d units are left of %d that were synced", round, got.Units, before.Units)
		case got.Units < before.Units:
			lost++
			err = context.Canceled // though it may have been the end
		}
		if err == nil {
			if got.Digest != want.Digest || got.Units != want.Units || round < 3 || lost == 0 {
				t.Errorf("after %d rounds, %d of which lost units: %+v, want %+v", round, lost, got, want)
			}
			if a, b := boards(t, d, ByDistance), boards(t, whole, ByDistance); !slices.Equal(a, b) {
				t.Errorf("records are\n%q, want\n%q", a, b)
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			return
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func boards(t *testing.T, d *Database, order Order) (all []string) {
	t.Helper()
	for r, err := range d.Records(order) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r.Board)
	}
	return all
}

func TestIndexesHaveAllRecordsInOrder(t *testing.T) {
	t.Parallel()
	e := enumeration(t)
	d := create(t, vfs.NewMem(), e.Rules())
	if err := sweep.Run(t.Context(), e, sweep.Part{}, d, 2); err != nil {
		t.Fatal(err)
	}
	want := boards(t, d, ByID)
	slices.Sort(want)
	for order, rank := range map[Order]func(*sweep.Record) int{
		ByDistance: func(r *sweep.Record) int { return -r.Distance() },
		ByStates:   func(r *sweep.Record) int { return -int(r.States()) },
		ByPieces:   func(r *sweep.Record) int { return r.Pieces },
		BySecond:   func(r *sweep.Record) int { return int(r.Attribute(second)) },
	} {
		var ranks []int
		for r, err := range d.Records(order) {
			if err != nil {
				t.Fatal(err)
			}
			ranks = append(ranks, rank(r))
		}
		got := boards(t, d, order)
		slices.Sort(got)
		if !slices.IsSorted(ranks) || !slices.Equal(got, want) {
			t.Errorf("index %c: ranks %v of %d records", order, ranks, len(got))
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestOtherRulesAreRefused(t *testing.T) {
	t.Parallel()
	fs := vfs.NewMem()
	d := create(t, fs, "size: 4x4\nwalls: 0..0\n")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := Create("sweep", "size: 4x4\nwalls: 0..1\n", Options{FS: fs})
	var other *RulesError
	if !errors.As(err, &other) || other.Error() != "is a sweep with different rules: it has walls: 0..0, not walls: 0..1" {
		t.Errorf("error is %v", err)
	}
	if _, err := Open("elsewhere", Options{FS: fs}); !errors.Is(err, ErrNotExist) {
		t.Errorf("error is %v", err)
	}
}
