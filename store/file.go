package store

import (
	"errors"
	"io"
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// errNotRegular reports something else in place of a file.
var errNotRegular = errors.New("not a regular file")

// openRegular opens a file for reading. It does not open anything else: opening a named
// pipe would wait for somebody to write to it.
func openRegular(fs vfs.FS, path string, opts ...vfs.OpenOption) (vfs.File, error) {
	info, err := fs.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = &os.PathError{Op: "open", Path: path, Err: errNotRegular}
	}
	if err != nil {
		return nil, err
	}
	return fs.Open(path, opts...)
}

// ReadFile returns the contents of a small file.
func ReadFile(fs vfs.FS, path string) (body []byte, err error) {
	f, err := openRegular(fs, path)
	if err != nil {
		return nil, err
	}
	body, err = io.ReadAll(f)
	return body, errors.Join(err, f.Close())
}

// RewriteFile atomically replaces the contents of a file of the operating system:
// readers find the old or the new. A crash may lose both.
func RewriteFile(path string, body []byte) error {
	if err := os.WriteFile(path+".new", body, 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// ReplaceFile atomically and durably replaces the contents of a file: after a crash
// it has the old or the new contents, and the new once ReplaceFile has returned.
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
