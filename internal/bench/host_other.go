//go:build !unix

package main

import (
	"io/fs"
	"os"
	"path/filepath"
)

// peakOf is not known here.
func peakOf(*os.ProcessState) int64 { return 0 }

// allocated returns the sizes of the files below dir.
func allocated(dir string) (int64, error) {
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
