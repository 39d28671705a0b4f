//go:build unix

package engine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/store"
)

// A named pipe in place of a file of a run is not opened: nobody writes to it, and
// commands would wait for that.
func TestPipes(t *testing.T) {
	opts := Options{Workers: 1, Partitions: 4, MemoryBytes: MemoryMin}
	sound := filepath.Join(t.TempDir(), "run")
	if _, err := exploreOn(t.Context(), sound, boardOf(t, "small-5x5.txt"), opts, history.Want{}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"seal", "lock", originFile, statusFile, bucketFile} {
		parent := t.TempDir()
		dir := filepath.Join(parent, "run")
		copyTree(t, sound, dir)
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o644); err != nil {
			t.Skip(err)
		}
		all, err := List(parent)
		if err != nil || len(all) != 1 || (all[0].Problem != "") != (name == "seal" || name == "lock") {
			t.Errorf("%s: listed as %+v, %v", name, all, err)
		}
		r, err := Open(dir, Options{ReadOnly: true})
		switch {
		case name == "lock":
			if err == nil || !strings.Contains(err.Error(), "not a regular file") {
				t.Errorf("%s: opened with %v", name, err)
			}
			continue
		case name == "seal":
			if !store.IsCorruption(err) {
				t.Errorf("%s: opened with %v", name, err)
			}
			continue
		case err != nil:
			t.Errorf("%s: opened with %v", name, err)
			continue
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if _, err := BucketURL(dir); (err != nil) != (name == bucketFile) {
			t.Errorf("%s: the bucket is read with %v", name, err)
		}
		if entries := readOrigin(dir); (entries == nil) != (name == originFile) {
			t.Errorf("%s: %d entries of the origin", name, len(entries))
		}
	}
}
