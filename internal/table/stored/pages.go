package stored

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/table"
	"github.com/everystate/everystate/store"
)

// Where a table does not fit the memory budget, its search keeps pages on a Disk, and
// what reads the table reads pages as they are needed.

const (
	// baseBytes is the part of the budget that a search of pages leaves to the program
	// itself, the journal's store and garbage.
	baseBytes = 16 << 20
	// readShare is the share of the rest for pages of a table that is read.
	readShare = 4
)

// searchBytes returns the part of the budget that a search of pages may have.
func (t *Tables) searchBytes() int64 { return t.memoryBytes - baseBytes }

// isPaged reports whether the last committed table of a phase is one that a Disk saved.
func (t *Tables) isPaged(p history.Phase) (bool, error) {
	path, _ := t.lastTable(p)
	f, err := t.fs.Open(path)
	if err != nil {
		return false, missing(path, err)
	}
	magic := make([]byte, len(savedMagic))
	_, err = io.ReadFull(f, magic)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return string(magic) == savedMagic, errors.Join(err, f.Close())
}

// openSaved opens what a Disk saved.
func (t *Tables) openSaved(p history.Phase, readOnly bool) (*Disk, *table.Stamp, error) {
	path, depth := t.lastTable(p)
	f, err := t.fs.Open(path)
	if err != nil {
		return nil, nil, missing(path, err)
	}
	body, err := io.ReadAll(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, nil, fmt.Errorf("read table: %w", err)
	}
	d, stamp, err := openDisk(t.fs, t.base(p), t.Space, path, body, t.stamp(p, depth), readOnly)
	if err != nil && !store.IsCorruption(err) {
		err = damaged(path, err)
	}
	return d, stamp, err
}

// readPages reads pages into memory.
func (t *Tables) readPages(p history.Phase) (*table.Table, int64, *table.Part, error) {
	d, stamp, err := t.openSaved(p, true)
	if err != nil {
		return nil, 0, nil, err
	}
	what, err := t.Space.NewTableFrom(uint8(p), d)
	if err = errors.Join(err, d.Close()); err != nil {
		return nil, 0, nil, err
	}
	return what, stamp.Edges, stamp.Part, nil
}

// open is Read, but reads pages as they are needed if the table does not fit the budget.
// They can be read until Forget.
func (t *Tables) open(p history.Phase) (*table.Table, int64, *table.Part, error) {
	if t.memoryBytes == 0 || t.Space.SearchBytes() <= t.memoryBytes || !t.Space.RangedFits() {
		return t.Read(p)
	}
	pages, edges, part, err := t.openPages(p)
	if err != nil {
		return nil, 0, nil, err
	}
	return t.Space.NewPaged(uint8(p), pages, t.searchBytes()/readShare), edges, part, nil
}

// openPages opens the pages of the last committed table of a phase. They can be read until
// Forget.
func (t *Tables) openPages(p history.Phase) (table.Pages, int64, *table.Part, error) {
	saved, err := t.isPaged(p)
	if err != nil {
		return nil, 0, nil, err
	}
	if saved {
		d, stamp, err := t.openSaved(p, true)
		if err != nil {
			return nil, 0, nil, err
		}
		t.reads = append(t.reads, d)
		return d, stamp.Edges, stamp.Part, nil
	}
	path, depth := t.lastTable(p)
	f, err := t.fs.Open(path)
	if err != nil {
		return nil, 0, nil, missing(path, err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, nil, errors.Join(fmt.Errorf("read table: %w", err), f.Close())
	}
	pages, edges, part, err := t.Space.OpenStored(f, info.Size(), t.stamp(p, depth))
	if err != nil {
		return nil, 0, nil, errors.Join(damaged(path, err), f.Close())
	}
	t.reads = append(t.reads, f)
	return corrupt{pages, path}, edges, part, nil
}

// corrupt reports damage as that of a file.
type corrupt struct {
	table.Pages
	path string
}

func (c corrupt) ReadPage(page int, words []uint64) error {
	err := c.Pages.ReadPage(page, words)
	if errors.Is(err, table.ErrDamaged) {
		return &store.CorruptionError{Where: c.path, What: err.Error()}
	}
	return err
}

// closeReads closes what was opened. The caller holds t.mu, or nobody else uses t.
func (t *Tables) closeReads() error {
	var errs []error
	for _, r := range t.reads {
		errs = append(errs, r.Close())
	}
	t.reads = nil
	return errors.Join(errs...)
}

// Open returns the last committed table of a phase, in memory if it fits the budget. It can
// be used until Forget.
func (t *Tables) Open(p history.Phase) (*table.Table, error) {
	what, _, _, err := t.open(p)
	return what, err
}

// WriteBytes returns how much is written at a time, as far as that is known beforehand.
func (t *Tables) WriteBytes() int64 {
	if t.paged {
		return 0
	}
	return t.Space.Bytes()
}

// replay returns a search through the layers of a filled table.
func (t *Tables) replay(what *table.Table, p history.Phase, counted bool) table.Search {
	goals := p == history.Forward
	pages := what.Paged()
	if pages == nil {
		return table.NewReplay(what, uint8(p), counted, goals, t.Workers)
	}
	t.replays++
	scratch := t.fs.PathJoin(t.dir, "scratch")
	d := newDisk(t.fs, t.fs.PathJoin(scratch, fmt.Sprintf("pages-%d-%06d", os.Getpid(), t.replays)), t.Space, pages)
	t.reads = append(t.reads, d)
	return table.NewRanged(t.Space, uint8(p), d, table.RangedOptions{
		Workers: t.Workers, MemoryBytes: t.searchBytes() - t.searchBytes()/readShare, CountGoals: goals, Replay: what, Counted: counted,
	})
}

// BeginPages returns the search of a phase that begins, kept as pages.
func (t *Tables) BeginPages(p history.Phase) (*table.Ranged, error) {
	return t.newRanged(p, newDisk(t.fs, t.base(p), t.Space, nil))
}

// newRanged returns a search of a phase on a Disk.
func (t *Tables) newRanged(p history.Phase, d *Disk) (*table.Ranged, error) {
	if old := t.disks[p]; old != nil {
		if err := old.Close(); err != nil {
			return nil, err
		}
	}
	t.disks[p] = d
	if err := t.Drop(); err != nil {
		return nil, err
	}
	o := table.RangedOptions{Workers: t.Workers, MemoryBytes: t.searchBytes(), CountGoals: p == history.Forward}
	if p == history.Goal && !t.Space.Puzzle.Layout().Reversible {
		var err error
		if o.Within, _, _, err = t.openPages(history.Forward); err != nil {
			return nil, err
		}
	}
	return table.NewRanged(t.Space, uint8(p), d, o), nil
}

// ResumePages returns the search that continues a phase from its last committed table, kept
// as pages.
func (t *Tables) ResumePages(ctx context.Context, p history.Phase) (*table.Ranged, error) {
	saved, err := t.isPaged(p)
	if err != nil {
		return nil, err
	}
	_, depth := t.lastTable(p)
	if saved {
		d, stamp, err := t.openSaved(p, false)
		if err != nil {
			return nil, err
		}
		search, err := t.newRanged(p, d)
		if err == nil {
			search.ResumeSaved(depth, stamp.Edges, *stamp.Part)
		}
		return search, err
	}
	from, edges, part, err := t.openPages(p)
	if err != nil {
		return nil, err
	}
	search, err := t.newRanged(p, newDisk(t.fs, t.base(p), t.Space, nil))
	if err != nil {
		return nil, err
	}
	if part == nil {
		part = &table.Part{}
	}
	return search, search.ResumeFrom(ctx, depth, edges, *part, from)
}

// SavedPages reports whether the last committed table of a phase is kept as pages.
func (t *Tables) SavedPages(p history.Phase) (bool, error) { return t.isPaged(p) }

// SavePages saves what a search kept as pages has on its Disk: all layers up to a depth, and
// what has been made of the next one.
func (t *Tables) SavePages(p history.Phase, depth uint32, edges int64, part *table.Part) error {
	if err := t.writeLast(p, depth); err != nil {
		return fmt.Errorf("write the last layers: %w", err)
	}
	stamp := t.stamp(p, depth)
	stamp.Edges, stamp.Part = edges, part
	return t.disks[p].Save(t.path(p, depth), stamp)
}

// WritePages writes the table of a phase that has ended, which was kept as pages.
func (t *Tables) WritePages(p history.Phase, depth uint32, edges int64) error {
	d := t.disks[p]
	return t.write(p, depth, edges, nil, func(w io.Writer, stamp table.Stamp) error {
		return t.Space.WritePages(w, stamp, d)
	})
}

// EndPages ends the search of a phase that was kept as pages: its files are dropped next.
func (t *Tables) EndPages(p history.Phase) error {
	err := t.disks[p].Close()
	t.disks[p] = nil
	return err
}

// Release gives up what was saved before the last committed layer.
func (t *Tables) Release(p history.Phase) error {
	if t.disks[p] == nil {
		return nil
	}
	return t.disks[p].Release()
}
