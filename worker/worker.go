package worker

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
)

// An Exchange carries candidates to the workers that own their partitions. Send takes
// ownership of the chunk, which came from the pool of the sending worker, and blocks
// while the owner of the partition has no room.
type Exchange interface {
	Send(epoch uint32, part partition.ID, chunk []uint64) error
}

// Options configures a Worker.
type Options struct {
	Puzzle     puzzle.Puzzle
	Scheme     partition.Scheme
	Store      *store.Store
	Exchange   Exchange
	Chunks     *Chunks
	InboxBytes int64 // memory for candidates that have arrived; beyond it they are spilled
	CacheBytes int64 // memory for blocks of recent layers, so that they need not be read back
}

// Progress counts what a worker has done in all its attempts. It may be read from any
// goroutine at any time.
type Progress struct {
	Expanded  atomic.Int64 // states expanded
	Generated atomic.Int64 // successors, pruned ones included
	Written   atomic.Int64 // new states
	Arrived   atomic.Int64 // candidates delivered to its partitions
	Dropped   atomic.Int64 // of these, duplicates and visited ones, counted when they are found to be

	SpilledBytes atomic.Int64 // written to scratch files because memory was full
	CacheHits    atomic.Int64 // partitions of layers read from memory
	CacheMisses  atomic.Int64 // and from the store
	CacheBytes   atomic.Int64 // blocks of the last layers, and archives, that are in memory now
}

// A Worker is one pipeline. Its methods are called from one goroutine, except
// for Deliver and Progress.
type Worker struct {
	opts     Options
	scheme   partition.Scheme
	shape    store.Shape
	inbox    *inbox
	cache    *layerCache
	out      [][]uint64      // the chunk being filled for each partition, or nil
	filled   []int           // words filled in each
	onward   puzzle.Onward   // nil if the puzzle does not prune by the last move
	backward puzzle.Backward // nil if the puzzle cannot generate predecessors
	homeward puzzle.Homeward // nil if it does not prune predecessors
	weighted puzzle.Weighted // nil if every state stands for itself
	weights  []uint64
	pruning  puzzle.Pruning // nil if the puzzle prunes no moves
	scratch  puzzle.Edges
	archives map[uint8]*archive // by phase
	inside   []bool
	edges    puzzle.Edges
	links    []puzzle.Move
	keys     []uint64
	marks    []bool
	work     sortSpace
	split    []uint64
	spare    [][]uint64 // memory of closed cursors
	reversed *reversed  // nil before the first attempt FromMoves
	former   *reversed  // to be closed
	attempt  *Attempt
	parts    []partition.ID // of the last attempt
	gathered int64          // candidates that had arrived for the partition written last

	Progress Progress
}

// ShapeOf returns the shape of the records of a scheme.
func ShapeOf(s partition.Scheme) store.Shape {
	shape := store.Shape{Stride: s.Stride(), MoveBits: s.MoveBits()}
	if s.Narrow() {
		shape.KeyBits = s.LocalBits()
	}
	return shape
}

// New returns an idle worker.
func New(opts Options) *Worker {
	w := &Worker{
		opts:   opts,
		scheme: opts.Scheme,
		shape:  ShapeOf(opts.Scheme),
		cache:  newLayerCache(opts.CacheBytes),
		out:    make([][]uint64, opts.Scheme.Partitions()),
		filled: make([]int, opts.Scheme.Partitions()),
	}
	w.onward, _ = opts.Puzzle.(puzzle.Onward)
	w.backward, _ = opts.Puzzle.(puzzle.Backward)
	w.homeward, _ = opts.Puzzle.(puzzle.Homeward)
	w.weighted, _ = opts.Puzzle.(puzzle.Weighted)
	w.pruning, _ = opts.Puzzle.(puzzle.Pruning)
	w.archives = make(map[uint8]*archive)
	w.inbox = newInbox(w, opts.InboxBytes)
	return w
}

// Begin prepares an attempt: from now on the worker accepts candidates for it and no
// other. Every worker of an attempt must have begun it before any of them expands.
func (w *Worker) Begin(a Attempt) {
	if w.attempt = &a; !slices.Equal(w.parts, a.Parts) {
		w.parts = slices.Clone(a.Parts)
		w.cache.keep(w.parts)
	}
	if a.Source != FromMoves {
		w.inbox.begin(a.Target.Epoch, w.shape.Stride, nil)
		return
	}
	w.former, w.reversed = w.reversed, newReversed(&w.opts, &a)
	w.inbox.begin(a.Target.Epoch, w.reversed.shape.Stride, w.reversed)
}

// Deliver takes a chunk of records for a partition that this worker owns, from sender
// 0. It may be called from any goroutine.
func (w *Worker) Deliver(epoch uint32, part partition.ID, chunk []uint64) error {
	return w.DeliverFrom(0, epoch, part, chunk)
}

// DeliverFrom is Deliver for one of several senders, which are numbered.
func (w *Worker) DeliverFrom(sender int, epoch uint32, part partition.ID, chunk []uint64) error {
	return w.inbox.deliver(sender, epoch, part, chunk)
}

// End drops what is left of the attempt, committed or not.
func (w *Worker) End() error {
	w.attempt = nil
	for i, chunk := range w.out {
		if chunk != nil {
			w.opts.Chunks.put(chunk)
			w.out[i], w.filled[i] = nil, 0
		}
	}
	err := w.inbox.end()
	if w.reversed != nil && !w.reversed.whole {
		err = errors.Join(err, w.reversed.close())
		w.reversed = nil
	}
	if w.former != nil {
		err = errors.Join(err, w.former.close())
		w.former = nil
	}
	return err
}

// Close releases what the worker keeps between attempts. No attempt may be in
// progress.
func (w *Worker) Close() error {
	var errs []error
	if w.reversed != nil {
		errs = append(errs, w.reversed.close())
	}
	for _, a := range w.archives {
		errs = append(errs, a.dropFrom(0))
	}
	return errors.Join(errs...)
}

// Forget drops the blocks of an attempt that was not committed.
func (w *Worker) Forget(id store.SegmentID) {
	w.cache.dropSegment(id)
	w.Progress.CacheBytes.Store(w.cache.bytes)
}

// cursor returns a cursor over a partition of a layer, in memory if it is cached. It
// returns nil for an empty partition.
func (w *Worker) cursor(l Layer, part partition.ID) (*partCursor, error) {
	if l.PartStates[part] == 0 {
		return nil, nil
	}
	c := &partCursor{worker: w, layer: l, part: part, stride: w.shape.Stride, left: l.PartStates[part]}
	if blocks, ok := w.cache.get(l.Segment, part); ok {
		w.Progress.CacheHits.Add(1)
		c.Cursor = store.NewMemoryCursor(w.shape, blocks)
	} else {
		w.Progress.CacheMisses.Add(1)
		var err error
		if c.Cursor, err = w.opts.Store.NewCursor(w.shape, l.Segment, uint32(part)); err != nil {
			return nil, fmt.Errorf("partition %d: %w", part, err)
		}
	}
	if n := len(w.spare); n > 0 {
		c.Lend(w.spare[n-1])
		w.spare = w.spare[:n-1]
	}
	return c, nil
}

// spareMax is how many cursors' memory a worker keeps: an attempt reads so many at a time,
// unless a puzzle cannot undo its moves.
const spareMax = 4

// partCursor reads a partition of a layer, and returns a store.CorruptionError if it
// does not have as many states as were committed: a missing block leaves no other
// trace.
type partCursor struct {
	*store.Cursor
	worker *Worker
	layer  Layer
	part   partition.ID
	stride int
	left   int64
}

// Next returns the records of the next block, or none at the end.
func (c *partCursor) Next() ([]uint64, error) {
	recs, err := c.Cursor.Next()
	if err != nil {
		return nil, err
	}
	c.left -= int64(len(recs) / c.stride)
	if len(recs) == 0 && c.left != 0 || c.left < 0 {
		committed := c.layer.PartStates[c.part]
		return nil, &store.CorruptionError{
			Where: fmt.Sprintf("%v, partition %d", c.layer.Segment, c.part),
			What:  fmt.Sprintf("%d states were committed, but %d are there", committed, committed-c.left),
		}
	}
	return recs, nil
}

// Close releases the cursor. What Next has returned is no longer valid.
func (c *partCursor) Close() error {
	if spare := &c.worker.spare; len(*spare) < spareMax && c.Memory() != nil {
		*spare = append(*spare, c.Memory())
	}
	c.Lend(nil)
	return c.Cursor.Close()
}

// drain reads what is left, to check that it is complete.
func (c *partCursor) drain() error {
	for {
		if recs, err := c.Next(); err != nil || len(recs) == 0 {
			return err
		}
	}
}
