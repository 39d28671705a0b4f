//go:build linux || darwin

package disk

import (
	"fmt"
	"syscall"
)

// SpaceOf returns the space of the file system that a directory is on.
func SpaceOf(dir string) (Space, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return Space{}, fmt.Errorf("space of %s: %w", dir, err)
	}
	block := uint64(s.Bsize)
	return Space{Size: s.Blocks * block, Free: s.Bavail * block}, nil
}
