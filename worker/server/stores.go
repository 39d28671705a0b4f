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

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/store/naming"
	"github.com/everystate/everystate/store/pace"
	"github.com/everystate/everystate/worker/exchange"
	"github.com/everystate/everystate/worker/keptrun"
	"github.com/everystate/everystate/worker/mend"
)

// openMax is the number of stores kept open, unless more are in use.
const openMax = 4

// keptRun is a run's open store, with its users.
type keptRun struct {
	*keptrun.Run

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

	// What a table that is kept for all of a run gets of the worker.
	tableBytes   int64
	tableWorkers int

	mender *mend.Mender
	found  func() // is called when damage was found

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
		dir: dir, opts: opts, found: func() {}, open: make(map[string]*keptRun), busy: make(map[string]chan struct{}), epochs: make(map[string]uint32),
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
	if err := k.Store.Err(); err != nil {
		return nil, err
	}
	if k.damaged.Load() {
		return nil, exchange.Errorf("run %s: its store is damaged and about to be replaced", name)
	}
	if spec != nil && !keptrun.Same(k.Spec, spec) {
		return nil, fmt.Errorf("run %s: %w", name, keptrun.ErrOtherPuzzle)
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
	if k.damaged.Load() && k.users == 0 && s.open[k.Name] == k {
		delete(s.open, k.Name)
		return k.Close()
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
	delete(s.open, oldest.Name)
	return oldest.Close()
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
		if err := k.Close(); err != nil {
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
		errs = append(errs, k.Close())
	}
	clear(s.open)
	return errors.Join(errs...)
}

// openRun opens a run, or makes it if there is a spec and it is not there.
func (s *stores) openRun(name string, spec *everystatev1.RunSpec) (*keptRun, error) {
	if !naming.IsRun(name) {
		return nil, fmt.Errorf("%.140q is not a run's name", name)
	}
	r, err := keptrun.Open(name, spec, keptrun.Options{
		Dir: filepath.Join(s.dir, name), Store: s.opts, Module: s.module, TableBytes: s.tableBytes, TableWorkers: s.tableWorkers,
	})
	if err != nil {
		return nil, err
	}
	return &keptRun{Run: r}, nil
}
