package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
)

// reversed holds the reversed moves of a space, for a puzzle that cannot generate
// predecessors: for each state of the partitions of one worker, they tell which states
// lead to it. They are made in an attempt of their own (FromMoves), in which all states
// of the space are expanded once more: each move is a candidate for the partition of the
// state that it leads to, and is kept there, sorted, in scratch files. If these are lost,
// the attempt is made again.
//
// A record holds the state that the move leads to, as in a record of a layer but
// without a move; then the mixed key of the state that the move leads from; then the
// move. It is one word where that is enough. Of several moves from one state to
// another, the least is kept. Moves that lead nowhere else, and moves from goals,
// are left out: they are on no shortest path.
type reversed struct {
	epoch  uint32 // of the attempt
	store  *store.Store
	shape  store.Shape
	own    []partition.ID
	loose  int // how many words of a partition may be in memory
	parts  []edgePart
	merged *store.Scratch // the result of merge
	whole  bool           // merge has returned

	life   sync.RWMutex // held for writing to close
	closed bool

	mu      sync.Mutex // guards writes to scratch and merged
	scratch *store.Scratch
}

// edgePart holds the moves that lead into a partition.
type edgePart struct {
	mu      sync.Mutex // guards the fields below while moves arrive
	loose   []uint64   // not yet sorted
	extents []store.Extent
	merged  bool
}

// edgeBlockRecords is small, as a layer may need only one record of a block. At
// edgeExtentsMax sorted runs, a partition's runs are merged into one.
const (
	edgeBlockRecords = 1024
	edgeExtentsMax   = 128
)

// ErrNoEdges reports that a worker does not have the reversed moves that an attempt
// reads.
var ErrNoEdges = errors.New("the reversed moves are not here")

// newReversed returns an empty reversed, which keeps at most memoryBytes of moves that
// are in no file yet.
func newReversed(opts *Options, a *Attempt) *reversed {
	e := &reversed{
		epoch: a.Target.Epoch, store: opts.Store, own: a.Parts,
		shape: FormOf(opts.Scheme, FromMoves).Shape(), parts: make([]edgePart, opts.Scheme.Partitions()),
	}
	words := int(opts.InboxBytes / 8 / 2 / int64(max(1, len(a.Parts)))) // half is for growing and sorting
	e.loose = max(64*e.shape.Stride, words)
	return e
}

// close removes the files. What arrives later is stale.
func (e *reversed) close() (err error) {
	e.life.Lock()
	defer e.life.Unlock()
	e.closed = true
	for _, s := range []**store.Scratch{&e.scratch, &e.merged} {
		if *s != nil {
			err = errors.Join(err, (*s).Close())
			*s = nil
		}
	}
	return err
}

// add adds moves to a partition. It may be called from any goroutine.
func (e *reversed) add(part partition.ID, recs []uint64) error {
	e.life.RLock()
	defer e.life.RUnlock()
	if e.closed {
		return fmt.Errorf("epoch %d: %w", e.epoch, ErrStale)
	}
	p := &e.parts[part]
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.merged {
		return fmt.Errorf("partition %d has been merged: %w", part, ErrStale)
	}
	p.loose = append(p.loose, recs...)
	if len(p.loose) < e.loose {
		return nil
	}
	extent, err := e.spill(&e.scratch, distinctEdges(p.loose, e.shape))
	if err != nil {
		return err
	}
	p.loose = p.loose[:0]
	p.extents = append(p.extents, extent)
	if len(p.extents) < edgeExtentsMax {
		return nil
	}
	extent, err = e.mergePart(context.Background(), &e.scratch, p)
	p.extents = append(p.extents[:0], extent)
	return err
}

// distinctEdges sorts records and drops duplicates. Their order has no structure to
// exploit, and very many may lead to one state.
func distinctEdges(recs []uint64, shape store.Shape) []uint64 {
	if shape.Stride == 1 {
		slices.Sort(recs)
		return uniqueNarrow(recs, shape.MoveBits)
	}
	var space sortSpace
	return uniqueWide(space.sortWide(recs, shape.Stride), shape)
}

// merge writes the moves into each partition as one sorted run. All must have arrived.
func (e *reversed) merge(ctx context.Context) error {
	for _, part := range e.own {
		p := &e.parts[part]
		p.mu.Lock()
		extent, err := e.mergePart(ctx, &e.merged, p)
		p.merged, p.extents = true, []store.Extent{extent}
		p.mu.Unlock()
		if err != nil {
			return PartitionErrorf(part, "merge the moves into partition %d: %w", part, err)
		}
	}
	e.whole = true
	scratch := e.scratch
	if e.scratch = nil; scratch == nil {
		return nil
	}
	return scratch.Close()
}

// spill writes sorted records in small blocks to a file, which is made if need be.
func (e *reversed) spill(to **store.Scratch, recs []uint64) (extent store.Extent, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if *to == nil {
		if *to, err = e.store.NewScratch(e.shape); err != nil {
			return extent, err
		}
	}
	for block := range slices.Chunk(recs, edgeBlockRecords*e.shape.Stride) {
		one, err := (*to).Spill(block)
		if err != nil {
			return extent, err
		}
		extent.Join(one)
	}
	return extent, nil
}

// mergePart writes all moves of a partition as one sorted run.
func (e *reversed) mergePart(ctx context.Context, to **store.Scratch, p *edgePart) (extent store.Extent, err error) {
	sources := []blockSource{&slab{distinctEdges(p.loose, e.shape)}}
	for _, x := range p.extents {
		sources = append(sources, e.scratch.Cursor(x))
	}
	var full []uint64
	flush := func(n int) error {
		one, err := e.spill(to, full[:n])
		extent.Join(one)
		full = append(full[:0], full[n:]...)
		return err
	}
	stride, size := e.shape.Stride, edgeBlockRecords*e.shape.Stride
	for all := mergeAll(sources, e.shape); ; {
		recs, err := all.Next()
		if err != nil {
			return extent, err
		}
		if len(recs) == 0 {
			break
		}
		if err := ctx.Err(); err != nil {
			return extent, err
		}
		// Two runs may hold the same edge with different moves.
		for ; len(recs) > 0; recs = recs[stride:] {
			last := len(full) - stride
			if last < 0 || e.shape.Compare(full[last:], recs) != 0 {
				full = append(full, recs[:stride]...)
			} else {
				full[len(full)-1] = min(full[len(full)-1], recs[stride-1])
			}
		}
		// The last record stays, to be compared with the next one.
		if len(full) > size {
			if err := flush((len(full) - stride) / size * size); err != nil {
				return extent, err
			}
		}
	}
	p.loose = nil
	return extent, flush(len(full))
}

// slab is a blockSource of one block.
type slab struct{ recs []uint64 }

func (s *slab) Next() ([]uint64, error) {
	recs := s.recs
	s.recs = nil
	return recs, nil
}

// sendReversed sends the moves from some states, whose keys are in w.keys, to the owners
// of the states that they lead to.
func (w *Worker) sendReversed(part partition.ID, recs []uint64) error {
	s, p := &w.scheme, w.opts.Puzzle
	words, stride := s.Words(), s.Stride()
	n := len(recs) / stride
	w.marks = slices.Grow(w.marks[:0], n)[:n]
	p.Goals(w.keys, w.marks)
	form := FormOf(w.scheme, FromMoves)
	var to [puzzle.WordsMax + 1]uint64
	var from, into [puzzle.WordsMax]uint64
	var rec [2*puzzle.WordsMax + 1]uint64
	for i := range n {
		if w.marks[i] {
			continue
		}
		w.edges.Reset()
		p.Successors(w.keys[i*words:(i+1)*words], &w.edges)
		s.Mixed(from[:0], part, recs[i*stride:(i+1)*stride])
		for j, move := range w.edges.Moves {
			at := s.Record(to[:stride], w.edges.Keys[j*words:(j+1)*words], 0)
			if s.Mixed(into[:0], at, to[:stride]); into == from {
				continue
			}
			if err := w.sendRecord(at, form.edge(rec[:], to[:stride], from[:words], move)); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeReversed merges the moves that have arrived.
func (w *Worker) writeReversed(ctx context.Context) (Result, error) {
	err := w.reversed.merge(ctx)
	res := Result{Took: w.inbox.tallies()}
	for _, part := range w.attempt.Parts {
		res.Parts = append(res.Parts, PartResult{Part: part})
	}
	return res, err
}

// into returns a stream of the moves into the states of a partition, for expandBack.
func (e *reversed) into(part partition.ID) (s stream, err error) {
	switch extents := e.parts[part].extents; {
	case len(extents) == 0: // a partition of another worker
		return s, ErrNoEdges
	case e.merged == nil: // there are no moves at all
		s.source = &slab{}
	default:
		s.source = e.merged.Cursor(extents[0])
	}
	return s, nil
}

// expandBack sends the predecessors of the states of recs, which must be in order of
// their keys within and across calls. It reads into just beyond them.
func (w *Worker) expandBack(into *stream, recs []uint64) error {
	e, s := w.reversed, &w.scheme
	words, stride := s.Words(), s.Stride()
	var to, state [puzzle.WordsMax]uint64
	var out [puzzle.WordsMax + 1]uint64
	moveMask, keyMask := uint64(1)<<s.MoveBits()-1, uint64(1)<<s.KeyBits()-1
	w.Progress.Expanded.Add(int64(len(recs) / stride))
	for i := 0; i < len(recs); i += stride {
		copy(state[:words], recs[i:i+words])
		if s.Narrow() {
			state[0] >>= s.MoveBits()
		}
		first := state[0]
		if e.shape.Stride == 1 {
			first <<= s.KeyBits()
		}
		for {
			if into.empty() {
				if more, err := into.fillFrom(first); err != nil || !more {
					return err
				}
			}
			var move puzzle.Move
			var from []uint64
			if e.shape.Stride == 1 {
				r := into.recs[0]
				to[0] = r >> s.MoveBits() >> s.KeyBits()
				move = puzzle.Move(r & moveMask)
				from = append(out[:0], r>>s.MoveBits()&keyMask)
			} else {
				copy(to[:words], into.recs)
				from = into.recs[words : 2*words]
				move = puzzle.Move(into.recs[2*words])
			}
			c := slices.Compare(to[:words], state[:words])
			if c > 0 {
				break
			}
			if c == 0 {
				var rec [puzzle.WordsMax + 1]uint64
				if err := w.sendRecord(s.OfMixed(rec[:stride], from, move), rec[:stride]); err != nil {
					return err
				}
			}
			into.recs = into.recs[e.shape.Stride:]
		}
	}
	return nil
}
