//go:build !unix

package measure

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// PeakBytes returns 0: it is unknown on this system.
func PeakBytes(*os.ProcessState) int64 { return 0 }

// DiskBytes returns the sizes of the files below dir.
func DiskBytes(dir string) (int64, error) {
	total := int64(0)
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	return total, err
}

// CPUTime returns 0: it is unknown on this system.
func CPUTime() time.Duration { return 0 }
