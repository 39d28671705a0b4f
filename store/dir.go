package store

import (
	"errors"
	"fmt"
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// MakeDir makes a directory and its missing parents, and makes the new directory
// entries durable: what is synced in a directory is lost if its own entry is.
func MakeDir(fs vfs.FS, dir string) error {
	var parents []string
	for at := dir; fs.PathDir(at) != at; at = fs.PathDir(at) {
		_, err := fs.Stat(at)
		if err == nil {
			break
		}
		if !errors.Is(err, os.ErrNotExist) {
			return err
		}
		parents = append(parents, fs.PathDir(at))
	}
	if err := fs.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, parent := range parents {
		if err := SyncDir(fs, parent); err != nil {
			return err
		}
	}
	return nil
}

// SyncDir makes changes to the entries of a directory durable.
func SyncDir(fs vfs.FS, dir string) error {
	d, err := fs.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// MoveAside moves something from its directory into another one, which it makes if there is
// none, durably: there it has the first name of name-1, name-2 and so on that does not exist.
func MoveAside(fs vfs.FS, from, dir string) (to string, err error) {
	if err := MakeDir(fs, dir); err != nil {
		return "", err
	}
	if to, err = Unused(fs, fs.PathJoin(dir, fs.PathBase(from))); err != nil {
		return "", err
	}
	if err := fs.Rename(from, to); err != nil {
		return "", err
	}
	return to, errors.Join(SyncDir(fs, dir), SyncDir(fs, fs.PathDir(from)))
}

// Unused returns the first of base-1, base-2 and so on that does not exist.
func Unused(fs vfs.FS, base string) (string, error) {
	for n := 1; ; n++ {
		path := fmt.Sprintf("%s-%d", base, n)
		_, err := fs.Stat(path)
		switch {
		case errors.Is(err, os.ErrNotExist):
			return path, nil
		case err != nil:
			return "", err
		}
	}
}
