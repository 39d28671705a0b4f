// Package onetable makes and keeps a table of a whole run, two bits for every possible state,
// in the run's directory of a worker. The worker's journal of the run has the layers that the
// table holds, as the journal of a run on one machine has them.
//
// Layers follow from the puzzle alone, so they are not numbered by the attempts of a
// coordinator: layers that this worker has are those that a coordinator asks for, and others
// are made again. The package must never decide how far a run goes.
package onetable

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"google.golang.org/protobuf/proto"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/table"
	"github.com/everystate/everystate/internal/table/stored"
	"github.com/everystate/everystate/internal/tablemaker"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/worker"
)

// readShare is the part of the memory that reading the table gets, beside making it.
const readShare = 5

// Options are what a Run is of.
type Options struct {
	Store  *store.Store // with the journal
	FS     vfs.FS
	Dir    string // has the files of the table
	Puzzle puzzle.Puzzle
	// Partitions is the number of partitions that layers are counted by.
	Partitions int
	// Folded says that the ranks are folded (puzzle.Fold).
	Folded bool
	// Workers is how many goroutines work at a time.
	Workers int
	// MemoryBytes is how much memory making the table may take; a table that takes more is
	// kept as pages on disk. Reading it may take a fifth more.
	MemoryBytes int64
}

// Run is a run of which a worker keeps the table. It is safe for concurrent use, but for the
// methods that make layers, and what follows from that: Make, CatchUp, Check, Grown and Rest.
type Run struct {
	opts Options
	// Progress counts what is made.
	Progress worker.Progress

	// What has been made. It is ahead of what is stored by the entries that the maker holds.
	history history.History
	epoch   uint32            // of its last layer
	maker   *tablemaker.Maker // nil if nothing is being made
	grown   int64             // the size of the table on disk as Grown last saw it

	files   sync.RWMutex    // held while files are replaced or read; guards stored
	stored  history.History // the layers that are on disk
	opening sync.Mutex      // guards reading, beside files
	reading *stored.Tables  // reads these; nil if nobody asked yet
}

// New returns a run of which nothing has been made. Note follows for each entry of its
// journal.
func New(o Options) *Run {
	r := &Run{opts: o}
	r.Grown()
	return r
}

// Note takes an entry of the journal that Run has written, after a restart. The layers of a
// phase that was begun again replace those of before.
func (r *Run) Note(e *everystatev1.JournalEntry) error {
	switch e := e.GetEntry().(type) {
	case *everystatev1.JournalEntry_Layer:
		l, err := wire.LayerOf(e.Layer, r.opts.Partitions)
		if err != nil {
			return err
		}
		r.history.Cut(l.Phase, l.Depth)
		if !r.history.AddLayer(l) {
			return fmt.Errorf("%v layer %d is not the next", l.Phase, l.Depth)
		}
		r.epoch = l.Epoch
	case *everystatev1.JournalEntry_PhaseEnd:
		end, err := wire.PhaseEndOf(e.PhaseEnd)
		if err != nil {
			return err
		}
		if !r.history.AddEnd(end) {
			return fmt.Errorf("phase %v cannot end here", end.Phase)
		}
	default:
		return errors.New("is neither a layer nor the end of a phase")
	}
	r.stored = r.history
	return nil
}

// Identify says which run this is: its files are of no other.
func (r *Run) Identify(id history.Identity) {
	r.files.Lock()
	defer r.files.Unlock()
	r.history.AddIdentity(id)
	r.stored.AddIdentity(id)
}

// Order is what a coordinator asks for.
type Order struct {
	Phase history.Phase
	// Depth is the depth of the first layer.
	Depth uint32
	// Layers is how many it takes at most, 1 or more, and Within the time after which it
	// wants no further one, unless it is too early to write the table again.
	Layers int
	Within time.Duration
}

// Make makes layers, or returns those that are there: all that an order asks for, or up to the
// end of the phase, which is a layer without states. They are on disk when it returns, even
// if it returns an error because ctx has ended.
func (r *Run) Make(ctx context.Context, o Order) (made []table.Layer, err error) {
	for began := time.Now(); ; {
		var l table.Layer
		if l, err = r.layer(ctx, o.Phase, o.Depth+uint32(len(made))); err != nil {
			break
		}
		made = append(made, l)
		if l.States == 0 || len(made) >= o.Layers || time.Since(began) > o.Within && (r.maker == nil || r.maker.Due()) {
			break
		}
	}
	return made, errors.Join(err, r.settle())
}

// errDiffers reports layers that are not those that were committed.
var errDiffers = errors.New("the layers generated here differ from those that were committed: the puzzle may have changed between versions of everystate")

// CatchUp makes what is not here of committed layers, which may be all of them, and compares
// them with those made here.
func (r *Run) CatchUp(ctx context.Context, committed [history.Goal + 1][]worker.Layer) (err error) {
	for phase, layers := range committed {
		for i := 0; i < len(layers) && err == nil; i++ {
			var l table.Layer
			l, err = r.layer(ctx, history.Phase(phase), uint32(i))
			if err == nil && !slices.Equal(l.PartStates, layers[i].PartStates) {
				err = fmt.Errorf("%v layer %d: %w", history.Phase(phase), i, errDiffers)
			}
		}
	}
	return errors.Join(err, r.settle())
}

// settle stores what has been made.
func (r *Run) settle() error {
	if r.maker == nil {
		return nil
	}
	return r.maker.Store(false)
}

// layer returns a layer, having made it and those before it that are not there. If files are
// damaged, it makes all layers again.
func (r *Run) layer(ctx context.Context, p history.Phase, depth uint32) (table.Layer, error) {
	l, err := r.reach(ctx, p, depth)
	if !store.IsCorruption(err) {
		return l, err
	}
	if err := r.forgetLayers(); err != nil {
		return l, err
	}
	return r.reach(ctx, p, depth)
}

// reach is layer where the files are sound.
func (r *Run) reach(ctx context.Context, p history.Phase, depth uint32) (table.Layer, error) {
	for p == history.Goal && r.history.End(history.Forward) == nil {
		if err := r.make(ctx, history.Forward); err != nil {
			return table.Layer{}, err
		}
	}
	for {
		layers, end := r.history.Layers(p), r.history.End(p)
		switch n := uint32(len(layers)); {
		case depth < n:
			return asMade(layers[depth]), nil
		case end != nil && depth == n:
			return table.Layer{Depth: depth, Generated: end.Generated, PartStates: make([]int64, r.opts.Partitions)}, nil
		case end != nil:
			return table.Layer{}, fmt.Errorf("%v layer %d: %w", p, depth, errDiffers)
		}
		if err := r.make(ctx, p); err != nil {
			return table.Layer{}, err
		}
	}
}

// forgetLayers forgets what has been made. The journal says so with the next layer.
func (r *Run) forgetLayers() error {
	if err := r.Rest(); err != nil && !store.IsCorruption(err) {
		return err
	}
	id := r.history.Identity()
	r.history = history.History{}
	r.history.AddIdentity(id)
	return nil
}

// asMade returns a layer as it was when it was made.
func asMade(l history.Layer) table.Layer {
	return table.Layer{
		Depth: l.Depth, States: l.States, Generated: l.Generated, Goals: l.Goals, Represented: l.Represented, Digest: l.Digest, PartStates: l.PartStates,
	}
}

// make makes the next layer of a phase, or finds its end.
func (r *Run) make(ctx context.Context, p history.Phase) error {
	if err := r.prepare(); err != nil {
		return err
	}
	layers, frontier := r.history.Layers(p), int64(0)
	depth := uint32(len(layers))
	if depth > 0 {
		frontier = layers[depth-1].States
	}
	l, err := r.maker.Layer(ctx, p, depth, frontier, &r.Progress.Expanded, &r.Progress.Written)
	if err != nil {
		return errors.Join(err, r.Rest()) // what was being made may be in the middle of a layer
	}
	r.Progress.Generated.Add(l.Generated)
	if l.States == 0 {
		end := history.PhaseEnd{Phase: p, Layers: depth, Generated: l.Generated}
		if !r.history.AddEnd(end) {
			return fmt.Errorf("phase %v cannot end here", p)
		}
		return r.keep(&everystatev1.JournalEntry{Entry: &everystatev1.JournalEntry_PhaseEnd{PhaseEnd: wire.PhaseEnd(end)}}, true)
	}
	r.epoch++
	made := history.Layer{
		Phase: p, Depth: depth, Epoch: r.epoch, States: l.States, Generated: l.Generated, Goals: l.Goals, Represented: l.Represented,
		Digest: l.Digest, PartStates: l.PartStates,
	}
	if !r.history.AddLayer(made) {
		return fmt.Errorf("%v layer %d is not the next", p, depth)
	}
	return r.keep(&everystatev1.JournalEntry{Entry: &everystatev1.JournalEntry_Layer{Layer: wire.LayerRecord(made)}}, false)
}

// keep has an entry of the journal written once the table is stored, and stores that if it is
// time.
func (r *Run) keep(e *everystatev1.JournalEntry, ended bool) error {
	entry, err := proto.Marshal(e)
	if err != nil {
		return err
	}
	r.maker.Hold(func() []byte { return entry })
	if ended || r.maker.Due() {
		return r.maker.Store(ended)
	}
	return nil
}

// prepare gets ready to make layers.
func (r *Run) prepare() error {
	if r.maker != nil {
		return nil
	}
	o := r.opts
	t, err := stored.Within(o.MemoryBytes, o.Puzzle, o.Partitions, o.Workers, o.Folded, nil)
	if err != nil {
		return err
	}
	t.Place(o.FS, o.Dir, &r.history)
	r.maker = tablemaker.New(t, tablemaker.Options{Journal: o.Store.AppendJournal, Around: r.replace})
	return nil
}

// replace calls keep, which replaces files and then has on disk what has been made. Nobody
// reads them meanwhile.
func (r *Run) replace(keep func() error) error {
	r.files.Lock()
	defer r.files.Unlock()
	if err := keep(); err != nil {
		return err
	}
	r.stored = r.history
	return r.forget()
}

// forget closes what reads the files. The caller holds the mutex.
func (r *Run) forget() error {
	if r.reading == nil {
		return nil
	}
	t := r.reading
	r.reading = nil
	return t.Forget()
}

// Check reads the table of each phase again, and makes all layers again if one is damaged.
func (r *Run) Check(ctx context.Context) error {
	if err := r.Rest(); err != nil {
		return err
	}
	for _, p := range []history.Phase{history.Forward, history.Goal} {
		n := len(r.history.Layers(p))
		if n == 0 {
			continue
		}
		err := r.whole(p)
		if store.IsCorruption(err) {
			if err = r.forgetLayers(); err == nil {
				_, err = r.layer(ctx, p, uint32(n-1))
			}
		}
		if err != nil {
			return errors.Join(err, r.settle())
		}
	}
	return r.settle()
}

// whole reads a table from its file.
func (r *Run) whole(p history.Phase) error {
	r.files.RLock()
	defer r.files.RUnlock()
	t, err := r.later()
	if err != nil {
		return err
	}
	t.Place(r.opts.FS, r.opts.Dir, &r.stored)
	_, _, _, err = t.Read(p)
	return err
}

// later returns tables that read.
func (r *Run) later() (*stored.Tables, error) {
	t, err := stored.Later(r.opts.Puzzle, r.opts.Partitions, r.opts.Workers, r.opts.Folded, nil)
	if err != nil {
		return nil, err
	}
	t.MemoryBytes = r.opts.MemoryBytes / readShare
	return t, nil
}

// Rest stores what has been made, and frees the memory that making layers takes.
func (r *Run) Rest() error {
	m := r.maker
	r.maker = nil
	return m.Close()
}

// Close closes the run's files.
func (r *Run) Close() error {
	err := r.Rest()
	r.files.Lock()
	defer r.files.Unlock()
	return errors.Join(err, r.forget())
}

// Grown returns by how many bytes the table on disk has grown since the last call.
func (r *Run) Grown() int64 {
	var t stored.Tables
	t.Place(r.opts.FS, r.opts.Dir, &r.stored)
	was := r.grown
	r.grown = t.DiskBytes()
	return max(0, r.grown-was)
}
