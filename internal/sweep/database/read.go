package database

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"

	"github.com/everystate/everystate/internal/sweep"
)

// Units calls f with the totals of all committed units, by unit number, until it
// returns an error.
func (d *Database) Units(f func(unit int, t *sweep.Totals) error) error {
	return d.scan([]byte{unitKey}, func(key, value []byte) error {
		if len(key) != 5 {
			return fmt.Errorf("unit key of %d bytes: damaged", len(key))
		}
		unit := int(binary.BigEndian.Uint32(key[1:]))
		var t sweep.Totals
		if err := t.UnmarshalBinary(value); err != nil {
			return fmt.Errorf("unit %d: %w", unit, err)
		}
		return f(unit, &t)
	})
}

// scan calls f with all keys that begin with a prefix. Key and value are valid only
// until f returns.
func (d *Database) scan(prefix []byte, f func(key, value []byte) error) error {
	end := append([]byte(nil), prefix...)
	end[len(end)-1]++
	return d.scanRange(prefix, end, f)
}

// scanRange is scan for the keys from one on and before another.
func (d *Database) scanRange(from, to []byte, f func(key, value []byte) error) (err error) {
	it, err := d.newIter(from, to)
	if err != nil {
		return err
	}
	defer func() {
		if e := it.Close(); err == nil {
			err = e
		}
	}()
	for ok := it.First(); ok; ok = it.Next() {
		value, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		if err := f(it.Key(), value); err != nil {
			return err
		}
	}
	return d.explain(it.Error())
}

// An Order names an index.
type Order byte

// The orders of records. Equal records are in the order of their ids.
const (
	ByID       Order = recordKey
	ByDistance Order = distanceKey // the greatest first
	ByStates   Order = statesKey   // the greatest first
	ByPieces   Order = piecesKey   // the fewest first
	BySecond   Order = secondKey   // the least first
	ByGrade    Order = measuresKey // the highest first; of graded databases only
)

// Records returns all records in an order. An error ends the sequence.
func (d *Database) Records(order Order) iter.Seq2[*sweep.Record, error] {
	return func(yield func(*sweep.Record, error) bool) {
		var err error
		if order != ByID && d.sealed {
			err = d.sealedRecords(order, yield)
		} else {
			err = d.storedRecords(order, yield)
		}
		if err != nil && !errors.Is(err, errEnough) {
			yield(nil, err)
		}
	}
}

// sealedRecords yields records by their columns, storedRecords by an index or their ids.
func (d *Database) sealedRecords(order Order, yield func(*sweep.Record, error) bool) error {
	f := Everything()
	c, x, err := d.indexed(&f, order)
	if err != nil {
		return err
	}
	return c.records(d, x, yield)
}

func (d *Database) storedRecords(order Order, yield func(*sweep.Record, error) bool) error {
	return d.scan([]byte{byte(order)}, func(key, value []byte) error {
		if order != ByID {
			if len(key) < 8 {
				return fmt.Errorf("index key of %d bytes: damaged", len(key))
			}
			var err error
			if value, err = d.get(append([]byte{recordKey}, key[len(key)-8:]...)); err != nil {
				return fmt.Errorf("record of index %c: %w", order, err)
			}
		}
		r := new(sweep.Record)
		if err := r.UnmarshalBinary(value); err != nil {
			return err
		}
		if !yield(r, nil) {
			return errEnough
		}
		return nil
	})
}

// errEnough ends a scan early.
var errEnough = errors.New("enough")

// Numbered calls f with all records and their ids, in the order of their ids, until it
// returns an error. The record is valid only until f returns.
func (d *Database) Numbered(f func(id ID, r *sweep.Record) error) error {
	return d.scan([]byte{recordKey}, func(key, value []byte) error {
		const idBytes = 8
		if len(key) != 1+idBytes {
			return fmt.Errorf("record key of %d bytes: damaged", len(key))
		}
		var r sweep.Record
		if err := r.UnmarshalBinary(value); err != nil {
			return err
		}
		return f(ID{binary.BigEndian.Uint32(key[1:]), binary.BigEndian.Uint32(key[5:])}, &r)
	})
}

// Record returns the record with an id, with its measures if the database is graded.
func (d *Database) Record(id ID) (*sweep.Record, error) {
	r, err := d.record(id.append(nil))
	if err == nil && d.Graded() {
		r.Measures, err = d.measures(id)
	}
	return r, err
}
