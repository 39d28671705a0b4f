// Package keptrun is a run in a worker's directory: its store, and what the worker needs to know to
// read it and to work on it, which the run's journal has. The first entries are the puzzle's
// module and the run's spec; sessions follow, and the layers of a table of the whole run.
//
// It must never decide which run is worked on, nor know of other workers.
package keptrun

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"google.golang.org/protobuf/proto"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/wasm"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/worker"
	"github.com/everystate/everystate/worker/depths"
	"github.com/everystate/everystate/worker/module"
	"github.com/everystate/everystate/worker/onetable"
)

// FormatVersion is the version of the stored bytes and of the mix that this code reads
// and writes: docs/FORMAT.md. In a run of frontierVersion layers are dropped, in one of
// DividedVersion they are put into a table.
const (
	FormatVersion   = 1
	tableVersion    = 2
	frontierVersion = 3
	foldedVersion   = 4
	DividedVersion  = 5
)

// ErrOtherPuzzle reports that a directory already holds a run of a different board.
var ErrOtherPuzzle = errors.New("this worker has a run of this name that explores a different board")

// Run is a run's open store, with what is needed to read it.
type Run struct {
	Name   string
	Store  *store.Store
	Spec   *everystatev1.RunSpec
	Puzzle puzzle.Puzzle
	Scheme partition.Scheme
	Shape  store.Shape // of the records of layers

	// Table is this worker's share of the run's table; nil unless it has one.
	Table *depths.Table

	// One is the run's table, if one worker keeps it for all of the run, else nil.
	One *onetable.Run

	opts   Options
	module []byte

	// session is the last one in which an attempt was begun, according to the journal.
	session uint32

	// id distinguishes the run from others of its name; nil while unknown. Enter sets it,
	// once.
	id atomic.Pointer[history.Identity]
}

// Options are how a run is opened.
type Options struct {
	Dir   string
	Store store.Options
	// Module gets a puzzle's module of that size when a run is made.
	Module func(run string, size uint32) ([]byte, error)
	// TableBytes and TableWorkers are what a table that is kept for all of a run gets of the
	// worker.
	TableBytes   int64
	TableWorkers int
}

// Open opens a run. With a spec, the run is made if necessary; without one it must exist, or
// the error is store.ErrNotExist.
func Open(name string, spec *everystatev1.RunSpec, o Options) (*Run, error) {
	if spec == nil {
		if _, err := o.Store.FS.Stat(o.Dir); err != nil {
			return nil, store.ErrNotExist
		}
	}
	opened, err := store.Open(o.Dir, o.Store)
	if err != nil {
		return nil, err
	}
	r := &Run{Name: name, Store: opened, opts: o}
	if err := r.read(spec); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// SessionEpochs is the number of epochs of a session: the bits above give the session of
// an epoch.
const SessionEpochs = 1 << 20

// A BehindError refuses an attempt of a coordinator that does not know of later
// attempts.
type BehindError struct {
	Known uint32 // the greatest epoch that this worker knows of
	Err   error
}

func (e *BehindError) Error() string { return e.Err.Error() }
func (e *BehindError) Unwrap() error { return e.Err }

// Identity returns what distinguishes the run from others of its name, if known.
func (r *Run) Identity() history.Identity {
	if id := r.id.Load(); id != nil {
		return *id
	}
	return history.Identity{}
}

// Enter notes that an attempt is about to begin. It refuses an attempt of another run of
// the same name, and one of an earlier session than this worker has worked for: a
// coordinator that was overtaken does not know what has been committed since.
func (r *Run) Enter(epoch uint32, run history.Identity) error {
	if here := r.Identity(); here.Known() && here != run {
		return fmt.Errorf("run %s: this worker has a different run of this name: %v here, %v in progress: "+
			"delete it, or give the new run another name", r.Name, here, run)
	}
	session := epoch / SessionEpochs
	if session < r.session {
		return &BehindError{Known: r.session * SessionEpochs, Err: fmt.Errorf("run %s: session %d is over; this worker has since worked for session %d: "+
			"another coordinator has taken over the run, or it was started afresh: delete it there, or give it another name", r.Name, session, r.session)}
	}
	if session == r.session && r.Identity() == run {
		return nil
	}
	entry, err := proto.Marshal(&everystatev1.JournalEntry{Entry: &everystatev1.JournalEntry_SessionStart{
		SessionStart: &everystatev1.SessionStart{FirstEpoch: uint64(session) * SessionEpochs, RunIdentity: wire.Identity(run)},
	}})
	if err != nil {
		return err
	}
	if err := r.Store.AppendJournal(entry, true); err != nil {
		return err
	}
	r.session = session
	if run.Known() {
		r.id.Store(&run)
		if r.One != nil {
			r.One.Identify(run)
		}
	}
	return nil
}

// read finds out what the run explores. The spec, written when the run is made, is the
// first entry of a worker's journal after those of the puzzle's module. Sessions follow.
func (r *Run) read(spec *everystatev1.RunSpec) error {
	var layers []*everystatev1.JournalEntry // of a table
	err := r.Store.Journal(func(entry []byte) error {
		var e everystatev1.JournalEntry
		err := proto.Unmarshal(entry, &e)
		if err == nil && r.Spec != nil && e.GetSessionStart() != nil {
			r.session = uint32(e.GetSessionStart().GetFirstEpoch() / SessionEpochs)
			id, err := wire.IdentityOf(e.GetSessionStart().GetRunIdentity())
			if err != nil || r.Identity().Known() && id != r.Identity() {
				return &store.CorruptionError{Where: "journal", What: "has sessions of several runs"}
			}
			if id.Known() {
				r.id.Store(&id)
			}
			return nil
		}
		if err == nil && r.Spec == nil && e.GetModuleChunk() != nil && len(r.module) < module.BytesMax {
			r.module = append(r.module, e.GetModuleChunk().GetData()...)
			return nil
		}
		if err == nil && r.Spec != nil && isOneTable(r.Spec) && (e.GetLayer() != nil || e.GetPhaseEnd() != nil) {
			layers = append(layers, &e)
			return nil
		}
		if err != nil || e.GetSpec() == nil || r.Spec != nil {
			return &store.CorruptionError{Where: "journal", What: "does not begin with what the run explores"}
		}
		r.Spec = e.GetSpec()
		return nil
	})
	if err != nil {
		return err
	}
	if r.Spec == nil {
		if spec == nil {
			return store.ErrNotExist
		}
		r.Spec = spec
		if err := r.getModule(); err != nil {
			return err
		}
		if err := r.understand(); err != nil {
			return err
		}
		if err := r.keepModule(); err != nil {
			return err
		}
		entry, err := proto.Marshal(&everystatev1.JournalEntry{Entry: &everystatev1.JournalEntry_Spec{Spec: spec}})
		if err != nil {
			return err
		}
		return r.Store.AppendJournal(entry, true)
	}
	if err := r.understand(); err != nil {
		return err
	}
	for i, e := range layers {
		if err := r.One.Note(e); err != nil {
			return &store.CorruptionError{Where: "journal", What: fmt.Sprintf("entry %d of the table: %v", i, err)}
		}
	}
	return nil
}

// isOneTable reports whether one worker keeps a table of all of a run.
func isOneTable(spec *everystatev1.RunSpec) bool {
	return spec.GetFormatVersion() == tableVersion || spec.GetFormatVersion() == foldedVersion
}

// getModule gets the module that the run's puzzle needs.
func (r *Run) getModule() (err error) {
	r.module = nil // one left from before is incomplete
	if size := r.Spec.GetModuleBytes(); size > 0 {
		r.module, err = r.opts.Module(r.Name, size)
	}
	return err
}

// keepModule writes the module to the journal, before the spec.
func (r *Run) keepModule() error {
	if len(r.module) == 0 {
		return nil
	}
	if err := r.Store.TruncateJournal(0); err != nil {
		return err
	}
	for _, e := range module.Entries(r.module) {
		entry, err := proto.Marshal(e)
		if err == nil {
			err = r.Store.AppendJournal(entry, false)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// understand parses the puzzle of the spec.
func (r *Run) understand() error {
	v := r.Spec.GetFormatVersion()
	if v < FormatVersion || v > DividedVersion {
		return fmt.Errorf("has format version %d; this program reads versions %d to %d", v, FormatVersion, DividedVersion)
	}
	board, err := wasm.ReadStored(r.Spec.GetText(), string(r.module), int(r.Spec.GetLinesAbove()))
	if err != nil {
		return err
	}
	if board.Family != r.Spec.GetFamily() || board.Metric != r.Spec.GetMetric() {
		return fmt.Errorf("its puzzle is %s in %ss, not %s in %ss", board.Family, board.Metric, r.Spec.GetFamily(), r.Spec.GetMetric())
	}
	r.Puzzle = board.Puzzle
	if r.Scheme, err = partition.New(board.Puzzle.Layout(), int(r.Spec.GetPartitions())); err != nil {
		return err
	}
	r.Shape = worker.ShapeOf(r.Scheme)
	if v == DividedVersion {
		if !r.Scheme.Narrow() {
			return errors.New("divides a table, but its records have several words")
		}
		r.Table, err = depths.Open(r.Store, uint8(history.Forward), r.Scheme, r.Shape)
	}
	if isOneTable(r.Spec) {
		if !r.Scheme.Narrow() {
			return errors.New("keeps a table, but its records have several words")
		}
		r.One = onetable.New(onetable.Options{
			Store: r.Store, FS: r.opts.Store.FS, Dir: r.opts.Dir, Puzzle: r.Puzzle, Partitions: r.Scheme.Partitions(),
			Folded: v == foldedVersion, Workers: r.opts.TableWorkers, MemoryBytes: r.opts.TableBytes,
		})
		r.One.Identify(r.Identity())
	}
	return err
}

// Close closes the run's files.
func (r *Run) Close() error {
	if r.One == nil {
		return r.Store.Close()
	}
	return errors.Join(r.One.Close(), r.Store.Close())
}

// Same reports whether two specs are of one run. What is for people, the name
// and the lines above, is ignored.
func Same(a, b *everystatev1.RunSpec) bool {
	return a.GetFamily() == b.GetFamily() && a.GetMetric() == b.GetMetric() && a.GetText() == b.GetText() &&
		a.GetPartitions() == b.GetPartitions() && a.GetModuleBytes() == b.GetModuleBytes() && a.GetFormatVersion() == b.GetFormatVersion() &&
		slices.Equal(a.GetKeptLayers(), b.GetKeptLayers())
}
