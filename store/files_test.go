package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/everystate/everystate/store"
)

// TestKeeps has directories of the store, damaged and not, and of another program.
func TestKeeps(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]bool{"OPTIONS-000003": true, "marker.manifest.000001.MANIFEST-000001": true, "local": false, "": false} {
		dir := t.TempDir()
		if file == "" {
			dir = filepath.Join(dir, "missing")
		} else if err := os.WriteFile(filepath.Join(dir, file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := store.Keeps(dir); got != want {
			t.Errorf("%q: %v", file, got)
		}
	}
}
