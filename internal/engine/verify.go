package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/platform/memory"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/digest"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/worker"
)

// Verified is what Verify has checked.
type Verified struct {
	// Sealed is set if every file was compared, to the last byte, with the checksums
	// taken when the run was closed. A run whose process was killed has none.
	Sealed bool `json:"sealed"`
	Layers int  `json:"layers"`
	// Dropped counts layers whose states the run no longer has.
	Dropped int   `json:"dropped_layers,omitempty"`
	States  int64 `json:"states"` // of all phases
	Links   int64 `json:"links"`
}

// FaultError reports something that Verify found wrong.
type FaultError struct{ What string }

func (f *FaultError) Error() string { return f.What }

// Verify reads everything that the run has stored and checks it: the checksums of all
// files and blocks; that every layer has the states and the digest that were committed;
// that every state is a state of the puzzle; and that every state's predecessor lies in
// the layer above and the stored move leads from there to the state. Where a link does
// not determine the predecessor (puzzle.Merging), the layer above is expanded, and the
// stored move must be the least that leads to the state. For a run that keeps tables,
// the layers are recomputed from them. Layers that the run has dropped are left out. Verify returns a *FaultError or an error of the
// store for the first fault. done is called now and then, from one goroutine at a time,
// with the number of states checked so far.
func (r *Run) Verify(ctx context.Context, done func(states int64)) (Verified, error) {
	return verify(ctx, r, true, done)
}

// VerifyStored is Verify without the predecessors, which VerifyComplete checks.
func VerifyStored(ctx context.Context, r *Run, done func(states int64)) (Verified, error) {
	return verify(ctx, r, false, done)
}

func verify(ctx context.Context, r *Run, links bool, done func(states int64)) (Verified, error) {
	var v Verified
	var err error
	if v.Sealed, err = r.store.VerifyFiles(func(int64) {}); err != nil {
		return v, err
	}
	defer memory.Reserve(r.opts.MemoryBytes)()
	if goals := r.history.Layers(history.Goal); len(goals) > 0 && goals[0].States != r.history.Goals() {
		return v, r.faultIn(goals[0], "%d states, but the forward layers have %d goals", goals[0].States, r.history.Goals())
	}
	if r.spec.Store == history.Table {
		err := r.tables.Verify(ctx, func(layer history.Layer) {
			if layer.Depth > 0 {
				v.Links += layer.States
			}
			v.Layers++
			v.States += layer.States
			done(v.States)
		})
		return v, asFault(err)
	}
	workers := r.newLinkWorkers()
	for _, phase := range []history.Phase{history.Forward, history.Goal} {
		layers := r.history.Layers(phase)
		for i, layer := range layers {
			if err := ctx.Err(); err != nil {
				return v, err
			}
			if r.history.Dropped(layer) {
				v.Dropped++
				continue
			}
			linked := i > 0 && !r.history.Dropped(layers[i-1])
			if err := r.verifyLayer(ctx, layer, func(states int64) { done(v.States + states) }); err != nil {
				return v, err
			}
			if links && linked {
				if err := r.verifyLinks(ctx, workers, layers[i-1], layer); err != nil {
					return v, err
				}
			}
			if linked {
				v.Links += layer.States
			}
			v.Layers++
			v.States += layer.States
			done(v.States)
		}
	}
	return v, nil
}

// verifyLayer compares counts and digest with what was committed, several partitions at
// a time. Of several faults it returns the one in the first partition. It calls done
// with the number of states of the layer checked so far.
func (r *Run) verifyLayer(ctx context.Context, layer history.Layer, done func(states int64)) error {
	var (
		wait sync.WaitGroup
		next atomic.Int64 // the next partition to take

		mu     sync.Mutex // guards the fields below
		sum    layerCheck
		states int64
		fault  error
		in     = int64(r.spec.Partitions) // the partition of the fault
	)
	for range min(r.opts.Workers, r.spec.Partitions) {
		wait.Go(func() {
			c := layerCheck{run: r, layer: layer, salt: digest.LayerSalt(uint8(layer.Phase), layer.Depth)}
			for {
				part := next.Add(1) - 1
				if part >= int64(r.spec.Partitions) {
					break
				}
				// Partitions before a fault have been taken already, and are checked to
				// their end.
				err := c.partition(ctx, partition.ID(part))
				mu.Lock()
				if err != nil {
					if !errors.Is(err, context.Canceled) && part < in {
						fault, in = err, part
					}
					next.Store(int64(r.spec.Partitions))
					mu.Unlock()
					break
				}
				states += layer.PartStates[part]
				done(states)
				mu.Unlock()
			}
			mu.Lock()
			sum.digest.Add(c.digest)
			sum.goals += c.goals
			sum.represented += c.represented
			sum.pruned += c.pruned
			mu.Unlock()
		})
	}
	wait.Wait()
	if fault == nil {
		fault = ctx.Err()
	}
	if fault != nil {
		return fault
	}
	if sum.digest != layer.Digest {
		return r.faultIn(layer, "digest is %v, %v was committed", sum.digest, layer.Digest)
	}
	want := layer.Goals
	if layer.Phase == history.Goal && layer.Depth == 0 {
		want = layer.States
	}
	if sum.goals != want {
		return r.faultIn(layer, "%d goal states, should be %d", sum.goals, want)
	}
	if layer.Phase == history.Forward && sum.represented != layer.Represented {
		return r.faultIn(layer, "the states represent %d, should be %d", sum.represented, layer.Represented)
	}
	if layer.Phase == history.Forward && sum.pruned != layer.Pruned {
		return r.faultIn(layer, "the puzzle prunes %d moves of the states, should be %d", sum.pruned, layer.Pruned)
	}
	return nil
}

// A layerCheck adds up what one goroutine sees of a layer.
type layerCheck struct {
	run    *Run
	layer  history.Layer
	salt   digest.Salt
	digest digest.Digest
	goals  int64
	// represented is history.Layer.Represented.
	represented int64
	weights     []uint64
	// pruned is history.Layer.Pruned.
	pruned  int64
	scratch puzzle.Edges
	keys    []uint64
	marks   []bool
}

// partition checks the states of a partition.
func (c *layerCheck) partition(ctx context.Context, part partition.ID) error {
	var states int64
	err := c.run.eachBlock(c.layer, part, func(recs []uint64) error {
		states += int64(len(recs) / c.run.scheme.Stride())
		if err := c.block(part, recs); err != nil {
			return err
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	if states != c.layer.PartStates[part] {
		return c.run.faultIn(c.layer, "partition %d holds %d states, %d were committed", part, states, c.layer.PartStates[part])
	}
	return nil
}

func (c *layerCheck) block(part partition.ID, recs []uint64) error {
	scheme, p := &c.run.scheme, c.run.board.Puzzle
	words, stride := scheme.Words(), scheme.Stride()
	c.keys = scheme.Keys(c.keys[:0], part, recs)
	n := len(recs) / stride
	for i := range n {
		key := c.keys[i*words : (i+1)*words]
		if !p.Valid(key) {
			if err := puzzle.Err(p); err != nil {
				return err
			}
			return c.run.faultIn(c.layer, "partition %d holds the key %x, which is not a state of the puzzle", part, key)
		}
		c.digest.AddState(c.salt, key, scheme.Move(recs[i*stride:]))
	}
	c.marks = slices.Grow(c.marks[:0], n)[:n]
	p.Goals(c.keys, c.marks)
	if err := puzzle.Err(p); err != nil {
		return err
	}
	for _, goal := range c.marks {
		if goal {
			c.goals++
		}
	}
	if weighted, ok := p.(puzzle.Weighted); ok {
		c.weights = slices.Grow(c.weights[:0], n)[:n]
		weighted.Weights(c.keys, c.weights)
		for _, weight := range c.weights {
			c.represented += int64(weight)
		}
	}
	if pruning, ok := p.(puzzle.Pruning); ok {
		c.pruned += pruning.Pruned(c.keys, &c.scratch)
	}
	return nil
}

func (r *Run) faultIn(layer history.Layer, format string, args ...any) error {
	return &FaultError{fmt.Sprintf("%v layer %d: ", layer.Phase, layer.Depth) + fmt.Sprintf(format, args...)}
}

func (r *Run) eachBlock(layer history.Layer, part partition.ID, f func(recs []uint64) error) (err error) {
	c, err := r.store.NewCursor(worker.ShapeOf(r.scheme), segmentID(layer), uint32(part))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	for {
		recs, err := c.Next()
		if err != nil || len(recs) == 0 {
			return err
		}
		if err := f(recs); err != nil {
			return err
		}
	}
}

// newLinkWorkers makes the workers of verifyLinks, which are reused for every layer.
func (r *Run) newLinkWorkers() linkWorkers {
	links := Run{opts: r.opts, store: r.store, spec: r.spec, scheme: r.scheme, board: r.board}
	links.board.Puzzle = validated{r.board.Puzzle}
	ws := linkWorkers{workers: links.newWorkers()}
	ws.parts = make([][]partition.ID, len(ws.all))
	for p := range r.spec.Partitions {
		i := p % len(ws.all)
		ws.parts[i] = append(ws.parts[i], partition.ID(p))
		ws.owners.owner[p] = ws.all[i]
	}
	return ws
}

type linkWorkers struct {
	workers
	parts [][]partition.ID // of each worker
}

// validated is a puzzle whose states have all been found valid: verifyLayer checks
// every key of a layer before verifyLinks reads it, from blocks whose checksums are
// compared both times.
type validated struct{ puzzle.Puzzle }

// Valid returns true.
func (validated) Valid([]uint64) bool { return true }

// Err returns the puzzle's error.
func (l validated) Err() error { return puzzle.Err(l.Puzzle) }

// Merges reports whether the puzzle merges states.
func (l validated) Merges() bool { return puzzle.Merges(l.Puzzle) }

// verifyLinks checks the links of a layer with the workers' pipeline: each state sends
// the predecessor that it is linked to, and every one that arrives must be in the layer
// above.
func (r *Run) verifyLinks(ctx context.Context, workers linkWorkers, above, layer history.Layer) error {
	source := worker.FromLinks
	if layer.Phase == history.Goal && !r.board.Puzzle.Layout().Reversible {
		source = worker.FromLinksAhead
	}
	attempt := worker.Attempt{
		Target:  store.SegmentID{Phase: uint8(layer.Phase), Layer: layer.Depth},
		Source:  source,
		Expand:  []worker.Layer{{Segment: segmentID(layer), PartStates: layer.PartStates}},
		Exclude: []worker.Layer{{Segment: segmentID(above), PartStates: above.PartStates}},
	}
	check, what := (*worker.Worker).Check, "a predecessor is not in the layer above"
	if layer.Phase == history.Forward && puzzle.Merges(r.board.Puzzle) {
		claimed := attempt.Expand[0]
		attempt.Source, attempt.Expand, attempt.Exclude = worker.FromSuccessors, attempt.Exclude, nil
		check = func(w *worker.Worker, ctx context.Context) ([]string, error) { return w.CheckLinks(ctx, claimed) }
		what = "no state of the layer above leads here by the stored move, or one does by a lesser move"
	}
	for i, w := range workers.all {
		attempt.Parts = workers.parts[i]
		w.Begin(attempt)
	}
	defer func() {
		for _, w := range workers.all {
			// Scratch files left behind are removed when the store is next opened.
			_ = errors.Join(w.End(), w.Close())
		}
	}()
	err := together(ctx, workers.all, func(ctx context.Context, w *worker.Worker) error {
		_, err := w.Expand(ctx)
		return err
	})
	if err == nil {
		err = together(ctx, workers.all, func(ctx context.Context, w *worker.Worker) error {
			missing, err := check(w, ctx)
			if err == nil && len(missing) > 0 {
				err = r.faultIn(layer, "%s:\n%s", what, strings.Join(missing, "\n\n"))
			}
			return err
		})
	}
	var link *worker.LinkError
	if errors.As(err, &link) {
		return r.faultIn(layer, "%v", link)
	}
	return err
}

// together runs f for all workers concurrently and returns the first error.
func together(ctx context.Context, workers []*worker.Worker, f func(context.Context, *worker.Worker) error) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, w := range workers {
		group.Go(func() error { return f(ctx, w) })
	}
	return group.Wait()
}
