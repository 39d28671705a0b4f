package web

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/store"
)

// TestRemove deletes a run, and nothing that is not one, is in use, or holds more.
func TestRemove(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	if err := removeRun(dir); !errors.Is(err, store.ErrNotExist) {
		t.Errorf("nothing there: %v", err)
	}
	boards, err := families.Read([]byte(small), puzzle.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := engine.Create(dir, boards[0], engine.Options{Workers: 1, MemoryBytes: engine.MemoryMin})
	if err != nil {
		t.Fatal(err)
	}
	if err := removeRun(dir); !errors.Is(err, store.ErrLocked) {
		t.Errorf("in use: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(own, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := removeRun(dir); !errors.Is(err, errNotOnlyRun) {
		t.Errorf("with other files: %v", err)
	}
	if body, err := os.ReadFile(own); err != nil || string(body) != "mine" || !engine.IsRun(dir) {
		t.Errorf("it is not as it was: %q, %v", body, err)
	}
	if err := os.Remove(own); err != nil {
		t.Fatal(err)
	}
	if err := removeRun(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}
