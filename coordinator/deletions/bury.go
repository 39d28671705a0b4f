package deletions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/everystate/everystate/coordinator/asked"
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
// bucket's run is not the one that was deleted, as any that begins after the first call, or
// if nothing there tells whether it is, it removes nothing and returns the difference. Any
// goroutine may call RemoveFrom, one at a time for each run.
func (d *Deletions) RemoveFrom(ctx context.Context, in *bucket.Run) (objects int, differs string, err error) {
	if differs, err = d.differs(ctx, in); err != nil || differs != "" {
		return 0, differs, err
	}
	objects, err = in.Delete(ctx)
	if err == nil {
		d.emptied.Store(in.Name(), nil)
	}
	return objects, "", err
}

// differs returns why a bucket's run is not the one that was deleted, or "" if it is: its
// log has nothing but entries of the journal, and among them something that no other run
// has. Before its first session that is when it was submitted.
func (d *Deletions) differs(ctx context.Context, in *bucket.Run) (why string, err error) {
	dir := d.buried(in.Name())
	log, err := in.Log(ctx, 0)
	hole := &bucket.HoleError{N: len(log), Last: len(log) - 1}
	switch _, emptied := d.emptied.Load(in.Name()); {
	case bucket.IsCorruption(err):
		return err.Error(), nil
	case err != nil && !errors.As(err, &hole):
		return "", err
	case len(log) == 0: // nothing is there, or what is left of a run, which others may still write
		return d.another(ctx, in, dir, false)
	case emptied:
		return "a run of this name has begun since", nil
	}
	if _, err := d.fs.Stat(dir); errors.Is(err, fs.ErrNotExist) { // deleted by an earlier version
		return "the journal was not kept", nil
	}
	mine, err := d.read(dir)
	var errno syscall.Errno
	switch {
	case errors.As(err, &errno) && !errors.Is(err, fs.ErrNotExist): // the disk is at fault
		return "", err
	case err != nil:
		return fmt.Sprintf("the journal cannot be read: %v", err), nil
	}
	why, begun, err := compare(ctx, in, log, hole.Last, mine)
	if err != nil || why != "" || begun {
		return why, err
	}
	return d.another(ctx, in, dir, true)
}

// compare returns in what the log of a bucket's run differs from a journal, or "" if all of it
// is there, and whether a session has begun in it. Given is the log up to its first hole, and
// the number of its last entry: what is behind a hole counts as well.
func compare(ctx context.Context, in *bucket.Run, log journal.Entries, last int, mine journal.Entries) (why string, begun bool, err error) {
	differs := func(n int) string {
		return fmt.Sprintf("entry %d of its log is not in this coordinator's journal of the run", n)
	}
	if last >= len(mine) {
		return differs(last), false, nil
	}
	for n := 0; ; {
		same, err := journal.Diverge(mine[n:], log)
		switch {
		case err != nil:
			return err.Error(), false, nil //nolint:nilerr // it is the difference
		case same < len(log):
			return differs(n + same), false, nil
		}
		begun, n = begun || journal.Begun(log), n+len(log)+1
		if n > last {
			return "", begun, nil
		}
		switch log, err = in.Log(ctx, n); {
		case bucket.IsCorruption(err):
			return err.Error(), false, nil
		case err != nil:
			return "", false, err
		}
	}
}

// another returns why a bucket's run, whose log does not tell, is not the deleted one in a
// directory, or "" if it is: it was submitted at the same moment. What is left of a run, but
// no run, may be there without that.
func (d *Deletions) another(ctx context.Context, in *bucket.Run, dir string, begun bool) (why string, err error) {
	body, err := in.Control(ctx)
	switch {
	case errors.Is(err, bucket.ErrNotExist) && begun:
		return "it has only begun, and nothing tells it from another run of the same board", nil
	case errors.Is(err, bucket.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	}
	var there journal.Control
	if err := json.Unmarshal(body, &there); err != nil {
		return fmt.Sprintf("when it was submitted cannot be read: %v", err), nil
	}
	mine, _, err := asked.Read(d.fs, dir)
	if err != nil || !mine.Submitted.IsZero() && mine.Submitted.Equal(there.Submitted) {
		return "", err
	}
	return fmt.Sprintf("it was submitted at %s, not at %s", there.Submitted.Format(time.RFC3339Nano), mine.Submitted.Format(time.RFC3339Nano)), nil
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
