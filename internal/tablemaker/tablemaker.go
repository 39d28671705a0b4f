// Package tablemaker makes the layers of a run as a table, and holds the entries of its
// journal back until the table that they need is stored. Whoever keeps tables, one machine or
// a worker of a cluster, makes them with it.
//
// It must never decide which layer comes next, nor what an entry says.
package tablemaker

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/table"
	"github.com/everystate/everystate/internal/table/stored"
	"github.com/everystate/everystate/internal/tablemaker/pace"
)

// WorkerShare returns how much of a worker's memory making a table of a whole run may take, 5/8.
// The rest is for reading it, and for the store.
func WorkerShare(memoryBytes int64) int64 { return memoryBytes / 8 * 5 }

// Maker makes layers by passes over a table, which keep all processors busy. It is not safe
// for concurrent use.
type Maker struct {
	making  *stored.Making
	journal func(entry []byte, sync bool) error
	around  func(keep func() error) error
	pending []func() []byte
	pace    *pace.Pace
}

// Options are where a Maker writes.
type Options struct {
	// Journal appends an entry to the run's journal, durably if sync is set.
	Journal func(entry []byte, sync bool) error
	// Around calls keep, which replaces the files of the table, and returns its error. It may
	// see to it that nobody reads them meanwhile. nil stands for keep itself.
	Around func(keep func() error) error
	// Interval is a fixed time between writes of the table, for tests. 0 stands for one that
	// depends on how long writing takes.
	Interval time.Duration
}

// New returns what makes the layers that the history of tables lacks.
func New(t *stored.Tables, o Options) *Maker {
	m := &Maker{journal: o.Journal, around: o.Around, pace: pace.New(t.WriteBytes(), o.Interval)}
	if m.around == nil {
		m.around = func(keep func() error) error { return keep() }
	}
	m.making = t.Make(m.pace.DueWithin, m.storeWithin)
	return m
}

// Layer makes layer depth of a phase, which is the next. The last layer has frontier states.
// It adds to expanded and found as table.Search.Tell says.
func (m *Maker) Layer(ctx context.Context, p history.Phase, depth uint32, frontier int64, expanded, found *atomic.Int64) (table.Layer, error) {
	var err error
	if depth == 0 {
		err = m.making.Begin(ctx, p)
	} else {
		m.pace.Begin()
		err = m.making.Next(ctx, p, frontier, expanded, found)
	}
	layer := m.making.Layer()
	if err == nil && layer.Depth != depth {
		err = fmt.Errorf("the table is at layer %d, but layer %d is due", layer.Depth, depth)
	}
	return layer, err
}

// Hold holds an entry of the journal back until the table is stored: entry returns it then.
// The history has the layers that it and those before it say.
func (m *Maker) Hold(entry func() []byte) { m.pending = append(m.pending, entry) }

// Due reports whether it is time to store the table.
func (m *Maker) Due() bool { return m.pace.Due() }

// Store stores the table as of the last layer of its phase in the history, and then the
// entries that wait for it. ended says that the phase has come to its end.
func (m *Maker) Store(ended bool) error {
	if len(m.pending) == 0 || !m.making.UnderWay() {
		return nil
	}
	return m.around(func() error {
		return m.keep(func() error { return m.making.Store(ended) })
	})
}

// storeWithin stores the table as of the last layer in the history, with what has been made
// of the next one. It is called while a layer is made, and nothing else happens.
func (m *Maker) storeWithin(part table.Part) error {
	if !m.making.IsPaged() && m.pace.Little() {
		return nil // stopped, with little done: not worth writing a table
	}
	return m.around(func() error {
		return m.keep(func() error { return m.making.StoreWithin(part) })
	})
}

// keep stores the table, then the entries that wait for it, and drops what neither needs.
func (m *Maker) keep(storeTable func() error) error {
	began := time.Now()
	if err := storeTable(); err != nil {
		return err
	}
	for i, entry := range m.pending {
		if err := m.journal(entry(), i == len(m.pending)-1); err != nil {
			return err
		}
	}
	m.pending = nil
	m.pace.Wrote(began)
	return m.making.Settle()
}

// Close stores what is left, and closes the files. A nil Maker has none.
func (m *Maker) Close() error {
	if m == nil {
		return nil
	}
	return errors.Join(m.Store(false), m.making.Close())
}
