package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/batchrepr"
	"github.com/cockroachdb/pebble/v2/record"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Salvage makes a new store in the directory to. It holds everything intact in the store
// in the directory from, any of whose files may be damaged or missing: tables and logs
// are read one by one, whatever the manifest says of them. The new journal ends at the
// first lost entry; begin holds the journal's first entries, to replace lost ones. What
// the old store had deleted may reappear, and block checksums are checked only when the
// blocks are read, as always. Salvage returns the names of the files that could not be
// read to their end.
func Salvage(ctx context.Context, from, to string, begin [][]byte, opts Options) (damaged []string, err error) {
	opts.ReadOnly = false
	s, err := Open(to, opts)
	if err != nil {
		return nil, err
	}
	r := &salvage{to: s, entries: make(map[uint64]salvagedEntry)}
	dir := s.fs.PathJoin(from, dbDir)
	names, err := s.fs.List(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, errors.Join(err, s.Close())
	}
	slices.Sort(names)
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return damaged, errors.Join(err, s.Close())
		}
		var whole bool
		switch path := s.fs.PathJoin(dir, name); {
		case strings.HasSuffix(name, ".sst"):
			whole = r.table(ctx, path)
		case strings.HasSuffix(name, ".log"):
			whole = r.log(path, name)
		default:
			continue
		}
		if r.err != nil {
			return damaged, errors.Join(r.err, s.Close())
		}
		if !whole {
			damaged = append(damaged, name)
		}
	}
	for n := uint64(0); ; n++ {
		entry, ok := r.entries[n]
		if !ok && n < uint64(len(begin)) {
			entry.body, ok = begin[n], true
		}
		if !ok {
			break
		}
		if err := s.AppendJournal(entry.body, false); err != nil {
			return damaged, errors.Join(err, s.Close())
		}
	}
	return damaged, s.Close()
}

// salvage is the state of a Salvage.
type salvage struct {
	to      *Store
	entries map[uint64]salvagedEntry
	err     error // of a write
}

type salvagedEntry struct {
	seq  uint64
	body []byte
}

// take copies a record. The caller owns key and value.
func (r *salvage) take(seq uint64, key, value []byte) {
	switch {
	case r.err != nil || len(key) == 0:
	case key[0] == segmentPrefix:
		r.err = r.to.guard.Do(func() error { return r.to.db.Set(key, value, pebble.NoSync) })
	case key[0] == journalPrefix && len(key) == 9:
		n, body := binary.BigEndian.Uint64(key[1:]), len(value)-4
		if body < 0 || entrySum(key, value[:body]) != binary.LittleEndian.Uint32(value[body:]) {
			return
		}
		if old, ok := r.entries[n]; !ok || old.seq <= seq {
			r.entries[n] = salvagedEntry{seq, slices.Clone(value[:body])}
		}
	}
}

// table takes the records of a table up to its first damage, and reports whether it was
// undamaged. Pebble mistakes some damage for a caller's error and panics.
func (r *salvage) table(ctx context.Context, path string) (whole bool) {
	defer func() {
		if recover() != nil {
			whole = false
		}
	}()
	f, err := r.to.fs.Open(path)
	if err != nil {
		return false
	}
	readable, err := sstable.NewSimpleReadable(f)
	if err != nil {
		_ = f.Close() // read only, like everything below
		return false
	}
	reader, err := sstable.NewReader(ctx, readable, sstable.ReaderOptions{})
	if err != nil {
		return false
	}
	defer reader.Close() //nolint:errcheck // read only
	it, err := reader.NewIter(sstable.NoTransforms, nil, nil, sstable.AssertNoBlobHandles)
	if err != nil {
		return false
	}
	defer it.Close() //nolint:errcheck // read only
	for kv := it.First(); kv != nil && r.err == nil; kv = it.Next() {
		value, _, err := kv.Value(nil)
		if err != nil {
			return false
		}
		if kv.Kind() == pebble.InternalKeyKindSet {
			r.take(uint64(kv.SeqNum()), kv.K.UserKey, value)
		}
	}
	return it.Error() == nil
}

// log takes the batches of a log. A log that was not closed may end in a truncated one.
func (r *salvage) log(path, name string) (whole bool) {
	number, err := strconv.ParseUint(strings.TrimSuffix(name, ".log"), 10, 64)
	if err != nil {
		return false
	}
	f, err := r.to.fs.Open(path, vfs.SequentialReadsOption)
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // read only
	batches := logReader(record.NewReader, f, number)
	for r.err == nil {
		next, err := batches.Next()
		var body []byte
		if err == nil {
			body, err = io.ReadAll(next)
		}
		if err != nil {
			return errors.Is(err, io.EOF) || record.IsInvalidRecord(err)
		}
		if !r.batch(body) {
			return false
		}
	}
	return true
}

// logReader calls open, one of whose parameter types Pebble does not export.
func logReader[N ~uint64](open func(io.Reader, N) *record.Reader, f io.Reader, number uint64) *record.Reader {
	return open(f, N(number))
}

func (r *salvage) batch(body []byte) bool {
	h, ok := batchrepr.ReadHeader(body)
	if !ok {
		return false
	}
	b := batchrepr.Read(body)
	for i := uint64(0); r.err == nil; i++ {
		kind, key, value, ok, err := b.Next()
		if err != nil || !ok {
			return err == nil
		}
		if kind == pebble.InternalKeyKindSet {
			r.take(uint64(h.SeqNum)+i, key, value)
		}
	}
	return true
}

// SetAside moves a store from dir into directory to, which must not exist, and a new
// store that Salvage made into its place. If interrupted, call it again.
func SetAside(fs vfs.FS, dir, to, made string) error {
	if err := MakeDir(fs, to); err != nil {
		return err
	}
	// Without its seal the store looks like one whose process was killed.
	for _, name := range []string{sealFile, sealFile + ".old"} {
		if _, err := fs.Stat(fs.PathJoin(dir, name)); err == nil {
			if err := fs.Rename(fs.PathJoin(dir, name), fs.PathJoin(to, name)); err != nil {
				return fmt.Errorf("set aside: %w", err)
			}
		}
	}
	if _, err := fs.Stat(fs.PathJoin(to, dbDir)); err != nil {
		if err := fs.Rename(fs.PathJoin(dir, dbDir), fs.PathJoin(to, dbDir)); err != nil {
			if !errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("set aside: %w", err)
			}
		}
	}
	if err := fs.Rename(fs.PathJoin(made, dbDir), fs.PathJoin(dir, dbDir)); err != nil {
		return fmt.Errorf("set aside: %w", err)
	}
	if err := fs.Rename(fs.PathJoin(made, sealFile), fs.PathJoin(dir, sealFile)); err != nil {
		return fmt.Errorf("set aside: %w", err)
	}
	return errors.Join(SyncDir(fs, to), SyncDir(fs, dir), fs.RemoveAll(made))
}
