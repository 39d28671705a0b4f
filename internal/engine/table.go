package engine

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/table"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
)

// StoreChoice says how a run keeps its states.
type StoreChoice uint8

const (
	// StoreAny is StoreLayers for a run that is made, and right for any that exists.
	StoreAny StoreChoice = iota
	// StoreLayers is history.Layers.
	StoreLayers
	// StoreTable is history.Table. Create refuses it where it cannot be had.
	StoreTable
	// StoreAuto is StoreTable for a run that is made where that can be had, else
	// StoreLayers, and right for any that exists.
	StoreAuto
)

var (
	// ErrNoTable says that a puzzle's states cannot be kept as a table.
	ErrNoTable = errors.New("this puzzle's states cannot be kept as a table, as they have no dense ranks: use --store layers")
	// ErrTableInBucket says that a run that keeps a table cannot be in a bucket.
	ErrTableInBucket = errors.New("a run that keeps a table cannot be kept in a bucket: use --store layers")
	// ErrKeptOtherwise says that a run that exists keeps its states otherwise.
	ErrKeptOtherwise = errors.New("how a run keeps its states cannot be changed: leave --store out, or name another run with --run DIR")
)

// TableMemoryError says that a table does not fit the memory budget.
type TableMemoryError struct{ NeedBytes, MemoryBytes int64 }

func (e *TableMemoryError) Error() string {
	const mebi = 1 << 20
	return fmt.Sprintf("the table takes %d MiB of memory, and %d MiB are allowed: raise --memory, or use --store layers",
		(e.NeedBytes+mebi-1)/mebi, e.MemoryBytes/mebi)
}

// tables are those of a run that keeps tables. It is safe for concurrent use.
type tables struct {
	space *table.Space
	// interval is between the times that a table is written, for tests. Zero means
	// tableInterval.
	interval time.Duration

	mu   sync.Mutex // guards the fields below
	read [history.Goal + 1]*table.Table
	// walks go through the layers of a table, for those who ask for one.
	walks [history.Goal + 1]*table.Search
	// cached are the records of layers, or parts of them, that were asked for last.
	cached        []*sorted
	cachedRecords int64
}

// ranksOf returns the ranks of a puzzle, or nil.
func ranksOf(p puzzle.Puzzle) *puzzle.Ranks {
	layout := p.Layout()
	dense, ok := p.(puzzle.Dense)
	if !ok || layout.Words() != 1 || !layout.Reversible || puzzle.Merges(p) {
		return nil
	}
	_, weighted := p.(puzzle.Weighted)
	_, pruning := p.(puzzle.Pruning)
	if weighted || pruning {
		return nil
	}
	return dense.Ranks()
}

// tablesFor prepares the tables of a run that is to be made, or returns nil if it is to
// keep layers.
func (o *Options) tablesFor(p puzzle.Puzzle) (*tables, error) {
	if o.Store == StoreAny || o.Store == StoreLayers || o.Store == StoreAuto && o.Bucket != nil {
		return nil, nil
	}
	if o.Bucket != nil {
		return nil, ErrTableInBucket
	}
	t, err := newTables(p, o.Partitions)
	if err == nil {
		err = t.fit(o.MemoryBytes)
	}
	if err != nil && o.Store == StoreAuto {
		return nil, nil
	}
	return t, err
}

// newTables prepares the tables of a puzzle.
func newTables(p puzzle.Puzzle, partitions int) (*tables, error) {
	scheme, err := partition.New(p.Layout(), partitions)
	if err != nil {
		return nil, err
	}
	ranks := ranksOf(p)
	if ranks == nil || !scheme.Narrow() {
		return nil, ErrNoTable
	}
	return &tables{space: table.NewSpace(p, ranks, scheme)}, nil
}

// fit returns a *TableMemoryError if a search takes more than a budget.
func (t *tables) fit(memoryBytes int64) error {
	if need := t.space.SearchBytes(); need > memoryBytes {
		return &TableMemoryError{need, memoryBytes}
	}
	return nil
}

// forget forgets what was read, which is going to change.
func (t *tables) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.read[:])
	clear(t.walks[:])
	t.cached, t.cachedRecords = nil, 0
}

func (r *Run) fs() vfs.FS {
	if r.opts.FS != nil {
		return r.opts.FS
	}
	return vfs.Default
}

const tableSuffix = ".table"

// tableName is the name of the file of a table whose last layer is at a depth.
func tableName(p history.Phase, depth uint32) string {
	if p == history.Goal {
		return fmt.Sprintf("goal-%d%s", depth, tableSuffix)
	}
	return fmt.Sprintf("forward-%d%s", depth, tableSuffix)
}

func (r *Run) stamp(p history.Phase, depth uint32) table.Stamp {
	return table.Stamp{Run: r.history.Identity(), Phase: uint8(p), Depth: depth}
}

// tableFiles returns the names of the tables that are there.
func (r *Run) tableFiles() []string {
	names, err := r.fs().List(r.dir)
	if err != nil {
		return nil
	}
	var found []string
	for _, name := range names {
		if strings.HasSuffix(name, tableSuffix) || strings.HasSuffix(name, tableSuffix+".new") {
			found = append(found, name)
		}
	}
	return found
}

// diskBytes returns what the run takes on disk.
func (r *Run) diskBytes() int64 {
	n := r.store.DiskBytes()
	if r.spec.Store == history.Table {
		for _, name := range r.tableFiles() {
			if info, err := r.fs().Stat(r.fs().PathJoin(r.dir, name)); err == nil {
				n += info.Size()
			}
		}
	}
	return n
}

// writeTable writes a table, durably and as a whole.
func (r *Run) writeTable(t *table.Table, p history.Phase, depth uint32, edges int64) error {
	path := r.fs().PathJoin(r.dir, tableName(p, depth))
	stamp := r.stamp(p, depth)
	stamp.Edges = edges
	f, err := r.fs().Create(path+".new", vfs.WriteCategoryUnspecified)
	if err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	err = t.Write(w, stamp)
	if err = errors.Join(err, w.Flush(), f.Sync(), f.Close()); err == nil {
		err = r.fs().Rename(path+".new", path)
	}
	if err == nil {
		err = store.SyncDir(r.fs(), r.dir)
	}
	if err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

// readTable reads the table of a phase as it was committed last.
func (r *Run) readTable(p history.Phase) (*table.Table, int64, error) {
	layers := r.history.Layers(p)
	depth := layers[len(layers)-1].Depth
	path := r.fs().PathJoin(r.dir, tableName(p, depth))
	f, err := r.fs().Open(path, vfs.SequentialReadsOption)
	if errors.Is(err, os.ErrNotExist) {
		return nil, 0, &store.CorruptionError{Where: path, What: "is missing"}
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read table: %w", err)
	}
	t := r.tables.space.NewTable()
	edges, err := t.Read(bufio.NewReaderSize(f, 1<<20), r.stamp(p, depth))
	err = errors.Join(err, f.Close())
	switch {
	case errors.Is(err, table.ErrDamaged):
		return nil, 0, &store.CorruptionError{Where: path, What: err.Error()}
	case err != nil:
		return nil, 0, fmt.Errorf("read table: %w", err)
	}
	return t, edges, nil
}

// dropTables removes tables that no committed layer needs: those that were replaced,
// and those whose layers were not committed.
func (r *Run) dropTables() error {
	needed := make(map[string]bool)
	for _, p := range []history.Phase{history.Forward, history.Goal} {
		if n := len(r.history.Layers(p)); n > 0 {
			needed[tableName(p, uint32(n-1))] = true
		}
	}
	for _, name := range r.tableFiles() {
		if needed[name] {
			continue
		}
		if err := r.fs().Remove(r.fs().PathJoin(r.dir, name)); err != nil {
			return fmt.Errorf("remove table: %w", err)
		}
	}
	return nil
}

// tableOf returns the table of a phase, which is read once. The caller has t.mu.
func (r *Run) tableOf(p history.Phase) (*table.Table, error) {
	t := r.tables
	if t.read[p] == nil {
		var err error
		if t.read[p], _, err = r.readTable(p); err != nil {
			return nil, err
		}
	}
	return t.read[p], nil
}
