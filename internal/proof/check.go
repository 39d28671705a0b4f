package proof

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/partition"
)

// Options configures Check.
type Options struct {
	// Dir is a directory for files. Check resumes from what an interrupted call left
	// there for the same run, and leaves its own files when interrupted.
	Dir string
	// Version is the program's version. Files that another version left in Dir are
	// not used.
	Version string
	// MemoryBytes bounds the memory for states and successors. If the states do not
	// fit in half of it, they are kept in files of at most six times their size.
	MemoryBytes int64
	// Workers is the number of goroutines.
	Workers int
	// SaveEvery is the interval between saves of the progress. Zero means a minute.
	SaveEvery time.Duration
	// SpillBytes is the size of the successors waiting in files at which they are
	// compared with the states. Zero means four times the size of the states.
	SpillBytes int64
	// Done is called with the number of states processed, out of Work, by several workers
	// at a time and so in any order.
	Done func(states int64)
}

// Result counts what was checked.
type Result struct {
	States     int64 `json:"states"`     // of the forward phase
	Successors int64 `json:"successors"` // each compared with the layers
	Distances  int64 `json:"distances"`  // goal distances, each compared with those of the successors
}

// FaultError is a fault in a run.
type FaultError struct{ What string }

func (f *FaultError) Error() string { return f.What }

// Work returns how many states Check processes in all. A state processed several
// times counts each time.
func Work(h *history.History) int64 { return 3*h.States(history.Forward) + h.States(history.Goal) }

// Check proves the layers of a space correct, or returns a *FaultError.
func Check(ctx context.Context, space *query.Space, opts Options) (Result, error) {
	h := space.History
	if len(h.Layers(history.Forward)) == 0 {
		return Result{}, ctx.Err() // nothing has been found yet
	}
	c := newWholeChecker(space, opts)
	err := c.check(ctx)
	if errors.Is(err, errDamaged) {
		if err = c.files.forget(); err == nil {
			c = newWholeChecker(space, opts)
			err = c.check(ctx)
		}
	}
	if err != nil {
		return Result{}, err
	}
	return Result{States: h.States(history.Forward), Successors: c.successors.Load(), Distances: h.States(history.Goal)}, nil
}

// infinite exceeds every distance.
const infinite = int64(1) << 40

type checker struct {
	space      *query.Space
	opts       Options
	words      int
	reversible bool
	goals      bool  // there are goal distances
	horizon    int64 // the least goal distance that a state without one may have
	unexpanded int64 // depth of the layer whose successors are not stored yet, -1 for none

	nodeWords, edgeWords int // of a node and of an edge
	buckets              []bucket
	hashBits             uint // that choose the bucket
	inMemory             bool // all tables are
	bufferWords          int  // per bucket and goroutine: as many nodes or edges as fit

	share *Share // nil if the whole run is checked here
	steps int    // that the progress counts: buckets, or the rounds of a share

	files      *files
	spilled    atomic.Int64
	done       atomic.Int64
	successors atomic.Int64
}

// newWholeChecker returns a checker of all states of a space.
func newWholeChecker(space *query.Space, opts Options) *checker {
	c := newChecker(space, opts)
	c.divideStates(space.History.States(history.Forward))
	return c
}

func newChecker(space *query.Space, opts Options) *checker {
	words, h := space.Scheme.Words(), space.History
	c := &checker{
		space: space, opts: opts, words: words,
		reversible: space.Board.Puzzle.Layout().Reversible,
		nodeWords:  words + 1, edgeWords: words + 1,
		unexpanded: -1,
	}
	c.goals = len(h.Layers(history.Goal)) > 0 || h.End(history.Goal) != nil
	c.horizon = int64(len(h.Layers(history.Goal)))
	if h.End(history.Goal) != nil {
		c.horizon = infinite
	}
	if c.goals {
		c.nodeWords++
		c.edgeWords++
	}
	if h.End(history.Forward) == nil {
		c.unexpanded = int64(len(h.Layers(history.Forward)) - 1)
	}
	if c.opts.SaveEvery == 0 {
		c.opts.SaveEvery = time.Minute
	}
	return c
}

// divideStates divides so many states among buckets.
func (c *checker) divideStates(states int64) {
	c.divide(states)
	c.steps = len(c.buckets)
	if c.opts.SpillBytes == 0 {
		c.opts.SpillBytes = 4 * 8 * int64(c.nodeWords) * states
	}
}

// check implements Check.
func (c *checker) check(ctx context.Context) error {
	c.files = &files{c: c, dir: c.opts.Dir}
	next, err := c.files.resume()
	if err != nil {
		return err
	}
	if next < 0 {
		next = 0
		if err := c.collect(ctx); err != nil {
			return err
		}
	}
	for next < len(c.buckets) {
		if next, err = c.round(ctx, next); err != nil {
			return err
		}
	}
	if !c.inMemory {
		return nil // the last round has judged every state
	}
	return c.each(ctx, 0, func(_, bucket int) error { return c.judge(c.buckets[bucket].table) })
}

func (c *checker) looked(n int) { c.opts.Done(c.done.Add(int64(n))) }

// collect adds the states of all layers to their buckets.
func (c *checker) collect(ctx context.Context) error {
	err := c.onAllWorkers(ctx, func(ctx context.Context, worker int) error {
		out := c.newRouter(c.nodeWords, c.addNodes)
		var keys []uint64
		node := make([]uint64, c.nodeWords)
		for _, phase := range []history.Phase{history.Forward, history.Goal} {
			for _, l := range c.space.History.Layers(phase) {
				err := c.eachBlock(ctx, l, worker, func(part partition.ID, recs []uint64) error {
					keys = c.space.Scheme.Keys(keys[:0], part, recs)
					stride := c.space.Scheme.Stride()
					for i := 0; i*stride < len(recs); i++ {
						copy(node, keys[i*c.words:(i+1)*c.words])
						c.describe(node, phase, l.Depth, c.space.Scheme.Move(recs[i*stride:]))
						if err := out.add(node); err != nil {
							return err
						}
					}
					if err := c.share.sum(l, part, keys, recs); err != nil {
						return err
					}
					c.looked(len(recs) / stride)
					return nil
				})
				if err != nil {
					return err
				}
			}
		}
		return out.flush()
	})
	if err != nil || c.inMemory {
		return err
	}
	if err := c.settle(ctx, false); err != nil {
		return err
	}
	return c.files.save(0)
}

// eachBlock reads a worker's partitions of a layer.
func (c *checker) eachBlock(ctx context.Context, l history.Layer, worker int, f func(part partition.ID, recs []uint64) error) (err error) {
	var parts []partition.ID
	for p := worker; p < len(l.PartStates); p += c.opts.Workers {
		if l.PartStates[p] > 0 && c.share.keeps(p) {
			parts = append(parts, partition.ID(p))
		}
	}
	if len(parts) == 0 {
		return ctx.Err()
	}
	cursor, err := c.space.Records.Cursor(ctx, l, parts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cursor.Close()) }()
	for {
		part, recs, err := cursor.Next()
		if err != nil || len(recs) == 0 {
			return err
		}
		if err := f(part, recs); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// onAllWorkers runs f on all workers and returns the first error.
func (c *checker) onAllWorkers(ctx context.Context, f func(ctx context.Context, worker int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	for i := range c.opts.Workers {
		group.Go(func() error { return f(ctx, i) })
	}
	return group.Wait()
}

// each calls f with every bucket from a given one on, several concurrently.
func (c *checker) each(ctx context.Context, from int, f func(worker, bucket int) error) error {
	var next atomic.Int64
	next.Store(int64(from))
	return c.onAllWorkers(ctx, func(ctx context.Context, worker int) error {
		for {
			if err := ctx.Err(); err != nil {
				return err
			}
			b := int(next.Add(1) - 1)
			if b >= len(c.buckets) {
				return nil
			}
			if err := f(worker, b); err != nil {
				return err
			}
		}
	})
}

func (c *checker) fault(key []uint64, format string, args ...any) error {
	return &FaultError{fmt.Sprintf("the state below "+format, args...) + "\n" + c.space.Board.Puzzle.Format(key[:c.words])}
}

// puzzleErr returns the puzzle's own failure if it has one, else err.
func (c *checker) puzzleErr(err error) error {
	if failure := puzzle.Err(c.space.Board.Puzzle); failure != nil {
		return failure
	}
	return err
}
