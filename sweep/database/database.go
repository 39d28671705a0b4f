package database

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/store/guard"
	"github.com/everystate/everystate/sweep"
)

const (
	version = 1
	dbDir   = "db"
)

// The first bytes of keys.
const (
	versionKey  = 'm'
	rulesKey    = 'p'
	unitKey     = 'u'
	recordKey   = 'r'
	distanceKey = 'd'
	statesKey   = 's'
	vehiclesKey = 'v'
	wallsKey    = 'w'
)

// ErrNotExist is that there is no database in a directory.
var ErrNotExist = errors.New("no database of a sweep")

// ErrInUse is that another process has the database open.
var ErrInUse = errors.New("another process is sweeping there")

// A RulesError is that a database has other rules than those asked for.
type RulesError struct{ Have, Want string }

func (e *RulesError) Error() string {
	have, want := strings.Split(e.Have, "\n"), strings.Split(e.Want, "\n")
	for i := range max(len(have), len(want)) {
		h, w := "nothing", "nothing"
		if i < len(have) && have[i] != "" {
			h = have[i]
		}
		if i < len(want) && want[i] != "" {
			w = want[i]
		}
		if h != w {
			return fmt.Sprintf("is a sweep by other rules: %s, not %s", h, w)
		}
	}
	return "is a sweep by other rules"
}

// ID names a record: the number of its unit, and its place among those the unit
// found.
type ID struct{ Unit, Place uint32 }

func (id ID) append(key []byte) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(key, id.Unit), id.Place)
}

// Options are how a database is opened.
type Options struct {
	// FS is the file system, nil for the machine's.
	FS vfs.FS
	// ReadOnly opens what is there.
	ReadOnly bool
}

// Database is an open database. Its methods may be called by one goroutine at a
// time.
type Database struct {
	db    *pebble.DB
	guard *guard.Guard
	asks  bool // is open to be read only
	rules string
	done  map[int]bool
	sum   sweep.Totals
}

var _ sweep.Sink = (*Database)(nil)

// Create opens the database in a directory, or makes one for some rules. A
// database of other rules is a *[RulesError].
func Create(dir, rules string, opts Options) (*Database, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil && opts.FS == nil {
		return nil, err
	}
	d, err := open(dir, opts)
	if err != nil {
		return nil, err
	}
	switch d.rules {
	case rules:
		return d, nil
	case "":
		d.rules = rules
		err := d.guard.Do(func() error {
			b := d.db.NewBatch()
			_ = b.Set([]byte{versionKey}, []byte{version}, nil) // fails on commit only
			_ = b.Set([]byte{rulesKey}, []byte(rules), nil)
			return b.Commit(pebble.Sync)
		})
		if err != nil {
			return nil, errors.Join(err, d.Close())
		}
		return d, nil
	}
	return nil, errors.Join(&RulesError{d.rules, rules}, d.Close())
}

// Open opens the database in a directory. It is [ErrNotExist] if there is none.
func Open(dir string, opts Options) (*Database, error) {
	fs := opts.FS
	if fs == nil {
		fs = vfs.Default
	}
	if _, err := fs.Stat(filepath.Join(dir, dbDir)); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, ErrNotExist)
	}
	d, err := open(dir, opts)
	if err == nil && d.rules == "" {
		err = errors.Join(fmt.Errorf("%s: %w", dir, ErrNotExist), d.Close())
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

func open(dir string, opts Options) (*Database, error) {
	g := guard.New(dir)
	popts := &pebble.Options{
		FS: g.FS(cmp.Or(opts.FS, vfs.Default)), ReadOnly: opts.ReadOnly, FormatMajorVersion: pebble.FormatNewest,
		Logger: g.Logger(), MemTableSize: 16 << 20,
		// A flush or compaction that failed, Pebble would try again for ever.
		EventListener: &pebble.EventListener{BackgroundError: func(err error) { g.Fail(fmt.Errorf("cannot write: %w", err)) }},
	}
	popts.ApplyCompressionSettings(func() pebble.DBCompressionSettings { return pebble.DBCompressionBalanced })
	db, err := guard.Call(g, func() (*pebble.DB, error) { return pebble.Open(filepath.Join(dir, dbDir), popts) })
	if errors.Is(err, syscall.EAGAIN) { // of its lock
		return nil, fmt.Errorf("%s: %w", dir, ErrInUse)
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	d := &Database{db: db, guard: g, asks: opts.ReadOnly, done: make(map[int]bool)}
	if err := d.load(); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", dir, err), d.Close())
	}
	return d, nil
}

// load reads the rules and what is committed.
func (d *Database) load() error {
	v, err := d.get([]byte{versionKey})
	if errors.Is(err, pebble.ErrNotFound) {
		return nil // new
	}
	if err != nil {
		return err
	}
	if len(v) != 1 || v[0] != version {
		return fmt.Errorf("layout version %v: this program reads %d", v, version)
	}
	rules, err := d.get([]byte{rulesKey})
	if err != nil {
		return err
	}
	d.rules = string(rules)
	return d.Units(func(unit int, t *sweep.Totals) error {
		d.done[unit] = true
		d.sum.Add(t)
		return nil
	})
}

func (d *Database) get(key []byte) ([]byte, error) {
	return reading(d, func() ([]byte, error) {
		v, closer, err := d.db.Get(key)
		if err != nil {
			return nil, err
		}
		v = append([]byte(nil), v...)
		return v, closer.Close()
	})
}

func (d *Database) newIter(lower, upper []byte) (*pebble.Iterator, error) {
	return reading(d, func() (*pebble.Iterator, error) {
		return d.db.NewIter(&pebble.IterOptions{LowerBound: lower, UpperBound: upper})
	})
}

// reading guards what reads where there is a writer: one that is parked may hold what
// it needs.
func reading[T any](d *Database, read func() (T, error)) (T, error) {
	if d.asks {
		return read()
	}
	return guard.Call(d.guard, read)
}

// Close closes the database. After an error that it cannot survive, such as a full
// disk, it leaves the directory as it is: with all units that were committed.
func (d *Database) Close() error {
	select {
	case <-d.guard.Failed():
		return nil
	default:
	}
	return d.guard.Do(d.db.Close)
}

// Rules is the text of the rules.
func (d *Database) Rules() string { return d.rules }

// Done reports whether a unit is committed.
func (d *Database) Done(unit int) bool { return d.done[unit] }

// Totals are those of all units that are committed.
func (d *Database) Totals() sweep.Totals {
	t := d.sum
	t.Distances = append([]sweep.DistanceTotals(nil), t.Distances...)
	return t
}

// Commit keeps the findings of a unit. When it returns they are on disk. What is
// kept already is not kept again.
func (d *Database) Commit(unit int, f *sweep.Findings) error {
	if d.done[unit] {
		return nil
	}
	if unit < 0 || unit > math.MaxUint32 {
		return fmt.Errorf("unit %d: does not fit a key", unit)
	}
	b := d.db.NewBatch()
	for i := range f.Records {
		if err := put(b, ID{uint32(unit), uint32(i)}, &f.Records[i]); err != nil {
			return err
		}
	}
	value, err := f.Totals.AppendBinary(nil)
	if err != nil {
		return err
	}
	if err := b.Set(binary.BigEndian.AppendUint32([]byte{unitKey}, uint32(unit)), value, nil); err != nil {
		return err
	}
	// Synced: a unit that is done is not done again.
	if err := d.guard.Do(func() error { return errors.Join(b.Commit(pebble.Sync), b.Close()) }); err != nil {
		return fmt.Errorf("commit unit %d: %w", unit, err)
	}
	d.done[unit] = true
	d.sum.Add(&f.Totals)
	return nil
}

// put writes a record and its index entries.
func put(b *pebble.Batch, id ID, r *sweep.Record) error {
	value, err := r.AppendBinary(nil)
	if err != nil {
		return err
	}
	err = b.Set(id.append([]byte{recordKey}), value, nil)
	for _, key := range [][]byte{
		binary.BigEndian.AppendUint16([]byte{distanceKey}, ^uint16(r.Distance())),
		binary.BigEndian.AppendUint64([]byte{statesKey}, ^r.States()),
		{vehiclesKey, byte(r.Vehicles)},
		{wallsKey, byte(r.Walls)},
	} {
		err = errors.Join(err, b.Set(id.append(key), nil, nil))
	}
	return err
}
