package deletions

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/store/bucket"
)

// dirName is the directory of the journals of deleted runs that a bucket may still have.
const dirName = "deleted"

func (d *Deletions) buried(run string) string {
	return filepath.Join(filepath.Dir(d.path), dirName, run)
}

// Bury removes the directory of a run that Add has noted, at once whatever happens. Its
// journal is kept while the bucket's run has yet to be compared with it.
func (d *Deletions) Bury(run, dir string) error {
	to := d.buried(run)
	err := errors.Join(d.fs.RemoveAll(to), store.MakeDir(d.fs, filepath.Dir(to)))
	if err == nil {
		err = d.fs.Rename(dir, to)
	}
	if err == nil {
		err = errors.Join(store.SyncDir(d.fs, filepath.Dir(to)), store.SyncDir(d.fs, filepath.Dir(dir)))
	}
	if err != nil || slices.Contains(d.of[run], TheBucket) {
		return err
	}
	return d.fs.RemoveAll(to)
}

// tidy removes the journals that nothing has to be compared with any more.
func (d *Deletions) tidy() error {
	names, err := d.fs.List(d.buried(""))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, name := range names {
		if !slices.Contains(d.of[name], TheBucket) {
			err = errors.Join(err, d.fs.RemoveAll(d.buried(name)))
		}
	}
	return err
}

// RemoveFrom removes a run from a bucket and returns the number of objects removed. If the
// bucket's run is not the one that was deleted, as any that begins after the first call, it
// removes nothing and returns the difference. Any goroutine may call RemoveFrom, one at a
// time for each run.
func (d *Deletions) RemoveFrom(ctx context.Context, in *bucket.Run) (objects int, differs string, err error) {
	if _, was := d.emptied.Load(in.Name()); was { // only what was still being uploaded is there
		log, err := in.Log(ctx, 0)
		if len(log) > 0 {
			return 0, "a run of this name has begun since", nil
		}
		if hole := new(bucket.HoleError); err != nil && !errors.As(err, &hole) {
			return 0, "", err
		}
	} else if differs, err = d.differs(ctx, in); err != nil || differs != "" {
		return 0, differs, err
	}
	objects, err = in.Delete(ctx)
	if err == nil {
		d.emptied.Store(in.Name(), nil)
	}
	return objects, "", err
}

// differs returns why a bucket's run is not the one that was deleted, or "" if it is: its
// log has nothing but entries of the journal. An earlier version kept no journals: then it
// is taken to be.
func (d *Deletions) differs(ctx context.Context, in *bucket.Run) (why string, err error) {
	dir := d.buried(in.Name())
	if _, err := d.fs.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	log, err := in.Log(ctx, 0)
	hole := &bucket.HoleError{N: len(log), Last: len(log) - 1}
	switch {
	case bucket.IsCorruption(err):
		return err.Error(), nil
	case err != nil && !errors.As(err, &hole):
		return "", err
	}
	mine, err := d.read(dir)
	var errno syscall.Errno
	switch {
	case errors.As(err, &errno) && !errors.Is(err, fs.ErrNotExist): // the disk is at fault
		return "", err
	case err != nil:
		return fmt.Sprintf("the journal cannot be read: %v", err), nil
	}
	same, err := journal.Diverge(mine, log)
	switch {
	case err != nil:
		return err.Error(), nil //nolint:nilerr // it is the difference
	case same < len(log) || hole.Last >= len(mine):
		return fmt.Sprintf("entry %d of its log is not in this coordinator's journal of the run", same), nil
	}
	return "", nil
}

// read reads the journal in a directory.
func (d *Deletions) read(dir string) (log journal.Entries, err error) {
	st, err := store.Open(dir, store.Options{FS: d.fs, CacheBytes: 1 << 20})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	return log, st.Journal(func(entry []byte) error {
		log = append(log, slices.Clone(entry))
		return nil
	})
}
