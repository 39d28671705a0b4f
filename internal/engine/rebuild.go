package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/puzzle/digest"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/worker"
)

// LayerSource gives the blocks of layers that are kept elsewhere.
type LayerSource interface {
	// Layer calls f with the blocks of a layer as store.Shape.AppendBlock makes
	// them: partitions in increasing order, and the blocks of one by their keys. f
	// does not keep a block. An error of f's ends the reading and is returned.
	Layer(ctx context.Context, l history.Layer, f func(part uint32, block []byte) error) error
}

// ErrOtherRun reports that a directory holds another run than the one that is to
// be rebuilt there, be it one of the same puzzle.
var ErrOtherRun = errors.New("holds a different run, or one that has diverged")

// SpaceError reports that a disk has too little room for a run.
type SpaceError struct {
	Dir                  string
	NeedBytes, FreeBytes int64
}

func (e *SpaceError) Error() string {
	return fmt.Sprintf("%s: about %d MiB are needed, and %d MiB are free", e.Dir, e.NeedBytes>>20, e.FreeBytes>>20)
}

// rebuildSpare is what is to be free besides the layers: Pebble's log and small
// tables that are about to be merged.
const rebuildSpare = 64 << 20

// Rebuild makes a run directory out of the entries of a journal, which are kept
// as they are, and a source of the layers that they commit. It returns a
// *SpaceError, before it fetches anything, if the disk has no room.
//
// What the source gives is not trusted. Every block is checked as it comes, and a
// layer's entry is written when its counts and its digest are those that were
// committed: until then the layer is not there. So what an interrupted Rebuild
// leaves is a run that ends earlier, and calling Rebuild again goes on behind its
// last layer. A directory whose journal does not begin as the entries do, or the
// other way round, is left alone: ErrOtherRun. One that has them all already is
// as it should be.
//
// progress is called now and then with the states of all phases that are there.
func Rebuild(ctx context.Context, dir string, entries [][]byte, layers LayerSource, opts Options, progress func(states int64)) error {
	opts.ReadOnly = false
	opts.ensureDefaults()
	if err := opts.validate(); err != nil {
		return err
	}
	spec, past, err := journal.Read(journal.Entries(entries))
	if err == nil && spec.Partitions == 0 {
		err = errors.New("the journal is empty")
	}
	if err != nil {
		return fmt.Errorf("rebuild %s: %w", dir, err)
	}
	board, err := readBoard(spec)
	if err != nil {
		return fmt.Errorf("rebuild %s: %w", dir, err)
	}
	if opts.FS == nil && errors.Is(exists(dir, nil), store.ErrNotExist) {
		if err := checkEmpty(dir); err != nil {
			return err
		}
	}
	opts.Partitions = spec.Partitions // by which memory is divided
	r, err := open(dir, opts)
	if err != nil {
		return err
	}
	b := &rebuilding{run: r, layers: layers, progress: progress}
	left, err := b.missing(entries)
	if err == nil && len(left) > 0 {
		r.spec = spec
		err = r.use(board)
		if err == nil {
			err = b.checkSpace(&past)
		}
		if err == nil {
			err = b.add(ctx, left)
		}
		// The status file tells of what is there.
		var rerr error
		r.spec, r.history, rerr = journal.Read(r.store)
		err = errors.Join(err, rerr)
	}
	return errors.Join(err, r.Close())
}

// rebuilding is a run that is being rebuilt.
type rebuilding struct {
	run      *Run
	layers   LayerSource
	progress func(states int64)
	states   int64 // in all layers that are there, and of the one that is coming
}

// missing returns the entries that the run does not have yet.
func (b *rebuilding) missing(entries [][]byte) ([][]byte, error) {
	left := entries
	err := b.run.store.Journal(func(entry []byte) error {
		if len(left) == 0 {
			return nil // it has gone on from here
		}
		if !bytes.Equal(entry, left[0]) {
			return fmt.Errorf("%s: %w", b.run.dir, ErrOtherRun)
		}
		left = left[1:]
		return nil
	})
	return left, err
}

// checkSpace compares what is to come with what is free.
func (b *rebuilding) checkSpace(want *history.History) error {
	var need int64
	for _, phase := range []history.Phase{history.Forward, history.Goal} {
		for _, l := range want.Layers(phase)[len(b.run.history.Layers(phase)):] {
			need += l.Bytes
		}
	}
	need += need/8 + rebuildSpare // small layers are written to the log first, and tables are merged
	fs := b.run.opts.FS
	if fs == nil {
		fs = vfs.Default
	}
	usage, err := fs.GetDiskUsage(b.run.dir)
	if err != nil {
		return nil //nolint:nilerr // Not every file system knows; a full disk stops the writing in good order.
	}
	if uint64(need) > usage.AvailBytes {
		return &SpaceError{Dir: b.run.dir, NeedBytes: need, FreeBytes: int64(usage.AvailBytes)}
	}
	return nil
}

// add adds entries to the run, and the layers that they commit before them.
func (b *rebuilding) add(ctx context.Context, entries [][]byte) error {
	r := b.run
	if err := r.makeWritable(); err != nil {
		return err
	}
	for _, phase := range []history.Phase{history.Forward, history.Goal} {
		b.states += r.history.States(phase)
		// What an interrupted call has left of a layer.
		if err := r.store.DropFrom(uint8(phase), uint32(len(r.history.Layers(phase)))); err != nil {
			return err
		}
	}
	synced := time.Now()
	for _, body := range entries {
		entry, err := journal.ReadEntry(body, r.spec.Partitions)
		if err != nil {
			return err
		}
		if entry.Layer != nil {
			if err := b.addLayer(ctx, *entry.Layer); err != nil {
				return err
			}
		}
		// Layers that follow one another fast share a sync: an entry and all before
		// it are in one log.
		now := time.Now()
		sync := now.Sub(synced) > syncInterval
		if err := r.store.AppendJournal(body, sync); err != nil {
			return err
		}
		if sync {
			synced = now
		}
	}
	return r.store.Sync()
}

// addLayer writes a layer, and checks that it is the one that was committed.
func (b *rebuilding) addLayer(ctx context.Context, layer history.Layer) error {
	shape := worker.ShapeOf(b.run.scheme)
	l := &layerCopy{
		b: b, run: b.run, layer: layer, shape: shape,
		out:  b.run.store.NewWriter(shape, segmentID(layer)),
		salt: digest.LayerSalt(uint8(layer.Phase), layer.Depth),
	}
	defer l.out.Abort()
	err := b.layers.Layer(ctx, layer, func(part uint32, block []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return l.add(part, block)
	})
	if err != nil {
		return err
	}
	return l.finish()
}

// layerCopy is a layer on its way into a run.
type layerCopy struct {
	b     *rebuilding
	run   *Run
	layer history.Layer
	shape store.Shape
	out   *store.Writer
	salt  digest.Salt
	sum   digest.Digest

	part   uint32   // that is coming; those before it are whole
	states int64    // of it
	last   []uint64 // its last record, empty if there is none yet

	recs, keys []uint64
}

func (l *layerCopy) fault(format string, args ...any) error {
	return l.run.faultIn(l.layer, "partition %d "+format, append([]any{l.part}, args...)...)
}

// add takes a block.
func (l *layerCopy) add(part uint32, block []byte) error {
	if part < l.part || int64(part) >= int64(l.run.spec.Partitions) {
		return l.run.faultIn(l.layer, "partition %d of %d comes after %d", part, l.run.spec.Partitions, l.part)
	}
	for l.part < part {
		if err := l.endPart(); err != nil {
			return err
		}
		l.part++
	}
	if !store.CheckBlock(block) {
		return &store.CorruptionError{
			Where: fmt.Sprintf("%v layer %d, partition %d", l.layer.Phase, l.layer.Depth, part), What: "a block's checksum does not match",
		}
	}
	recs, ok := l.shape.DecodeBlock(l.recs[:0], block)
	if !ok || len(recs) == 0 || !l.run.scheme.Holds(partition.ID(part), recs, l.run.board.Puzzle.Layout().Moves) {
		return l.fault("has a block that does not belong to this run")
	}
	l.recs = recs
	return l.addRecords(recs)
}

func (l *layerCopy) addRecords(recs []uint64) error {
	stride, words := l.shape.Stride, l.run.scheme.Words()
	for i := 0; i < len(recs); i += stride {
		if len(l.last) > 0 && l.shape.Compare(l.last, recs[i:]) >= 0 {
			return l.fault("has states out of order")
		}
		l.last = append(l.last[:0], recs[i:i+stride]...)
	}
	n := int64(len(recs) / stride)
	if l.states += n; l.states > l.layer.PartStates[l.part] {
		return l.fault("holds more than the %d states that were committed", l.layer.PartStates[l.part])
	}
	l.keys = l.run.scheme.Keys(l.keys[:0], partition.ID(l.part), recs)
	for i := range n {
		l.sum.AddState(l.salt, l.keys[int(i)*words:(int(i)+1)*words], l.run.scheme.Move(recs[int(i)*stride:]))
	}
	if err := l.out.Append(l.part, recs, nil); err != nil {
		return err
	}
	l.b.states += n
	l.b.progress(l.b.states)
	return nil
}

// endPart says that nothing more comes of the partition.
func (l *layerCopy) endPart() error {
	if want := l.layer.PartStates[l.part]; l.states != want {
		return l.fault("holds %d states, %d were committed", l.states, want)
	}
	l.states, l.last = 0, l.last[:0]
	return l.out.EndPartition(nil)
}

// finish makes the layer complete in the store, if it is the right one.
func (l *layerCopy) finish() error {
	for ; int(l.part) < l.run.spec.Partitions; l.part++ {
		if err := l.endPart(); err != nil {
			return err
		}
	}
	if l.sum != l.layer.Digest {
		return l.run.faultIn(l.layer, "digest is %v, %v was committed", l.sum, l.layer.Digest)
	}
	_, err := l.out.Finish()
	return err
}
