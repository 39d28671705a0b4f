package server

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"
	"google.golang.org/protobuf/proto"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/wasm"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/store/naming"
	"github.com/everystate/everystate/store/pace"
	"github.com/everystate/everystate/worker"
	"github.com/everystate/everystate/worker/depths"
	"github.com/everystate/everystate/worker/exchange"
	"github.com/everystate/everystate/worker/mend"
	"github.com/everystate/everystate/worker/module"
)

// formatVersion is the version of the stored bytes and of the mix that this code reads
// and writes: docs/FORMAT.md. In a run of frontierVersion layers are dropped, in one of
// dividedVersion they are put into a table.
const (
	formatVersion   = 1
	frontierVersion = 3
	dividedVersion  = 5
)

// openMax is the number of stores kept open, unless more are in use.
const openMax = 4

// errOtherPuzzle reports that a directory already holds a run of a different board.
var errOtherPuzzle = errors.New("this worker has a run of this name that explores a different board")

// keptRun is a run's open store, with what is needed to read it.
type keptRun struct {
	name   string
	store  *store.Store
	spec   *everystatev1.RunSpec
	module []byte
	puzzle puzzle.Puzzle
	scheme partition.Scheme
	shape  store.Shape

	// table is this worker's share of the run's table; nil unless it has one.
	table *depths.Table

	// session is the last one in which an attempt was begun, according to the journal.
	session uint32

	// id distinguishes the run from others of its name; nil while unknown. The engine
	// sets it, once.
	id atomic.Pointer[history.Identity]

	// damaged is set once the store is known to be damaged: it must be closed.
	damaged atomic.Bool

	users int    // guarded by stores.mu
	used  uint64 // when it was last taken, counted in takes; guarded by stores.mu
}

// stores opens the stores of runs and shares them among their users. It is safe for
// concurrent use.
type stores struct {
	dir  string
	opts store.Options

	// module gets a puzzle's module of that size when a run is made.
	module func(run string, size uint32) ([]byte, error)

	mender *mend.Mender

	mu     sync.Mutex // guards the fields below
	open   map[string]*keptRun
	busy   map[string]chan struct{} // runs whose stores are being replaced; closed when that is over
	takes  uint64
	epochs map[string]uint32 // of the last attempts begun by this process, by run

	// Apart from mu, which is held while a store is opened: a session must not wait for
	// that.
	listing sync.Mutex // guards names
	names   []string   // of the runs on disk, in order; nil if they must be looked up
}

func newStores(dir string, opts store.Options) *stores {
	if opts.FS == nil {
		opts.FS = vfs.Default
	}
	return &stores{
		dir: dir, opts: opts, open: make(map[string]*keptRun), busy: make(map[string]chan struct{}), epochs: make(map[string]uint32),
		mender: &mend.Mender{Runs: dir, Opts: opts, Log: slog.New(slog.DiscardHandler), Pace: pace.New(pace.PerSecond)},
	}
}

// begun notes that an attempt of a run has begun.
func (s *stores) begun(name string, epoch uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.epochs[name] = epoch
}

// lastEpoch returns the epoch of the last attempt of a run that was begun, or 0. A run
// that was removed may be begun again.
func (s *stores) lastEpoch(name string) uint32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.epochs[name]
}

// take opens the store of a run. With a spec, the run is made if necessary, and must
// match the spec; without one it must exist, or the error is store.ErrNotExist. The
// caller must give the run back.
func (s *stores) take(name string, spec *everystatev1.RunSpec) (*keptRun, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.replace(name); err != nil {
		return nil, err
	}
	k := s.open[name]
	if k == nil {
		var err error
		k, err = s.openSound(name, spec)
		s.relist() // it may be new
		if err != nil {
			return nil, fmt.Errorf("run %s: %w", name, err)
		}
		s.open[name] = k
	}
	if err := k.store.Err(); err != nil {
		return nil, err
	}
	if k.damaged.Load() {
		return nil, exchange.Errorf("run %s: its store is damaged and about to be replaced", name)
	}
	if spec != nil && !sameRun(k.spec, spec) {
		return nil, fmt.Errorf("run %s: %w", name, errOtherPuzzle)
	}
	k.users++
	s.takes++
	k.used = s.takes
	return k, nil
}

// give returns a run that take opened.
func (s *stores) give(k *keptRun) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	k.users--
	if k.damaged.Load() && k.users == 0 && s.open[k.name] == k {
		delete(s.open, k.name)
		return k.store.Close()
	}
	if len(s.open) <= openMax {
		return nil
	}
	var oldest *keptRun
	for _, k := range s.open {
		if k.users == 0 && (oldest == nil || k.used < oldest.used) {
			oldest = k
		}
	}
	if oldest == nil {
		return nil
	}
	delete(s.open, oldest.name)
	return oldest.store.Close()
}

// kept returns the names of the runs on disk, at most that many. The caller must not
// change them.
func (s *stores) kept(most int) []string {
	s.listing.Lock()
	defer s.listing.Unlock()
	if s.names == nil {
		there, err := s.opts.FS.List(s.dir)
		if err != nil {
			return nil // there is no run yet
		}
		slices.Sort(there)
		s.names = slices.DeleteFunc(there, func(name string) bool { return !naming.IsRun(name) })
	}
	return s.names[:min(len(s.names), most)]
}

// relist has the directory of runs listed again.
func (s *stores) relist() {
	s.listing.Lock()
	defer s.listing.Unlock()
	s.names = nil
}

// remove deletes what is kept of a run, unless it is in use.
func (s *stores) remove(name string) error {
	if !naming.IsRun(name) {
		return fmt.Errorf("%.140q is not a run's name", name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy[name] != nil {
		return fmt.Errorf("the damaged store of run %s is being replaced", name)
	}
	if k := s.open[name]; k != nil {
		if k.users > 0 {
			return fmt.Errorf("run %s is in use", name)
		}
		delete(s.open, name)
		if err := k.store.Close(); err != nil {
			return fmt.Errorf("remove run %s: %w", name, err)
		}
	}
	delete(s.epochs, name)
	defer s.relist()
	return s.opts.FS.RemoveAll(filepath.Join(s.dir, name))
}

// close closes all stores, which are no longer in use.
func (s *stores) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, k := range s.open {
		errs = append(errs, k.store.Close())
	}
	clear(s.open)
	return errors.Join(errs...)
}

func (s *stores) openRun(name string, spec *everystatev1.RunSpec) (*keptRun, error) {
	if !naming.IsRun(name) {
		return nil, fmt.Errorf("%.140q is not a run's name", name)
	}
	dir := filepath.Join(s.dir, name)
	if spec == nil {
		if _, err := s.opts.FS.Stat(dir); err != nil {
			return nil, store.ErrNotExist
		}
	}
	opened, err := store.Open(dir, s.opts)
	if err != nil {
		return nil, err
	}
	k := &keptRun{name: name, store: opened}
	if err := k.read(s, spec); err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return k, nil
}

// sessionEpochs is the number of epochs of a session: the bits above give the session of
// an epoch.
const sessionEpochs = 1 << 20

// A behindError refuses an attempt of a coordinator that does not know of later
// attempts.
type behindError struct {
	known uint32 // the greatest epoch that this worker knows of
	err   error
}

func (e *behindError) Error() string { return e.err.Error() }
func (e *behindError) Unwrap() error { return e.err }

// identity returns what distinguishes the run from others of its name, if known.
func (k *keptRun) identity() history.Identity {
	if id := k.id.Load(); id != nil {
		return *id
	}
	return history.Identity{}
}

// enter notes that an attempt is about to begin. It refuses an attempt of another run of
// the same name, and one of an earlier session than this worker has worked for: a
// coordinator that was overtaken does not know what has been committed since.
func (k *keptRun) enter(epoch uint32, run history.Identity) error {
	if here := k.identity(); here.Known() && here != run {
		return fmt.Errorf("run %s: this worker has a different run of this name: %v here, %v in progress: "+
			"delete it, or give the new run another name", k.name, here, run)
	}
	session := epoch / sessionEpochs
	if session < k.session {
		return &behindError{known: k.session * sessionEpochs, err: fmt.Errorf("run %s: session %d is over; this worker has since worked for session %d: "+
			"another coordinator has taken over the run, or it was started afresh: delete it there, or give it another name", k.name, session, k.session)}
	}
	if session == k.session && k.identity() == run {
		return nil
	}
	entry, err := proto.Marshal(&everystatev1.JournalEntry{Entry: &everystatev1.JournalEntry_SessionStart{
		SessionStart: &everystatev1.SessionStart{FirstEpoch: uint64(session) * sessionEpochs, RunIdentity: wire.Identity(run)},
	}})
	if err != nil {
		return err
	}
	if err := k.store.AppendJournal(entry, true); err != nil {
		return err
	}
	k.session = session
	if run.Known() {
		k.id.Store(&run)
	}
	return nil
}

// read finds out what the run explores. The spec, written when the run is made, is the
// first entry of a worker's journal after those of the puzzle's module. Sessions follow.
func (k *keptRun) read(s *stores, spec *everystatev1.RunSpec) error {
	err := k.store.Journal(func(entry []byte) error {
		var e everystatev1.JournalEntry
		err := proto.Unmarshal(entry, &e)
		if err == nil && k.spec != nil && e.GetSessionStart() != nil {
			k.session = uint32(e.GetSessionStart().GetFirstEpoch() / sessionEpochs)
			id, err := wire.IdentityOf(e.GetSessionStart().GetRunIdentity())
			if err != nil || k.identity().Known() && id != k.identity() {
				return &store.CorruptionError{Where: "journal", What: "has sessions of several runs"}
			}
			if id.Known() {
				k.id.Store(&id)
			}
			return nil
		}
		if err == nil && k.spec == nil && e.GetModuleChunk() != nil && len(k.module) < module.BytesMax {
			k.module = append(k.module, e.GetModuleChunk().GetData()...)
			return nil
		}
		if err != nil || e.GetSpec() == nil || k.spec != nil {
			return &store.CorruptionError{Where: "journal", What: "does not begin with what the run explores"}
		}
		k.spec = e.GetSpec()
		return nil
	})
	if err != nil {
		return err
	}
	if k.spec == nil {
		if spec == nil {
			return store.ErrNotExist
		}
		k.spec = spec
		if err := k.getModule(s); err != nil {
			return err
		}
		if err := k.understand(); err != nil {
			return err
		}
		if err := k.keepModule(); err != nil {
			return err
		}
		entry, err := proto.Marshal(&everystatev1.JournalEntry{Entry: &everystatev1.JournalEntry_Spec{Spec: spec}})
		if err != nil {
			return err
		}
		return k.store.AppendJournal(entry, true)
	}
	return k.understand()
}

// getModule gets the module that the run's puzzle needs.
func (k *keptRun) getModule(s *stores) (err error) {
	k.module = nil // one left from before is incomplete
	if size := k.spec.GetModuleBytes(); size > 0 {
		k.module, err = s.module(k.name, size)
	}
	return err
}

// keepModule writes the module to the journal, before the spec.
func (k *keptRun) keepModule() error {
	if len(k.module) == 0 {
		return nil
	}
	if err := k.store.TruncateJournal(0); err != nil {
		return err
	}
	for _, e := range module.Entries(k.module) {
		entry, err := proto.Marshal(e)
		if err == nil {
			err = k.store.AppendJournal(entry, false)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// understand parses the puzzle of the spec.
func (k *keptRun) understand() error {
	v := k.spec.GetFormatVersion()
	if v != formatVersion && v != frontierVersion && v != dividedVersion {
		return fmt.Errorf("has format version %d; this program reads versions %d, %d and %d", v, formatVersion, frontierVersion, dividedVersion)
	}
	board, err := wasm.ReadStored(k.spec.GetText(), string(k.module))
	if err != nil {
		return err
	}
	if board.Family != k.spec.GetFamily() || board.Metric != k.spec.GetMetric() {
		return fmt.Errorf("its puzzle is %s in %ss, not %s in %ss", board.Family, board.Metric, k.spec.GetFamily(), k.spec.GetMetric())
	}
	k.puzzle = board.Puzzle
	if k.scheme, err = partition.New(board.Puzzle.Layout(), int(k.spec.GetPartitions())); err != nil {
		return err
	}
	k.shape = worker.ShapeOf(k.scheme)
	if v == dividedVersion {
		if !k.scheme.Narrow() {
			return errors.New("divides a table, but its records have several words")
		}
		k.table, err = depths.Open(k.store, forward, k.scheme, k.shape)
	}
	return err
}

// sameRun reports whether two specs are of one run. The name, which is for people, is
// ignored.
func sameRun(a, b *everystatev1.RunSpec) bool {
	return a.GetFamily() == b.GetFamily() && a.GetMetric() == b.GetMetric() && a.GetText() == b.GetText() &&
		a.GetPartitions() == b.GetPartitions() && a.GetModuleBytes() == b.GetModuleBytes() && a.GetFormatVersion() == b.GetFormatVersion() &&
		slices.Equal(a.GetKeptLayers(), b.GetKeptLayers())
}
