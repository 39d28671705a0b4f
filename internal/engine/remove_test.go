package engine

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/everystate/everystate/store"
)

// TestRemove deletes a run, and nothing that is not one, is in use, or holds more.
func TestRemove(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	if err := Remove(dir); !errors.Is(err, store.ErrNotExist) {
		t.Errorf("nothing there: %v", err)
	}
	r, err := Create(dir, boardOf(t, "small-5x5.txt"), Options{Workers: 1, MemoryBytes: MemoryMin})
	if err != nil {
		t.Fatal(err)
	}
	if err := Remove(dir); !errors.Is(err, store.ErrLocked) {
		t.Errorf("in use: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(own, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Remove(dir); !errors.Is(err, ErrNotOnlyRun) {
		t.Errorf("with other files: %v", err)
	}
	if body, err := os.ReadFile(own); err != nil || string(body) != "mine" || !IsRun(dir) {
		t.Errorf("it is not as it was: %q, %v", body, err)
	}
	if err := os.Remove(own); err != nil {
		t.Fatal(err)
	}
	if err := Remove(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}
