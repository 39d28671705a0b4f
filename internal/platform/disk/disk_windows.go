package disk

import (
	"fmt"

	"golang.org/x/sys/windows"
)

// SpaceOf returns the space of the file system that a directory is on.
func SpaceOf(dir string) (Space, error) {
	var s Space
	path, err := windows.UTF16PtrFromString(dir)
	if err == nil {
		err = windows.GetDiskFreeSpaceEx(path, &s.Free, &s.Size, nil)
	}
	if err != nil {
		return Space{}, fmt.Errorf("space of %s: %w", dir, err)
	}
	return s, nil
}
