package main

import (
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/sweep/database"
	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// TestSweepOfEarlierVersion goes on with the sweep of a version that visited more: it is
// continued as it began, and adds up with one of this version as far as records go.
func TestSweepOfEarlierVersion(t *testing.T) {
	t.Parallel()
	before := rules.Rules{Size: rules.Size{Rows: 4, Columns: 5}, ExitRow: -1, Reduced: true, ReducedAs: 1}
	before.EnsureDefaults()
	dir := t.TempDir()
	db, err := database.Create(dir, before.String(), database.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	old := sweepOf(t, "rushhour", "--size", "4x5", "--data", dir)
	now := sweepOf(t, "rushhour", "--size", "4x5", "--data", t.TempDir())
	if !strings.Contains(old.Rules, "visits: reduced-1") || !strings.Contains(now.Rules, "visits: reduced-3") {
		t.Errorf("the rules are %q and %q", old.Rules, now.Rules)
	}
	if !old.Complete || old.OfRecords != now.OfRecords || old.States <= now.States {
		t.Errorf("%d states visited, records %s; now %d, %s", old.States, old.OfRecords, now.States, now.OfRecords)
	}
}
