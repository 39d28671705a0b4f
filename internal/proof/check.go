package proof

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/partition"
)

// Options configures Check.
type Options struct {
	// Dir is a directory for files, which are left there. They take about as much
	// room as the run, and that of its successors without repetitions once more.
	Dir string
	// MemoryBytes is the memory for sorting.
	MemoryBytes int64
	// Workers is the number of goroutines.
	Workers int
	// Done is called with the states that have been looked at, of Work.
	Done func(states int64)
}

// Result is what has been checked.
type Result struct {
	States     int64 `json:"states"`     // of the forward phase
	Successors int64 `json:"successors"` // each held against the layers
	Distances  int64 `json:"distances"`  // goal distances, held against those of the successors
}

// FaultError is something that is not as it should be.
type FaultError struct{ What string }

func (f *FaultError) Error() string { return f.What }

// Work returns how many states Check looks at, those that it looks at several
// times as many.
func Work(h *history.History) int64 { return 3*h.States(history.Forward) + h.States(history.Goal) }

// Check proves the layers of a space, or returns a *FaultError.
func Check(ctx context.Context, space *query.Space, opts Options) (Result, error) {
	words := space.Scheme.Words()
	c := &checker{
		space: space, opts: opts, words: words,
		reversible: space.Board.Puzzle.Layout().Reversible,
		nodes:      &segments{dir: opts.Dir, name: "states", stride: words + 1, key: words},
		edges:      &segments{dir: opts.Dir, name: "successors", stride: words + 3, key: words, join: true},
	}
	h := space.History
	c.goals = len(h.Layers(history.Goal)) > 0 || h.End(history.Goal) != nil
	c.horizon = int64(len(h.Layers(history.Goal)))
	if h.End(history.Goal) != nil {
		c.horizon = never
	}
	c.unexpanded = -1
	if h.End(history.Forward) == nil {
		c.unexpanded = int64(len(h.Layers(history.Forward)) - 1)
	}
	if err := c.collect(ctx); err != nil {
		return Result{}, err
	}
	if err := c.expand(ctx); err != nil {
		return Result{}, err
	}
	if err := c.compare(ctx); err != nil {
		return Result{}, err
	}
	return Result{States: h.States(history.Forward), Successors: c.successors.Load(), Distances: h.States(history.Goal)}, nil
}

// never is greater than any distance.
const never = int64(1) << 40

type checker struct {
	space      *query.Space
	opts       Options
	words      int
	reversible bool
	goals      bool  // there are goal distances
	horizon    int64 // the least goal distance that a state without one may have
	unexpanded int64 // depth of the layer whose successors are not stored yet, -1 for none

	nodes, edges *segments
	done         atomic.Int64
	successors   atomic.Int64
}

func (c *checker) looked(n int64) { c.opts.Done(c.done.Add(n)) }

// share returns the memory of one of the goroutines.
func (c *checker) share() int64 { return c.opts.MemoryBytes / 2 / int64(c.opts.Workers) }

// collect sorts the states of all layers. A node's last word has its phase, depth
// and link.
func (c *checker) collect(ctx context.Context) error {
	h := c.space.History
	return c.together(ctx, func(ctx context.Context, worker int) error {
		var keys []uint64
		most := int(max(1<<10, min(c.share()/8, Work(h)*int64(c.nodes.stride))))
		buf := make([]uint64, 0, most)
		for _, phase := range []history.Phase{history.Forward, history.Goal} {
			for _, l := range h.Layers(phase) {
				err := c.eachBlock(ctx, l, worker, func(part partition.ID, recs []uint64) error {
					keys = c.space.Scheme.Keys(keys[:0], part, recs)
					stride := c.space.Scheme.Stride()
					for i := 0; i*stride < len(recs); i++ {
						buf = append(buf, keys[i*c.words:(i+1)*c.words]...)
						meta := uint64(l.Depth)<<16 | uint64(c.space.Scheme.Move(recs[i*stride:]))
						if phase == history.Goal {
							meta |= 1 << 63
						}
						buf = append(buf, meta)
					}
					c.looked(int64(len(recs) / stride))
					if len(buf) < most {
						return nil
					}
					err := c.nodes.spill(buf)
					buf = buf[:0]
					return err
				})
				if err != nil {
					return err
				}
			}
		}
		return c.nodes.spill(buf)
	})
}

// eachBlock reads a worker's partitions of a layer.
func (c *checker) eachBlock(ctx context.Context, l history.Layer, worker int, f func(part partition.ID, recs []uint64) error) (err error) {
	var parts []partition.ID
	for p := worker; p < len(l.PartStates); p += c.opts.Workers {
		if l.PartStates[p] > 0 {
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

// together runs f on several goroutines and returns the first error that is not
// the echo of another.
func (c *checker) together(ctx context.Context, f func(ctx context.Context, worker int) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, c.opts.Workers)
	var wait sync.WaitGroup
	for i := range errs {
		wait.Go(func() {
			if errs[i] = f(ctx, i); errs[i] != nil {
				cancel()
			}
		})
	}
	wait.Wait()
	return firstReal(errs)
}

func firstReal(errs []error) error {
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return errors.Join(errs...)
}

// node is a state with what is stored of it.
type node struct {
	key      []uint64
	depth    int64
	link     uint64
	distance int64 // to a goal, -1 if there is none
	next     uint64
}

// least returns the least goal distance that the state may have.
func (n *node) least(c *checker) int64 {
	if n.distance < 0 {
		return c.horizon
	}
	return n.distance
}

// reader puts nodes together.
type reader struct {
	c   *checker
	in  *merged
	rec []uint64 // that has been read and not used, nil at the end
	n   node
}

func (c *checker) read() (*reader, error) {
	in, err := c.nodes.open()
	if err != nil {
		return nil, err
	}
	r := &reader{c: c, in: in}
	if r.rec, err = in.next(); err != nil {
		in.close()
	}
	return r, err
}

// next returns the next state, nil at the end. It is valid until the next call.
func (r *reader) next() (*node, error) {
	if r.rec == nil {
		return nil, nil
	}
	words, n := r.c.words, &r.n
	n.key = append(n.key[:0], r.rec[:words]...)
	n.depth, n.distance = -1, -1
	for r.rec != nil && slices.Equal(r.rec[:words], n.key) {
		meta := r.rec[words]
		at, link := int64(meta<<1>>17), meta&0xffff
		place, name := &n.depth, history.Forward
		if meta>>63 == 1 {
			place, name = &n.distance, history.Goal
		}
		switch {
		case *place == at:
			return nil, r.c.fault(n.key, "is in %v layer %d twice", name, at)
		case *place >= 0:
			return nil, r.c.fault(n.key, "is in two %v layers, %d and %d", name, *place, at)
		}
		*place = at
		if meta>>63 == 1 {
			n.next = link
		} else {
			n.link = link
		}
		var err error
		if r.rec, err = r.in.next(); err != nil {
			return nil, err
		}
	}
	if n.depth < 0 {
		return nil, r.c.fault(n.key, "has goal distance %d, and is in no forward layer", n.distance)
	}
	return n, nil
}

func (c *checker) fault(key []uint64, format string, args ...any) error {
	return &FaultError{fmt.Sprintf("the state below "+format, args...) + "\n" + c.space.Board.Puzzle.Format(key)}
}

// puzzleErr returns what a puzzle says of itself, if it failed, else err.
func (c *checker) puzzleErr(err error) error {
	if failure := puzzle.Err(c.space.Board.Puzzle); failure != nil {
		return failure
	}
	return err
}
