package local

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/digest"
	"github.com/everystate/everystate/partition"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/worker"
)

// Verified is what Verify has looked at.
type Verified struct {
	// Sealed says that every file was compared, to the last byte, with the sums
	// taken when the run was closed. A run whose process was killed has none.
	Sealed bool  `json:"sealed"`
	Layers int   `json:"layers"`
	States int64 `json:"states"` // of all phases
	Links  int64 `json:"links"`
}

// FaultError is something that Verify found wrong.
type FaultError struct{ What string }

func (f *FaultError) Error() string { return f.What }

// Verify reads everything that the run has stored and checks it: the checksums
// of all files and blocks; that every layer has the states and the digest that
// were committed; that every state is a state of the puzzle; and that every
// state's predecessor lies one layer up and its move leads from there to the
// state. It returns a *FaultError or an error of the store's for the first thing
// that is wrong. done is called now and then, from one goroutine at a time,
// with the states looked at so far.
func (r *Run) Verify(ctx context.Context, done func(states int64)) (Verified, error) {
	var v Verified
	var err error
	if v.Sealed, err = r.store.VerifyFiles(func(int64) {}); err != nil {
		return v, err
	}
	defer limitMemory(r.opts.MemoryBytes)()
	if goals := r.history.Layers(core.Goal); len(goals) > 0 && goals[0].States != r.history.Goals() {
		return v, r.faultIn(goals[0], "%d states, but the forward layers have %d goals", goals[0].States, r.history.Goals())
	}
	for _, phase := range []core.Phase{core.Forward, core.Goal} {
		layers := r.history.Layers(phase)
		for i, layer := range layers {
			if err := ctx.Err(); err != nil {
				return v, err
			}
			if err := r.verifyLayer(ctx, layer); err != nil {
				return v, err
			}
			if i > 0 {
				if err := r.verifyLinks(ctx, layers[i-1], layer); err != nil {
					return v, err
				}
				v.Links += layer.States
			}
			v.Layers++
			v.States += layer.States
			done(v.States)
		}
	}
	return v, nil
}

// verifyLayer compares counts and digest with what was committed.
func (r *Run) verifyLayer(ctx context.Context, layer core.Layer) error {
	var sum digest.Digest
	var goals int64
	salt := digest.LayerSalt(uint8(layer.Phase), layer.Depth)
	words, stride := r.scheme.Words(), r.scheme.Stride()
	var keys []uint64
	var marks []bool
	for part := range r.spec.Partitions {
		if err := ctx.Err(); err != nil {
			return err
		}
		var states int64
		err := r.eachBlock(layer, partition.ID(part), func(recs []uint64) error {
			keys = r.scheme.Keys(keys[:0], partition.ID(part), recs)
			n := len(recs) / stride
			states += int64(n)
			for i := range n {
				key := keys[i*words : (i+1)*words]
				if !r.board.Puzzle.Valid(key) {
					return r.faultIn(layer, "partition %d holds the key %x, which is no state of the puzzle", part, key)
				}
				sum.AddState(salt, key, r.scheme.Move(recs[i*stride:]))
			}
			if cap(marks) < n {
				marks = make([]bool, n)
			}
			r.board.Puzzle.Goals(keys, marks[:n])
			for _, goal := range marks[:n] {
				if goal {
					goals++
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		if states != layer.PartStates[part] {
			return r.faultIn(layer, "partition %d holds %d states, %d were committed", part, states, layer.PartStates[part])
		}
	}
	if sum != layer.Digest {
		return r.faultIn(layer, "digest is %v, %v was committed", sum, layer.Digest)
	}
	want := layer.Goals
	if layer.Phase == core.Goal && layer.Depth == 0 {
		want = layer.States
	}
	if goals != want {
		return r.faultIn(layer, "%d goal states, should be %d", goals, want)
	}
	return nil
}

func (r *Run) faultIn(layer core.Layer, format string, args ...any) error {
	return &FaultError{fmt.Sprintf("%v layer %d: ", layer.Phase, layer.Depth) + fmt.Sprintf(format, args...)}
}

func (r *Run) eachBlock(layer core.Layer, part partition.ID, f func(recs []uint64) error) (err error) {
	c, err := r.store.NewCursor(worker.ShapeOf(r.scheme), runID(layer), uint32(part))
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

// verifyLinks checks the links of a layer with the workers' pipeline: each
// state sends the predecessor that it is linked to, and all that arrive must be
// in the layer above.
func (r *Run) verifyLinks(ctx context.Context, above, layer core.Layer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	workers := r.newWorkers()
	parts := make([][]partition.ID, len(workers.all))
	for p := range r.spec.Partitions {
		i := p % len(workers.all)
		parts[i] = append(parts[i], partition.ID(p))
		workers.exchange.owner[p] = workers.all[i]
	}
	source := worker.FromLinks
	if layer.Phase == core.Goal && !r.board.Puzzle.Layout().Reversible {
		source = worker.FromLinksAhead
	}
	for i, w := range workers.all {
		w.Begin(worker.Attempt{
			Target:  store.RunID{Phase: uint8(layer.Phase), Layer: layer.Depth},
			Source:  source,
			Expand:  []worker.Layer{{Run: runID(layer), PartStates: layer.PartStates}},
			Exclude: []worker.Layer{{Run: runID(above), PartStates: above.PartStates}},
			Parts:   parts[i],
		})
	}
	defer func() {
		for _, w := range workers.all {
			// Scratch files are emptied when the store is opened at the latest.
			_ = errors.Join(w.End(), w.Close())
		}
	}()
	err := together(workers.all, cancel, func(w *worker.Worker) error {
		_, err := w.Expand(ctx)
		return err
	})
	if err == nil {
		err = together(workers.all, cancel, func(w *worker.Worker) error {
			missing, err := w.Check(ctx)
			if err == nil && len(missing) > 0 {
				err = r.faultIn(layer, "a predecessor is not in the layer above:\n%s", strings.Join(missing, "\n\n"))
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

// together runs f for every worker at the same time, and returns the first
// error that is not the echo of another.
func together(workers []*worker.Worker, cancel func(), f func(*worker.Worker) error) error {
	var wait sync.WaitGroup
	errs := make([]error, len(workers))
	for i, w := range workers {
		wait.Go(func() {
			if errs[i] = f(w); errs[i] != nil {
				cancel()
			}
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return errors.Join(errs...)
}
