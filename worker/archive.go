package worker

import (
	"context"
	"fmt"
	"slices"

	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
)

// An archive holds the keys of the oldest layers of a phase in a few sorted
// segments.
//
// Where moves cannot be undone, a state may recur however long ago it was visited,
// so each new layer must be compared with all earlier ones. Reading them layer by
// layer would take a cursor for each. The archive merges them into few segments: a
// segment is merged with later layers once they have as many states as it has, so
// the number of segments, and the number of times that a key is merged, grow with
// the logarithm of the number of states.
//
// An archive is built from committed layers, in memory as long as it is small and in
// scratch files beyond; a worker that has lost it rebuilds it. It holds no links. Each
// worker has archives of its own, for its own partitions.
type archive struct {
	w        *Worker
	parts    []partition.ID
	segments []*archiveSegment // those of the oldest layers first
}

// archiveSegment holds the keys of some consecutive layers.
type archiveSegment struct {
	layers  int             // how many they are
	last    store.SegmentID // of the last of them; as epochs rise, it identifies all before it too
	states  int64
	keys    held  // nil if they are in a scratch file
	lent    int64 // bytes of keys
	scratch *store.Scratch
	extents map[partition.ID]store.Extent
}

// cursor returns a cursor over a partition, or nil if the segment has none of it.
func (r *archiveSegment) cursor(part partition.ID, stride int) blockSource {
	if recs, ok := r.keys[part]; ok {
		return &heldCursor{recs: recs, stride: stride}
	}
	if e, ok := r.extents[part]; ok {
		return r.scratch.Cursor(e)
	}
	return nil
}

// drop gives back what a segment has of memory and disk.
func (r *archiveSegment) drop(c *layerCache) error {
	c.giveBack(r.lent)
	r.keys, r.lent = nil, 0
	if r.scratch == nil {
		return nil
	}
	return r.scratch.Close()
}

// looseLayersMax is the number of layers outside the archive at which they are
// merged; fewer are read one by one.
const looseLayersMax = 8

// looseSmallMax replaces looseLayersMax if a partition has, on average, fewer than
// looseLayersMax states of the layers together. Merging eight layers of one state
// costs as much as making them.
const looseSmallMax = 64

// mergeLayersMax bounds how many layers are read at once when a run of many layers
// is resumed.
const mergeLayersMax = 256

// archive brings the archives up to date for the attempt.
func (w *Worker) archive(ctx context.Context) error {
	for _, layers := range [][]Layer{w.attempt.Exclude, w.attempt.Within} {
		if len(layers) == 0 {
			continue
		}
		phase := layers[0].Segment.Phase
		a := w.archives[phase]
		if a == nil {
			a = &archive{w: w}
			w.archives[phase] = a
		}
		if err := a.prepare(ctx, layers, w.attempt.Parts); err != nil {
			return fmt.Errorf("merge visited layers: %w", err)
		}
	}
	return nil
}

// layers returns the number of layers in the archive.
func (a *archive) layers() (n int) {
	for _, r := range a.segments {
		n += r.layers
	}
	return n
}

// prepare drops segments that do not belong to layers, which are all layers of a
// phase so far, and merges the layers that are not in the archive if there are
// many. Its time does not depend on the number of layers already in it.
func (a *archive) prepare(ctx context.Context, layers []Layer, parts []partition.ID) error {
	if !slices.Equal(a.parts, parts) {
		if err := a.dropFrom(0); err != nil {
			return err
		}
		a.parts = slices.Clone(parts)
	}
	at, good := a.layers(), len(a.segments)
	for good > 0 && (at > len(layers) || layers[at-1].Segment != a.segments[good-1].last) {
		good--
		at -= a.segments[good].layers
	}
	if err := a.dropFrom(good); err != nil {
		return err
	}
	for loose := layers[at:]; due(loose, parts); {
		n := min(len(loose), mergeLayersMax)
		if err := a.take(ctx, loose[:n]); err != nil {
			return err
		}
		loose = loose[n:]
	}
	return nil
}

// due reports whether layers outside an archive are to be merged.
func due(loose []Layer, parts []partition.ID) bool {
	if len(loose) < looseLayersMax || len(loose) >= looseSmallMax {
		return len(loose) >= looseSmallMax
	}
	if len(loose)%looseLayersMax != 0 {
		return false // to add up the states takes longer than to look a few up
	}
	return statesOf(loose, parts) >= int64(looseLayersMax*len(parts))
}

// statesOf returns the number of states that layers have in partitions.
func statesOf(layers []Layer, parts []partition.ID) (n int64) {
	for _, l := range layers {
		for _, p := range parts {
			n += l.PartStates[p]
		}
	}
	return n
}

// take merges the next layers with those last segments that have no more states
// than they do.
func (a *archive) take(ctx context.Context, loose []Layer) error {
	r := &archiveSegment{layers: len(loose), last: loose[len(loose)-1].Segment, states: statesOf(loose, a.parts)}
	keep := len(a.segments)
	for keep > 0 && a.segments[keep-1].states <= r.states {
		keep--
		r.states += a.segments[keep].states
		r.layers += a.segments[keep].layers
	}
	if err := a.merge(ctx, r, a.segments[keep:], loose); err != nil {
		_ = r.drop(a.w.cache) // the directory is emptied when the store is next opened
		return err
	}
	if err := a.dropFrom(keep); err != nil {
		return err
	}
	a.segments = append(a.segments, r)
	for _, l := range loose { // they are read again only if the attempt is retried
		for _, p := range a.parts {
			a.w.cache.drop(l.Segment, p)
		}
	}
	return nil
}

// dropFrom drops the segments from index i on.
func (a *archive) dropFrom(i int) error {
	dropped := a.segments[i:]
	a.segments = a.segments[:i]
	for _, r := range dropped {
		if err := r.drop(a.w.cache); err != nil {
			return err
		}
	}
	return nil
}

// open returns a stream over a partition for each segment that has any of it.
func (a *archive) open(part partition.ID) (streams []stream) {
	for _, r := range a.segments {
		if c := r.cursor(part, a.w.shape.Stride); c != nil {
			streams = append(streams, stream{source: c})
		}
	}
	return streams
}

// shape returns the shape of an archive's records: keys without moves.
func (a *archive) shape() store.Shape {
	s := a.w.shape
	s.MoveBits = 0
	return s
}

// merge fills a segment with the keys of older segments and of layers.
func (a *archive) merge(ctx context.Context, r *archiveSegment, older []*archiveSegment, layers []Layer) (err error) {
	words := r.states * int64(a.w.shape.Stride)
	var buffer []uint64 // all keys in memory, or those of a block to be written
	if a.w.cache.lend(words * 8) {
		r.keys, r.lent, buffer = make(held), words*8, make([]uint64, 0, words)
	} else {
		if r.scratch, err = a.w.opts.Store.NewScratch(a.shape()); err != nil {
			return err
		}
		r.extents = make(map[partition.ID]store.Extent)
	}
	for _, part := range a.parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		if buffer, err = a.mergePart(r, older, layers, part, buffer); err != nil {
			return fmt.Errorf("partition %d: %w", part, err)
		}
	}
	return nil
}

// mergePart merges one partition. It returns the buffer for the next.
func (a *archive) mergePart(r *archiveSegment, older []*archiveSegment, layers []Layer, part partition.ID, buffer []uint64) (_ []uint64, err error) {
	var sources []blockSource
	for _, o := range older {
		if c := o.cursor(part, a.w.shape.Stride); c != nil {
			sources = append(sources, c)
		}
	}
	var cursors opened
	defer func() {
		if cerr := cursors.close(); err == nil {
			err = cerr
		}
	}()
	for _, l := range layers {
		c, err := a.w.cursor(l, part)
		if err != nil {
			return buffer, err
		}
		if c != nil {
			cursors.layers = append(cursors.layers, c)
			sources = append(sources, &keysOnly{c, a.w.shape})
		}
	}
	switch {
	case len(sources) == 0:
		return buffer, nil
	case r.keys != nil:
		return r.keys.hold(buffer, part, mergeAll(sources, a.shape()))
	}
	return a.spill(r, part, mergeAll(sources, a.shape()), buffer)
}

// spill writes what a source has to a segment's scratch file, in full blocks. It
// returns the block for reuse.
func (a *archive) spill(r *archiveSegment, part partition.ID, source blockSource, full []uint64) ([]uint64, error) {
	size := store.BlockRecords * a.w.shape.Stride
	var extent store.Extent
	spill := func(recs []uint64) error {
		e, err := r.scratch.Spill(recs)
		extent.Join(e)
		return err
	}
	full = full[:0]
	for {
		recs, err := source.Next()
		if err != nil {
			return full, err
		}
		if len(recs) == 0 {
			break
		}
		for len(recs) > 0 {
			n := min(size-len(full), len(recs))
			full = append(full, recs[:n]...)
			recs = recs[n:]
			if len(full) == size {
				if err := spill(full); err != nil {
					return full, err
				}
				full = full[:0]
			}
		}
	}
	if err := spill(full); err != nil {
		return full, err
	}
	r.extents[part] = extent
	return full, nil
}

// keysOnly is a layer without its moves.
type keysOnly struct {
	source blockSource
	shape  store.Shape
}

func (k *keysOnly) Next() ([]uint64, error) {
	recs, err := k.source.Next()
	if k.shape.Stride == 1 {
		for i := range recs {
			recs[i] >>= k.shape.MoveBits
		}
		return recs, err
	}
	for i := k.shape.Stride - 1; i < len(recs); i += k.shape.Stride {
		recs[i] = 0
	}
	return recs, err
}

// mergeAll merges sorted sources.
func mergeAll(sources []blockSource, shape store.Shape) blockSource {
	if len(sources) == 1 {
		return sources[0]
	}
	half := len(sources) / 2
	return &mergedPair{
		a:     stream{source: mergeAll(sources[:half], shape)},
		b:     stream{source: mergeAll(sources[half:], shape)},
		shape: shape,
	}
}

// mergedPair merges two sorted sources.
type mergedPair struct {
	a, b  stream
	shape store.Shape
	out   []uint64
}

func (m *mergedPair) Next() ([]uint64, error) {
	for _, s := range []*stream{&m.a, &m.b} {
		if s.empty() && (s.source != nil) {
			more, err := s.fill()
			if err != nil {
				return nil, err
			}
			if !more {
				s.source = nil
			}
		}
	}
	switch {
	case m.a.empty():
		recs := m.b.recs
		m.b.recs = nil
		return recs, nil
	case m.b.empty():
		recs := m.a.recs
		m.a.recs = nil
		return recs, nil
	}
	m.out = m.out[:0]
	if m.shape.Stride == 1 {
		m.mergeNarrow()
		return m.out, nil
	}
	for !m.a.empty() && !m.b.empty() {
		from := &m.a
		if m.shape.Compare(m.b.recs, m.a.recs) < 0 {
			from = &m.b
		}
		m.out = append(m.out, from.recs[:m.shape.Stride]...)
		from.recs = from.recs[m.shape.Stride:]
	}
	return m.out, nil
}

// mergeNarrow merges until one of the two blocks has no record left.
func (m *mergedPair) mergeNarrow() {
	a, b := m.a.recs, m.b.recs
	m.out = grow(m.out, len(a)+len(b))
	out, i, j := m.out[:len(a)+len(b)], 0, 0
	for i < len(a) && j < len(b) {
		x, y := a[i], b[j]
		if x < y {
			out[i+j] = x
			i++
		} else {
			out[i+j] = y
			j++
		}
	}
	m.out = out[:i+j]
	m.a.recs, m.b.recs = a[i:], b[j:]
}
