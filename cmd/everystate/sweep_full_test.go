package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/cmd/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/database"
	"github.com/everystate/everystate/internal/sweep/rushhour"
	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
	"github.com/everystate/everystate/internal/test/fulldisk"
)

// TestFullDiskUnderASweep is told in one line, and keeps what was done.
func TestFullDiskUnderASweep(t *testing.T) {
	t.Parallel()
	for units, want := range map[int]string{
		0: "free some space", 1: "at least 1 unit is finished and saved; free some space", 5: "at least 5 units are finished and saved; free some space",
	} {
		fullDiskAfter(t, units, want)
	}
}

// fullDiskAfter fills the disk after some units of a sweep.
func fullDiskAfter(t *testing.T, units int, want string) {
	t.Helper()
	e, err := rushhour.New(rules.Rules{Size: rules.Square(4), ExitRow: -1})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "four")
	fault := &fulldisk.Fault{Path: ".log", Kinds: fulldisk.Writes()}
	db, err := database.Create(dir, e.Rules(), database.Options{FS: errorfs.Wrap(vfs.Default, fault)})
	if err != nil {
		t.Fatal(err)
	}
	for unit := range units {
		f, err := e.Worker().Do(t.Context(), unit)
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Commit(unit, &f); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Sync(); err != nil {
		t.Fatal(err)
	}
	fault.On.Store(true)
	var out, errs bytes.Buffer
	env := &shell.Env{Name: "everystate", Out: shell.NewOutput("out", &out), Err: &errs}
	text, code := exit.Of(sweep.SweepInto(t.Context(), env, &sweep.Sweeping{Workers: 2, Quiet: true}, e, db, dir))
	if code != exit.Failed || !strings.HasPrefix(text, "the disk that holds "+dir+" is full (") || strings.Contains(text, "\n") ||
		!strings.HasSuffix(text, "no space left on device): "+want+", then resume with: everystate sweep resume "+dir) {
		t.Errorf("exit %d: %s", code, text)
	}
	if out.Len() > 0 || errs.Len() > 0 {
		t.Errorf("it says besides\n%s%s", out.String(), errs.String())
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}
