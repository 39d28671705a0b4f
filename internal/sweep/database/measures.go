package database

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/everystate/everystate/internal/sweep"
)

// chunkRecords is how many records of a unit have their measures in one value.
const chunkRecords = 64

// measuresMax bounds the measures of a record that are read.
const measuresMax = 16

// Chunk names some successive records of a unit: those whose place is at least
// First.Place, chunkRecords at most.
type Chunk struct {
	First   ID
	Records []*sweep.Record
}

// Chunks calls f with the records that have no measures, by unit and place, until it
// returns an error. The chunk is the callee's.
func (d *Database) Chunks(f func(c *Chunk) error) error {
	c := new(Chunk)
	flush := func() error {
		if len(c.Records) == 0 {
			return nil
		}
		full := c
		c = new(Chunk)
		switch _, err := d.get(full.First.chunk()); {
		case err == nil:
			return nil
		case !errors.Is(err, pebble.ErrNotFound):
			return err
		}
		return f(full)
	}
	err := d.Numbered(func(id ID, r *sweep.Record) error {
		if n := len(c.Records); n == chunkRecords || n > 0 && id.Unit != c.First.Unit {
			if err := flush(); err != nil {
				return err
			}
		}
		if len(c.Records) == 0 {
			c.First = id
		}
		one := *r
		c.Records = append(c.Records, &one)
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// chunk returns the key of the chunk that holds a record.
func (id ID) chunk() []byte { return ID{id.Unit, id.Place / chunkRecords}.append([]byte{measuresKey}) }

// Measure stores the measures of a chunk's records, in their order. Measures that are
// lost to a crash are computed again.
func (d *Database) Measure(c *Chunk) error {
	var value []byte
	for _, r := range c.Records {
		value = binary.AppendUvarint(value, uint64(len(r.Measures)))
		for _, n := range r.Measures {
			value = binary.AppendUvarint(value, n)
		}
	}
	d.chunkKey = ""
	if err := d.guard.Do(func() error { return d.db.Set(c.First.chunk(), value, pebble.NoSync) }); err != nil {
		return fmt.Errorf("store measures: %w", d.explain(err))
	}
	return nil
}

// Graded reports whether all records have measures.
func (d *Database) Graded() bool {
	if d.columns != nil {
		return d.columns.graded
	}
	return d.graded
}

var errMeasures = errors.New("damaged measures")

// measures returns the measures of a record, nil if it has none. It keeps the last chunk.
func (d *Database) measures(id ID) ([]uint64, error) {
	key := id.chunk()
	if string(key) != d.chunkKey {
		value, err := d.get(key)
		if err != nil && !errors.Is(err, pebble.ErrNotFound) {
			return nil, err
		}
		if d.chunk, err = readMeasures(value); err != nil {
			return nil, fmt.Errorf("unit %d: %w", id.Unit, err)
		}
		d.chunkKey = string(key)
	}
	if place := int(id.Place % chunkRecords); place < len(d.chunk) {
		return d.chunk[place], nil
	}
	return nil, nil
}

// readMeasures reads a chunk.
func readMeasures(b []byte) (all [][]uint64, err error) {
	next := func() uint64 {
		n, size := binary.Uvarint(b)
		if size <= 0 {
			err, size = errMeasures, len(b)
		}
		b = b[size:]
		return n
	}
	for len(b) > 0 && err == nil {
		n := next()
		if n > measuresMax || len(all) == chunkRecords {
			return nil, errMeasures
		}
		one := make([]uint64, n)
		for i := range one {
			one[i] = next()
		}
		all = append(all, one)
	}
	if err != nil {
		return nil, err
	}
	return all, nil
}
