package stored

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/table"
	"github.com/everystate/everystate/internal/table/paged"
	"github.com/everystate/everystate/store"
)

// Making fills the table of one phase after another, in memory or as pages on a Disk, and
// stores it. What is stored counts once the journal has the layers: between Store, or
// StoreWithin, and Settle, both the table before and the one after are there.
//
// It is not safe for concurrent use.
type Making struct {
	tables *Tables
	pause  func() bool
	save   func(part table.Part) error

	phase  history.Phase
	search table.Search // nil if none is under way
	table  *table.Table // nil if the search keeps pages
	disk   *Disk        // nil if it does not
	layer  table.Layer  // the last one made
	within bool         // a part of the next layer had been made before
	last   lastLayers
}

// Make returns what makes the layers that the history lacks. While a layer is made, pause is
// asked now and then whether it is time to save what has been made of it, and if so save,
// which is to call StoreWithin.
func (t *Tables) Make(pause func() bool, save func(part table.Part) error) *Making {
	return &Making{tables: t, pause: pause, save: save}
}

// UnderWay reports whether there is anything to store.
func (m *Making) UnderWay() bool { return m.search != nil }

// Layer returns the last layer that was made.
func (m *Making) Layer() table.Layer { return m.layer }

// Begin makes layer 0 of a phase: of the starts, or of the goals that the forward phase
// found.
func (m *Making) Begin(ctx context.Context, p history.Phase) error {
	if p == history.Goal {
		return m.beginAtGoals(ctx)
	}
	if err := m.begin(p, nil); err != nil {
		return err
	}
	layer, err := m.search.Begin(m.tables.puzzle.Starts())
	return m.made(layer, err)
}

func (m *Making) beginAtGoals(ctx context.Context) error {
	t := m.tables
	if err := GoalsFit(t.history, t.puzzle); err != nil {
		return err
	}
	forward, err := m.forward()
	if err != nil {
		return err
	}
	var layer table.Layer
	if t.paged {
		pages, err := m.beginPages(history.Goal)
		if err != nil {
			return err
		}
		layer, err := pages.BeginEach(ctx, func(f func(keys []uint64)) error { // there may be many
			return EachGoal(ctx, forward, t.puzzle, f)
		})
		return m.made(layer, err)
	}
	if err = m.begin(history.Goal, forward); err == nil {
		layer, err = beginGoals(ctx, m.search, forward, t.puzzle, t.Workers)
	}
	if err != nil {
		m.search = nil // there is no layer to store
	}
	return m.made(layer, err)
}

// forward returns the table of the forward phase, which has ended.
func (m *Making) forward() (*table.Table, error) {
	if m.phase == history.Forward && m.table != nil {
		return m.table, nil
	}
	what, _, _, err := m.tables.open(history.Forward)
	return what, err
}

// begin begins a phase with an empty table.
func (m *Making) begin(p history.Phase, forward *table.Table) (err error) {
	t := m.tables
	if t.paged {
		_, err := m.beginPages(p)
		return err
	}
	m.phase, m.table, m.within = p, t.Space.NewTableOf(uint8(p)), false
	if m.search, err = t.newSearch(p, m.table, forward); err == nil {
		m.search.Save(m.pause, m.save)
	}
	return err
}

// beginPages begins a phase with no pages.
func (m *Making) beginPages(p history.Phase) (*paged.Search, error) {
	t := m.tables
	m.phase, m.table, m.within, m.search = p, nil, false, nil
	pages, err := m.onDisk(newDisk(t.fs, t.base(p), t.Space, nil))
	if err == nil {
		m.search = pages
		m.search.Save(m.pause, m.save)
	}
	return pages, err
}

// onDisk returns a search that keeps pages on a Disk.
func (m *Making) onDisk(d *Disk) (*paged.Search, error) {
	t := m.tables
	if err := m.closeDisk(); err != nil {
		return nil, err
	}
	m.disk = d
	if err := t.drop(d.files()); err != nil {
		return nil, err
	}
	o := paged.Options{Workers: t.Workers, MemoryBytes: t.searchBytes(), CountGoals: m.phase == history.Forward}
	if m.phase == history.Goal && !t.puzzle.Layout().Reversible {
		var err error
		if o.Within, _, _, err = t.openPages(history.Forward); err != nil {
			return nil, err
		}
	}
	return paged.New(t.Space, uint8(m.phase), d, o), nil
}

// Next makes the next layer of a phase, from its stored table if that is not at hand. It adds
// to expanded and found as table.Search.Tell says.
func (m *Making) Next(ctx context.Context, p history.Phase, frontier int64, expanded, found *atomic.Int64) error {
	if m.search == nil || m.phase != p {
		if err := m.resume(ctx, p); err != nil {
			return err
		}
	}
	m.search.Tell(frontier, expanded, found)
	layer, err := m.search.Next(ctx)
	return m.made(layer, err)
}

// made remembers a layer that was made.
func (m *Making) made(layer table.Layer, err error) error {
	if err != nil {
		return err
	}
	m.layer = layer
	if !m.within {
		err = m.last.add(m.search, m.phase, layer)
	}
	m.within = false
	return err
}

// resume continues a phase from its stored table.
func (m *Making) resume(ctx context.Context, p history.Phase) error {
	t := m.tables
	saved, err := t.isPaged(p)
	if err != nil {
		return err
	}
	m.phase, m.table, m.search = p, nil, nil
	if saved || t.paged {
		pages, err := m.resumePages(ctx, saved)
		if err != nil {
			return err
		}
		m.search, m.within = pages, pages.Within()
	} else if err := m.resumeInMemory(); err != nil {
		return err
	}
	m.search.Save(m.pause, m.save)
	return nil
}

func (m *Making) resumeInMemory() error {
	t := m.tables
	_, depth := t.lastTable(m.phase)
	what, edges, part, err := t.Read(m.phase)
	if err != nil {
		return err
	}
	search, err := t.newSearch(m.phase, what, nil)
	if err != nil {
		return err
	}
	if part != nil {
		search.ResumeWithin(depth, edges, *part)
	} else {
		search.Resume(depth, edges)
	}
	m.search, m.table, m.within = search, what, part != nil
	return nil
}

// resumePages returns a search that keeps pages: those that were saved as pages, or those of
// a whole table.
func (m *Making) resumePages(ctx context.Context, saved bool) (*paged.Search, error) {
	t := m.tables
	_, depth := t.lastTable(m.phase)
	if saved {
		d, stamp, err := t.openSaved(m.phase, false)
		if err != nil {
			return nil, err
		}
		search, err := m.onDisk(d)
		if err == nil {
			search.ResumeSaved(depth, stamp.Edges, *stamp.Part)
		}
		return search, err
	}
	from, edges, part, err := t.openPages(m.phase)
	if err != nil {
		return nil, err
	}
	search, err := m.onDisk(newDisk(t.fs, t.base(m.phase), t.Space, nil))
	if err != nil {
		return nil, err
	}
	if part == nil {
		part = &table.Part{}
	}
	err = search.ResumeFrom(ctx, depth, edges, *part, from)
	return search, err
}

// Store stores the table as of the last layer in the history. Once the phase has ended, a
// table that was kept as pages is stored as one.
func (m *Making) Store(ended bool) error {
	if len(m.tables.history.Layers(m.phase)) == 0 {
		return nil // no goal can be reached
	}
	_, depth := m.tables.lastTable(m.phase)
	edges := m.search.Edges()
	further := m.search.Depth() > depth // the last layer has no states, or was not committed
	if further {
		edges = m.layer.Generated
	}
	switch s := m.search.(type) {
	case *paged.Search:
		part, err := s.Flush(depth)
		if err != nil {
			return err
		}
		if ended && part.States == 0 {
			return m.end(depth, edges)
		}
		return m.savePages(depth, edges, &part)
	case table.InMemory:
		if further {
			s.Withdraw()
		}
	}
	if err := m.write(depth, edges, nil, m.table.Write); err != nil {
		return err
	}
	if further {
		m.search = nil
	}
	return nil
}

// StoreWithin stores the table as of the last layer in the history, with a part of the next.
func (m *Making) StoreWithin(part table.Part) error {
	_, depth := m.tables.lastTable(m.phase)
	if m.disk != nil {
		return m.savePages(depth, m.search.Edges(), &part)
	}
	return m.write(depth, m.search.Edges(), &part, m.table.Write)
}

// IsPaged reports whether what is under way is kept as pages, so that only what has changed is
// written.
func (m *Making) IsPaged() bool { return m.disk != nil }

// end writes the table of a phase that has ended, which was kept as pages.
func (m *Making) end(depth uint32, edges int64) error {
	d := m.disk
	err := m.write(depth, edges, nil, func(w io.Writer, stamp table.Stamp) error {
		return m.tables.Space.WritePages(w, stamp, d)
	})
	if err != nil {
		return err
	}
	m.search = nil
	return m.closeDisk()
}

// Settle removes what no committed layer needs any more, now that the journal has the
// layers that were stored.
func (m *Making) Settle() error {
	if m.disk == nil {
		return m.tables.drop(nil)
	}
	if err := m.tables.drop(m.disk.files()); err != nil {
		return err
	}
	return m.disk.Release()
}

// Close closes the files.
func (m *Making) Close() error {
	m.search = nil
	return m.closeDisk()
}

func (m *Making) closeDisk() error {
	if m.disk == nil {
		return nil
	}
	err := m.disk.Close()
	m.disk = nil
	return err
}

// savePages makes durable what is on the Disk: all layers up to a depth, and what has been
// made of the next one.
func (m *Making) savePages(depth uint32, edges int64, part *table.Part) error {
	t := m.tables
	if err := t.writeLast(&m.last, m.phase, depth); err != nil {
		return err
	}
	stamp := t.stamp(m.phase, depth)
	stamp.Edges, stamp.Part = edges, part
	return m.disk.Save(t.path(m.phase, depth), stamp)
}

// write writes a table durably and atomically, with the number of successors of its last
// layer and what has been made of the next one, if anything, and the last layers before it.
func (m *Making) write(depth uint32, edges int64, part *table.Part, write func(w io.Writer, stamp table.Stamp) error) error {
	t := m.tables
	if err := t.writeLast(&m.last, m.phase, depth); err != nil {
		return err
	}
	path, stamp := t.path(m.phase, depth), t.stamp(m.phase, depth)
	stamp.Edges, stamp.Part = edges, part
	f, err := t.fs.Create(path+".new", vfs.WriteCategoryUnspecified)
	if err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	err = write(f, stamp) // by whole chunks
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = t.fs.Rename(path+".new", path)
	}
	if err == nil {
		err = store.SyncDir(t.fs, t.dir)
	}
	if err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}
