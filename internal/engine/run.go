package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/internal/frontier"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/internal/table/divided"
	"github.com/everystate/everystate/internal/table/stored"
	"github.com/everystate/everystate/internal/wasm"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/store/bucket"
	"github.com/everystate/everystate/worker"
)

// DefaultPartitions is the number of partitions of a run on one machine.
const DefaultPartitions = 64

// Options configures a Run.
type Options struct {
	// Workers is the number of workers. Zero means one per core.
	Workers int

	// MemoryBytes is the memory budget in bytes. Zero means DefaultMemory.
	MemoryBytes int64

	// Partitions is the number of partitions of a new run. Zero means
	// DefaultPartitions. An existing run keeps its number.
	Partitions int

	// Store is how a new run keeps its states.
	Store StoreChoice

	// Keep is which layers a new run keeps. Nil means all, and accepts any existing run.
	Keep *history.Keep

	// ReadOnly opens a run for queries only.
	ReadOnly bool

	// GoalDistance says that goal distances are about to be computed if the run has none:
	// Open then refuses a table that does not fit MemoryBytes, even with ReadOnly.
	GoalDistance bool

	// BatchBytes is store.Options.BatchBytes.
	BatchBytes int64

	// Bucket is where the run is kept as well; nil means nowhere. It must stay open
	// as long as the run.
	Bucket *bucket.Run

	// BucketTrouble is called with one line of text when the bucket does not answer
	// for a while, and when it does again. It may be called from any goroutine, and
	// may be nil.
	BucketTrouble func(text string)

	// Preparing, unless nil, is called while ranks of a table are built, with the share that
	// is done. Once it reports false, Create and Open return context.Canceled.
	Preparing func(done float64) bool

	// InMemory keeps the run in memory only; nothing of it is left after Close. Its
	// directory is only a name, and its stored states are not counted in
	// MemoryBytes.
	InMemory bool

	// FS is the file system, for tests. Nil means the operating system's; with any
	// other there is no lock and no status file.
	FS vfs.FS

	// tableInterval is the time between writes of a table, for tests. Zero means
	// that tableKeeper decides.
	tableInterval time.Duration
	// tablePages is how many bits the pages of a table have, for tests, which keep it as pages
	// even if it fits, unless tableWhole is set. Zero means that it is kept as larger pages if it
	// does not fit.
	tablePages uint
	tableWhole bool
}

func (o *Options) ensureDefaults() {
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.MemoryBytes == 0 {
		o.MemoryBytes = DefaultMemory(o.Workers)
	}
	if o.Partitions == 0 {
		o.Partitions = DefaultPartitions
	}
	if o.InMemory && o.FS == nil {
		o.FS = vfs.NewMem()
	}
}

// Validate returns an error that reports all faults of the options, or nil.
func (o Options) Validate() error {
	o.ensureDefaults()
	return o.validate()
}

func (o *Options) validate() error {
	var errs []error
	if o.Workers < 1 || o.Workers > WorkersMax {
		errs = append(errs, fmt.Errorf("%d workers: must be 1 to %d", o.Workers, WorkersMax))
	}
	errs = append(errs, partition.Check(o.Partitions), worker.CheckMemory(o.MemoryBytes))
	return errors.Join(errs...)
}

// engineMemory returns the budget less what uploads need.
func (o *Options) engineMemory() int64 {
	if o.Bucket != nil && strings.HasPrefix(o.Bucket.URL(), "s3:") {
		return o.MemoryBytes - min(s3Memory, o.MemoryBytes/4)
	}
	return o.MemoryBytes
}

// A Run is an open run directory.
type Run struct {
	dir  string
	opts Options
	lock *store.Lock

	store    *store.Store // nil only after it could not be reopened
	writable bool
	spec     history.Spec
	board    puzzle.Board
	scheme   partition.Scheme
	history  history.History

	tables *stored.Tables // nil if the run keeps layers

	peakBefore int64  // peak memory of earlier sessions, in bytes
	failure    string // what Failure returns

	backup *backup // non-nil while Explore keeps a bucket up to date
	began  bool    // the last explore began a session
	live   live
}

// ErrOtherPuzzle reports that a directory already holds a run of a different board.
var ErrOtherPuzzle = errors.New("already holds a run of a different board")

// ErrOtherKeys reports that a run's states have other keys than its board has now.
var ErrOtherKeys = errors.New("made by a version that numbers the states of this board differently: explore it again in another directory")

// Create opens the run of a board in dir, or makes it if there is none.
func Create(dir string, board puzzle.Board, opts Options) (*Run, error) {
	opts.ensureDefaults()
	if err := opts.validate(); err != nil {
		return nil, err
	}
	var made *stored.Tables
	free, err := vacant(dir, opts.FS)
	if free {
		made, err = opts.tablesFor(board.Puzzle)
		if err == nil {
			err = frontier.Check(opts.keeps(history.Spec{}, made), board.Puzzle)
		}
	}
	if err != nil {
		return nil, err
	}
	r, err := open(dir, opts)
	if err != nil {
		return nil, err
	}
	r.tables = made
	if err := r.adopt(board); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// Open opens the run in dir.
func Open(dir string, opts Options) (*Run, error) {
	opts.ensureDefaults()
	if err := opts.validate(); err != nil {
		return nil, err
	}
	// A writer's lock creates the directory, so look first.
	if err := exists(dir, opts.FS); err != nil {
		return nil, err
	}
	r, err := open(dir, opts)
	if err != nil {
		return nil, err
	}
	if r.spec.Partitions == 0 {
		return nil, errors.Join(fmt.Errorf("%s: %w", dir, store.ErrNotExist), r.Close())
	}
	board, err := readBoard(r.spec)
	if err == nil {
		err = r.use(board)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", dir, err), r.Close())
	}
	return r, nil
}

// readBoard reads the puzzle of a run.
func readBoard(spec history.Spec) (puzzle.Board, error) {
	board, err := wasm.ReadStored(spec.Text, spec.Module, spec.Above)
	board.Name = spec.Name
	return board, err
}

func exists(dir string, fs vfs.FS) error {
	locks := fs == nil // Others have no processes to lock out, and so no file beside the database.
	if locks {
		fs = vfs.Default
	}
	_, err := fs.Stat(fs.PathJoin(dir, "db"))
	switch {
	case err == nil && locks && !store.Holds(fs, dir) && !marked(fs, dir):
		return fmt.Errorf("%s: %w", dir, ErrForeign) // as a sweep has
	case err == nil:
		return nil
	}
	if errors.Is(err, os.ErrPermission) {
		return fmt.Errorf("open run: %w", err)
	}
	_, sealErr := fs.Stat(fs.PathJoin(dir, "seal"))
	_, originErr := fs.Stat(fs.PathJoin(dir, originFile))
	if sealErr == nil || originErr == nil {
		return &store.CorruptionError{Where: fs.PathJoin(dir, "db"), What: "is missing"}
	}
	return fmt.Errorf("%s: %w", dir, store.ErrNotExist)
}

// ErrForeign reports that a directory holds something other than a run.
var ErrForeign = errors.New("holds files other than a run: choose an empty or a new directory")

// vacant reports whether a directory has no run, nor anything else but what the
// interrupted creation of one leaves: then the error is ErrForeign.
func vacant(dir string, fs vfs.FS) (bool, error) {
	switch err := exists(dir, fs); {
	case errors.Is(err, ErrForeign):
		return false, err
	case !errors.Is(err, store.ErrNotExist):
		return false, nil
	case fs != nil:
		return true, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return false, fmt.Errorf("make run: %w", err)
	}
	for _, e := range entries {
		if e.Name() != "lock" && e.Name() != "scratch" {
			return false, fmt.Errorf("%s: %w", dir, ErrForeign)
		}
	}
	return true, nil
}

// open opens the store and reads the journal. An existing store is opened read-only
// until there is something to write, so asking again for a complete run does not
// touch it.
func open(dir string, opts Options) (r *Run, err error) {
	r = &Run{dir: dir, opts: opts}
	if opts.FS == nil {
		if r.lock, err = store.LockDir(dir, !opts.ReadOnly); err != nil {
			return nil, err
		}
	}
	there := exists(dir, opts.FS) == nil
	if opts.ReadOnly || there {
		err = r.openStore(true)
	}
	// The origin is written once the journal is on the disk. Pebble takes damage at
	// the end of its manifest for a write that did not end.
	begun := opts.FS == nil && readOrigin(dir) != nil
	gone := &store.CorruptionError{Where: filepath.Join(dir, "db"), What: "the journal is gone"}
	switch {
	case begun && (!there || errors.Is(err, store.ErrNotExist)):
		err = gone
	case !opts.ReadOnly && (!there || err != nil && !store.IsCorruption(err)):
		err = r.openStore(false) // new, or left half made
	}
	if err != nil {
		return nil, errors.Join(err, r.lock.Unlock())
	}
	if s, err := readStatus(dir); err == nil && opts.FS == nil {
		r.peakBefore, r.failure = s.PeakMemoryBytes, s.Failure
	}
	r.spec, r.history, err = journal.Read(r.store)
	if err == nil && begun && r.spec.Partitions == 0 {
		err = gone
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

func (r *Run) openStore(readOnly bool) (err error) {
	b := worker.Divide(r.opts.engineMemory(), r.opts.Workers, r.opts.Partitions)
	r.store, err = store.Open(r.dir, store.Options{
		FS:            r.opts.FS,
		CacheBytes:    b.CacheBytes,
		MemTableBytes: b.MemTableBytes,
		BatchBytes:    r.opts.BatchBytes,
		AlsoSeal:      []string{statusFile, originFile},
		ReadOnly:      readOnly,
	})
	r.writable = err == nil && !readOnly
	return err
}

// makeWritable reopens the store for writing if it is open read-only.
func (r *Run) makeWritable() error {
	if r.writable {
		return nil
	}
	old := r.store
	r.store = nil
	if err := old.Close(); err != nil {
		return err
	}
	return r.openStore(false)
}

// adopt makes an empty run the run of a board, or checks that it is.
func (r *Run) adopt(board puzzle.Board) error {
	if r.spec.Partitions == 0 {
		if err := r.makeWritable(); err != nil {
			return err
		}
		spec := history.Spec{Family: board.Family, Name: board.Name, Metric: board.Metric, Text: board.Text, Above: board.Above, Partitions: r.opts.Partitions}
		spec.Module = wasm.ModuleOf(board.Puzzle)
		if r.tables == nil { // the run was left half made
			var err error
			if r.tables, err = r.opts.tablesFor(board.Puzzle); err != nil {
				return err
			}
		}
		spec = r.opts.keeps(spec, r.tables)
		if err := frontier.Check(spec, board.Puzzle); err != nil {
			return err
		}
		if err := r.begin(journal.Begin(spec)); err != nil {
			return err
		}
		r.spec = spec
		r.history.SetKeep(spec.Keep)
	}
	if r.spec.Text != board.Text || r.spec.Metric != board.Metric || r.spec.Family != board.Family {
		return fmt.Errorf("%s: %w", r.dir, ErrOtherPuzzle)
	}
	if choice := r.opts.Store; choice == StoreTable && r.spec.Store != history.Table || choice == StoreLayers && r.spec.Store != history.Layers {
		return fmt.Errorf("%s: %w", r.dir, ErrKeptOtherwise)
	}
	if err := frontier.Fits(r.opts.Keep, r.spec); err != nil {
		return fmt.Errorf("%s: %w", r.dir, err)
	}
	if module := wasm.ModuleOf(board.Puzzle); len(r.spec.Module) < len(module) {
		// Making the run was interrupted before all of its module was stored.
		if err := r.makeWritable(); err != nil {
			return err
		}
		have := 1 + journal.Chunks(len(r.spec.Module))
		r.spec.Module = module
		if err := r.begin(journal.Begin(r.spec)[have:]); err != nil {
			return err
		}
	}
	return r.use(board)
}

// begin appends the entries with which a run begins.
func (r *Run) begin(entries journal.Entries) error {
	for _, entry := range entries {
		if err := r.store.AppendJournal(entry, false); err != nil {
			return err
		}
	}
	return nil
}

func (r *Run) use(board puzzle.Board) error {
	scheme, err := partition.New(board.Puzzle.Layout(), r.spec.Partitions)
	if err != nil {
		return fmt.Errorf("%s: %w", r.dir, err)
	}
	r.board, r.scheme = board, scheme
	if !history.BeginsAs(&r.history, board.Puzzle) {
		return fmt.Errorf("%s: %w", r.dir, ErrOtherKeys)
	}
	if r.spec.Store == history.DividedTable {
		return fmt.Errorf("%s: %w", r.dir, divided.ErrOnCluster)
	}
	if err := frontier.Check(r.spec, board.Puzzle); err != nil || r.spec.Store != history.Table {
		return err
	}
	if r.opts.Bucket != nil {
		return ErrTableInBucket
	}
	if r.tables == nil {
		if r.tables, err = tablesOf(r, board.Puzzle); err != nil {
			return err
		}
	}
	r.tables.Place(r.opts.FS, r.dir, &r.history)
	return nil
}

// Close closes the run. An incomplete run can be opened again and resumed.
func (r *Run) Close() (err error) {
	if r.tables != nil {
		defer func() { err = errors.Join(err, r.tables.Forget()) }()
	}
	if r.store == nil {
		return r.lock.Unlock()
	}
	if r.writable && r.store.Err() == nil && r.spec.Partitions > 0 {
		if err := r.writeStatus(); err != nil {
			return errors.Join(err, r.store.Close(), r.lock.Unlock())
		}
	}
	return errors.Join(r.store.Close(), r.lock.Unlock())
}

// Dir returns the run's directory.
func (r *Run) Dir() string { return r.dir }

// Failure returns the failure of the puzzle that ended the last exploration, which ends each
// one that resumes the run; empty if there was none.
func (r *Run) Failure() string { return r.failure }

// Board returns the puzzle of the run.
func (r *Run) Board() puzzle.Board { return r.board }

// History returns what has been committed.
func (r *Run) History() *history.History { return &r.history }

// PartitionsOf returns the number of partitions of a run.
func PartitionsOf(r *Run) int { return r.spec.Partitions }

// Space returns access to what has been enumerated.
func (r *Run) Space() *query.Space {
	s := &query.Space{
		Board:   r.board,
		Scheme:  r.scheme,
		History: &r.history,
		Records: records{store: r.store, shape: worker.ShapeOf(r.scheme)},
	}
	if r.spec.Store == history.Table {
		s.Records = stored.Records{Tables: r.tables}
	}
	return s
}

// records reads a run's layers from its store.
type records struct {
	store *store.Store
	shape store.Shape
}

func segmentID(l history.Layer) store.SegmentID {
	return store.SegmentID{Phase: uint8(l.Phase), Layer: l.Depth, Epoch: l.Epoch}
}

func (r records) Find(_ context.Context, layer history.Layer, part partition.ID, rec, dst []uint64) ([]uint64, bool, error) {
	return r.store.Find(r.shape, segmentID(layer), uint32(part), rec, dst)
}

func (r records) Cursor(_ context.Context, layer history.Layer, parts []partition.ID) (query.Cursor, error) {
	return &cursor{records: r, layer: layer, parts: parts}, nil
}

// cursor reads one partition after another.
type cursor struct {
	records
	layer history.Layer
	parts []partition.ID // that have not ended
	open  *store.Cursor  // on the first of parts, nil before its first block
}

// Next returns the next block.
func (c *cursor) Next() (partition.ID, []uint64, error) {
	for len(c.parts) > 0 {
		if c.open == nil {
			var err error
			if c.open, err = c.store.NewCursor(c.shape, segmentID(c.layer), uint32(c.parts[0])); err != nil {
				return 0, nil, err
			}
		}
		recs, err := c.open.Next()
		if err != nil || len(recs) > 0 {
			return c.parts[0], recs, err
		}
		if err := c.Close(); err != nil {
			return 0, nil, err
		}
		c.parts = c.parts[1:]
	}
	return 0, nil, nil
}

// Close closes the partition that is open.
func (c *cursor) Close() error {
	if c.open == nil {
		return nil
	}
	open := c.open
	c.open = nil
	return open.Close()
}
