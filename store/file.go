package store

import (
	"errors"
	"io"
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// ReadFile returns what a small file holds.
func ReadFile(fs vfs.FS, path string) (body []byte, err error) {
	f, err := fs.Open(path)
	if err != nil {
		return nil, err
	}
	body, err = io.ReadAll(f)
	return body, errors.Join(err, f.Close())
}

// RewriteFile gives a file of the system a new body, as a whole: who opens it finds
// the old one or the new one. A crash may lose both.
func RewriteFile(path string, body []byte) error {
	if err := os.WriteFile(path+".new", body, 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// ReplaceFile gives a file a new body, as a whole and durably: after a crash it has
// the old one or the new one, and the new one once ReplaceFile has returned.
func ReplaceFile(fs vfs.FS, path string, body []byte) error {
	tmp := path + ".new"
	f, err := fs.Create(tmp, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = f.Write(body)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := fs.Rename(tmp, path); err != nil {
		return err
	}
	return SyncDir(fs, fs.PathDir(path))
}
