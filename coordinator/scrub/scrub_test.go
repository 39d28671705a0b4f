package scrub_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/coordinator/scrub"
	"github.com/everystate/everystate/store/bucket"
)

// TestLostEntry removes entries of the log that were read before: Check tells which is the
// first.
func TestLostEntry(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b, err := bucket.Open(t.Context(), "file://"+filepath.ToSlash(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}()
	run := b.Run("run")
	spec := history.Spec{Family: "tiles", Metric: "tile", Text: "1 2 3 / 4 5 0", Partitions: 4}
	entries := append(journal.Begin(spec), journal.Begin(spec)...)
	for n, entry := range entries {
		if err := run.Append(t.Context(), n, entry); err != nil {
			t.Fatal(err)
		}
	}
	is := func(want int) {
		t.Helper()
		if _, n, lost, err := scrub.Check(t.Context(), run, &spec, nil, len(entries)); n != want || len(lost) > 0 || err != nil {
			t.Errorf("%d entries, %v lost, %v, want %d entries", n, lost, err, want)
		}
	}
	is(len(entries))
	for n := len(entries) - 1; n >= 0; n-- {
		if err := os.Remove(filepath.Join(dir, "run", bucket.EntryName(n))); err != nil {
			t.Fatal(err)
		}
		is(n)
	}
}
