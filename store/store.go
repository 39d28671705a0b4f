package store

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/store/guard"
)

// Options configures a Store.
type Options struct {
	// FS is the file system. Nil means the machine's own.
	FS vfs.FS

	// CacheBytes bounds Pebble's block cache. Zero means 8 MiB.
	CacheBytes int64

	// MemTableBytes bounds the memory for small writes not yet in tables. Zero means
	// 1 MiB.
	MemTableBytes int64

	// BatchBytes is the size up to which a segment is written through Pebble's log.
	// A larger one is written as tables that Pebble ingests unchanged, so its bytes
	// are written once. Zero means 1 MiB.
	BatchBytes int64

	// AlsoSeal names files in the directory that do not belong to the store but that
	// VerifyFiles is to check too.
	AlsoSeal []string

	// ReadOnly opens without writing anything.
	ReadOnly bool
}

func (o *Options) ensureDefaults() {
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.CacheBytes == 0 {
		o.CacheBytes = 8 << 20
	}
	if o.MemTableBytes == 0 {
		o.MemTableBytes = 1 << 20
	}
	if o.BatchBytes == 0 {
		o.BatchBytes = 1 << 20
	}
}

// The directory of a store.
const (
	dbDir      = "db"      // Pebble's files
	scratchDir = "scratch" // tables being built and spilled candidates; emptied when opened for writing
	sealFile   = "seal"    // sizes and checksums of all files, while nobody writes
)

// A Store is the open directory of one run.
type Store struct {
	dir  string
	opts Options
	fs   vfs.FS
	db   *pebble.DB

	tableBytes uint64 // tableBytesMax; tests have smaller tables

	guard *guard.Guard

	mu         sync.Mutex       // guards the fields below
	corruption *CorruptionError // the last one that Pebble reported
	journalEnd uint64           // number of the next journal entry
	scratchEnd uint64           // number of the next scratch file
}

// Open opens the store in dir, or makes it unless opts.ReadOnly is set. It returns
// ErrNotExist or a CorruptionError if that is the reason.
//
// The caller must ensure that no other process writes in dir while it is open (see
// Lock).
func Open(dir string, opts Options) (*Store, error) {
	opts.ensureDefaults()
	s := &Store{dir: dir, opts: opts, fs: opts.FS, tableBytes: tableBytesMax, guard: guard.New(dir)}
	if opts.ReadOnly {
		if _, err := s.fs.Stat(s.fs.PathJoin(dir, dbDir)); err != nil {
			return nil, fmt.Errorf("%s: %w", dir, ErrNotExist)
		}
	}
	if err := s.checkSeal(false, nil); err != nil {
		return nil, err
	}
	if !opts.ReadOnly {
		if err := s.prepare(); err != nil {
			return nil, fmt.Errorf("open %s: %w", dir, err)
		}
	}
	switch err := s.guard.Do(s.openPebble); {
	case errors.Is(err, pebble.ErrDBDoesNotExist): // left half made
		return nil, fmt.Errorf("%s: %w", dir, ErrNotExist)
	case err != nil:
		return nil, s.explain(fmt.Errorf("open %s: %w", dir, err))
	}
	if err := s.findJournalEnd(); err != nil {
		return nil, errors.Join(err, s.db.Close())
	}
	return s, nil
}

func (s *Store) openPebble() error {
	cache := pebble.NewCache(s.opts.CacheBytes)
	defer cache.Unref()
	popts := &pebble.Options{
		FS:                          s.guard.FS(s.fs),
		Cache:                       cache,
		MemTableSize:                uint64(s.opts.MemTableBytes),
		MemTableStopWritesThreshold: 4,
		MaxOpenFiles:                512,
		FormatMajorVersion:          pebble.FormatNewest,
		ReadOnly:                    s.opts.ReadOnly,
		DisableTableStats:           true,
		Logger:                      s.guard.Logger(),
		EventListener:               &pebble.EventListener{DataCorruption: s.noteCorruption, BackgroundError: s.backgroundError},
	}
	popts.Experimental.CompactionScheduler = guard.Scheduler()
	// Blocks are packed to within a bit or two of their entropy; compressing them
	// would cost time and save nothing.
	popts.ApplyCompressionSettings(func() pebble.DBCompressionSettings { return pebble.DBCompressionNone })
	db, err := pebble.Open(s.fs.PathJoin(s.dir, dbDir), popts)
	s.db = db
	return err
}

// prepare makes the directories, drops what an earlier process left in scratch, and
// removes the seal.
func (s *Store) prepare() error {
	if err := MakeDir(s.fs, s.dir); err != nil {
		return err
	}
	scratch := s.fs.PathJoin(s.dir, scratchDir)
	if err := s.fs.RemoveAll(scratch); err != nil {
		return err
	}
	if err := s.fs.MkdirAll(scratch, 0o755); err != nil {
		return err
	}
	return s.unseal()
}

// Close writes out what is buffered, seals the directory if it was open for
// writing, and closes it. After a fatal error it leaves the directory as it is.
func (s *Store) Close() error {
	select {
	case <-s.guard.Failed():
		return nil
	default:
	}
	if s.opts.ReadOnly {
		return s.db.Close()
	}
	err := s.guard.Do(func() error {
		return errors.Join(s.db.Flush(), s.db.Close())
	})
	if err == nil {
		err = s.dropOldLogs()
	}
	if err == nil {
		err = s.seal()
	}
	if err != nil {
		return fmt.Errorf("close %s: %w", s.dir, err)
	}
	return nil
}

// dropOldLogs removes the logs whose files Pebble keeps for reuse. Close has flushed
// all but the last.
func (s *Store) dropOldLogs() error {
	dir := s.fs.PathJoin(s.dir, dbDir)
	names, err := s.fs.List(dir)
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasSuffix(name, ".log") })
	slices.Sort(names) // the numbers have leading zeros
	for i := range len(names) - 1 {
		if err := s.fs.Remove(s.fs.PathJoin(dir, names[i])); err != nil {
			return err
		}
	}
	return nil
}

// Failed returns a channel that is closed after a fatal error.
func (s *Store) Failed() <-chan struct{} { return s.guard.Failed() }

// Err returns the fatal error, or nil.
func (s *Store) Err() error { return s.guard.Err() }

// Sync waits until everything written before is on disk.
func (s *Store) Sync() error {
	if err := s.guard.Do(func() error { return s.db.LogData(nil, pebble.Sync) }); err != nil {
		return s.explain(fmt.Errorf("sync %s: %w", s.dir, err))
	}
	return nil
}

// newIter makes an iterator over [lo, hi). A parked goroutine may hold a lock that
// it needs, so it is guarded unless the store is read-only.
func (s *Store) newIter(lo, hi []byte) (*pebble.Iterator, error) {
	opts := &pebble.IterOptions{LowerBound: lo, UpperBound: hi}
	if s.opts.ReadOnly {
		return s.db.NewIter(opts)
	}
	return guard.Call(s.guard, func() (*pebble.Iterator, error) { return s.db.NewIter(opts) })
}

// backgroundError handles a failed flush or compaction. Pebble would retry forever
// without a pause and keep a core busy. A full disk does not empty itself, and
// damage stays, so the run stops, and Pebble with it.
func (s *Store) backgroundError(err error) {
	s.guard.Park(fmt.Errorf("cannot write: %w", s.explain(err)))
}

// closeIter closes an iterator, which may need a lock that a parked goroutine holds.
func (s *Store) closeIter(it *pebble.Iterator) error {
	if s.opts.ReadOnly {
		return it.Close()
	}
	return s.guard.Do(it.Close)
}

func (s *Store) noteCorruption(info pebble.DataCorruptionInfo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.corruption = &CorruptionError{Where: filepath.Base(info.Path), What: firstLine(info.Details)}
}

// explain turns a corruption error of Pebble's into one that names the damaged file.
func (s *Store) explain(err error) error {
	if err == nil || !pebble.IsCorruptionError(err) {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.corruption != nil {
		return &CorruptionError{Where: s.fs.PathJoin(s.dir, dbDir, s.corruption.Where), What: s.corruption.What}
	}
	return &CorruptionError{Where: s.fs.PathJoin(s.dir, dbDir), What: firstLine(err)}
}

// DiskBytes returns the size on disk of what the store keeps, excluding scratch
// files, or 0 if it is unknown.
func (s *Store) DiskBytes() int64 {
	dir := s.fs.PathJoin(s.dir, dbDir)
	names, err := s.fs.List(dir)
	if err != nil {
		return 0
	}
	var sum int64
	for _, name := range names {
		// A file may have been removed since.
		if info, err := s.fs.Stat(s.fs.PathJoin(dir, name)); err == nil {
			sum += info.Size()
		}
	}
	return sum
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
