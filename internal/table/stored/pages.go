package stored

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/table"
	"github.com/everystate/everystate/internal/table/paged"
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
func (t *Tables) searchBytes() int64 { return t.MemoryBytes - baseBytes }

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
	if err := t.Prepare(); err != nil {
		return nil, 0, nil, err
	}
	if t.given != nil || t.MemoryBytes == 0 || !asPages(t, t.MemoryBytes) {
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
	return paged.New(t.Space, uint8(p), d, paged.Options{
		Workers: t.Workers, MemoryBytes: t.searchBytes() - t.searchBytes()/readShare, CountGoals: goals, Replay: what, Counted: counted,
	})
}
