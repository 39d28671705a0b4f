package deletions

import (
	"errors"
	"slices"
	"syscall"
	"testing"

	"github.com/everystate/everystate/store"
)

// TestGiveUp gives up workers that keep records of a deleted run, and of another one that was
// deleted under its name since. They must remove these records when they return; the name does
// not wait for that. A full disk leaves everything as it was.
func TestGiveUp(t *testing.T) {
	t.Parallel()
	full := false
	disk := diskThatIs(&full)
	if err := store.MakeDir(disk, "data"); err != nil {
		t.Fatal(err)
	}
	load := func() *Deletions {
		t.Helper()
		d, err := Load(disk, "data", "data/runs")
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	d := load()
	gone := func(workers ...string) func(string) bool {
		return func(worker string) bool { return slices.Contains(workers, worker) }
	}
	check := func(after, pending string, owing ...string) {
		t.Helper()
		for _, d := range []*Deletions{d, load()} {
			if got := d.Pending("run"); got != pending {
				t.Errorf("%s: the name waits for %q, not for %q", after, got, pending)
			}
			for _, worker := range []string{"a", "b", TheBucket} {
				if owes := len(d.Owed(worker, []string{"other", "run"})) > 0; owes != slices.Contains(owing, worker) {
					t.Errorf("%s: %s owes something: %t", after, worker, owes)
				}
			}
		}
	}
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	settle := func(worker string, kept, want []string) {
		t.Helper()
		if remove, err := d.Settle(worker, kept); err != nil || !slices.Equal(remove, want) {
			t.Errorf("%s keeps %q and is to remove %q, not %q: %v", worker, kept, remove, want, err)
		}
	}
	run := []string{"run"}

	do(d.Add("run", []string{"a", "b", TheBucket}))
	full = true
	if err := d.GiveUp(gone("a")); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("on a full disk: %v", err)
	}
	full = false
	check("on a full disk", "a, b, "+TheBucket)
	changed := d.Changed
	do(d.GiveUp(gone("a", TheBucket)))
	select {
	case <-changed:
	default:
		t.Error("nobody is told that a worker is given up")
	}
	check("a is gone", "b, "+TheBucket, "a")
	settle("b", nil, nil)
	settle(TheBucket, nil, nil)
	check("b and the bucket keep nothing", "", "a")

	do(d.Add("run", []string{"a", "b"}))
	do(d.GiveUp(gone("a", "b")))
	check("deleted again", "", "a", "b")
	settle("a", run, run)
	check("a keeps it", "", "a", "b")
	settle("a", nil, nil)
	settle("b", []string{"other"}, nil)
	check("they keep nothing", "")
	settle("a", run, nil)
}
