package bucket

import (
	"context"
	"strings"
	"time"
)

// removeAtOnce is how many objects are removed in one call of the backend.
const removeAtOnce = 256

// deleteRoundsMax bounds how often Delete looks for objects that appeared meanwhile.
const deleteRoundsMax = 5

// Delete removes a run and returns the number of objects removed. Entry 0 goes first:
// from then on there is no run of that name, whatever is left of it, and none can begin.
// If it is interrupted, calling it again removes the rest; of a run that does not exist
// it removes nothing. Nobody should be writing the run: objects created during Delete
// may remain. Objects whose names are not those of a run's objects are left alone.
func (r *Run) Delete(ctx context.Context) (objects int, err error) {
	if r.bad != nil {
		return 0, r.bad
	}
	b := r.bucket.backend
	if _, err := b.stat(ctx, r.key(entryKey(0))); err == nil {
		if err := b.remove(ctx, []string{r.key(entryKey(0))}); err != nil {
			return 0, r.fail("delete", entryKey(0), err)
		}
		objects++
	}
	for range deleteRoundsMax {
		n, _, err := r.remove(ctx, "", func(o object) bool { return ours(strings.TrimPrefix(o.key, r.name+"/")) })
		objects += n
		if err != nil || n == 0 {
			return objects, err
		}
	}
	return objects, nil
}

// Prune removes the layer objects for which keep returns false, and returns their number
// and bytes. keep is called with names as ObjectName returns them, from one goroutine.
// It must keep those that a writer is about to refer to.
func (r *Run) Prune(ctx context.Context, keep func(object string) bool) (objects int, bytes int64, err error) {
	if r.bad != nil {
		return 0, 0, r.bad
	}
	return r.remove(ctx, strings.TrimSuffix(layersDir, "/"), func(o object) bool {
		return !keep(strings.TrimPrefix(o.key, r.name+"/"))
	})
}

// remove removes the objects under a directory of the run that are unwanted.
func (r *Run) remove(ctx context.Context, dir string, unwanted func(object) bool) (objects int, bytes int64, err error) {
	b := r.bucket.backend
	var (
		keys []string
		size int64
	)
	op := "list"
	flush := func() error {
		if len(keys) == 0 {
			return nil
		}
		if err := b.remove(ctx, keys); err != nil {
			op = "delete"
			return err
		}
		objects, bytes = objects+len(keys), bytes+size
		keys, size = keys[:0], 0
		return nil
	}
	err = b.list(ctx, strings.TrimSuffix(r.key(dir), "/"), func(o object) error {
		if !unwanted(o) {
			return nil
		}
		keys, size = append(keys, o.key), size+o.bytes
		if len(keys) < removeAtOnce {
			return nil
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	return objects, bytes, r.fail(op, dir, err)
}

// Usage returns the number of objects of a run, their bytes, and when the last of them
// was written, by the bucket's clock. It lists the whole run.
func (r *Run) Usage(ctx context.Context) (objects int, bytes int64, changed time.Time, err error) {
	if r.bad != nil {
		return 0, 0, time.Time{}, r.bad
	}
	err = r.bucket.backend.list(ctx, r.name, func(o object) error {
		if !ours(strings.TrimPrefix(o.key, r.name+"/")) {
			return nil
		}
		objects++
		bytes += o.bytes
		if o.mod.After(changed) {
			changed = o.mod
		}
		return nil
	})
	return objects, bytes, changed, r.fail("list", "", err)
}
