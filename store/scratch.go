package store

import (
	"fmt"
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// scratchPath returns a new path in the scratch directory. Several processes may
// query one run, each with scratch files of its own.
func (s *Store) scratchPath(kind string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scratchEnd++
	return s.fs.PathJoin(s.dir, scratchDir, fmt.Sprintf("%s-%d-%06d", kind, os.Getpid(), s.scratchEnd))
}

// A Scratch file temporarily holds sorted records that do not fit in memory. It
// is not durable, and is removed when the store is next opened for writing.
//
// Spill may be called from any goroutine, one at a time. Cursors may be read
// only after the last Spill.
type Scratch struct {
	s     *Store
	shape Shape
	path  string
	file  vfs.File
	end   int64
	block []byte
}

// An Extent is the place of sorted records in a scratch file.
type Extent struct {
	blocks []scratchBlock
}

type scratchBlock struct {
	first  uint64 // first word of the key of the first record
	offset int64
	size   int
}

// NewScratch makes an empty scratch file.
func (s *Store) NewScratch(shape Shape) (*Scratch, error) {
	// A store that is open read-only may lack the directory.
	if err := s.fs.MkdirAll(s.fs.PathJoin(s.dir, scratchDir), 0o755); err != nil {
		return nil, fmt.Errorf("spill: %w", err)
	}
	path := s.scratchPath("spill")
	f, err := s.fs.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, fmt.Errorf("spill: %w", err)
	}
	return &Scratch{s: s, shape: shape, path: path, file: f}, nil
}

// Spill writes records, sorted and with distinct keys, and returns their extent.
func (f *Scratch) Spill(recs []uint64) (Extent, error) {
	var e Extent
	full := BlockRecords * f.shape.Stride
	for len(recs) > 0 {
		n := min(full, len(recs))
		first := recs[0]
		if f.shape.Stride == 1 {
			first >>= f.shape.MoveBits
		}
		f.block = f.shape.appendBlock(f.block[:0], recs[:n], nil)
		recs = recs[n:]
		if _, err := f.file.Write(f.block); err != nil {
			return Extent{}, fmt.Errorf("spill: %w", err)
		}
		e.blocks = append(e.blocks, scratchBlock{first: first, offset: f.end, size: len(f.block)})
		f.end += int64(len(f.block))
	}
	return e, nil
}

// Bytes returns the size of the file.
func (f *Scratch) Bytes() int64 { return f.end }

// Close closes and removes the file.
func (f *Scratch) Close() error {
	if err := f.file.Close(); err != nil {
		return fmt.Errorf("spill: %w", err)
	}
	if err := f.s.fs.Remove(f.path); err != nil {
		return fmt.Errorf("spill: %w", err)
	}
	return nil
}

// A ScratchCursor reads an extent in order, one block at a time.
type ScratchCursor struct {
	f     *Scratch
	left  []scratchBlock
	block []byte
	recs  []uint64
}

// Cursor returns a cursor over an extent of the file.
func (f *Scratch) Cursor(e Extent) *ScratchCursor {
	return &ScratchCursor{f: f, left: e.blocks}
}

// Skip skips, without reading them, blocks whose keys are all less than a key,
// given by its first word.
func (c *ScratchCursor) Skip(key uint64) {
	for len(c.left) > 1 && c.left[1].first < key {
		c.left = c.left[1:]
	}
}

// Next returns the records of the next block, or none at the end. The slice is
// valid until the next call.
func (c *ScratchCursor) Next() ([]uint64, error) {
	if len(c.left) == 0 {
		return nil, nil
	}
	b := c.left[0]
	c.left = c.left[1:]
	if cap(c.block) < b.size {
		c.block = make([]byte, b.size)
	}
	c.block = c.block[:b.size]
	if _, err := c.f.file.ReadAt(c.block, b.offset); err != nil {
		return nil, fmt.Errorf("spill: %w", err)
	}
	if !checkBlock(c.block, nil) {
		return nil, &CorruptionError{Where: c.f.path, What: fmt.Sprintf("checksum does not match at byte %d", b.offset)}
	}
	recs, ok := c.f.shape.decodeBlock(c.recs[:0], c.block)
	if !ok {
		return nil, &CorruptionError{Where: c.f.path, What: fmt.Sprintf("no block at byte %d", b.offset)}
	}
	c.recs = recs
	return recs, nil
}

// Join appends an extent whose records follow those of e in order.
func (e *Extent) Join(behind Extent) { e.blocks = append(e.blocks, behind.blocks...) }
