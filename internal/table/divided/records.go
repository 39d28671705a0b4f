package divided

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/internal/table"
	"github.com/everystate/everystate/internal/table/stored"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/partition"
)

// Source is what workers answer about a run that divides a table.
type Source interface {
	// Records has the last layers and those of goal distances, which are kept as records. Of
	// the former only its Cursor is used.
	query.Records

	// Depths returns of each state one more than its depth modulo three, or 0 if it has
	// not been found. A state is its partition and a record of it.
	Depths(ctx context.Context, parts []partition.ID, recs []uint64) ([]byte, error)

	// Table calls f with all states of all layers that are known, by partition: their
	// local mixed keys, and their depths modulo three.
	Table(ctx context.Context, f func(part partition.ID, local uint64, depth uint32) error) error
}

// Records are the layers of a run, as if all had been stored. A state is looked up by
// walking from it to a start; for a layer whose records are gone the table is read into
// memory, and layers are made again one after another.
type Records struct {
	Source  Source
	Board   puzzle.Board
	Scheme  partition.Scheme
	History *history.History
	// Workers is how many goroutines work at a time.
	Workers int
	// MemoryBytes bounds what making layers again takes.
	MemoryBytes int64

	mu     sync.Mutex // guards the fields below
	places map[uint64]place
	tables *stored.Tables // nil until a whole layer was asked for
}

var _ query.Records = (*Records)(nil)

// place is where a state is: its depth, -1 if it has not been found, and its link.
type place struct {
	depth int
	link  puzzle.Move
}

// placesMax bounds the places that are remembered.
const placesMax = 1 << 16

// With returns the same layers with those of goal distances that a later history of the run
// has. The layers from the starts must be the same. What was read is not read again.
func (r *Records) With(h *history.History) *Records {
	r.mu.Lock()
	defer r.mu.Unlock()
	return &Records{
		Source: r.Source, Board: r.Board, Scheme: r.Scheme, History: h, Workers: r.Workers, MemoryBytes: r.MemoryBytes,
		places: maps.Clone(r.places), tables: r.tables,
	}
}

// Find looks up a record.
func (r *Records) Find(ctx context.Context, layer history.Layer, part partition.ID, rec, dst []uint64) ([]uint64, bool, error) {
	if layer.Phase != history.Forward {
		return r.Source.Find(ctx, layer, part, rec, dst)
	}
	key := r.Scheme.KeyNarrow(part, rec[0])
	at, err := r.locate(ctx, key)
	if err != nil || at.depth != int(layer.Depth) {
		return dst, false, err
	}
	_, found := r.Scheme.RecordNarrow(key, at.link)
	return append(dst, found), true, nil
}

// locate returns where a state is.
func (r *Records) locate(ctx context.Context, key uint64) (place, error) {
	r.mu.Lock()
	at, known := r.places[key]
	r.mu.Unlock()
	if known {
		return at, nil
	}
	path, err := r.walk(ctx, key)
	if err != nil {
		return place{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.places) >= placesMax || r.places == nil {
		r.places = make(map[uint64]place)
	}
	if len(path) == 0 {
		return place{depth: -1}, nil // it may be found later
	}
	for i, step := range path {
		r.places[step.key] = place{len(path) - 1 - i, step.link}
	}
	return r.places[key], nil
}

// step is a state of a path and the move that leads to it from the next one.
type step struct {
	key  uint64
	link puzzle.Move
}

// walk returns the path from a state back to a start by links, or nothing if the state has
// not been found. The predecessor of a state is where the least move comes from of those
// that lead to it from a state one nearer to the starts.
func (r *Records) walk(ctx context.Context, key uint64) ([]step, error) {
	codes, err := r.codes(ctx, []uint64{key})
	if err != nil || codes[0] == 0 {
		return nil, err
	}
	p, starts := r.Board.Puzzle, r.Board.Puzzle.Starts()
	var near, back puzzle.Edges
	var path []step
	for code := codes[0]; ; code = before(code) {
		if slices.Contains(starts, key) {
			return append(path, step{key: key}), nil
		}
		if len(path) > len(r.History.Layers(history.Forward)) {
			return nil, fmt.Errorf("no start is reached within %d moves: the run is damaged\n%s", len(path), p.Format([]uint64{key}))
		}
		near.Reset()
		p.Successors([]uint64{key}, &near)
		keys := slices.Compact(slices.Sorted(slices.Values(near.Keys)))
		if err := puzzle.Err(p); err != nil {
			return nil, err
		}
		if codes, err = r.codes(ctx, keys); err != nil {
			return nil, err
		}
		at, found := step{key: key}, false
		var from uint64
		for i, next := range keys {
			if codes[i] != before(code) {
				continue
			}
			back.Reset()
			p.Successors([]uint64{next}, &back)
			for j, to := range back.Keys {
				if move := back.Moves[j]; to == key && (!found || move < at.link) {
					at.link, from, found = move, next, true
				}
			}
		}
		if !found {
			return nil, fmt.Errorf("no state one move nearer to the start leads there: the run is damaged\n%s", p.Format([]uint64{key}))
		}
		path, key = append(path, at), from
	}
}

// before returns the code of the depth one less.
func before(code byte) byte {
	if code == 1 {
		return 3
	}
	return code - 1
}

// codes asks for the depths of states.
func (r *Records) codes(ctx context.Context, keys []uint64) ([]byte, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	parts, recs := make([]partition.ID, len(keys)), make([]uint64, len(keys))
	for i, key := range keys {
		parts[i], recs[i] = r.Scheme.RecordNarrow(key, 0)
	}
	return r.Source.Depths(ctx, parts, recs)
}

// Cursor reads partitions of a layer.
func (r *Records) Cursor(ctx context.Context, layer history.Layer, parts []partition.ID) (query.Cursor, error) {
	if !history.InTable(r.History, layer) {
		return r.Source.Cursor(ctx, layer, parts)
	}
	return r.Again(ctx, layer, parts)
}

// Again is Cursor for records that are made again from the table, even if they are kept: once
// the table has been read, it does not matter that the run goes on and puts more layers into
// its own.
func (r *Records) Again(ctx context.Context, layer history.Layer, parts []partition.ID) (query.Cursor, error) {
	t, err := r.read(ctx)
	if err != nil {
		return nil, err
	}
	return stored.Records{Tables: t}.Cursor(ctx, layer, parts)
}

// read reads the table into memory, once.
func (r *Records) read(ctx context.Context) (*stored.Tables, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tables != nil {
		return r.tables, nil
	}
	t, err := stored.InMemory(r.MemoryBytes, r.Board.Puzzle, r.Scheme.Partitions(), r.Workers, false, nil)
	if large := new(stored.MemoryError); errors.As(err, &large) {
		return nil, tooLarge("a whole layer is made again from the table", large)
	}
	if err != nil {
		return nil, err
	}
	table := t.Space.NewTableOf(uint8(history.Forward))
	if err := r.Source.Table(ctx, r.put(table)); err != nil {
		return nil, err
	}
	t.Give(r.History, table)
	r.tables = t
	return t, nil
}

// tooLarge says that something takes more memory than there is.
func tooLarge(what string, e *stored.MemoryError) error {
	const mebi = 1 << 20
	return fmt.Errorf("%s, which takes %d MiB of memory, and half of this machine's are %d MiB: ask on a machine with more",
		what, e.NeedBytes/mebi, e.MemoryBytes/mebi)
}

func (r *Records) put(t *table.Table) func(part partition.ID, local uint64, depth uint32) error {
	return func(part partition.ID, local uint64, depth uint32) error {
		key := r.Scheme.KeyNarrow(part, local<<r.Scheme.MoveBits())
		if !t.Put(key, depth) {
			return fmt.Errorf("partition %d of the table has a key that has no rank, or twice: the run is damaged", part)
		}
		return nil
	}
}

// Verify reads the table, makes every layer again from the starts and from the goals, and
// compares counts, goals, links and digests with what was committed, and the layers that are
// kept as records with these. It calls done with each layer that is correct.
func (r *Records) Verify(ctx context.Context, done func(layer history.Layer)) error {
	t, err := r.read(ctx)
	if err != nil {
		return err
	}
	if err := t.Verify(ctx, done); err != nil {
		return err
	}
	for _, layer := range r.History.Layers(history.Forward) {
		if history.InTable(r.History, layer) {
			continue
		}
		err := r.same(ctx, layer, func(part partition.ID) ([]uint64, error) {
			return stored.Records{Tables: t}.Partition(ctx, layer, part)
		})
		if err != nil {
			return err
		}
	}
	err = stored.VerifyGoals(ctx, t, r.History, func(layer history.Layer, made stored.Made) error { return r.same(ctx, layer, made) }, done)
	if large := new(stored.MemoryError); errors.As(err, &large) {
		return tooLarge("goal distances are made again from the table", large)
	}
	return err
}

// same compares the records of a layer with those made again.
func (r *Records) same(ctx context.Context, layer history.Layer, made stored.Made) (err error) {
	var parts []partition.ID
	for part, states := range layer.PartStates {
		if states > 0 {
			parts = append(parts, partition.ID(part))
		}
	}
	c, err := r.Source.Cursor(ctx, layer, parts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	differ := func(part partition.ID) error {
		return &stored.FaultError{What: fmt.Sprintf("%v layer %d: the records of partition %d differ from those made again", layer.Phase, layer.Depth, part)}
	}
	var want []uint64 // what is left of the first of parts
	read := false     // it has been begun
	for {
		part, recs, err := c.Next()
		if err != nil {
			return err
		}
		if read && len(want) == 0 {
			parts, read = parts[1:], false
		}
		switch {
		case len(recs) == 0 && len(parts) == 0:
			return nil
		case len(recs) == 0:
			return differ(parts[0])
		case len(parts) == 0 || part != parts[0]:
			return differ(part)
		case !read:
			if want, err = made(part); err != nil {
				return err
			}
			read = true
		}
		if len(recs) > len(want) || !slices.Equal(recs, want[:len(recs)]) {
			return differ(part)
		}
		want = want[len(recs):]
	}
}
