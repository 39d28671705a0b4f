package asked

import (
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/store"
)

func TestRead(t *testing.T) {
	t.Parallel()
	disk := vfs.NewMem()
	if err := store.MakeDir(disk, "run"); err != nil {
		t.Fatal(err)
	}
	lostAs := func(want string) {
		t.Helper()
		c, lost, err := Read(disk, "run")
		if err != nil || !strings.Contains(lost, want) || c.State != history.Paused || !c.Elsewhere {
			t.Errorf("%+v, lost %q: %v", c, lost, err)
		}
	}
	lostAs(filepath.Join("run", "control.json") + " does not exist")
	kept := journal.Control{State: history.Queued, Want: history.Want{MaxStates: 5}}
	if err := Write(disk, "run", kept); err != nil {
		t.Fatal(err)
	}
	if c, lost, err := Read(disk, "run"); err != nil || lost != "" || c.Want.MaxStates != 5 || c.State != history.Queued {
		t.Errorf("%+v, lost %q: %v", c, lost, err)
	}
	if err := store.ReplaceFile(disk, filepath.Join("run", "control.json"), []byte(`{"state": 1, "want": {"MaxSt`)); err != nil {
		t.Fatal(err)
	}
	lostAs(": unexpected end of JSON input")
	broken := errorfs.Wrap(disk, errorfs.InjectorFunc(func(op errorfs.Op) error { return syscall.EIO }))
	if c, lost, err := Read(broken, "run"); !errors.Is(err, syscall.EIO) || lost != "" {
		t.Errorf("a disk that fails is no reason to forget: %+v, lost %q: %v", c, lost, err)
	}
}
