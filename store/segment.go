package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// A SegmentID names a segment: the sorted records of one layer, as one attempt
// wrote them.
type SegmentID struct {
	// Phase distinguishes the breadth-first searches of a run.
	Phase uint8
	// Layer is the depth.
	Layer uint32
	// Epoch numbers the attempts: a retried layer has a new one.
	Epoch uint32
}

func (id SegmentID) String() string {
	return fmt.Sprintf("phase %d, layer %d, epoch %d", id.Phase, id.Layer, id.Epoch)
}

// Keys in Pebble: 'r', phase, layer, partition, epoch, key of the block's first
// record; all big-endian, so that they sort in this order.
const (
	segmentPrefix     = 'r'
	segmentPrefixSize = 1 + 1 + 4 + 2 + 4
	segmentKeySizeMax = segmentPrefixSize + 8*(StrideMax-1)
)

func appendSegmentPrefix(dst []byte, id SegmentID, part uint32) []byte {
	dst = append(dst, segmentPrefix, id.Phase)
	dst = binary.BigEndian.AppendUint32(dst, id.Layer)
	dst = binary.BigEndian.AppendUint16(dst, uint16(part))
	return binary.BigEndian.AppendUint32(dst, id.Epoch)
}

// tableBytesMax is Store.tableBytes: the size in bytes at which a table is closed and
// another begun.
const tableBytesMax = 64 << 20

// A Writer writes one segment: partitions in increasing order, and the records
// of each in increasing order of their keys.
type Writer struct {
	s     *Store
	shape Shape
	id    SegmentID

	recs []uint64 // of the block being filled
	part uint32
	any  bool // a partition has been begun

	key, block []byte
	batch      *pebble.Batch
	table      *sstable.Writer
	paths      []string
	bytes      int64
}

// NewWriter begins a segment. Cursors see its records gradually, so a segment
// must not be read before Finish.
func (s *Store) NewWriter(shape Shape, id SegmentID) *Writer {
	return &Writer{s: s, shape: shape, id: id, batch: s.db.NewBatch()}
}

// Append adds records to a partition. The bytes of each completed block are passed to
// keep, which then owns them; keep may be nil.
func (w *Writer) Append(part uint32, recs []uint64, keep func(block []byte)) error {
	if w.any && part < w.part {
		return fmt.Errorf("write %v: partition %d after %d", w.id, part, w.part)
	}
	if w.any && part != w.part && len(w.recs) > 0 {
		return fmt.Errorf("write %v: partition %d was not finished", w.id, w.part)
	}
	w.part, w.any = part, true
	full := BlockRecords * w.shape.Stride
	for len(recs) > 0 {
		n := min(full-len(w.recs), len(recs))
		w.recs = append(w.recs, recs[:n]...)
		recs = recs[n:]
		if len(w.recs) == full {
			if err := w.flushBlock(keep); err != nil {
				return err
			}
		}
	}
	return nil
}

// EndPartition completes the last block of the partition being written.
func (w *Writer) EndPartition(keep func(block []byte)) error {
	if len(w.recs) == 0 {
		return nil
	}
	return w.flushBlock(keep)
}

func (w *Writer) flushBlock(keep func(block []byte)) error {
	w.key = appendSegmentPrefix(w.key[:0], w.id, w.part)
	w.key = w.shape.appendKey(w.key, w.recs)
	w.block = w.shape.appendBlock(w.block[:0], w.recs, w.key)
	w.recs = w.recs[:0]
	if keep != nil {
		keep(append([]byte(nil), w.block...))
	}
	w.bytes += int64(len(w.key) + len(w.block))
	return w.put(w.key, w.block)
}

func (w *Writer) put(key, block []byte) error {
	if w.batch != nil {
		if err := w.batch.Set(key, block, nil); err != nil {
			return fmt.Errorf("write %v: %w", w.id, err)
		}
		if w.bytes > w.s.opts.BatchBytes {
			return w.switchToTables()
		}
		return nil
	}
	if w.table == nil {
		if err := w.openTable(); err != nil {
			return err
		}
	}
	if err := w.table.Set(key, block); err != nil {
		return fmt.Errorf("write %v: %w", w.id, err)
	}
	if w.table.Raw().EstimatedSize() > w.s.tableBytes {
		return w.closeTable()
	}
	return nil
}

// switchToTables moves the contents of the batch to a table.
func (w *Writer) switchToTables() error {
	batch := w.batch
	w.batch = nil
	r := batch.Reader()
	for {
		_, key, value, ok, err := r.Next()
		if err != nil {
			return fmt.Errorf("write %v: %w", w.id, err)
		}
		if !ok {
			break
		}
		if err := w.put(key, value); err != nil {
			return errors.Join(err, batch.Close())
		}
	}
	return batch.Close()
}

func (w *Writer) openTable() error {
	path := w.s.scratchPath("table")
	f, err := w.s.fs.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return fmt.Errorf("write %v: %w", w.id, err)
	}
	w.paths = append(w.paths, path)
	w.table = sstable.NewWriter(objstorageprovider.NewFileWritable(f), sstable.WriterOptions{
		TableFormat: w.s.db.TableFormat(),
		Compression: sstable.NoCompression,
		BlockSize:   64 << 10,
	})
	return nil
}

func (w *Writer) closeTable() error {
	table := w.table
	w.table = nil
	if err := table.Close(); err != nil {
		return fmt.Errorf("write %v: %w", w.id, err)
	}
	return nil
}

// Finish completes the segment and returns the size of its keys and blocks in bytes. A
// large segment is on disk when Finish returns; a small one is on disk once a later
// journal entry is synced.
func (w *Writer) Finish() (int64, error) {
	if len(w.recs) > 0 {
		return 0, fmt.Errorf("write %v: partition %d was not finished", w.id, w.part)
	}
	if err := w.s.guard.Do(w.finish); err != nil {
		return 0, fmt.Errorf("write %v: %w", w.id, err)
	}
	return w.bytes, nil
}

func (w *Writer) finish() error {
	if batch := w.batch; batch != nil {
		w.batch = nil
		if batch.Empty() {
			return batch.Close()
		}
		return errors.Join(batch.Commit(pebble.NoSync), batch.Close())
	}
	if w.table != nil {
		if err := w.closeTable(); err != nil {
			return err
		}
	}
	return w.s.db.Ingest(context.Background(), w.paths)
}

// Abort drops what is not finished. It may be called after Finish.
func (w *Writer) Abort() {
	if w.s.Err() != nil {
		return // Finish may still be running, parked; the scratch directory is emptied later
	}
	if w.batch != nil {
		_ = w.batch.Close() // nothing of it was written
		w.batch = nil
	}
	if w.table != nil {
		_ = w.table.Close() // the file is removed below, or later with its directory
		w.table = nil
	}
	for _, p := range w.paths {
		_ = w.s.fs.Remove(p)
	}
	w.paths = nil
}

// DropFrom removes the segments of a phase from a layer on, which uncommitted attempts
// left behind.
func (s *Store) DropFrom(phase uint8, layer uint32) error {
	lo := binary.BigEndian.AppendUint32([]byte{segmentPrefix, phase}, layer)
	hi := []byte{segmentPrefix, phase + 1}
	it, err := s.newIter(lo, hi)
	if err != nil {
		return s.explain(err)
	}
	found := it.First()
	if err := s.closeIter(it); err != nil {
		return s.explain(err)
	}
	if !found {
		return nil
	}
	if err := s.guard.Do(func() error { return s.db.DeleteRange(lo, hi, pebble.NoSync) }); err != nil {
		return fmt.Errorf("drop uncommitted layers: %w", err)
	}
	return nil
}
