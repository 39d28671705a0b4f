package bucket

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

const (
	// tempDir holds files that are being written. No run's name begins with a dot.
	tempDir = ".writing"

	// tempAgeMax is how long after its last write an unfinished file is taken for the
	// remains of a process that died.
	tempAgeMax = 24 * time.Hour

	fileBufferBytes = 32 << 10
)

// files is a bucket in a directory: objects are files.
//
// An object is written to a file beside the runs, synced, and then named: by a hard
// link, which fails if the name is taken, or by renaming. Then the directories that lead
// to it are synced.
type files struct {
	root string
	made bool // root was made; if it disappears, it is not made again

	mu     sync.Mutex
	synced map[string]bool // directories whose own entries are known to be durable
}

func openFiles(u *url.URL) (*files, error) {
	if u.Host != "" && u.Host != "localhost" {
		return nil, errors.New("a file URL has three slashes: file:///path")
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("a file URL has no parameters")
	}
	dir := u.Path
	if runtime.GOOS == "windows" {
		dir = strings.TrimPrefix(dir, "/")
	}
	dir = filepath.FromSlash(dir)
	if !filepath.IsAbs(dir) {
		return nil, errors.New("the path must be absolute: file:///path")
	}
	if filepath.Dir(dir) == dir {
		return nil, errors.New("a bucket is a directory of its own: file:///path")
	}
	f := &files{root: filepath.Clean(dir), synced: map[string]bool{}}
	if err := f.makeDir(f.root); err != nil {
		return nil, err
	}
	f.made = true
	*u = url.URL{Scheme: "file", Path: path.Clean(u.Path)}
	if err := f.removeStale(); err != nil {
		return nil, err
	}
	return f, nil
}

// removeStale removes the files of writers that died.
func (f *files) removeStale() error {
	dir := filepath.Join(f.root, tempDir)
	names, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, d := range names {
		info, err := d.Info()
		if err != nil || time.Since(info.ModTime()) < tempAgeMax {
			continue // it was removed, or is in use
		}
		if err := os.Remove(filepath.Join(dir, d.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return err
}

func (f *files) path(key string) string { return filepath.Join(f.root, filepath.FromSlash(key)) }

func (f *files) close() error { return nil }

// makeDir makes a directory and its parents durably. A directory that exists need not
// have been synced by the process that made it.
func (f *files) makeDir(dir string) error {
	f.mu.Lock()
	known := f.synced[dir]
	f.mu.Unlock()
	if known {
		return nil
	}
	if f.made && dir == f.root {
		_, err := os.Stat(dir)
		return err
	}
	up := filepath.Dir(dir)
	if err := os.Mkdir(dir, 0o777); errors.Is(err, fs.ErrNotExist) && up != dir {
		if err := f.makeDir(up); err != nil {
			return err
		}
		if err := os.Mkdir(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	} else if err != nil {
		info, statErr := os.Stat(dir)
		if statErr != nil {
			return err
		}
		if !info.IsDir() {
			return fmt.Errorf("%s is not a directory", dir)
		}
		if len(dir) <= len(f.root) {
			return nil // directories above the bucket are not its own
		}
		if err := f.makeDir(up); err != nil {
			return err
		}
	}
	if err := syncDir(up); err != nil {
		return err
	}
	f.mu.Lock()
	f.synced[dir] = true
	f.mu.Unlock()
	return nil
}

// forget makes makeDir check again, after an empty directory was removed.
func (f *files) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.synced)
}

func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // Windows cannot sync directories
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// gone returns ErrNotExist for a missing file, but another error if the whole bucket is
// missing, as when a disk is no longer mounted.
func (f *files) gone(err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, rootErr := os.Stat(f.root); rootErr != nil {
		return &causeError{text: "the bucket's directory is missing: " + explain(rootErr), err: rootErr}
	}
	return ErrNotExist
}

type fileWriter struct {
	*bufio.Writer
	f       *files
	file    *os.File
	path    string
	replace bool
	ctxErr  func() error
}

func (f *files) create(ctx context.Context, key string, replace bool) (objectWriter, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if _, err := os.Stat(f.root); err != nil {
		return nil, f.gone(err)
	}
	dir := filepath.Join(f.root, tempDir)
	temp := filepath.Join(dir, rand.Text())
	file, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.Mkdir(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		file, err = os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	}
	if err != nil {
		return nil, err
	}
	return &fileWriter{
		Writer: bufio.NewWriterSize(file, fileBufferBytes),
		f:      f, file: file, path: f.path(key), replace: replace, ctxErr: ctx.Err,
	}, nil
}

func (w *fileWriter) abort() {
	_ = w.file.Close()
	_ = os.Remove(w.file.Name()) // otherwise it is removed when it is old
}

func (w *fileWriter) commit() error {
	err := errors.Join(w.ctxErr(), w.Flush())
	if err == nil {
		err = w.file.Sync()
	}
	if err != nil {
		w.abort()
		return err
	}
	err = w.file.Close()
	if err == nil {
		err = w.name()
	}
	if !w.replace || err != nil {
		_ = os.Remove(w.file.Name())
	}
	return err
}

// name gives the file its name. It retries, as a directory may be removed as empty
// between being made and being used.
func (w *fileWriter) name() error {
	dir := filepath.Dir(w.path)
	var err error
	for range 10 {
		err = w.f.makeDir(dir)
		if gone := w.f.gone(err); err != nil && !errors.Is(gone, ErrNotExist) {
			return gone
		}
		switch {
		case err != nil: // another process has removed a directory above it
		case w.replace:
			err = os.Rename(w.file.Name(), w.path)
		default:
			err = os.Link(w.file.Name(), w.path)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
		w.f.forget()
	}
	taken := !w.replace && errors.Is(err, fs.ErrExist)
	if err != nil && !taken {
		return err
	}
	// The writer of an existing file may not have synced the directory yet.
	if err := syncDir(dir); err != nil {
		return err
	}
	if taken {
		return errTaken
	}
	return nil
}

type fileReader struct {
	io.Reader
	io.Closer
}

func (f *files) open(ctx context.Context, key string, offset, n int64) (io.ReadCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	file, err := os.Open(f.path(key))
	if err != nil {
		return nil, f.gone(err)
	}
	return fileReader{io.NewSectionReader(file, offset, n), file}, nil
}

func (f *files) stat(ctx context.Context, key string) (object, error) {
	if err := ctx.Err(); err != nil {
		return object{}, err
	}
	info, err := os.Stat(f.path(key))
	if err != nil {
		return object{}, f.gone(err)
	}
	if !info.Mode().IsRegular() {
		return object{}, ErrNotExist
	}
	return object{key: key, bytes: info.Size(), mod: info.ModTime()}, nil
}

func (f *files) list(ctx context.Context, dir string, each func(object) error) error {
	start := f.path(dir)
	return filepath.WalkDir(start, func(name string, d fs.DirEntry, err error) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err == nil && d.Type().IsRegular() {
			var info fs.FileInfo
			if info, err = d.Info(); err == nil {
				key := filepath.ToSlash(strings.TrimPrefix(name, f.root+string(filepath.Separator)))
				return each(object{key: key, bytes: info.Size(), mod: info.ModTime()})
			}
		}
		// Files removed meanwhile are not listed.
		if err = f.gone(err); errors.Is(err, ErrNotExist) {
			return nil
		}
		return err
	})
}

func (f *files) dirs(ctx context.Context) ([]string, error) {
	entries, err := os.ReadDir(f.root)
	if err != nil {
		return nil, f.gone(err)
	}
	var names []string
	for _, d := range entries {
		if d.IsDir() {
			names = append(names, d.Name())
		}
	}
	return names, ctx.Err()
}

// remove syncs each directory once. Directories that become empty are removed.
func (f *files) remove(ctx context.Context, keys []string) error {
	dirs := map[string]bool{}
	for _, key := range keys {
		if err := ctx.Err(); err != nil {
			return err
		}
		name := f.path(key)
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		dirs[filepath.Dir(name)] = true
	}
	for dir := range dirs {
		if err := syncDir(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for len(dir) > len(f.root) && os.Remove(dir) == nil {
			dir = filepath.Dir(dir)
		}
	}
	f.forget()
	return nil
}
