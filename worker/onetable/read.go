package onetable

import (
	"context"
	"errors"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/table/stored"
	"github.com/everystate/everystate/puzzle/partition"
)

// ErrNotHere reports a layer that is not on disk here: of another worker, or not yet.
var ErrNotHere = errors.New("this worker does not have that layer of the table yet: ask again later")

// Find looks up a record of a layer.
func (r *Run) Find(ctx context.Context, p history.Phase, depth uint32, part partition.ID, rec []uint64) (found []uint64, ok bool, err error) {
	err = r.read(p, depth, func(t stored.Records, l history.Layer) error {
		found, ok, err = t.Find(ctx, l, part, rec, nil)
		return err
	})
	return found, ok, err
}

// Each calls f with the records of partitions of a layer, some at a time, in the order in
// which other runs store them. f must not change them.
func (r *Run) Each(ctx context.Context, p history.Phase, depth uint32, parts []uint32, f func(part uint32, recs []uint64) error) error {
	for _, part := range parts {
		var recs [][]uint64
		err := r.read(p, depth, func(t stored.Records, l history.Layer) (err error) {
			recs, err = all(ctx, t, l, partition.ID(part))
			return err
		})
		for _, some := range recs { // f may wait for whoever reads them
			if err == nil {
				err = f(part, some)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// all returns the records of a partition.
func all(ctx context.Context, t stored.Records, l history.Layer, part partition.ID) (recs [][]uint64, err error) {
	c, err := t.Cursor(ctx, l, []partition.ID{part})
	if err != nil {
		return nil, err
	}
	for {
		_, some, err := c.Next()
		if err != nil || len(some) == 0 {
			return recs, errors.Join(err, c.Close())
		}
		recs = append(recs, some)
	}
}

// read calls f with the tables on disk and a layer of them.
func (r *Run) read(p history.Phase, depth uint32, f func(t stored.Records, l history.Layer) error) error {
	r.files.RLock()
	defer r.files.RUnlock()
	layers := r.stored.Layers(p)
	if int64(depth) >= int64(len(layers)) {
		return ErrNotHere
	}
	t, err := r.reader()
	if err != nil {
		return err
	}
	return f(stored.Records{Tables: t}, layers[depth])
}

// reader returns what reads the tables on disk, the same for all until they are replaced.
func (r *Run) reader() (*stored.Tables, error) {
	r.opening.Lock()
	defer r.opening.Unlock()
	if r.reading != nil {
		return r.reading, nil
	}
	t, err := r.later()
	if err != nil {
		return nil, err
	}
	past := r.stored
	t.Place(r.opts.FS, r.opts.Dir, &past)
	r.reading = t
	return t, nil
}
