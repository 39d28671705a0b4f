package worker

import (
	"context"
	"errors"
	"slices"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/digest"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
)

// Write deduplicates what has arrived and writes the new layer, one partition
// after another. All workers must have returned from Expand before.
func (w *Worker) Write(ctx context.Context) (Result, error) {
	if w.attempt.Source == FromMoves {
		return w.writeReversed(ctx)
	}
	if err := w.archive(ctx); err != nil {
		return Result{}, err
	}
	out := w.opts.Store.NewWriter(w.shape, w.attempt.Target)
	defer out.Abort()
	res := Result{Parts: make([]PartResult, 0, len(w.attempt.Parts))}
	sampleLeft := w.attempt.SampleMax
	for _, part := range w.attempt.Parts {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		pr, err := w.writePart(ctx, part, out, sampleLeft)
		if err != nil {
			return Result{}, PartitionErrorf(part, "deduplicate partition %d of %v: %w", part, w.attempt.Target, err)
		}
		sampleLeft -= len(pr.Sample)
		res.Parts = append(res.Parts, pr)
	}
	bytes, err := out.Finish()
	res.Bytes, res.Took = bytes, w.inbox.tallies()
	return res, err
}

// writePart writes a partition, and takes a sample of up to sampleMax states.
func (w *Worker) writePart(ctx context.Context, part partition.ID, out *store.Writer, sampleMax int) (PartResult, error) {
	pr := PartResult{Part: part}
	salt := digest.LayerSalt(w.attempt.Target.Phase, w.attempt.Target.Layer)
	var blocks [][]byte
	keep := func(block []byte) { blocks = append(blocks, block) }
	err := w.eachNew(ctx, part, func(recs []uint64) error {
		w.keys = w.scheme.Keys(w.keys[:0], part, recs)
		n := len(recs) / w.scheme.Stride()
		pr.States += int64(n)
		w.addDigests(&pr.Digest, salt, recs)
		w.addSample(&pr, recs, sampleMax)
		if w.attempt.CountGoals {
			w.marks = slices.Grow(w.marks[:0], n)[:n]
			w.opts.Puzzle.Goals(w.keys, w.marks)
			if err := puzzle.Err(w.opts.Puzzle); err != nil {
				return err
			}
			for _, goal := range w.marks {
				if goal {
					pr.Goals++
				}
			}
		}
		if w.attempt.CountGoals && w.weighted != nil {
			w.weights = slices.Grow(w.weights[:0], n)[:n]
			w.weighted.Weights(w.keys, w.weights)
			for _, weight := range w.weights {
				pr.Represented += int64(weight)
			}
		}
		if w.attempt.CountGoals && w.pruning != nil {
			pr.Pruned += w.pruning.Pruned(w.keys, &w.scratch)
		}
		return out.Append(uint32(part), recs, keep)
	})
	if err == nil {
		err = out.EndPartition(keep)
	}
	if err != nil {
		return pr, err
	}
	w.Progress.Written.Add(pr.States)
	w.Progress.Dropped.Add(w.gathered - pr.States)
	w.refreshCache(part, blocks)
	w.Progress.CacheBytes.Store(w.cache.bytes)
	return pr, nil
}

// addDigests adds the states of recs, whose keys are in w.keys, to d.
func (w *Worker) addDigests(d *digest.Digest, salt digest.Salt, recs []uint64) {
	if w.scheme.Narrow() {
		mask := uint64(1)<<w.scheme.MoveBits() - 1
		for i, r := range recs {
			d.AddNarrow(salt, w.keys[i], puzzle.Move(r&mask))
		}
		return
	}
	words, stride := w.scheme.Words(), w.scheme.Stride()
	for i := 0; i*stride < len(recs); i++ {
		d.AddState(salt, w.keys[i*words:(i+1)*words], w.scheme.Move(recs[i*stride:]))
	}
}

// addSample adds states of recs, whose keys are in w.keys, until the sample has sampleMax.
func (w *Worker) addSample(pr *PartResult, recs []uint64, sampleMax int) {
	words, stride := w.scheme.Words(), w.scheme.Stride()
	for i := 0; i*stride < len(recs) && len(pr.Sample) < sampleMax; i++ {
		pr.Sample = append(pr.Sample, puzzle.Reached{Key: slices.Clone(w.keys[i*words : (i+1)*words]), Move: w.scheme.Move(recs[i*stride:])})
	}
}

// refreshCache keeps the new blocks of a partition, and drops those of excluded
// layers that were not expanded: they are not read again. If more than the two
// layers that a reversible puzzle needs are excluded, the archive drops them
// instead, once it has merged them.
func (w *Worker) refreshCache(part partition.ID, blocks [][]byte) {
	if len(w.attempt.Exclude) <= 2 {
		for _, old := range w.attempt.Exclude {
			if !slices.ContainsFunc(w.attempt.Expand, func(l Layer) bool { return l.Segment == old.Segment }) {
				w.cache.drop(old.Segment, part)
			}
		}
	}
	if len(w.attempt.Exclude) == 0 { // nor are expanded layers read again
		for _, old := range w.attempt.Expand {
			w.cache.drop(old.Segment, part)
		}
	}
	if len(blocks) > 0 {
		w.cache.put(w.attempt.Target, part, blocks)
	}
}

// Check processes what has arrived like Write, but writes nothing: no state may be
// new. It returns new states as text, at most a few.
func (w *Worker) Check(ctx context.Context) (missing []string, err error) {
	const fewStates = 3
	if err := w.archive(ctx); err != nil {
		return nil, err
	}
	for _, part := range w.attempt.Parts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		err := w.eachNew(ctx, part, func(recs []uint64) error {
			w.keys = w.scheme.Keys(w.keys[:0], part, recs)
			words := w.scheme.Words()
			for i := 0; i < len(w.keys) && len(missing) < fewStates; i += words {
				missing = append(missing, w.opts.Puzzle.Format(w.keys[i:i+words]))
			}
			return nil
		})
		if err != nil {
			return nil, PartitionErrorf(part, "check partition %d: %w", part, err)
		}
		w.Progress.Dropped.Add(w.gathered)
	}
	return missing, nil
}

// CheckLinks processes what has arrived like Write, but writes nothing: for every
// record of a layer, the least link that has arrived for its state must be the
// record's. It returns the states for which this fails as text, at most a few per
// partition.
func (w *Worker) CheckLinks(ctx context.Context, layer Layer) (wrong []string, err error) {
	for _, part := range w.attempt.Parts {
		some, err := w.checkPart(ctx, layer, part)
		if err != nil {
			return nil, PartitionErrorf(part, "check partition %d: %w", part, err)
		}
		wrong = append(wrong, some...)
	}
	return wrong, nil
}

func (w *Worker) checkPart(ctx context.Context, layer Layer, part partition.ID) (wrong []string, err error) {
	const fewStates = 3
	cursor, err := w.cursor(layer, part)
	if cursor == nil || err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, cursor.Close()) }()
	stride := w.shape.Stride
	claimed := stream{source: cursor, moveBits: w.shape.MoveBits}
	blame := func() {
		if w.keys = w.scheme.Keys(w.keys[:0], part, claimed.recs[:stride]); len(wrong) < fewStates {
			wrong = append(wrong, w.opts.Puzzle.Format(w.keys))
		}
		claimed.recs = claimed.recs[stride:]
	}
	// next reports whether there is a claim left to check.
	next := func() (bool, error) {
		if !claimed.empty() {
			return true, nil
		}
		return claimed.fill()
	}
	err = w.eachNew(ctx, part, func(recs []uint64) error {
		for ; len(recs) > 0; recs = recs[stride:] {
			for {
				more, err := next()
				if !more || err != nil {
					return err
				}
				if w.shape.Compare(claimed.recs, recs) >= 0 {
					break
				}
				blame()
			}
			if w.shape.Compare(claimed.recs, recs) > 0 {
				continue // not claimed: an earlier layer has it
			}
			if slices.Equal(claimed.recs[:stride], recs[:stride]) {
				claimed.recs = claimed.recs[stride:]
			} else {
				blame()
			}
		}
		return nil
	})
	for err == nil {
		var more bool
		if more, err = next(); !more {
			break
		}
		blame()
	}
	return wrong, err
}

// eachNew calls f, in order and block by block, with the records that have arrived
// for a partition, are in none of the excluded layers, and are in one of the
// layers Within if these are given.
func (w *Worker) eachNew(ctx context.Context, part partition.ID, f func(recs []uint64) error) (err error) {
	g := w.inbox.take(part)
	w.gathered = g.records(w.shape.Stride)
	defer w.opts.Chunks.putAll(g.chunks)
	if len(g.chunks) == 0 && len(g.extents) == 0 {
		return nil
	}
	g.shape, g.width, g.space = w.shape, w.recordBits(), &w.split

	visited, err := w.open(w.attempt.Exclude, part)
	defer func() { err = errors.Join(err, visited.close()) }()
	if err != nil {
		return err
	}
	within, err := w.open(w.attempt.Within, part)
	defer func() { err = errors.Join(err, within.close()) }()
	if err != nil {
		return err
	}
	err = g.each(&w.work, visited.streams, func(recs []uint64) error {
		// One block at a time, so that what f derives from it stays in the cache.
		for block := range slices.Chunk(recs, store.BlockRecords*w.shape.Stride) {
			if err := ctx.Err(); err != nil {
				return err
			}
			if w.attempt.Within != nil {
				var err error
				if block, err = w.within(block, within.streams); err != nil {
					return err
				}
			}
			if len(block) == 0 {
				continue
			}
			if err := f(block); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	// A state missing from an excluded layer would pass for a new one, so the
	// layers are read to their ends, where their counts are checked. Little is
	// left to read, as candidates are spread over the keys like the layers'
	// states.
	for _, c := range append(visited.layers, within.layers...) {
		if err := c.drain(); err != nil {
			return err
		}
	}
	return nil
}

// within returns, in place, the records whose keys are in at least one of the
// streams.
func (w *Worker) within(recs []uint64, streams []stream) ([]uint64, error) {
	stride := w.shape.Stride
	w.inside = slices.Grow(w.inside[:0], len(recs)/stride)[:len(recs)/stride]
	clear(w.inside)
	for i := range streams {
		if err := streams[i].mark(w.inside, recs, w.shape); err != nil {
			return nil, err
		}
	}
	n := 0
	for i, inside := range w.inside {
		if inside {
			n += copy(recs[n:], recs[i*stride:(i+1)*stride])
		}
	}
	return recs[:n], nil
}

// opened is one partition of some layers being read: streams holds the segments of
// an archive and the layers outside it, layers only the latter.
type opened struct {
	streams []stream
	layers  []*partCursor
}

func (o *opened) close() error {
	var errs []error
	for _, c := range o.layers {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// open opens a partition of layers of one phase. The caller must close the result
// even after an error.
func (w *Worker) open(layers []Layer, part partition.ID) (opened, error) {
	var o opened
	if len(layers) == 0 {
		return o, nil
	}
	if a := w.archives[layers[0].Segment.Phase]; a != nil {
		o.streams = a.open(part)
		layers = layers[a.layers():]
	}
	for _, layer := range layers {
		c, err := w.cursor(layer, part)
		if err != nil {
			return o, err
		}
		if c != nil {
			o.layers = append(o.layers, c)
			o.streams = append(o.streams, stream{source: c, moveBits: w.shape.MoveBits})
		}
	}
	return o, nil
}
