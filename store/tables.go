package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// CheckTables reads all tables of the store in dir and compares every block with its
// checksum, whether or not somebody has the store open: tables never change, and those
// that disappear meanwhile were merged into others. It calls wait before it reads so many
// bytes, and ends with an error of wait. damage is a CorruptionError about the first
// damaged table, or nil.
func CheckTables(ctx context.Context, fs vfs.FS, dir string, wait func(bytes int) error) (damage, err error) {
	db := fs.PathJoin(dir, dbDir)
	names, err := fs.List(db)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	slices.Sort(names)
	for _, name := range names {
		if !strings.HasSuffix(name, ".sst") {
			continue
		}
		f, err := fs.Open(fs.PathJoin(db, name), vfs.RandomReadsOption)
		switch {
		case errors.Is(err, os.ErrNotExist):
			continue
		case err != nil:
			return nil, err
		}
		slow := &pacedFile{File: f, wait: wait}
		wrong := checkTable(ctx, slow)
		switch {
		case slow.err != nil:
			return nil, slow.err
		case wrong != nil:
			return &CorruptionError{Where: fs.PathJoin(db, name), What: firstLine(wrong)}, nil
		}
	}
	return nil, nil
}

// TableIntact reports whether all blocks of a table have their checksums.
func TableIntact(fs vfs.FS, path string) bool {
	f, err := fs.Open(path)
	if err != nil {
		return false
	}
	return checkTable(context.Background(), &pacedFile{File: f, wait: func(int) error { return nil }}) == nil
}

// checkTable compares the blocks of a table with their checksums, and closes it. Pebble
// mistakes some damage for a caller's error and panics.
func checkTable(ctx context.Context, f *pacedFile) (wrong error) {
	defer func() {
		if v := recover(); v != nil {
			wrong = fmt.Errorf("cannot be read: %v", v)
		}
	}()
	readable, err := sstable.NewSimpleReadable(f)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	reader, err := sstable.NewReader(ctx, readable, sstable.ReaderOptions{})
	if err != nil {
		return err
	}
	defer reader.Close() //nolint:errcheck // read only
	return reader.ValidateBlockChecksums()
}

// pacedFile waits before it reads.
type pacedFile struct {
	vfs.File
	wait func(bytes int) error
	err  error // of wait
}

func (f *pacedFile) ReadAt(p []byte, off int64) (int, error) {
	if f.err == nil {
		f.err = f.wait(len(p))
	}
	if f.err != nil {
		return 0, f.err
	}
	return f.File.ReadAt(p, off)
}

// Count returns the number of records in a partition of a segment, having compared every
// block with its checksum.
func (s *Store) Count(shape Shape, id SegmentID, part uint32) (records int64, err error) {
	c, err := s.NewCursor(shape, id, part)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	for {
		recs, err := c.Next()
		if err != nil || len(recs) == 0 {
			return records, err
		}
		records += int64(len(recs) / shape.Stride)
	}
}

// DropPart removes a partition of a segment.
func DropPart(s *Store, id SegmentID, part uint32) error {
	lo := appendSegmentPrefix(nil, id, part)
	if err := s.guard.Do(func() error { return s.db.DeleteRange(lo, prefixEnd(lo), pebble.NoSync) }); err != nil {
		return fmt.Errorf("drop %v, partition %d: %w", id, part, err)
	}
	return nil
}
