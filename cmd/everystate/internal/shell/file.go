package shell

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
)

// Writable returns the error that WriteWhole would return because of where the file is,
// for commands that work long before they write.
func Writable(path string) error {
	enough := errors.New("enough")
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return isDirectory(path)
	case err == nil && !info.Mode().IsRegular():
		return nil // writing nothing to a pipe would end it
	}
	if err := WriteWhole(path, func(*Output) error { return enough }); !errors.Is(err, enough) {
		return err
	}
	return nil
}

func isDirectory(path string) error {
	return exit.Errorf(exit.Usage, "write %s: is a directory: must be a file", path)
}

// WriteWhole writes a file under a temporary name first, so readers never see part of
// it. It follows links, and writes directly to what is not a regular file, such as a
// pipe or a device.
func WriteWhole(path string, write func(*Output) error) (err error) {
	failed := func(err error) error {
		why := err
		// The temporary name would only confuse.
		var file *os.PathError
		var link *os.LinkError
		switch {
		case errors.As(err, &file):
			why = file.Err
		case errors.As(err, &link):
			why = link.Err
		}
		return &exit.Error{Code: exit.Failed, Text: fmt.Sprintf("write %s: %v", path, why), Cause: err}
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		return isDirectory(path)
	}
	if err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return failed(err)
		}
		if err := write(NewOutput(path, f)); err != nil {
			_ = f.Close() // the first error is the one to report
			return err
		}
		if err := f.Close(); err != nil {
			return failed(err)
		}
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if errors.Is(err, fs.ErrNotExist) {
		return &exit.Error{Code: exit.Usage, Text: fmt.Sprintf("write %s: there is no directory %s", path, filepath.Dir(path)), Cause: err}
	}
	if err != nil {
		return failed(err)
	}
	defer func() {
		if err != nil {
			// Leave nothing behind that was not there before.
			_ = os.Remove(f.Name()) // the first error is the one to report
		}
	}()
	if err := write(NewOutput(path, f)); err != nil {
		_ = f.Close() // as above
		return err
	}
	const readable = 0o644
	if err := errors.Join(f.Chmod(readable), f.Sync(), f.Close()); err != nil {
		return failed(err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return failed(err)
	}
	return nil
}
