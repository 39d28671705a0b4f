package stored

import (
	"context"
	"slices"
	"sync"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/internal/table"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/partition"
)

// Records are the layers of a run, as if they had been stored: the same records in
// the same order. A state is looked up by walking from it to a start; layers are
// regenerated one after another.
type Records struct{ *Tables }

var _ query.Records = Records{}

// Find looks up a record.
func (r Records) Find(_ context.Context, layer history.Layer, part partition.ID, rec, dst []uint64) ([]uint64, bool, error) {
	scheme := r.scheme
	key := scheme.KeyNarrow(part, rec[0])
	link, depth, err := r.linkOf(layer.Phase, key)
	if err != nil {
		return nil, false, err
	}
	if depth != int(layer.Depth) {
		return nil, false, nil
	}
	_, found := scheme.RecordNarrow(key, link)
	return append(dst, found), true, nil
}

// Cursor reads partitions of a layer.
func (r Records) Cursor(ctx context.Context, layer history.Layer, parts []partition.ID) (query.Cursor, error) {
	return &cursor{records: r, ctx: ctx, layer: layer, parts: parts}, nil
}

// cursor returns the records of one partition after another.
type cursor struct {
	records Records
	ctx     context.Context //nolint:containedctx // that of the cursor, whose life it bounds
	layer   history.Layer
	parts   []partition.ID // the remaining ones
	rest    []uint64       // of the first of them
	open    bool           // reading of the first of them has begun
}

// blockRecords is the greatest number of records that Next returns.
const blockRecords = 4096

// Next returns the next records.
func (c *cursor) Next() (partition.ID, []uint64, error) {
	for len(c.parts) > 0 {
		if !c.open {
			recs, err := c.records.Partition(c.ctx, c.layer, c.parts[0])
			if err != nil {
				return 0, nil, err
			}
			c.rest, c.open = recs, true
		}
		if n := min(blockRecords, len(c.rest)); n > 0 {
			recs := c.rest[:n]
			c.rest = c.rest[n:]
			return c.parts[0], recs, nil
		}
		c.parts, c.open = c.parts[1:], false
	}
	return 0, nil, nil
}

// Close closes the cursor.
func (c *cursor) Close() error {
	c.parts, c.rest = nil, nil
	return nil
}

// sorted holds the records of some consecutive partitions of a layer.
type sorted struct {
	phase      history.Phase
	depth      uint32
	first, end partition.ID
	recs       []uint64
	starts     []int // of each partition, and the end of the last
}

// cachedRecordsMax bounds the sorted records cached, at 8 bytes each. At most half as
// many are made at a time, unless one partition has more.
const cachedRecordsMax = 16 << 20

// Partition returns the records of a partition, which must not be changed.
func (r Records) Partition(ctx context.Context, layer history.Layer, part partition.ID) ([]uint64, error) {
	t := r.Tables
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.cached {
		if s.phase == layer.Phase && s.depth == layer.Depth && s.first <= part && part < s.end {
			return s.of(part), nil
		}
	}
	if s := t.fromLast(layer); s != nil {
		return s.of(part), nil
	}
	s, err := t.fromFirst(layer, part)
	if err != nil {
		return nil, err
	}
	if s == nil {
		search, err := t.walkTo(ctx, layer)
		if err != nil {
			return nil, err
		}
		if s, err = t.sort(search.Each, layer, part); err != nil {
			return nil, err
		}
	}
	for len(t.cached) > 0 && t.cachedRecords+int64(len(s.recs)) > cachedRecordsMax {
		t.cachedRecords -= int64(len(t.cached[0].recs))
		t.cached = slices.Delete(t.cached, 0, 1)
	}
	t.cached, t.cachedRecords = append(t.cached, s), t.cachedRecords+int64(len(s.recs))
	return s.of(part), nil
}

func (s *sorted) of(part partition.ID) []uint64 {
	i := part - s.first
	return s.recs[s.starts[i]:s.starts[i+1]]
}

// walkTo regenerates layers up to a given one. A walk that was interrupted is not continued: it
// may be in the middle of a layer.
func (t *Tables) walkTo(ctx context.Context, layer history.Layer) (_ table.Search, err error) {
	search := t.walks[layer.Phase]
	t.walks[layer.Phase] = nil
	defer func() {
		if err == nil {
			t.walks[layer.Phase] = search
		}
	}()
	if search == nil || search.Depth() > layer.Depth {
		read, err := t.of(layer.Phase)
		if err != nil {
			return nil, err
		}
		if search == nil {
			search = t.replay(read, layer.Phase, false)
		}
		if _, err := t.begin(ctx, search, layer.Phase); err != nil {
			return nil, err
		}
	}
	for search.Depth() < layer.Depth {
		if _, err := search.Next(ctx); err != nil {
			return nil, err
		}
	}
	return search, nil
}

// each calls f with all states of a layer, some at a time, and their links.
type each func(f func(keys []uint64, link func(i int) puzzle.Move)) error

// sort sorts the records of a partition and of the following ones, as far as they fit, of a
// layer listed by each.
func (t *Tables) sort(each each, layer history.Layer, part partition.ID) (*sorted, error) {
	s := &sorted{phase: layer.Phase, depth: layer.Depth, first: part, end: part, starts: []int{0}}
	n := 0
	for int(s.end) < len(layer.PartStates) && (s.end == part || int64(n)+layer.PartStates[s.end] <= cachedRecordsMax/2) {
		n += int(layer.PartStates[s.end])
		s.end++
		s.starts = append(s.starts, n)
	}
	s.recs = make([]uint64, n)
	next := slices.Clone(s.starts)
	scheme := t.scheme
	err := each(func(keys []uint64, link func(i int) puzzle.Move) {
		for i, key := range keys {
			part, rec := scheme.RecordNarrow(key, 0)
			if part < s.first || part >= s.end {
				continue
			}
			// A table that differs from what was committed has its states in other
			// partitions: readers notice by the counts.
			if at := &next[part-s.first]; *at < s.starts[part-s.first+1] {
				s.recs[*at] = rec | uint64(link(i))
				*at++
			}
		}
	})
	if err != nil {
		return nil, err
	}
	var wait sync.WaitGroup
	for i := range t.Workers {
		wait.Go(func() {
			for p := i; p+1 < len(s.starts); p += t.Workers {
				slices.Sort(s.recs[s.starts[p]:s.starts[p+1]])
			}
		})
	}
	wait.Wait()
	return s, nil
}
