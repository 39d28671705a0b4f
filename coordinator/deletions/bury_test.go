package deletions

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/everystate/everystate/coordinator/asked"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/store/bucket"
)

// session returns a session of the coordinator that has drawn nonce.
func session(nonce uint64) []byte {
	return journal.Session(1, "", nonce, history.Identity{byte(nonce)})
}

// TestRemoveFrom deletes a run whose journal has four entries while a bucket has a log of
// this name. The run is removed from the bucket only if the journal has all of the log.
func TestRemoveFrom(t *testing.T) {
	t.Parallel()
	mine := [][]byte{journal.Spec(history.Spec{Partitions: 1}), session(1), session(2), session(3)}
	submitted := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	for name, test := range map[string]struct {
		log     [][]byte
		spoil   func(t *testing.T, dir string) // what happens to the bucket's run
		asked   time.Time                      // when the bucket says that its run was submitted, zero if it does not
		unkept  bool                           // the journal is gone, as if an earlier version had deleted the run
		removed bool
	}{
		"all of it":             {log: mine, removed: true},
		"lagging":               {log: mine[:2], removed: true},
		"nothing":               {removed: true},
		"continued":             {log: append(slices.Clip(mine), session(9))},
		"continued earlier":     {log: append(slices.Clip(mine[:2]), session(9))},
		"same board":            {log: [][]byte{mine[0], session(9)}},
		"other board":           {log: [][]byte{journal.Spec(history.Spec{Partitions: 2}), session(1)}},
		"begun":                 {log: mine[:1], asked: submitted, removed: true},
		"begun anew":            {log: mine[:1], asked: submitted.Add(1)},
		"begun, and not asked":  {log: mine[:1]},
		"resumed elsewhere":     {log: mine[:2], asked: submitted.Add(1), removed: true},
		"by an earlier version": {log: [][]byte{mine[0], session(9)}, unkept: true},
		"nothing, and unkept":   {unkept: true, removed: true},
		"hole":                  {log: mine, spoil: lacks(2), removed: true},
		"hole, and continued":   {log: append(slices.Clip(mine), session(9)), spoil: lacks(2)},
		"continued at a hole":   {log: append(slices.Clip(mine[:3]), session(9)), spoil: lacks(2)},
		"two holes":             {log: append(slices.Clip(mine[:3]), session(9)), spoil: lacks(1, 2)},
		"hole, and begun":       {log: mine, asked: submitted.Add(1), spoil: lacks(1), removed: true},
		"remains":               {log: mine, spoil: lacks(0), removed: true},
		"remains, begun anew":   {log: mine, asked: submitted.Add(1), spoil: lacks(0)},
		"damaged":               {log: mine, spoil: damaged(1)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, kept := t.TempDir(), t.TempDir()
			b, err := bucket.Open(t.Context(), (&url.URL{Scheme: "file", Path: filepath.ToSlash(kept)}).String())
			if err != nil {
				t.Fatal(err)
			}
			for i, entry := range test.log {
				if err := b.Run("run").Append(t.Context(), i, entry); err != nil {
					t.Fatal(err)
				}
			}
			if !test.asked.IsZero() {
				if err := (&journal.Control{Submitted: test.asked}).Store(t.Context(), b.Run("run")); err != nil {
					t.Fatal(err)
				}
			}
			if test.spoil != nil {
				test.spoil(t, filepath.Join(kept, "run", "log"))
			}
			begin(t, filepath.Join(data, "runs", "run"), mine)
			if err := asked.Write(vfs.Default, filepath.Join(data, "runs", "run"), journal.Control{Submitted: submitted}); err != nil {
				t.Fatal(err)
			}
			d := buries(t, data)
			if test.unkept {
				if err := os.RemoveAll(d.buried("run")); err != nil {
					t.Fatal(err)
				}
			}
			n, differs, err := d.RemoveFrom(t.Context(), b.Run("run"))
			if err != nil || (differs == "") != test.removed || n > 0 && !test.removed {
				t.Errorf("removed %d objects; differs %q: %v", n, differs, err)
			}
			left, err := os.ReadDir(filepath.Join(kept, "run", "log"))
			if (len(left) > 0) == test.removed {
				t.Errorf("left in the bucket: %v: %v", left, err)
			}
			if _, err := d.Settle(TheBucket, nil, "run"); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(d.buried("run")); !os.IsNotExist(err) {
				t.Errorf("the journal is still there: %v", err)
			}
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestSettleOnAFullDisk has a worker and the bucket report that they keep nothing of a run
// while the disk is full. Nobody is forgotten before that is on disk: else the next start
// would take a later run of this name for the deleted one.
func TestSettleOnAFullDisk(t *testing.T) {
	t.Parallel()
	full := false
	disk := diskThatIs(&full)
	load := func() *Deletions {
		d, err := Load(disk, "data", "data/runs")
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	if err := store.MakeDir(disk, "data"); err != nil {
		t.Fatal(err)
	}
	d := load()
	if err := d.Add("run", []string{"w", TheBucket}); err != nil {
		t.Fatal(err)
	}
	for _, who := range []string{"w", TheBucket} {
		full = true
		pending := d.Pending("run")
		if _, err := d.Settle(who, nil); !errors.Is(err, syscall.ENOSPC) || d.Pending("run") != pending || load().Pending("run") != pending {
			t.Errorf("%s on a full disk: %v; pending %q, on disk %q", who, err, d.Pending("run"), load().Pending("run"))
		}
		full = false
		if _, err := d.Settle(who, nil); err != nil || strings.Contains(d.Pending("run"), who) {
			t.Errorf("%s: %v; pending %q", who, err, d.Pending("run"))
		}
	}
	if d.Pending("run") != "" || load().Pending("run") != "" {
		t.Errorf("pending %q, on disk %q", d.Pending("run"), load().Pending("run"))
	}
}

// TestLoadDamaged reads deletions that are damaged: they are not taken for none.
func TestLoadDamaged(t *testing.T) {
	t.Parallel()
	disk := vfs.NewMem()
	if err := errors.Join(store.MakeDir(disk, "data"), store.ReplaceFile(disk, filepath.Join("data", "deleted.json"), []byte(`{"run": ["w"`))); err != nil {
		t.Fatal(err)
	}
	want := filepath.Join("data", "deleted.json") + " is damaged: unexpected end of JSON input: restore it"
	if _, err := Load(disk, "data", "runs"); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v; want %s", err, want)
	}
}

// begin makes a run's directory with a journal.
func begin(t *testing.T, dir string, entries journal.Entries) {
	t.Helper()
	st, err := store.Open(dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.AppendEntries(st, entries, true); err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
}

// buries notes that a run is deleted, and has the process killed before it goes further:
// the next one does.
func buries(t *testing.T, data string) *Deletions {
	t.Helper()
	load := func() *Deletions {
		d, err := Load(vfs.Default, data, filepath.Join(data, "runs"))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	if err := load().Add("run", []string{TheBucket}); err != nil {
		t.Fatal(err)
	}
	d := load()
	if _, err := os.Stat(filepath.Join(data, "runs", "run")); !os.IsNotExist(err) {
		t.Errorf("the deleted run is still there: %v", err)
	}
	return d
}

func lacks(entries ...int) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		for _, entry := range entries {
			if err := os.Remove(filepath.Join(dir, fmt.Sprintf("%08d", entry))); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func damaged(entry int) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%08d", entry)), []byte("damaged"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// diskThatIs returns a disk in memory on which no file can be created while it is full.
func diskThatIs(full *bool) vfs.FS {
	return errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if *full && op.Kind == errorfs.OpCreate {
			return syscall.ENOSPC
		}
		return nil
	}))
}
