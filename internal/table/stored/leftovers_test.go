package stored

import (
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/coordinator/history"
)

// A table whose writing failed is left under another name: as the disk is full, say.
func TestLeftovers(t *testing.T) {
	const leftover, whole = "forward-75.table.new", "forward-74.table"
	fs := vfs.NewMem()
	create := func(names ...string) {
		t.Helper()
		if err := fs.MkdirAll("run", 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			f, err := fs.Create(fs.PathJoin("run", name), vfs.WriteCategoryUnspecified)
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	list := func(dir string) []string {
		names, err := fs.List(dir)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(names)
		return names
	}

	create(leftover, whole, "other")
	tables := new(Tables)
	tables.Place(fs, "run", new(history.History))
	if err := tables.drop(nil); err != nil {
		t.Fatal(err)
	}
	if got, want := list("run"), []string{"other"}; !slices.Equal(got, want) {
		t.Errorf("dropping leaves %q, want %q", got, want)
	}

	create(leftover, whole)
	if err := SetAside(fs, "run", "aside", "made"); err != nil {
		t.Fatal(err)
	}
	if got, want := list("aside"), []string{whole, leftover}; !slices.Equal(got, want) {
		t.Errorf("%q are set aside, want %q", got, want)
	}
}
