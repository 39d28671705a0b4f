//go:build !linux && !darwin && !windows

package disk

// SpaceOf returns the space of the file system that a directory is on.
func SpaceOf(string) (Space, error) { return Space{}, ErrUnknown }
