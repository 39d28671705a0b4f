package worker

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
)

// Edges are the reversed moves of a space, for a puzzle that cannot generate
// predecessors: for each state, they tell which states lead to it. They are made
// from committed layers, all of which are expanded once more. Every move is kept
// with the state that it leads to, in the partition of that state, sorted, in
// scratch files. If these are lost, the edges are made again.
//
// A record holds the state that the move leads to, as in a record of a layer but
// without a move; then the mixed key of the state that the move leads from; then the
// move. It is one word where that is enough. Of several moves from one state to
// another, the least is kept. Moves that lead nowhere else, and moves from goals,
// are left out: they are on no shortest path.
type Edges struct {
	opts   EdgesOptions
	shape  store.Shape
	parts  []edgePart
	merged *store.Scratch // the result of Make

	mu      sync.Mutex // guards writes to scratch and merged
	scratch *store.Scratch
	done    atomic.Int64
}

// EdgesOptions configures Edges.
type EdgesOptions struct {
	Puzzle      puzzle.Puzzle
	Scheme      partition.Scheme
	Store       *store.Store
	MemoryBytes int64 // for edges not yet in a file
	Workers     int   // number of goroutines
}

// edgePart holds the edges that lead into a partition.
type edgePart struct {
	mu      sync.Mutex // guards the fields below while edges are made
	loose   []uint64   // not yet sorted
	extents []store.Extent
}

// edgeBlockRecords is small, as a layer may need only one record of a block. At
// edgeExtentsMax sorted runs, a partition's runs are merged into one.
const (
	edgeBlockRecords = 1024
	edgeExtentsMax   = 128
)

// NewEdges returns empty Edges.
func NewEdges(opts EdgesOptions) *Edges {
	e := &Edges{opts: opts, parts: make([]edgePart, opts.Scheme.Partitions())}
	s := &e.opts.Scheme
	e.shape = store.Shape{Stride: 2*s.Words() + 1, MoveBits: s.MoveBits()}
	if s.Narrow() && s.LocalBits()+s.KeyBits()+s.MoveBits() <= 64 {
		e.shape = store.Shape{Stride: 1, KeyBits: s.LocalBits() + s.KeyBits(), MoveBits: s.MoveBits()}
	}
	return e
}

// Done returns the number of states whose edges have been made.
func (e *Edges) Done() int64 { return e.done.Load() }

// Close removes the files.
func (e *Edges) Close() (err error) {
	for _, s := range []**store.Scratch{&e.scratch, &e.merged} {
		if *s != nil {
			err = errors.Join(err, (*s).Close())
			*s = nil
		}
	}
	return err
}

// Make makes the edges from all states of the layers.
func (e *Edges) Make(ctx context.Context, layers []Layer) (err error) {
	if e.scratch, err = e.opts.Store.NewScratch(e.shape); err != nil {
		return err
	}
	if e.merged, err = e.opts.Store.NewScratch(e.shape); err != nil {
		return err
	}
	err = e.forEachPart(ctx, len(e.parts), func(ctx context.Context, part partition.ID, m *edgeMaker) error {
		for _, layer := range layers {
			if err := m.expand(ctx, layer, part); err != nil {
				return PartitionErrorf(part, "reverse the moves of partition %d of %v: %w", part, layer.Segment, err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = e.forEachPart(ctx, len(e.parts), func(ctx context.Context, part partition.ID, _ *edgeMaker) error {
		p := &e.parts[part]
		extent, err := e.merge(ctx, e.merged, p)
		if err != nil {
			return PartitionErrorf(part, "merge the moves into partition %d: %w", part, err)
		}
		p.extents = []store.Extent{extent}
		return nil
	})
	if err != nil {
		return err
	}
	scratch := e.scratch
	e.scratch = nil
	return scratch.Close()
}

// forEachPart calls f for each partition, several at a time. Each goroutine has a maker
// of its own and flushes it at the end.
func (e *Edges) forEachPart(ctx context.Context, parts int, f func(context.Context, partition.ID, *edgeMaker) error) error {
	group, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for range min(e.opts.Workers, parts) {
		group.Go(func() error {
			m := &edgeMaker{e: e, batch: e.batchWords(), out: make([][]uint64, parts)}
			for part := next.Add(1) - 1; part < int64(parts); part = next.Add(1) - 1 {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := f(ctx, partition.ID(part), m); err != nil {
					return err
				}
			}
			return m.flush()
		})
	}
	return group.Wait()
}

// loosePerPart returns how many words of a partition may be in memory.
func (e *Edges) loosePerPart() int {
	words := int(e.opts.MemoryBytes / 8 / 2 / int64(len(e.parts))) // half is for growing and sorting
	return max(64*e.shape.Stride, words)
}

// add adds edges to a partition.
func (e *Edges) add(part partition.ID, recs []uint64) error {
	p := &e.parts[part]
	p.mu.Lock()
	defer p.mu.Unlock()
	p.loose = append(p.loose, recs...)
	if len(p.loose) < e.loosePerPart() {
		return nil
	}
	extent, err := e.spill(e.scratch, e.sorted(p.loose))
	if err != nil {
		return err
	}
	p.loose = p.loose[:0]
	p.extents = append(p.extents, extent)
	if len(p.extents) < edgeExtentsMax {
		return nil
	}
	extent, err = e.merge(context.Background(), e.scratch, p)
	p.extents = append(p.extents[:0], extent)
	return err
}

// sorted sorts records and drops duplicates. Their order has no structure to
// exploit, and very many may lead to one state.
func (e *Edges) sorted(recs []uint64) []uint64 {
	if e.shape.Stride == 1 {
		slices.Sort(recs)
		return uniqueNarrow(recs, e.shape.MoveBits)
	}
	var space sortSpace
	return uniqueWide(space.sortWide(recs, e.shape.Stride), e.shape)
}

// spill writes sorted records in small blocks.
func (e *Edges) spill(to *store.Scratch, recs []uint64) (extent store.Extent, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for block := range slices.Chunk(recs, edgeBlockRecords*e.shape.Stride) {
		one, err := to.Spill(block)
		if err != nil {
			return extent, err
		}
		extent.Join(one)
	}
	return extent, nil
}

// merge writes all edges of a partition as one sorted run.
func (e *Edges) merge(ctx context.Context, to *store.Scratch, p *edgePart) (extent store.Extent, err error) {
	sources := []blockSource{&slab{e.sorted(p.loose)}}
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

// edgeMaker makes edges on one goroutine.
type edgeMaker struct {
	e     *Edges
	batch int        // words
	out   [][]uint64 // edges not yet added, by partition
	keys  []uint64
	marks []bool
	edges puzzle.Edges
}

// batchWords is how many words a maker adds to a partition at a time. What all
// makers have not added yet takes at most an eighth of the memory for loose edges.
func (e *Edges) batchWords() int {
	return min(1<<10, e.loosePerPart()/8/e.opts.Workers)
}

// expand makes the edges from the states of a partition of a layer.
func (m *edgeMaker) expand(ctx context.Context, layer Layer, part partition.ID) (err error) {
	if layer.PartStates[part] == 0 {
		return nil
	}
	shape := ShapeOf(m.e.opts.Scheme)
	c := &partCursor{layer: layer, part: part, stride: shape.Stride, left: layer.PartStates[part]}
	if c.Cursor, err = m.e.opts.Store.NewCursor(shape, layer.Segment, uint32(part)); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	for {
		recs, err := c.Next()
		if err != nil || len(recs) == 0 {
			return err
		}
		for some := range slices.Chunk(recs, expandStates*shape.Stride) {
			if err := errors.Join(ctx.Err(), m.makeEdges(part, some)); err != nil {
				return err
			}
		}
	}
}

// makeEdges makes the edges from some states.
func (m *edgeMaker) makeEdges(part partition.ID, recs []uint64) error {
	e, s, p := m.e, &m.e.opts.Scheme, m.e.opts.Puzzle
	words, stride := s.Words(), s.Stride()
	m.keys = s.Keys(m.keys[:0], part, recs)
	n := len(recs) / stride
	m.marks = slices.Grow(m.marks[:0], n)[:n]
	p.Goals(m.keys, m.marks)
	var to [puzzle.WordsMax + 1]uint64
	var from, into [puzzle.WordsMax]uint64
	var rec [2*puzzle.WordsMax + 1]uint64
	for i := range n {
		if m.marks[i] {
			continue
		}
		m.edges.Reset()
		p.Successors(m.keys[i*words:(i+1)*words], &m.edges)
		s.Mixed(from[:0], part, recs[i*stride:(i+1)*stride])
		for j, move := range m.edges.Moves {
			at := s.Record(to[:stride], m.edges.Keys[j*words:(j+1)*words], 0)
			if s.Mixed(into[:0], at, to[:stride]); into == from {
				continue
			}
			if err := m.put(at, e.record(rec[:e.shape.Stride], to[:stride], from[:words], move)); err != nil {
				return err
			}
		}
	}
	e.done.Add(int64(n))
	return puzzle.Err(p)
}

// record writes to dst the edge from the state with the mixed key from to the state
// with the record to.
func (e *Edges) record(dst, to, from []uint64, move puzzle.Move) []uint64 {
	s := &e.opts.Scheme
	if e.shape.Stride == 1 {
		dst[0] = to[0]>>s.MoveBits()<<s.KeyBits()<<s.MoveBits() | from[0]<<s.MoveBits() | uint64(move)
		return dst
	}
	words := s.Words()
	copy(dst, to[:words])
	if s.Narrow() {
		dst[0] >>= s.MoveBits()
	}
	copy(dst[words:], from)
	dst[2*words] = uint64(move)
	return dst
}

func (m *edgeMaker) put(part partition.ID, rec []uint64) error {
	m.out[part] = append(m.out[part], rec...)
	if len(m.out[part]) < m.batch {
		return nil
	}
	err := m.e.add(part, m.out[part])
	m.out[part] = m.out[part][:0]
	return err
}

// flush adds the edges that are left.
func (m *edgeMaker) flush() error {
	for part, recs := range m.out {
		if len(recs) > 0 {
			if err := m.e.add(partition.ID(part), recs); err != nil {
				return err
			}
		}
		m.out[part] = nil
	}
	return nil
}

// edgesInto returns a stream of the edges into the states of a partition, for
// expandBack.
func (e *Edges) edgesInto(part partition.ID) stream {
	var s stream
	if extents := e.parts[part].extents; len(extents) > 0 {
		s.source = e.merged.Cursor(extents[0])
	} else {
		s.source = &slab{}
	}
	return s
}

// expandBack sends the predecessors of the states of recs, which must be in order of
// their keys within and across calls. It reads into just beyond them.
func (w *Worker) expandBack(into *stream, recs []uint64) error {
	e, s := w.opts.Edges, &w.scheme
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
