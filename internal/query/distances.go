package query

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"sort"

	"golang.org/x/sync/errgroup"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/partition"
)

// Scratch stores bytes that are read back soon, such as a temporary file.
type Scratch interface {
	io.WriterAt
	io.ReaderAt
	io.Closer
}

// shareStatesMax is the number of states whose goal distances a worker looks up at a
// time, in a table of twice to four times eight bytes per state.
const shareStatesMax = 1 << 20

// distanceBytesInMemory is the size up to which the goal distances of all states are
// held in memory, not in Scratch.
const distanceBytesInMemory = 256 << 20

// distances holds the goal distances of all states in row order. A stored state has
// its layer here, and its distance is in a layer of the other phase. The two are
// joined once, a share of the states at a time, and then read along with the rows.
type distances struct {
	bytes  Scratch // nil if distances are unknown
	width  int     // bytes of a distance: 1, 2 or 4; 0 stands for none, 1 for distance 0
	read   int64   // bytes that next has returned
	buffer []byte
}

func (d *distances) close() error {
	if d.bytes == nil {
		return nil
	}
	return d.bytes.Close()
}

// next appends the distances of the next n rows.
func (d *distances) next(dst []int32, n int) ([]int32, error) {
	if d.bytes == nil {
		return dst, nil
	}
	size := n * d.width
	d.buffer = slices.Grow(d.buffer[:0], size)[:size]
	if _, err := d.bytes.ReadAt(d.buffer, d.read); err != nil && !errors.Is(err, io.EOF) {
		return dst, err
	}
	d.read += int64(size)
	for i := range n {
		var v uint32
		switch d.width {
		case 1:
			v = uint32(d.buffer[i])
		case 2:
			v = uint32(binary.LittleEndian.Uint16(d.buffer[2*i:]))
		default:
			v = binary.LittleEndian.Uint32(d.buffer[4*i:])
		}
		dst = append(dst, int32(v)-1)
	}
	return dst, nil
}

// appendDistance appends a distance in the stored form.
func (d *distances) appendDistance(dst []byte, v uint32) []byte {
	switch d.width {
	case 1:
		return append(dst, byte(v))
	case 2:
		return binary.LittleEndian.AppendUint16(dst, uint16(v))
	}
	return binary.LittleEndian.AppendUint32(dst, v)
}

// inMemory is a Scratch in memory.
type inMemory []byte

func (m inMemory) WriteAt(p []byte, at int64) (int, error) { return copy(m[at:], p), nil }
func (m inMemory) ReadAt(p []byte, at int64) (int, error)  { return copy(p, m[at:]), nil }
func (m inMemory) Close() error                            { return nil }

// goalDistances puts the goal distances of all states into row order, in shares of
// about shareStates states.
func (s *Space) goalDistances(ctx context.Context, opts TableOptions, shareStates int64) (*distances, error) {
	if !s.HasDistances() || s.DistancePhase() == history.Forward {
		return &distances{}, nil // there are none, or they are the depths
	}
	d := &distances{width: 4}
	switch n := len(s.distanceLayers()); {
	case n < 1<<8:
		d.width = 1
	case n < 1<<16:
		d.width = 2
	}
	size := s.History.States(history.Forward) * int64(d.width)
	if opts.Scratch == nil || size <= distanceBytesInMemory {
		d.bytes = make(inMemory, size)
	} else {
		var err error
		if d.bytes, err = opts.Scratch(); err != nil {
			return nil, err
		}
	}
	if err := s.findDistances(ctx, opts.Workers, d, shareStates); err != nil {
		return nil, firstOf(err, d.close())
	}
	return d, nil
}

// findDistances writes the distances of all states, several shares at a time.
func (s *Space) findDistances(ctx context.Context, workers int, d *distances, shareStates int64) error {
	group, some := errgroup.WithContext(ctx)
	shares := make(chan share)
	for range workers {
		group.Go(func() error {
			f := finder{space: s, distances: d}
			for sh := range shares {
				if err := f.share(some, sh); err != nil {
					return err
				}
			}
			return nil
		})
	}
	for _, sh := range s.shares(shareStates) {
		select {
		case shares <- sh:
		case <-some.Done():
		}
	}
	close(shares)
	return cmp.Or(group.Wait(), ctx.Err())
}

// A finder finds the distances of one share after another.
type finder struct {
	space     *Space
	distances *distances
	tables    map[partition.ID]*distanceTable
	out       []byte
}

func (f *finder) share(ctx context.Context, sh share) error {
	s, stride := f.space, f.space.Scheme.Stride()
	f.tables = make(map[partition.ID]*distanceTable, len(sh.parts))
	for _, part := range sh.parts {
		var states int64
		for _, layer := range s.distanceLayers() {
			states += layer.PartStates[part]
		}
		f.tables[part] = newDistanceTable(s, sh, states)
	}
	for _, layer := range s.distanceLayers() {
		err := s.eachBlock(ctx, layer, sh.parts, func(part partition.ID, recs []uint64) error {
			begin, end := s.inShare(sh, recs)
			return f.tables[part].add(recs[begin*stride:end*stride], layer.Depth)
		})
		if err != nil {
			return err
		}
	}
	row := int64(0)
	for _, layer := range s.History.Layers(history.Forward) {
		// The next row of each partition.
		next := make([]int64, len(layer.PartStates))
		for part, n := range layer.PartStates {
			next[part] = row
			row += n
		}
		err := s.eachBlock(ctx, layer, sh.parts, func(part partition.ID, recs []uint64) error {
			begin, end := s.inShare(sh, recs)
			at := next[part] + int64(begin)
			next[part] += int64(len(recs) / stride)
			if begin == end {
				return nil
			}
			f.out = f.tables[part].appendAll(f.out[:0], recs[begin*stride:end*stride], f.distances)
			_, err := f.distances.bytes.WriteAt(f.out, at*int64(f.distances.width))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// A share is some partitions, or the part of one partition whose records have their
// position in [begin, end) of `of` equal pieces.
type share struct {
	parts          []partition.ID
	begin, end, of uint64
}

func (s *Space) allParts() []partition.ID {
	parts := make([]partition.ID, s.Scheme.Partitions())
	for i := range parts {
		parts[i] = partition.ID(i)
	}
	return parts
}

// shares divides the space into shares of at most about n states.
func (s *Space) shares(n int64) []share {
	counts := make([]int64, s.Scheme.Partitions())
	for _, l := range s.History.Layers(history.Forward) {
		for p, c := range l.PartStates {
			counts[p] += c
		}
	}
	var shares []share
	var open share
	var size int64
	for p, c := range counts {
		if len(open.parts) > 0 && size+c > n {
			shares = append(shares, open)
			open, size = share{}, 0
		}
		if c > n {
			of := uint64(c/n + 1)
			for i := range of {
				shares = append(shares, share{parts: []partition.ID{partition.ID(p)}, begin: i, end: i + 1, of: of})
			}
			continue
		}
		open.parts = append(open.parts, partition.ID(p))
		open.end, open.of = 1, 1
		size += c
	}
	if len(open.parts) > 0 {
		shares = append(shares, open)
	}
	return shares
}

// inShare returns where the records of a block that are in a share begin and end. As
// records are sorted, they are contiguous.
func (s *Space) inShare(sh share, recs []uint64) (begin, end int) {
	stride := s.Scheme.Stride()
	n := len(recs) / stride
	if sh.of == 1 {
		return 0, n
	}
	before := func(limit uint64) int {
		return sort.Search(n, func(i int) bool { return sh.piece(s.position(recs[i*stride:])) >= limit })
	}
	return before(sh.begin), before(sh.end)
}

// pieceSize returns the size of a piece, out of 2^32.
func (sh share) pieceSize() uint64 { return (1 << 32) / sh.of }

// piece returns the piece that a position in a partition is in.
func (sh share) piece(position uint64) uint64 { return min(position/sh.pieceSize(), sh.of-1) }

// position returns a record's place in its partition, as a fraction of 2^32.
func (s *Space) position(rec []uint64) uint64 {
	word, width := rec[0], s.Scheme.LocalBits()
	if s.Scheme.Narrow() {
		word >>= s.Scheme.MoveBits()
	} else {
		word <<= 64 - width
		width = 64
	}
	if width >= 32 {
		return word >> (width - 32)
	}
	return word << (32 - width)
}

// A distanceTable holds the goal distances of the states of a partition, or of a part
// of it. It is a hash table whose hash is the position of the record: as records come
// sorted, layer by layer, each layer passes over it from one end to the other.
type distanceTable struct {
	space *Space
	words int
	first uint64 // position of the first slot
	scale uint64 // slots per unit of piece, as fixed point with 32 fraction bits
	piece uint64 // the part of 2^32 that the slots cover
	keys  []uint64
	dist  []uint32 // 0 is an empty slot, 1 stands for distance 0
	used  int
}

func newDistanceTable(s *Space, sh share, states int64) *distanceTable {
	t := &distanceTable{space: s, words: s.Scheme.Words(), first: sh.begin * sh.pieceSize(), piece: sh.pieceSize()}
	// For a part of a partition, this is a guess.
	t.make(int(states/int64(sh.of)) * 2)
	return t
}

func (t *distanceTable) make(slots int) {
	const few = 16
	slots = max(slots, few)
	t.keys, t.dist, t.used = make([]uint64, slots*t.words), make([]uint32, slots), 0
	t.scale = uint64(slots) << 32 / t.piece
}

// slot returns the slot of a record's key, and whether the key is there.
func (t *distanceTable) slot(key []uint64, position uint64) (int, bool) {
	i := int(min(position-t.first, t.piece-1) * t.scale >> 32)
	for {
		if t.dist[i] == 0 {
			return i, false
		}
		if t.keys[i*t.words] == key[0] && (t.words == 1 || slices.Equal(t.keys[i*t.words:(i+1)*t.words], key)) {
			return i, true
		}
		if i++; i == len(t.dist) {
			i = 0
		}
	}
}

// key returns the key of a record, as stored in the table.
func (t *distanceTable) key(rec []uint64, narrow *[1]uint64) []uint64 {
	if t.space.Scheme.Narrow() {
		narrow[0] = rec[0] >> t.space.Scheme.MoveBits()
		return narrow[:]
	}
	return rec[:t.words]
}

// add adds records at a distance.
func (t *distanceTable) add(recs []uint64, distance uint32) error {
	var narrow [1]uint64
	stride := t.space.Scheme.Stride()
	for i := 0; i < len(recs); i += stride {
		if t.used*4 >= len(t.dist)*3 {
			t.grow()
		}
		rec := recs[i : i+stride]
		key := t.key(rec, &narrow)
		at, there := t.slot(key, t.space.position(rec))
		if there {
			return errors.New("a state has two goal distances: the run is damaged")
		}
		copy(t.keys[at*t.words:], key)
		t.dist[at] = distance + 1
		t.used++
	}
	return nil
}

// grow doubles the table.
func (t *distanceTable) grow() {
	keys, dist := t.keys, t.dist
	t.make(2 * len(dist))
	rec := make([]uint64, t.space.Scheme.Stride())
	for i, d := range dist {
		if d == 0 {
			continue
		}
		key := keys[i*t.words : (i+1)*t.words]
		copy(rec, key)
		if t.space.Scheme.Narrow() {
			rec[0] <<= t.space.Scheme.MoveBits()
		}
		at, _ := t.slot(key, t.space.position(rec))
		copy(t.keys[at*t.words:], key)
		t.dist[at] = d
		t.used++
	}
}

// appendAll appends the distances of records in the stored form.
func (t *distanceTable) appendAll(dst []byte, recs []uint64, d *distances) []byte {
	var narrow [1]uint64
	stride := t.space.Scheme.Stride()
	for i := 0; i < len(recs); i += stride {
		rec := recs[i : i+stride]
		at, _ := t.slot(t.key(rec, &narrow), t.space.position(rec))
		dst = d.appendDistance(dst, t.dist[at])
	}
	return dst
}

// EachDistance calls f with every state that has a goal distance, by distance. f must
// not retain the slice.
func (s *Space) EachDistance(ctx context.Context, f func(key []uint64, distance int) error) error {
	if !s.HasDistances() {
		return ErrNoDistances
	}
	for _, layer := range s.distanceLayers() {
		err := s.eachState(ctx, layer, func(key []uint64, _ puzzle.Move) error { return f(key, int(layer.Depth)) })
		if err != nil {
			return err
		}
	}
	return nil
}
