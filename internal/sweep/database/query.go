package database

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/everystate/everystate/internal/sweep"
)

// A Range is the numbers from Least to Most, both included.
type Range struct{ Least, Most uint64 }

// All returns the range of every number.
func All() Range { return Range{0, math.MaxUint64} }

func (r Range) has(n uint64) bool { return r.Least <= n && n <= r.Most }

// A Filter selects the records within all of these ranges. Second is the second
// attribute of records, in Rush Hour the walls; Grade is 0 for records without one.
type Filter struct{ Distance, States, Pieces, Second, Grade Range }

// second is the place of the attribute that has an index.
const second = 1

// Everything returns the filter that selects all records.
func Everything() Filter { return Filter{All(), All(), All(), All(), All()} }

// Wants reports whether a filter selects a record.
func (f *Filter) Wants(r *sweep.Record) bool {
	return f.Distance.has(uint64(r.Distance())) && f.States.has(r.States()) &&
		f.Pieces.has(uint64(r.Pieces)) && f.Second.has(r.Attribute(second)) && f.Grade.has(r.Grade())
}

// index describes how a number of a record is encoded in a key.
type index struct {
	order Order
	bytes int
	down  bool // the greatest first
	value func(r *sweep.Record) uint64
	of    func(f *Filter) Range
}

var indexes = [...]index{
	{ByDistance, 2, true, func(r *sweep.Record) uint64 { return uint64(r.Distance()) }, func(f *Filter) Range { return f.Distance }},
	{ByStates, 8, true, (*sweep.Record).States, func(f *Filter) Range { return f.States }},
	{ByPieces, 1, false, func(r *sweep.Record) uint64 { return uint64(r.Pieces) }, func(f *Filter) Range { return f.Pieces }},
	{BySecond, 1, false, func(r *sweep.Record) uint64 { return r.Attribute(second) }, func(f *Filter) Range { return f.Second }},
}

// gradeIndex describes the grade, which only columns have.
var gradeIndex = index{ByGrade, 1, true, (*sweep.Record).Grade, func(f *Filter) Range { return f.Grade }}

// ErrUngraded reports a question about grades to a database that has none.
var ErrUngraded = errors.New("the records have no grades")

// indexed returns the columns or, if there are none, only the index of an order.
func (d *Database) indexed(f *Filter, o Order) (*columns, *index, error) {
	c, err := d.column()
	if err != nil {
		return nil, nil, err
	}
	if (o == ByGrade || f.Grade != All()) && (c == nil || !c.graded) {
		return nil, nil, ErrUngraded
	}
	if o == ByGrade {
		return c, &gradeIndex, nil
	}
	x, err := indexOf(o)
	return c, x, err
}

func indexOf(o Order) (*index, error) {
	for i := range indexes {
		if indexes[i].order == o {
			return &indexes[i], nil
		}
	}
	return nil, fmt.Errorf("there is no index %q", byte(o))
}

// most returns the greatest number that fits.
func (x *index) most() uint64 { return math.MaxUint64 >> (64 - 8*x.bytes) }

// put appends a number as encoded in a key, inverted if down is set.
func (x *index) put(key []byte, n uint64) []byte {
	if x.down {
		n = ^n
	}
	var all [8]byte
	binary.BigEndian.PutUint64(all[:], n)
	return append(key, all[8-x.bytes:]...)
}

// number returns the number in a key.
func (x *index) number(key []byte) uint64 {
	var all [8]byte
	copy(all[8-x.bytes:], key[1:])
	n := binary.BigEndian.Uint64(all[:])
	if x.down {
		n = ^n & x.most()
	}
	return n
}

// bounds returns the first key of a range and the first key after it; false if the
// range is empty.
func (x *index) bounds(r Range) (lower, upper []byte, ok bool) {
	r.Most = min(r.Most, x.most())
	if r.Least > r.Most {
		return nil, nil, false
	}
	first, last := r.Least, r.Most
	if x.down {
		first, last = last, first
	}
	lower = x.put([]byte{byte(x.order)}, first)
	upper = x.put([]byte{byte(x.order)}, last)
	for i := len(upper) - 1; ; i-- { // just past the last
		if upper[i]++; upper[i] != 0 {
			return lower, upper[:i+1], true
		}
	}
}

// keys calls f with the keys of an index in a range, until it returns an error.
func (d *Database) keys(x *index, r Range, f func(n uint64, id []byte) error) (err error) {
	lower, upper, ok := x.bounds(r)
	if !ok {
		return nil
	}
	it, err := d.newIter(lower, upper)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for ok := it.First(); ok; ok = it.Next() {
		key := it.Key()
		if len(key) != 1+x.bytes+8 {
			return fmt.Errorf("index key of %d bytes: damaged", len(key))
		}
		if err := f(x.number(key), key[len(key)-8:]); err != nil {
			return err
		}
	}
	return d.explain(it.Error())
}

// probeMax is how many keys of an index are read to find the shortest range.
const probeMax = 4096

// shortest returns, of the indexes that a filter bounds, the one with the fewest keys
// in its range, judged by at most probeMax keys each; nil if it bounds none.
func (d *Database) shortest(f *Filter) (*index, error) {
	var best *index
	least := math.MaxInt
	for i := range indexes {
		x := &indexes[i]
		if x.of(f) == All() {
			continue
		}
		n := 0
		err := d.keys(x, x.of(f), func(uint64, []byte) error {
			if n++; n == probeMax || n >= least {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			return nil, err
		}
		if n < least {
			best, least = x, n
		}
	}
	return best, nil
}

// bounded returns how many indexes a filter bounds.
func (f *Filter) bounded() int {
	n := 0
	for i := range indexes {
		if indexes[i].of(f) != All() {
			n++
		}
	}
	return n
}

func (d *Database) record(id []byte) (*sweep.Record, error) {
	value, err := d.get(append([]byte{recordKey}, id...))
	if err != nil {
		return nil, fmt.Errorf("record %x: %w", id, err)
	}
	r := new(sweep.Record)
	err = r.UnmarshalBinary(value)
	return r, err
}

// Select returns the records that a filter selects, in an order other than ByID.
// Records equal in that order are sorted by distance and size, the greatest first,
// and then by board. Of a sweep that is not complete, it reads the filter's range of the
// order's index, unless another index's range is much shorter. An error ends the sequence.
func (d *Database) Select(f Filter, order Order) iter.Seq2[*sweep.Record, error] {
	return func(yield func(*sweep.Record, error) bool) {
		if err := d.sel(&f, order, yield); err != nil && !errors.Is(err, errEnough) {
			yield(nil, err)
		}
	}
}

func (d *Database) sel(f *Filter, order Order, yield func(*sweep.Record, error) bool) error {
	c, x, err := d.indexed(f, order)
	if err != nil {
		return err
	}
	if c != nil {
		return c.sel(d, f, x, yield)
	}
	short, err := d.shortest(f)
	if err != nil {
		return err
	}
	if short != nil && short != x {
		return d.selectBy(short, x, f, yield)
	}
	// The records of one number are sorted in memory.
	var group []*sweep.Record
	var number uint64
	yieldGroup := func() error {
		slices.SortFunc(group, sweep.Compare)
		for _, r := range group {
			if !yield(r, nil) {
				return errEnough
			}
		}
		group = group[:0]
		return nil
	}
	err = d.keys(x, x.of(f), func(n uint64, id []byte) error {
		if n != number {
			if err := yieldGroup(); err != nil {
				return err
			}
			number = n
		}
		r, err := d.record(id)
		if err == nil && f.Wants(r) {
			group = append(group, r)
		}
		return err
	})
	if err != nil {
		return err
	}
	return yieldGroup()
}

// selectBy collects the wanted records through another index, and sorts them.
func (d *Database) selectBy(short, x *index, f *Filter, yield func(*sweep.Record, error) bool) error {
	var all []*sweep.Record
	err := d.keys(short, short.of(f), func(_ uint64, id []byte) error {
		r, err := d.record(id)
		if err == nil && f.Wants(r) {
			all = append(all, r)
		}
		return err
	})
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b *sweep.Record) int {
		c := cmp.Compare(x.value(a), x.value(b))
		if x.down {
			c = -c
		}
		return cmp.Or(c, sweep.Compare(a, b))
	})
	for _, r := range all {
		if !yield(r, nil) {
			return errEnough
		}
	}
	return nil
}

// Count returns how many records a filter selects. If the sweep is complete, or the
// filter bounds at most one number, no record is read.
func (d *Database) Count(f Filter) (n uint64, err error) {
	c, x, err := d.indexed(&f, ByDistance)
	switch {
	case err != nil:
		return 0, err
	case c != nil:
		return c.count(&f), nil
	}
	switch f.bounded() {
	case 0:
	case 1:
		x, err = d.shortest(&f)
	default:
		for _, err := range d.Select(f, ByDistance) {
			if err != nil {
				return 0, err
			}
			n++
		}
		return n, nil
	}
	if err != nil {
		return 0, err
	}
	err = d.keys(x, x.of(&f), func(uint64, []byte) error {
		n++
		return nil
	})
	return n, err
}

// Histogram calls f, in the given order, with each number that selected records have,
// and how many records have it.
func (d *Database) Histogram(filter Filter, order Order, f func(number, records uint64)) error {
	c, x, err := d.indexed(&filter, order)
	if err != nil {
		return err
	}
	if c != nil {
		c.histogram(&filter, x, f)
		return nil
	}
	var number, records uint64
	note := func(n uint64) {
		if n != number && records > 0 {
			f(number, records)
			records = 0
		}
		number = n
		records++
	}
	others := filter
	switch order {
	case ByDistance:
		others.Distance = All()
	case ByStates:
		others.States = All()
	case ByPieces:
		others.Pieces = All()
	default:
		others.Second = All()
	}
	if others.bounded() == 0 {
		err = d.keys(x, x.of(&filter), func(n uint64, _ []byte) error {
			note(n)
			return nil
		})
	} else {
		for r, fault := range d.Select(filter, order) {
			if err = fault; err != nil {
				break
			}
			note(x.value(r))
		}
	}
	if err == nil && records > 0 {
		f(number, records)
	}
	return err
}
