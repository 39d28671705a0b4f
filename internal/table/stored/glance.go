package stored

import (
	"errors"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/table"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/store"
)

// glance is a table.Glance and the file that it looks at.
type glance struct {
	*table.Glance
	path string
	file vfs.File
}

// linkOf returns the link of a state and its depth in a phase, -1 if it is unseen: from the
// whole table if that has been read, else by a glance at it, if possible.
func (t *Tables) linkOf(p history.Phase, key uint64) (puzzle.Move, int, error) {
	t.mu.Lock()
	if t.read[p] == nil && t.glances[p] == nil {
		t.glances[p] = t.glanceAt(p)
	}
	if at := t.glances[p]; t.read[p] == nil && at != nil {
		t.mu.Unlock()
		link, depth, err := at.LinkOf(key)
		if errors.Is(err, table.ErrDamaged) {
			err = &store.CorruptionError{Where: at.path, What: err.Error()}
		}
		return link, depth, err
	}
	read, err := t.of(p)
	t.mu.Unlock()
	if err != nil {
		return 0, 0, err
	}
	link, depth := read.LinkOf(key)
	return link, depth, read.Err()
}

// glanceAt returns a glance at the table of a phase, or nil if it has to be read whole, if
// only to find out what is wrong with it. The caller holds t.mu.
func (t *Tables) glanceAt(p history.Phase) *glance {
	if t.given != nil || !t.puzzle.Layout().Reversible {
		return nil
	}
	locator := t.locator()
	if locator == nil {
		return nil
	}
	layers := t.history.Layers(p)
	depth := layers[len(layers)-1].Depth
	path := t.path(p, depth)
	f, err := t.fs.Open(path, vfs.RandomReadsOption)
	if err != nil {
		return nil
	}
	at, err := table.NewGlance(t.puzzle, locator, f, t.stamp(p, depth))
	if err != nil {
		_ = f.Close() // it was only read
		return nil
	}
	return &glance{Glance: at, path: path, file: f}
}

// locator returns where states are in the tables, or nil if they have no ranks. It builds
// the ranks only if the puzzle cannot do without.
func (t *Tables) locator() *puzzle.Locator {
	_, numbered := t.puzzle.(puzzle.Numbered)
	_, foldable := t.puzzle.(puzzle.Foldable)
	if located, ok := t.puzzle.(puzzle.Located); ok && puzzle.Tabular(t.puzzle) && !numbered && !foldable {
		if l := located.Locator(); l != nil {
			return l
		}
	}
	if t.Prepare() != nil {
		return nil
	}
	return t.Space.Locator()
}

// closeGlances closes the files that were looked at. The caller holds t.mu.
func (t *Tables) closeGlances() {
	for i, at := range t.glances {
		if at != nil {
			_ = at.file.Close() // it was only read
		}
		t.glances[i] = nil
	}
}
