package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/partition"
)

// expandStates is the number of states expanded at a time: with their successors
// they fit in a core's cache.
const expandStates = 512

// Expand generates the candidates of the attempt from this worker's partitions,
// sends each to the owner of its partition, and returns how many there were. When it
// returns, all have been delivered.
func (w *Worker) Expand(ctx context.Context) (generated int64, err error) {
	before := w.Progress.Generated.Load()
	if edges := w.attempt.Edges; edges != 0 && (w.reversed == nil || !w.reversed.whole || w.reversed.epoch != edges) {
		return 0, fmt.Errorf("epoch %d: %w", edges, ErrNoEdges)
	}
	switch {
	case w.attempt.Source == FromStarts:
		err = w.sendStarts()
	case w.attempt.Source == FromGoals && w.attempt.Found != nil:
		err = w.expandFound(ctx)
	default:
		err = w.expandLayers(ctx)
	}
	if err == nil {
		err = w.flushOut()
	}
	return w.Progress.Generated.Load() - before, err
}

// sendStarts sends the start states of this worker's own partitions.
func (w *Worker) sendStarts() error {
	starts := w.opts.Puzzle.Starts()
	if err := puzzle.Err(w.opts.Puzzle); err != nil {
		return err
	}
	words := w.scheme.Words()
	rec := make([]uint64, w.scheme.Stride())
	for i := 0; i < len(starts); i += words {
		if !slices.Contains(w.attempt.Parts, w.scheme.Record(rec, starts[i:i+words], 0)) {
			continue
		}
		if err := w.send(starts[i:i+words], 0); err != nil {
			return err
		}
	}
	return nil
}

// expandFound expands all states that have been found, if there are goals among them.
func (w *Worker) expandFound(ctx context.Context) error {
	if len(w.attempt.Expand) == 0 {
		return nil
	}
	for _, part := range w.attempt.Parts {
		found, err := w.attempt.Found(part)
		if err == nil {
			expand := func(recs []uint64) error { return w.expandRecords(0, part, recs) }
			err = errors.Join(w.expandAll(ctx, found, expand), found.Close())
		}
		if err != nil {
			return PartitionErrorf(part, "expand partition %d of all layers: %w", part, err)
		}
	}
	return nil
}

func (w *Worker) expandLayers(ctx context.Context) error {
	for _, layer := range w.attempt.Expand {
		for _, part := range w.attempt.Parts {
			if err := w.expandPart(ctx, layer, part); err != nil {
				return PartitionErrorf(part, "expand partition %d of %v: %w", part, layer.Segment, err)
			}
		}
	}
	return nil
}

func (w *Worker) expandPart(ctx context.Context, layer Layer, part partition.ID) (err error) {
	cursor, err := w.cursor(layer, part)
	if cursor == nil || err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cursor.Close()) }()
	expand := func(recs []uint64) error { return w.expandRecords(layer.Segment.Layer, part, recs) }
	if w.attempt.Edges != 0 {
		into, err := w.reversed.into(part)
		if err != nil {
			return err
		}
		expand = func(recs []uint64) error { return w.expandBack(&into, recs) }
	}
	return w.expandAll(ctx, cursor, expand)
}

// expandAll expands what a source yields, a few states at a time.
func (w *Worker) expandAll(ctx context.Context, source blockSource, expand func(recs []uint64) error) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		recs, err := source.Next()
		if err != nil {
			return err
		}
		if len(recs) == 0 {
			return nil
		}
		step := expandStates * w.scheme.Stride()
		for len(recs) > 0 {
			n := min(step, len(recs))
			err := expand(recs[:n])
			if failure := puzzle.Err(w.opts.Puzzle); failure != nil {
				return failure // it outranks what its answers led to
			}
			if err != nil {
				return err
			}
			recs = recs[n:]
		}
	}
}

func (w *Worker) expandRecords(layer uint32, part partition.ID, recs []uint64) error {
	w.keys = w.scheme.Keys(w.keys[:0], part, recs)
	states := int64(len(recs) / w.scheme.Stride())
	w.Progress.Expanded.Add(states)
	p := w.opts.Puzzle
	switch w.attempt.Source {
	case FromGoals:
		return w.sendGoals()
	case FromLinks:
		return w.sendLinked(recs, follow{p.Undo, p.Apply, "has no predecessor", "does not lead back"})
	case FromLinksAhead:
		way := follow{p.Apply, p.Undo, "is not a legal move there", "cannot be undone"}
		if puzzle.Merges(p) {
			way.back = nil
		}
		return w.sendLinked(recs, way)
	case FromMoves:
		return w.sendReversed(part, recs)
	case FromStarts, FromSuccessors, FromPredecessors:
	}
	// A pruned move leads to a state of an earlier layer, or to one that another
	// state of this layer reaches by a lesser move, which becomes its link: the new
	// layer is the same without it. Links of layer 0 are not moves.
	w.edges.Reset()
	pruned := 0
	if layer > 0 && (w.onward != nil || w.homeward != nil) {
		w.links = w.scheme.Moves(w.links[:0], recs)
	}
	switch back := w.attempt.Source == FromPredecessors; {
	case back && w.homeward != nil && layer > 0:
		pruned = w.homeward.Homeward(w.keys, w.links, &w.edges)
	case back:
		w.backward.Predecessors(w.keys, &w.edges)
	case w.onward != nil && layer > 0:
		pruned = w.onward.Onward(w.keys, w.links, &w.edges)
	default:
		p.Successors(w.keys, &w.edges)
	}
	w.Progress.Generated.Add(int64(pruned))
	return w.sendEdges()
}

// sendGoals sends the goals among w.keys.
func (w *Worker) sendGoals() error {
	words := w.scheme.Words()
	n := len(w.keys) / words
	w.marks = slices.Grow(w.marks[:0], n)[:n]
	w.opts.Puzzle.Goals(w.keys, w.marks)
	for i, goal := range w.marks {
		if !goal {
			continue
		}
		if err := w.send(w.keys[i*words:(i+1)*words], 0); err != nil {
			return err
		}
	}
	return nil
}

// LinkError reports a state whose predecessor link is wrong.
type LinkError struct {
	State string // as text
	Move  string
	What  string
}

func (e *LinkError) Error() string {
	return fmt.Sprintf("predecessor link %s of the state below %s\n%s", e.Move, e.What, e.State)
}

// follow is a step along a link and its inverse, with which the link is checked;
// back is nil if there is none.
type follow struct {
	step, back     func(dst, state []uint64, move puzzle.Move) bool
	noStep, noBack string // what LinkError says of a link that leads nowhere, or not back
}

// sendLinked sends the state that the link of each record leads to, and checks that
// the same move leads back. w.keys are the keys of recs.
func (w *Worker) sendLinked(recs []uint64, way follow) error {
	words, stride := w.scheme.Words(), w.scheme.Stride()
	p := w.opts.Puzzle
	linked := make([]uint64, words)
	again := make([]uint64, words)
	for i := 0; i*stride < len(recs); i++ {
		key := w.keys[i*words : (i+1)*words]
		move := w.scheme.Move(recs[i*stride:])
		if !p.Valid(key) {
			return &LinkError{State: fmt.Sprintf("key %x", key), Move: fmt.Sprint(move), What: "belongs to no state"}
		}
		if int(move) >= p.Layout().Moves || !way.step(linked, key, move) {
			return &LinkError{State: p.Format(key), Move: fmt.Sprint(move), What: way.noStep}
		}
		if way.back != nil && (!way.back(again, linked, move) || !slices.Equal(again, key)) {
			return &LinkError{State: p.Format(key), Move: p.FormatMove(move), What: way.noBack}
		}
		if err := w.send(linked, 0); err != nil {
			return err
		}
	}
	return nil
}

func (w *Worker) sendEdges() error {
	if !w.scheme.Narrow() {
		words := w.scheme.Words()
		for i, move := range w.edges.Moves {
			if err := w.send(w.edges.Keys[i*words:(i+1)*words], move); err != nil {
				return err
			}
		}
		return nil
	}
	scheme, out, filled := w.scheme, w.out, w.filled
	keys := w.edges.Keys[:len(w.edges.Moves)]
	for i, move := range w.edges.Moves {
		part, rec := scheme.RecordNarrow(keys[i], move)
		chunk, n := out[part], filled[part]
		if n == len(chunk) {
			var err error
			if chunk, err = w.swapChunk(part); err != nil {
				return err
			}
			n = 0
		}
		chunk[n] = rec
		filled[part] = n + 1
	}
	w.Progress.Generated.Add(int64(len(keys)))
	return nil
}

// send sends one candidate.
func (w *Worker) send(key []uint64, move puzzle.Move) error {
	var rec [puzzle.WordsMax + 1]uint64
	r := rec[:w.scheme.Stride()]
	return w.sendRecord(w.scheme.Record(r, key, move), r)
}

// sendRecord sends one candidate as a record of a partition.
func (w *Worker) sendRecord(part partition.ID, r []uint64) error {
	chunk, n := w.out[part], w.filled[part]
	if n+len(r) > len(chunk) {
		var err error
		if chunk, err = w.swapChunk(part); err != nil {
			return err
		}
		n = 0
	}
	w.filled[part] = n + copy(chunk[n:], r)
	w.Progress.Generated.Add(1)
	return nil
}

// swapChunk sends the chunk of a partition, if it has one, and replaces it with
// another, at its full length, to be filled.
func (w *Worker) swapChunk(part partition.ID) ([]uint64, error) {
	if err := w.flush(part); err != nil {
		return nil, err
	}
	chunk := w.opts.Chunks.get()
	w.out[part] = chunk[:cap(chunk)]
	return w.out[part], nil
}

// flush sends the chunk of a partition, if it has one.
func (w *Worker) flush(part partition.ID) error {
	chunk := w.out[part]
	if chunk == nil {
		return nil
	}
	chunk = chunk[:w.filled[part]]
	w.out[part], w.filled[part] = nil, 0
	if err := w.opts.Exchange.Send(w.attempt.Target.Epoch, part, chunk); err != nil {
		return PartitionErrorf(part, "send to partition %d: %w", part, err)
	}
	return nil
}

// flushOut sends all chunks that hold anything.
func (w *Worker) flushOut() error {
	for part := range w.out {
		if err := w.flush(partition.ID(part)); err != nil {
			return err
		}
	}
	return nil
}

// recordBits returns the number of bits of a record's first word that vary within a
// partition.
func (w *Worker) recordBits() uint {
	if w.scheme.Narrow() {
		return w.scheme.LocalBits() + w.scheme.MoveBits()
	}
	return w.scheme.LocalBits()
}
