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
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/store/guard"
)

const (
	version       = 1
	versionSealed = 2 // complete, with columns in place of indexes
	dbDir         = "db"
	lockFile      = "LOCK" // in dbDir, where Pebble has always made it
)

// The first bytes of keys.
const (
	versionKey  = 'm'
	rulesKey    = 'p'
	unitsKey    = 'n'
	unitKey     = 'u'
	recordKey   = 'r'
	distanceKey = 'd'
	statesKey   = 's'
	piecesKey   = 'v'
	secondKey   = 'w'
	measuresKey = 'g'
	columnsKey  = 'c'
	summaryKey  = 'z'
)

// ErrNotExist reports that a directory holds no database.
var ErrNotExist = errors.New("no sweep database there")

// ErrForeign reports that a directory holds something other than a sweep database.
var ErrForeign = errors.New("holds a run, not a sweep: choose an empty or a new directory")

// ErrInUse reports that somebody has the database open for writing.
var ErrInUse = errors.New("a sweep or db grade is writing to it: try again when that has finished")

// ErrRead reports that somebody has the database, which was to be written, open for
// reading.
var ErrRead = errors.New("another command is reading it: try again when that has finished")

// A RulesError reports that a database was made with different rules.
type RulesError struct{ Have, Want string }

func (e *RulesError) Error() string {
	have, want := strings.Split(e.Have, "\n"), strings.Split(e.Want, "\n")
	line := func(lines []string, i int) string {
		if i < len(lines) {
			return lines[i]
		}
		return ""
	}
	for i := range max(len(have), len(want)) {
		h, w := line(have, i), line(want, i)
		switch {
		case h == w:
		case h == "":
			return "is a sweep with different rules: it does not have " + w
		case w == "":
			return "is a sweep with different rules: it also has " + h
		default:
			return fmt.Sprintf("is a sweep with different rules: it has %s, not %s", h, w)
		}
	}
	return "is a sweep with different rules"
}

// ID names a record: the number of its unit, and its place among that unit's records.
type ID struct{ Unit, Place uint32 }

func (id ID) append(key []byte) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(key, id.Unit), id.Place)
}

// Options say how to open a database.
type Options struct {
	// FS is the file system; nil means the machine's. Only there is the database locked.
	FS vfs.FS
	// ReadOnly opens an existing database for reading only, without writing anything.
	ReadOnly bool
	// Units is how many units the sweep has, 0 if unknown. It is stored with the
	// rules.
	Units int
}

// Database is an open database. Its methods may be called by one goroutine at a
// time.
type Database struct {
	dir      string
	lock     *store.Lock // nil if it needs none
	db       *pebble.DB
	guard    *guard.Guard
	readOnly bool // opened for reading only
	rules    string
	units    int
	done     map[int]bool // nil if all units are done and the sum was stored
	sum      sweep.Totals

	// Of a complete sweep whose sum and columns are stored.
	sealed, graded bool
	rows           int
	columns        *columns // nil until a question is asked

	synced time.Time // of the last commit or sync that reached the disk
	saved  uint64    // units on disk then

	chunkKey string // of the measures in chunk
	chunk    [][]uint64

	damaged atomic.Pointer[string] // the file in which Pebble found damage
}

var _ sweep.Sink = (*Database)(nil)

// Create opens the database in a directory, or makes one for the given rules. If the
// database has other rules, the error is a *[RulesError]; in the directory of a run it is
// [ErrForeign].
func Create(dir, rules string, opts Options) (*Database, error) {
	if store.Holds(cmp.Or(opts.FS, vfs.Default), dir) {
		return nil, fmt.Errorf("%s: %w", dir, ErrForeign)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil && opts.FS == nil {
		return nil, err
	}
	d, err := open(dir, opts)
	if err != nil {
		return nil, err
	}
	switch d.rules {
	case rules, "":
		if d.rules == rules && (d.units != 0 || opts.Units == 0) {
			return d, nil
		}
		d.rules, d.units = rules, opts.Units
		err := d.guard.Do(func() error {
			b := d.db.NewBatch()
			_ = b.Set([]byte{versionKey}, []byte{version}, nil) // fails on commit only
			_ = b.Set([]byte{rulesKey}, []byte(rules), nil)
			if opts.Units > 0 {
				_ = b.Set([]byte{unitsKey}, binary.BigEndian.AppendUint32(nil, uint32(opts.Units)), nil)
			}
			return b.Commit(pebble.Sync)
		})
		if err != nil {
			return nil, errors.Join(d.explain(err), d.Close())
		}
		return d, nil
	}
	return nil, errors.Join(&RulesError{d.rules, rules}, d.Close())
}

// Is reports whether a directory has the database of a sweep.
func Is(dir string) bool {
	return store.Keeps(filepath.Join(dir, dbDir)) && !store.Holds(vfs.Default, dir)
}

// Open opens the database in a directory. The error is [ErrNotExist] if there is
// none.
func Open(dir string, opts Options) (*Database, error) {
	fs := opts.FS
	if fs == nil {
		fs = vfs.Default
	}
	// Opening the database of a run would damage it.
	if _, err := fs.Stat(filepath.Join(dir, dbDir)); err != nil || store.Holds(fs, dir) {
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
	lock, err := lockFor(dir, opts)
	if err != nil {
		return nil, err
	}
	g := guard.New(dir)
	d := &Database{dir: dir, lock: lock, guard: g, readOnly: opts.ReadOnly, done: make(map[int]bool)}
	popts := &pebble.Options{
		FS: g.FS(cmp.Or(opts.FS, vfs.Default)), ReadOnly: opts.ReadOnly, FormatMajorVersion: pebble.FormatNewest,
		Logger: g.Logger(), MemTableSize: 16 << 20,
		// Pebble would retry a failed flush or compaction forever.
		EventListener: &pebble.EventListener{
			BackgroundError: func(err error) { g.Fail(fmt.Errorf("cannot write: %w", err)) },
			// The reader gets the error; without this handler the process would end.
			DataCorruption: func(info pebble.DataCorruptionInfo) { d.damaged.Store(&info.Path) },
		},
	}
	popts.ApplyCompressionSettings(func() pebble.DBCompressionSettings { return pebble.DBCompressionBalanced })
	popts.Experimental.CompactionScheduler = guard.Scheduler()
	db, err := guard.Call(g, func() (*pebble.DB, error) { return pebble.Open(filepath.Join(dir, dbDir), popts) })
	if errors.Is(err, pebble.ErrDBDoesNotExist) { // left half made
		return nil, errors.Join(fmt.Errorf("%s: %w", dir, ErrNotExist), lock.Unlock())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", filepath.Join(dir, dbDir), d.explain(err)), lock.Unlock())
	}
	d.db = db
	if err := d.load(); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", dir, err), d.Close())
	}
	d.saved = d.sum.Units // Pebble has written out what it found in its log
	return d, nil
}

// lockFor locks the database in a directory: readers share it, a writer has it alone.
func lockFor(dir string, opts Options) (*store.Lock, error) {
	if opts.FS != nil {
		return nil, nil
	}
	db := filepath.Join(dir, dbDir)
	lock, err := store.LockDirBy(db, lockFile, !opts.ReadOnly)
	if !errors.Is(err, store.ErrLocked) {
		return lock, err
	}
	if !opts.ReadOnly { // who has it?
		if shared, err := store.LockDirBy(db, lockFile, false); err == nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", dir, ErrRead), shared.Unlock())
		}
	}
	return nil, fmt.Errorf("%s: %w", dir, ErrInUse)
}

// load reads the rules and the committed units.
func (d *Database) load() error {
	v, err := d.get([]byte{versionKey})
	if errors.Is(err, pebble.ErrNotFound) {
		return nil // new
	}
	if err != nil {
		return err
	}
	if len(v) != 1 || v[0] != version && v[0] != versionSealed {
		return fmt.Errorf("layout version %v: this program reads %d and %d", v, version, versionSealed)
	}
	rules, err := d.get([]byte{rulesKey})
	if err != nil {
		return err
	}
	d.rules = string(rules)
	switch v, err := d.get([]byte{unitsKey}); {
	case err == nil && len(v) == 4:
		d.units = int(binary.BigEndian.Uint32(v))
	case err != nil && !errors.Is(err, pebble.ErrNotFound):
		return err
	}
	if err := d.loadSummary(); err != nil || d.sealed {
		return err
	}
	return d.Units(func(unit int, t *sweep.Totals) error {
		d.add(unit, t)
		return nil
	})
}

// add counts a committed unit.
func (d *Database) add(unit int, t *sweep.Totals) {
	d.done[unit] = true
	d.sum.AddSealed(unit, t)
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

// reading runs read under the guard if there is a writer: a parked writer may hold
// what read needs.
func reading[T any](d *Database, read func() (T, error)) (T, error) {
	var v T
	var err error
	if d.readOnly {
		v, err = read()
	} else {
		v, err = guard.Call(d.guard, read)
	}
	return v, d.explain(err)
}

// explain adds to a corruption error of Pebble which file is damaged and what to do.
func (d *Database) explain(err error) error {
	if err == nil || !pebble.IsCorruptionError(err) {
		return err
	}
	file := filepath.Join(d.dir, dbDir)
	if at := d.damaged.Load(); at != nil {
		file = filepath.Join(file, filepath.Base(*at))
	}
	what, _, _ := strings.Cut(err.Error(), "\n")
	return fmt.Errorf("%s is damaged (%s): restore the directory from a copy, or sweep again into another one", file, what)
}

// Progress returns how many units are committed and how many the sweep has; all is 0 if
// that is unknown.
func (d *Database) Progress() (done, all int) {
	if d.sealed {
		return d.units, d.units
	}
	return len(d.done), d.units
}

// Close closes the database. After a fatal error, such as a full disk, it leaves the
// directory as it is, with the units that [Database.Sync] counts.
func (d *Database) Close() (err error) {
	defer func() { err = errors.Join(err, d.lock.Unlock()) }()
	select {
	case <-d.guard.Failed():
		return nil
	default:
	}
	if _, err := d.Sync(); err != nil {
		return err
	}
	return d.guard.Do(d.db.Close)
}

// Rules returns the text of the rules.
func (d *Database) Rules() string { return d.rules }

// Done reports whether a unit is committed.
func (d *Database) Done(unit int) bool { return d.sealed || d.done[unit] }

// Totals returns those of all committed units, with the digest of the records.
func (d *Database) Totals() sweep.Totals {
	t := d.sum
	t.Distances = append([]sweep.DistanceTotals(nil), t.Distances...)
	return t
}

// Commit stores the findings of a unit, all of them or nothing whatever happens. Small
// units share a sync: what is committed within 100 ms of the last one is on disk after
// the next, [Database.Sync] or [Database.Close]. A unit that is already stored is
// skipped.
func (d *Database) Commit(unit int, f *sweep.Findings) error {
	if d.Done(unit) {
		return nil
	}
	if unit < 0 || unit > math.MaxUint32 {
		return fmt.Errorf("unit %d: must be from 0 to 2^32-1", unit)
	}
	b := d.db.NewBatch()
	if err := putUnit(b, unit, f); err != nil {
		return err
	}
	if err := d.guard.Do(func() error { return errors.Join(b.Commit(pebble.NoSync), b.Close()) }); err != nil {
		return fmt.Errorf("commit unit %d: %w", unit, d.explain(err))
	}
	d.add(unit, &f.Totals)
	if !store.SyncDue(d.synced) {
		return nil
	}
	_, err := d.Sync()
	return err
}

// Sync returns when all committed units are on disk. saved is how many units are, for
// certain, even after an error.
func (d *Database) Sync() (saved uint64, err error) {
	if d.readOnly || d.saved == d.sum.Units {
		return d.saved, nil
	}
	if err := d.guard.Do(func() error { return d.db.LogData(nil, pebble.Sync) }); err != nil {
		return d.saved, fmt.Errorf("sync: %w", d.explain(err))
	}
	d.synced, d.saved = time.Now(), d.sum.Units
	return d.saved, nil
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
		{piecesKey, byte(r.Pieces)},
		{secondKey, byte(min(r.Attribute(second), math.MaxUint8))},
	} {
		err = errors.Join(err, b.Set(id.append(key), nil, nil))
	}
	return err
}
