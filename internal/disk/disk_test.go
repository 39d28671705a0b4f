package disk_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/everystate/everystate/internal/disk"
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
