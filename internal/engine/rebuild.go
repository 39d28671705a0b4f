package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/puzzle/digest"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/store/bucket"
	"github.com/everystate/everystate/worker"
)

// LayerSource reads the blocks of layers that are kept elsewhere.
type LayerSource interface {
	// Layer calls f with the blocks of a layer as store.Shape.AppendBlock makes
	// them: partitions in increasing order, the blocks of each in order of their
	// keys. f must not retain a block. An error from f ends the reading and is
	// returned.
	Layer(ctx context.Context, l history.Layer, f func(part uint32, block []byte) error) error
}

// ErrOtherRun reports that a directory holds another run, possibly of the same
// puzzle, than the one to be rebuilt there.
var ErrOtherRun = errors.New("holds a different run, or one that has diverged")

// A SpaceError reports that a disk has too little room for a run.
type SpaceError struct {
	Dir                  string
	NeedBytes, FreeBytes int64
}

func (e *SpaceError) Error() string {
	return fmt.Sprintf("%s: about %d MiB are needed, and %d MiB are free", e.Dir, e.NeedBytes>>20, e.FreeBytes>>20)
}

// A LostError reports that a bucket has damaged or lost an object of a layer. The run in
// the directory ends above that layer, and can be explored on from there.
type LostError struct {
	Dir string
	Err error // names the object
}

func (e *LostError) Error() string {
	return fmt.Sprintf("%v; %s has the layers before", e.Err, e.Dir)
}

func (e *LostError) Unwrap() error { return e.Err }

// rebuildSpare is the room in bytes needed besides the layers, for Pebble's log and
// small tables about to be merged.
const rebuildSpare = 64 << 20

// Rebuild makes a run directory from the entries of a journal, which it keeps
// unchanged, and a source of the layers that they commit. It returns a *SpaceError
// before fetching anything if the disk has no room.
//
// The source is not trusted. Every block is checked as it arrives, and a layer's
// entry is written only when its counts and digest match those committed; until
// then the layer does not exist. So an interrupted Rebuild leaves a run that ends
// earlier, and calling Rebuild again continues after its last layer. If neither the
// directory's journal nor the entries are a prefix of the other, the directory is
// left alone: ErrOtherRun. One that has all the entries is left as it is.
//
// A run that divides a table among workers becomes one that keeps every layer, and its
// entries those of such a run (journal.AsLayers); the source has the records of all layers.
//
// progress is called now and then with the number of states present in all phases.
func Rebuild(ctx context.Context, dir string, entries [][]byte, layers LayerSource, opts Options, progress func(states int64)) error {
	opts.ReadOnly = false
	opts.ensureDefaults()
	if err := opts.validate(); err != nil {
		return err
	}
	entries, err := journal.AsLayers(entries)
	if err != nil {
		return fmt.Errorf("rebuild %s: %w", dir, err)
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
	if _, err := vacant(dir, opts.FS); err != nil {
		return err
	}
	opts.Partitions = spec.Partitions // memory is divided by them
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
		// Close writes the status file from these.
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
	states   int64 // in all layers present and the one being copied
}

// missing returns the entries that the run does not have yet.
func (b *rebuilding) missing(entries [][]byte) ([][]byte, error) {
	left := entries
	err := b.run.store.Journal(func(entry []byte) error {
		if len(left) == 0 {
			return nil // the run has continued since
		}
		if !bytes.Equal(entry, left[0]) {
			return fmt.Errorf("%s: %w", b.run.dir, ErrOtherRun)
		}
		left = left[1:]
		return nil
	})
	return left, err
}

// checkSpace checks that the disk has room for the missing layers.
func (b *rebuilding) checkSpace(want *history.History) error {
	var need int64
	for _, phase := range []history.Phase{history.Forward, history.Goal} {
		for _, l := range want.Layers(phase) {
			if !b.run.history.Has(l) && !want.Dropped(l) {
				need += l.Bytes
			}
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

// add adds entries to the run, each after the layer that it commits. A layer that was made
// again later is left out; its entry, and those behind it, are added together with the
// next layer that is not: a run never ends with a layer that it does not have. Where layers
// are dropped, all entries are added at once, as what the last of them leaves was enough
// for none before.
func (b *rebuilding) add(ctx context.Context, entries [][]byte) error {
	r := b.run
	if err := r.makeWritable(); err != nil {
		return err
	}
	for _, phase := range []history.Phase{history.Forward, history.Goal} {
		b.states += r.history.States(phase)
		// An interrupted call may have left a part of a layer.
		if err := r.store.DropFrom(uint8(phase), uint32(len(r.history.Layers(phase)))); err != nil {
			return err
		}
	}
	own, err := entriesOf(r.store)
	if err != nil {
		return err
	}
	_, want, err := journal.Read(append(own, entries...))
	if err != nil {
		return err
	}
	log := store.ShareSyncs(r.store)
	var held [][]byte
	replaced := false
	for i, body := range entries {
		entry, err := journal.ReadEntry(body, r.spec.Partitions)
		if err != nil {
			return err
		}
		if entry.Layer != nil {
			if replaced = !want.Has(*entry.Layer) || want.Dropped(*entry.Layer); !replaced {
				err = b.addLayer(ctx, *entry.Layer)
			}
		}
		if err != nil {
			return err
		}
		if held = append(held, body); replaced || i+1 < len(entries) && want.KeptFrom() > 0 {
			continue
		}
		// Layers in quick succession share a sync: an entry and all before it are
		// in one log.
		if err := log.Append(held, false); err != nil {
			return err
		}
		held = nil
	}
	if err := r.store.Sync(); err != nil {
		return err
	}
	return dropReplaced(r, &want)
}

// dropReplaced removes what the run has of layers that have been made again.
func dropReplaced(r *Run, now *history.History) error {
	for _, phase := range []history.Phase{history.Forward, history.Goal} {
		for _, l := range r.history.Layers(phase) {
			for part := 0; part < r.spec.Partitions && !now.Has(l); part++ {
				if err := store.DropPart(r.store, segmentID(l), uint32(part)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// addLayer writes a layer and checks that it is the one that was committed.
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
	if bucket.IsCorruption(err) || errors.Is(err, bucket.ErrNotExist) {
		return &LostError{Dir: b.run.dir, Err: err}
	}
	if err != nil {
		return err
	}
	return l.finish()
}

// layerCopy is a layer being copied into a run.
type layerCopy struct {
	b     *rebuilding
	run   *Run
	layer history.Layer
	shape store.Shape
	out   *store.Writer
	salt  digest.Salt
	sum   digest.Digest

	part   uint32   // the partition being copied; those before it are complete
	states int64    // of the partition, so far
	last   []uint64 // the last record of the partition, empty if there is none yet

	recs, keys []uint64
}

func (l *layerCopy) fault(format string, args ...any) error {
	return l.run.faultIn(l.layer, "partition %d "+format, append([]any{l.part}, args...)...)
}

// add checks a block and writes it.
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

// endPart ends the partition and checks that no state is missing.
func (l *layerCopy) endPart() error {
	if want := l.layer.PartStates[l.part]; l.states != want {
		return l.fault("holds %d states, %d were committed", l.states, want)
	}
	l.states, l.last = 0, l.last[:0]
	return l.out.EndPartition(nil)
}

// finish completes the layer in the store if its digest is the one committed.
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
