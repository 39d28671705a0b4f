package testmain

import (
	"os"
	"testing"
)

// Main runs the tests of a package. Their temporary directories are in memory, where
// the system has such a directory with room, unless TMPDIR or GOTMPDIR names another.
// TMPDIR=/tmp puts them on the disk. Garbage is collected less often, unless GOGC says
// when.
//
// A run of a few thousand states creates hundreds of small files and removes them
// again. On a disk that costs more than the test itself, ten times as much on ext4
// without a journal. What a disk does to files is the subject of internal/test/chaos,
// internal/test/faults and internal/test/crashdisk.
func Main(m *testing.M) int {
	if os.Getenv("TMPDIR") == "" && os.Getenv("GOTMPDIR") == "" {
		if dir := found(); dir != "" {
			if err := os.Setenv("TMPDIR", dir); err != nil {
				panic(err)
			}
		}
	}
	defer generous()()
	return m.Run()
}
