package database

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/everystate/everystate/internal/sweep"
)

// TotalsOf returns the totals of those of the given units that are committed, with the
// digest of the records. The units ascend.
func (d *Database) TotalsOf(units []int) (sum sweep.Totals, err error) {
	err = d.Units(func(unit int, t *sweep.Totals) error {
		for len(units) > 0 && units[0] < unit {
			units = units[1:]
		}
		if len(units) > 0 && units[0] == unit {
			sum.AddSealed(unit, t)
		}
		return nil
	})
	return sum, err
}

// mergeBytes is how much Merge writes at a time.
const mergeBytes = 4 << 20

// Merge adds the units of another database of the same rules, and returns how many were
// not here yet. It checks the digest of each unit, and refuses to merge if a unit that
// both have differs. Measures are not copied.
func (d *Database) Merge(from *Database) (added int, err error) {
	if d.rules != from.rules {
		return 0, &RulesError{d.rules, from.rules}
	}
	b := d.db.NewBatch()
	pending := map[int]sweep.Totals{}
	flush := func() error {
		if err := d.guard.Do(func() error { return errors.Join(b.Commit(pebble.NoSync), b.Close()) }); err != nil {
			return fmt.Errorf("merge: %w", d.explain(err))
		}
		for unit, t := range pending {
			d.add(unit, &t)
		}
		added += len(pending)
		clear(pending)
		b = d.db.NewBatch()
		_, err := d.Sync()
		return err
	}
	err = from.Units(func(unit int, t *sweep.Totals) error {
		if d.Done(unit) {
			return same(d, unit, t)
		}
		f := sweep.Findings{Totals: *t}
		if err := recordsOf(from, unit, &f); err != nil {
			return err
		}
		if err := f.Check(unit); err != nil {
			return err
		}
		if err := putUnit(b, unit, &f); err != nil {
			return err
		}
		pending[unit] = f.Totals
		if b.Len() < mergeBytes {
			return nil
		}
		return flush()
	})
	if err != nil {
		return added, errors.Join(err, b.Close())
	}
	return added, errors.Join(flush(), b.Close())
}

// same checks that a unit that is committed has the given totals.
func same(d *Database, unit int, t *sweep.Totals) error {
	value, err := d.get(unitKeyOf(unit))
	if err != nil {
		return err
	}
	var mine sweep.Totals
	if err := mine.UnmarshalBinary(value); err != nil {
		return fmt.Errorf("unit %d: %w", unit, err)
	}
	if mine.Digest != t.Digest {
		return fmt.Errorf("unit %d differs: its digest is %v in one database and %v in the other", unit, mine.Digest, t.Digest)
	}
	return nil
}

// recordsOf reads the records of a unit.
func recordsOf(d *Database, unit int, f *sweep.Findings) error {
	prefix := binary.BigEndian.AppendUint32([]byte{recordKey}, uint32(unit))
	return d.scanRange(prefix, binary.BigEndian.AppendUint32([]byte{recordKey}, uint32(unit)+1), func(_, value []byte) error {
		var r sweep.Record
		if err := r.UnmarshalBinary(value); err != nil {
			return fmt.Errorf("unit %d: %w", unit, err)
		}
		f.Records = append(f.Records, r)
		return nil
	})
}

func unitKeyOf(unit int) []byte {
	return binary.BigEndian.AppendUint32([]byte{unitKey}, uint32(unit))
}

// putUnit writes the findings of a unit.
func putUnit(b *pebble.Batch, unit int, f *sweep.Findings) error {
	for i := range f.Records {
		if err := put(b, ID{uint32(unit), uint32(i)}, &f.Records[i]); err != nil {
			return err
		}
	}
	value, err := f.Totals.AppendBinary(nil)
	if err != nil {
		return err
	}
	return b.Set(unitKeyOf(unit), value, nil)
}
