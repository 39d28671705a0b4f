package disk_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/everystate/everystate/internal/platform/disk"
)

func TestSpaceOf(t *testing.T) {
	t.Parallel()
	s, err := disk.SpaceOf(t.TempDir())
	if errors.Is(err, disk.ErrUnknown) {
		t.Skip(err)
	}
	if err != nil || s.Size == 0 || s.Free > s.Size {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := disk.SpaceOf(filepath.Join(t.TempDir(), "gone")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a directory that is not there: %v", err)
	}
}

func TestProbe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := disk.Probe(dir, 3<<20+17)
	if err != nil || s.WriteBytesPerSecond <= 0 || s.Sync <= 0 {
		t.Errorf("%+v, %v", s, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("it leaves %v, %v", left, err)
	}
	if _, err := disk.Probe(filepath.Join(dir, "gone"), 1); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a directory that is not there: %v", err)
	}
}
