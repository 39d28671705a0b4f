// Package stored keeps the tables of a run in its directory, one file per phase, and
// answers queries for the layers that they represent: records in the order in which
// other runs store them, so that queries need not know the difference.
//
// A table is written whole, under the name of its last layer; it counts once the
// journal has that layer. The package must never decide when, and never change a
// table that the journal needs.
package stored

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/table"
	"github.com/everystate/everystate/internal/table/paged"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
)

// Tables are the tables of a run. It is safe for concurrent use, except for Write and
// Drop.
type Tables struct {
	// Space has the ranks; nil until they are needed, if they are built later.
	Space *table.Space
	// Workers is how many goroutines work at a time.
	Workers int
	// MemoryBytes is the budget: a table of which a search exceeds it is read by pages. 0 means
	// that there is none.
	MemoryBytes int64

	paged    bool // a search is kept as pages, as it exceeds the budget
	pageBits uint // of pages of another size, for tests; 0 for none
	anyway   bool // a table is kept as pages even if it fits

	// Where the tables are, and of which run: see Place.
	fs      vfs.FS
	dir     string
	history *history.History
	given   *table.Table // nil unless Give has set it

	puzzle puzzle.Puzzle
	scheme partition.Scheme
	build  func() (*table.Space, error)
	ready  sync.Mutex // held while the ranks are built

	mu   sync.Mutex // guards the fields below
	read [history.Goal + 1]*table.Table
	// glances look up single states while a table has not been read.
	glances [history.Goal + 1]*glance
	// walks are searches through the layers of a table, to look up layers.
	walks [history.Goal + 1]table.Search
	// cached are the most recently used records of layers, or parts of them.
	cached        []*sorted
	cachedRecords int64
	// lastRead are the last layers as read from files; nil if that was not tried.
	lastRead [history.Goal + 1][]*sorted

	reads   []io.Closer // files of tables that are read
	replays int
}

// ErrNoRanks reports a puzzle whose states cannot be stored as a table.
var ErrNoRanks = errors.New("this puzzle's states cannot be kept as a table, as they cannot be numbered densely: use --store layers")

// ErrStopped reports that building the ranks was stopped.
var ErrStopped = fmt.Errorf("the ranks of the table were not built: %w", context.Canceled)

// New prepares the tables of a puzzle, folded if that is wanted and possible. While ranks
// are folded it calls during, unless that is nil, and returns ErrStopped once that reports
// false: see puzzle.Foldable.
func New(p puzzle.Puzzle, partitions, workers int, fold bool, during func(done float64) bool) (*Tables, error) {
	t, err := Later(p, partitions, workers, fold, during)
	if err == nil {
		err = t.Prepare()
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// Later is New, except that the ranks are built when they are first needed: not for the last
// layers, nor for single states of a puzzle that can tell where they are.
func Later(p puzzle.Puzzle, partitions, workers int, fold bool, during func(done float64) bool) (*Tables, error) {
	scheme, err := partition.New(p.Layout(), partitions)
	if err != nil {
		return nil, err
	}
	t := &Tables{Workers: workers, puzzle: p, scheme: scheme}
	t.build = func() (*table.Space, error) { return spaceOf(p, scheme, fold, during) }
	return t, nil
}

// Prepare builds the ranks, unless they are there. It must not be called while the caller
// holds t.ready.
func (t *Tables) Prepare() error {
	t.ready.Lock()
	defer t.ready.Unlock()
	if t.Space != nil {
		return nil
	}
	space, err := t.build()
	if err != nil {
		return err
	}
	if space == nil || !t.scheme.Narrow() {
		return ErrNoRanks
	}
	t.Space = space
	t.SetPages(t.pageBits, t.anyway)
	return nil
}

// spaceOf returns a puzzle's space, or nil if it has no ranks and no numbers.
func spaceOf(p puzzle.Puzzle, scheme partition.Scheme, fold bool, during func(done float64) bool) (*table.Space, error) {
	if n := puzzle.NumberingOf(p); n != nil && table.NumbersFit(n, p.Layout().Moves) {
		return table.NewNumberedSpace(p, n, scheme), nil
	}
	ranks, err := ranksOf(p, fold, during)
	if ranks == nil || err != nil {
		return nil, err
	}
	return table.NewSpace(p, ranks, scheme), nil
}

// NewWithin returns tables of a run that is yet to be made, folded if that is possible, and
// kept as pages if that is allowed and they do not fit.
func NewWithin(memoryBytes int64, pages bool, p puzzle.Puzzle, partitions, workers int, during func(done float64) bool) (*Tables, error) {
	within := InMemory
	if pages {
		within = Within
	}
	t, err := within(memoryBytes, p, partitions, workers, true, during)
	if large := new(MemoryError); errors.As(err, &large) {
		if t, err = within(memoryBytes, p, partitions, workers, false, during); err == nil {
			return t, nil
		}
	}
	if large := new(MemoryError); errors.As(err, &large) {
		large.New = true
	}
	return t, err
}

// Within is New, and returns a *MemoryError if a search exceeds a budget, even if its table is
// kept as pages: before anything is built if the puzzle knows it.
func Within(memoryBytes int64, p puzzle.Puzzle, partitions, workers int, fold bool, during func(done float64) bool) (*Tables, error) {
	if err := exceeds(least(p, fold, true), memoryBytes); err != nil {
		return nil, err
	}
	t, err := New(p, partitions, workers, fold, during)
	if err == nil {
		err = t.Fit(memoryBytes)
	}
	return t, err
}

// InMemory is Within for a table that is not kept as pages.
func InMemory(memoryBytes int64, p puzzle.Puzzle, partitions, workers int, fold bool, during func(done float64) bool) (*Tables, error) {
	if err := exceeds(least(p, fold, false), memoryBytes); err != nil {
		return nil, err
	}
	t, err := New(p, partitions, workers, fold, during)
	if err == nil {
		err = exceeds(t.Space.SearchBytes(), memoryBytes)
	}
	if err == nil {
		err = t.Fit(memoryBytes)
	}
	return t, err
}

// worthStates is how many ranks make a table worth having. Smaller spaces take no time as
// layers either, which can go to a bucket and answer at once.
const worthStates = 1 << 20

// Worth reports whether a table is worth having where nobody asks for one.
func Worth(t *Tables) bool {
	return t.Space.Ranks.Represented() >= worthStates && t.Space.Full(t.puzzle)
}

// One worker makes a table in about a quarter of the processor time that layers take
// (docs/lab/PERFORMANCE.md). So a table at one worker is not slower if all workers have at most
// layersCost times its lanes, or if it takes some seconds only.
const (
	layersCost   = 4
	secondsRanks = 1 << 28
)

// WorthAtOne reports whether a table is worth having at one worker of a cluster where nobody
// asks for one. lanes are those of the worker, all those of the cluster, 0 if unknown.
func WorthAtOne(t *Tables, lanes, all int) bool {
	return Worth(t) && (t.Space.Ranks.Represented() <= secondsRanks || all <= layersCost*lanes)
}

// Folded reports whether the tables are folded.
func (t *Tables) Folded() bool { return t.Space.Ranks.Fold != nil }

// ranksOf returns the ranks of a puzzle, folded if that is wanted and possible, or nil.
func ranksOf(p puzzle.Puzzle, fold bool, during func(done float64) bool) (*puzzle.Ranks, error) {
	dense, ok := p.(puzzle.Dense)
	if !ok || !puzzle.Tabular(p) || !p.Layout().Reversible {
		return nil, nil
	}
	if foldable, ok := p.(puzzle.Foldable); ok && fold {
		stopped := false
		folded := foldable.Folded(func(done float64) bool {
			stopped = during != nil && !during(done)
			return !stopped
		})
		if stopped {
			return nil, ErrStopped
		}
		if during != nil {
			during(1)
		}
		if folded != nil {
			return folded, nil
		}
	}
	return dense.Ranks(), nil
}

// MemoryError reports a table that exceeds a memory budget.
type MemoryError struct {
	NeedBytes, MemoryBytes int64
	// New says that the run is yet to be made, so it may keep layers as well.
	New bool
}

func (e *MemoryError) Error() string {
	const mebi = 1 << 20
	or := ""
	if e.New {
		or = ", or use --store layers"
	}
	return fmt.Sprintf("the table takes %d MiB of memory, and %d MiB are allowed: raise --memory%s",
		(e.NeedBytes+mebi-1)/mebi, e.MemoryBytes/mebi, or)
}

// least returns what a search of a puzzle takes at least, folded or not, in memory or perhaps
// as pages: as far as the puzzle knows that before anything is built.
func least(p puzzle.Puzzle, fold, pages bool) int64 {
	need := int64(0)
	if counted, ok := p.(puzzle.RankCounter); ok {
		const bitsPerRank = 3 // at least
		need = counted.RankCount() / 8 * bitsPerRank
		if pages {
			need = min(need, paged.BytesOf(counted.RankCount())+baseBytes)
		}
	}
	if foldable, ok := p.(puzzle.Foldable); ok && fold {
		_, folded := foldable.FoldNeeds()
		need = max(need, folded)
	}
	return need
}

// Fit returns a *MemoryError if a search exceeds a budget, even if its table is kept as
// pages.
func (t *Tables) Fit(memoryBytes int64) error {
	if err := t.Prepare(); err != nil {
		return err
	}
	t.MemoryBytes = memoryBytes
	t.paged = asPages(t, memoryBytes)
	if err := exceeds(NeedBytes(t, memoryBytes), memoryBytes); err != nil {
		return err
	}
	t.Space.Allow(memoryBytes)
	return nil
}

// NeedBytes returns the least memory that a search of tables takes which has a budget.
func NeedBytes(t *Tables, memoryBytes int64) int64 {
	need := t.Space.SearchBytes()
	if asPages(t, memoryBytes) {
		need = min(need, paged.Bytes(t.Space, t.Workers)+baseBytes)
	}
	return need
}

// asPages reports whether a search exceeds a budget, and can be kept as pages.
func asPages(t *Tables, memoryBytes int64) bool {
	return (t.anyway || t.Space.SearchBytes() > memoryBytes) && paged.Fits(t.Space)
}

// SetPages makes pages of so many bits, for tests, and keeps a table as pages anyway, even if
// it fits.
func (t *Tables) SetPages(bits uint, anyway bool) {
	if t.pageBits, t.anyway = bits, anyway; bits > 0 && t.Space != nil {
		t.Space.SetPageBits(bits)
		t.paged = t.paged || anyway
	}
}

// Paged reports whether the table of a search is kept as pages, as it does not fit the
// budget.
func (t *Tables) Paged() bool { return t.paged }

func exceeds(needBytes, memoryBytes int64) error {
	if needBytes <= memoryBytes {
		return nil
	}
	return &MemoryError{NeedBytes: needBytes, MemoryBytes: memoryBytes}
}

// Place sets the directory of the tables, and what has been committed of them. A nil
// file system means the machine's.
func (t *Tables) Place(fs vfs.FS, dir string, h *history.History) {
	if fs == nil {
		fs = vfs.Default
	}
	t.fs, t.dir, t.history = fs, dir, h
}

// Forget drops what was read, as it is about to change.
func (t *Tables) Forget() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.read[:])
	t.closeGlances()
	clear(t.walks[:])
	clear(t.lastRead[:])
	t.cached, t.cachedRecords = nil, 0
	var errs []error
	for _, r := range t.reads {
		errs = append(errs, r.Close())
	}
	t.reads = nil
	return errors.Join(errs...)
}

// Suffix is the extension of the files' names.
const Suffix = ".table"

// path returns the path of a table whose last layer is at a depth.
func (t *Tables) path(p history.Phase, depth uint32) string {
	return fmt.Sprintf("%s-%d%s", t.base(p), depth, Suffix)
}

// base returns what the paths of a phase begin with.
func (t *Tables) base(p history.Phase) string {
	name := "forward"
	if p == history.Goal {
		name = "goal"
	}
	return t.fs.PathJoin(t.dir, name)
}

func (t *Tables) stamp(p history.Phase, depth uint32) table.Stamp {
	return table.Stamp{Run: t.history.Identity(), Phase: uint8(p), Depth: depth}
}

// files returns the paths of the existing tables in a directory, and of leftovers.
func files(fs vfs.FS, dir string) []string {
	names, err := fs.List(dir)
	if err != nil {
		return nil
	}
	var found []string
	for _, name := range names {
		if Named(strings.TrimSuffix(name, ".new")) {
			found = append(found, fs.PathJoin(dir, name))
		}
	}
	return found
}

// Named reports whether a file of a run belongs to its tables.
func Named(name string) bool {
	for _, suffix := range []string{Suffix, Suffix + lastSuffix, pagesSuffix, spillSuffix} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}

// SetAside moves the tables of a run in dir into the directory to, and those of a
// repaired run in their place. They are the same tables, so it does not matter which of
// the two runs is there if it is interrupted: a missing table is damage.
func SetAside(fs vfs.FS, dir, to, made string) error {
	for _, move := range []struct{ from, to string }{{dir, to}, {made, dir}} {
		found := files(fs, move.from)
		if len(found) == 0 {
			continue
		}
		if err := store.MakeDir(fs, move.to); err != nil {
			return err
		}
		for _, path := range found {
			if err := fs.Rename(path, fs.PathJoin(move.to, fs.PathBase(path))); err != nil {
				return fmt.Errorf("set aside: %w", err)
			}
		}
		if err := store.SyncDir(fs, move.to); err != nil {
			return err
		}
	}
	return nil
}

// DiskBytes returns the size of the tables on disk.
func (t *Tables) DiskBytes() int64 {
	var n int64
	for _, path := range files(t.fs, t.dir) {
		if info, err := t.fs.Stat(path); err == nil {
			n += info.Size()
		}
	}
	return n
}

// Read reads the last committed table of a phase into memory, with the number of successors
// of its last layer, and what has been made of the next one, or nil.
func (t *Tables) Read(p history.Phase) (*table.Table, int64, *table.Part, error) {
	if err := t.Prepare(); err != nil {
		return nil, 0, nil, err
	}
	if t.given != nil {
		edges := int64(unknownEdges)
		if end := t.history.End(history.Forward); end != nil {
			edges = end.Generated
		}
		return t.given, edges, nil, nil
	}
	saved, err := t.isPaged(p)
	if err != nil {
		return nil, 0, nil, err
	}
	if saved {
		return t.readPages(p)
	}
	path, depth := t.lastTable(p)
	f, err := t.fs.Open(path, vfs.SequentialReadsOption)
	if err != nil {
		return nil, 0, nil, missing(path, err)
	}
	what := t.Space.NewTableOf(uint8(p))
	edges, part, err := what.Read(bufio.NewReaderSize(f, 1<<20), t.stamp(p, depth))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, 0, nil, damaged(path, err)
	}
	return what, edges, part, nil
}

// lastTable returns where the last committed table of a phase is, and its depth.
func (t *Tables) lastTable(p history.Phase) (path string, depth uint32) {
	layers := t.history.Layers(p)
	depth = layers[len(layers)-1].Depth
	return t.path(p, depth), depth
}

// missing explains why a table cannot be opened.
func missing(path string, err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return &store.CorruptionError{Where: path, What: "is missing"}
	}
	return fmt.Errorf("read table: %w", err)
}

// damaged explains why a table cannot be read.
func damaged(path string, err error) error {
	if errors.Is(err, table.ErrDamaged) {
		return &store.CorruptionError{Where: path, What: err.Error()}
	}
	return fmt.Errorf("read table %s: %w", path, err)
}

// drop removes tables that no committed layer needs: those that were replaced, and
// those whose layers were never committed, but for some files.
func (t *Tables) drop(but []string) error {
	needed := make(map[string]bool)
	for _, path := range but {
		needed[path] = true
	}
	for _, p := range []history.Phase{history.Forward, history.Goal} {
		if n := len(t.history.Layers(p)); n > 0 {
			needed[t.path(p, uint32(n-1))] = true
			needed[t.lastPath(p, uint32(n-1))] = true
		}
	}
	for _, path := range files(t.fs, t.dir) {
		if needed[path] {
			continue
		}
		if err := t.fs.Remove(path); err != nil {
			return fmt.Errorf("remove table: %w", err)
		}
	}
	return nil
}

// of returns the table of a phase, reading it once. The caller holds t.mu.
func (t *Tables) of(p history.Phase) (*table.Table, error) {
	if t.read[p] == nil {
		var err error
		if t.read[p], _, _, err = t.open(p); err != nil {
			return nil, err
		}
	}
	return t.read[p], nil
}

// newSearch returns the search of a phase that fills a table. forward is the table of the
// forward phase; if it is nil, it is read where the goal phase needs it.
func (t *Tables) newSearch(p history.Phase, what, forward *table.Table) (table.InMemory, error) {
	if p == history.Forward || t.puzzle.Layout().Reversible {
		return table.NewSearch(what, uint8(p), p == history.Forward, t.Workers), nil
	}
	if forward == nil {
		var err error
		if forward, _, _, err = t.Read(history.Forward); err != nil {
			return nil, err
		}
	}
	return table.NewSearchWithin(what, forward, t.Workers), nil
}

// ErrGoalsInLayers reports goal distances that a table cannot hold.
var ErrGoalsInLayers = errors.New("a table keeps goal distances of a puzzle whose moves cannot be undone only if all goals are at one depth: explore the board as another run (--run DIR, or --name NAME on a cluster) with --store layers")

// GoalsFit returns an error if a table cannot hold goal distances. It keeps them modulo
// three; where moves cannot be undone, they follow from that only if all goals of a graded
// space have one depth.
func GoalsFit(h *history.History, p puzzle.Puzzle) error {
	layers := 0
	for _, l := range h.Layers(history.Forward) {
		if l.Goals > 0 {
			layers++
		}
	}
	if !p.Layout().Reversible && layers > 1 {
		return ErrGoalsInLayers
	}
	return nil
}

// begin makes layer 0 of a phase. The caller holds t.mu.
func (t *Tables) begin(ctx context.Context, search table.Search, p history.Phase) (table.Layer, error) {
	if p == history.Forward {
		return search.Begin(t.puzzle.Starts())
	}
	forward, err := t.of(history.Forward)
	if err != nil {
		return table.Layer{}, err
	}
	return beginGoals(ctx, search, forward, t.puzzle, t.Workers)
}

// beginGoals makes layer 0 from the goals that a table has seen.
func beginGoals(ctx context.Context, search table.Search, forward *table.Table, p puzzle.Puzzle, workers int) (table.Layer, error) {
	if by, ok := search.(table.GoalSearch); ok {
		return by.BeginGoals(ctx, forward)
	}
	goals, err := Goals(ctx, forward, p, workers)
	if err != nil {
		return table.Layer{}, err
	}
	return search.Begin(goals)
}

// EachGoal calls f with the goals that a table has seen, some at a time.
func EachGoal(ctx context.Context, t *table.Table, p puzzle.Puzzle, f func(keys []uint64)) error {
	if ended, ok := p.(puzzle.GoalLister); ok {
		f(t.SeenOf(ended.GoalStates()))
		return t.Err()
	}
	return eachGoal(ctx, t, p, 0, 1, f)
}

// eachGoal is EachGoal of a share of the table, where goals are not listed.
func eachGoal(ctx context.Context, t *table.Table, p puzzle.Puzzle, share, shares int, f func(keys []uint64)) error {
	var marks []bool
	var goals []uint64
	return t.EachSeen(ctx, share, shares, func(keys []uint64) {
		marks = append(marks[:0], make([]bool, len(keys))...)
		p.Goals(keys, marks)
		goals = goals[:0]
		for i, goal := range marks {
			if goal {
				goals = append(goals, keys[i])
			}
		}
		f(goals)
	})
}

// Goals returns the goals that a table has seen.
func Goals(ctx context.Context, t *table.Table, p puzzle.Puzzle, workers int) ([]uint64, error) {
	if ended, ok := p.(puzzle.GoalLister); ok {
		return t.SeenOf(ended.GoalStates()), t.Err()
	}
	parts, errs := make([][]uint64, workers), make([]error, workers)
	var wait sync.WaitGroup
	for share := range workers {
		wait.Go(func() {
			errs[share] = eachGoal(ctx, t, p, share, workers, func(goals []uint64) { parts[share] = append(parts[share], goals...) })
		})
	}
	wait.Wait()
	return slices.Concat(parts...), errors.Join(errs...)
}
