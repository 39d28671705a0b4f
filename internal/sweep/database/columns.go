package database

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/everystate/everystate/internal/sweep"
)

// columns holds the numbers by which records are selected: whole in memory, a question
// is one pass over them, and only the records that it prints are read. A database has
// them once its sweep is complete.
type columns struct {
	rows   []row
	graded bool
}

// row is a record's part.
type row struct {
	states   uint64
	id       ID
	distance uint16
	pieces   uint16
	second   uint8
	grade    uint8
}

// fields returns the numbers of a row in the order in which a block stores them.
func (r *row) fields() [7]uint64 {
	return [7]uint64{uint64(r.id.Unit), uint64(r.id.Place), r.states, uint64(r.distance), uint64(r.pieces), uint64(r.second), uint64(r.grade)}
}

// set sets what fields returned, and reports whether it fits.
func (r *row) set(n [7]uint64) bool {
	*r = row{
		id: ID{uint32(n[0]), uint32(n[1])}, states: n[2], distance: uint16(n[3]), pieces: uint16(n[4]), second: uint8(n[5]), grade: uint8(n[6]),
	}
	return r.fields() == n
}

// number returns the number of an order.
func (r *row) number(o Order) uint64 {
	switch o {
	case ByDistance:
		return uint64(r.distance)
	case ByStates:
		return r.states
	case ByPieces:
		return uint64(r.pieces)
	case BySecond:
		return uint64(r.second)
	default:
		return uint64(r.grade)
	}
}

func (f *Filter) wants(r *row) bool {
	return f.Distance.has(uint64(r.distance)) && f.States.has(r.states) && f.Pieces.has(uint64(r.pieces)) &&
		f.Second.has(uint64(r.second)) && f.Grade.has(uint64(r.grade))
}

// blockRows is the number of rows of a block, of which each column is stored as varints
// one after another.
const blockRows = 1 << 14

func appendBlock(b []byte, rows []row) []byte {
	for field := range (&row{}).fields() {
		for i := range rows {
			b = binary.AppendUvarint(b, rows[i].fields()[field])
		}
	}
	return b
}

var errColumns = errors.New("damaged columns")

func readBlock(b []byte, rows []row) error {
	fields := make([][7]uint64, len(rows))
	for field := range (&row{}).fields() {
		for i := range rows {
			n, size := binary.Uvarint(b)
			if size <= 0 {
				return errColumns
			}
			fields[i][field], b = n, b[size:]
		}
	}
	for i := range rows {
		if !rows[i].set(fields[i]) {
			return errColumns
		}
	}
	if len(b) > 0 {
		return errColumns
	}
	return nil
}

// summary is the value of summaryKey.
type summary struct {
	rows   uint64
	graded bool
	totals sweep.Totals // with OfRecords
}

const summaryVersion = 1

// rowsMax bounds the rows of a summary that is read.
const rowsMax = math.MaxUint32

func (s *summary) append(b []byte) ([]byte, error) {
	b = append(b, summaryVersion, 0)
	if s.graded {
		b[len(b)-1] = 1
	}
	b = binary.AppendUvarint(b, s.rows)
	return s.totals.AppendSum(b)
}

func (s *summary) read(b []byte) error {
	if len(b) < 2 || b[0] != summaryVersion || b[1] > 1 {
		return errColumns
	}
	s.graded = b[1] == 1
	b = b[2:]
	rows, size := binary.Uvarint(b)
	if size <= 0 || rows > rowsMax {
		return errColumns
	}
	s.rows = rows
	return s.totals.UnmarshalSum(b[size:])
}

// Finish stores the columns and the sum of all units if the sweep is complete, so that
// it opens and answers at once, drops the indexes, and frees the disk that is no longer
// used. It does nothing if the columns are there.
func (d *Database) Finish() error {
	if d.sealed || d.units == 0 || len(d.done) < d.units {
		return nil
	}
	return d.Seal()
}

// Seal writes the columns and the sum anew, with the measures of records that have them.
func (d *Database) Seal() error {
	s := summary{totals: d.sum, graded: true}
	var rows []row
	err := d.Numbered(func(id ID, r *sweep.Record) error {
		n, err := d.measures(id)
		if err != nil {
			return err
		}
		r.Measures = n
		s.graded = s.graded && len(n) > 0
		rows = append(rows, row{
			id: id, states: r.States(), distance: uint16(min(r.Distance(), math.MaxUint16)), pieces: uint16(min(r.Pieces, math.MaxUint16)),
			second: uint8(min(r.Attribute(second), math.MaxUint8)), grade: uint8(min(r.Grade(), math.MaxUint8)),
		})
		return nil
	})
	if err != nil {
		return err
	}
	s.rows = uint64(len(rows))
	value, err := s.append(nil)
	if err != nil {
		return err
	}
	b := d.db.NewBatch()
	err = b.Set([]byte{summaryKey}, value, nil)
	for block := 0; block*blockRows < len(rows); block++ {
		key := binary.BigEndian.AppendUint32([]byte{columnsKey}, uint32(block))
		part := rows[block*blockRows : min((block+1)*blockRows, len(rows))]
		err = errors.Join(err, b.Set(key, appendBlock(nil, part), nil))
	}
	for i := range indexes { // the columns replace them
		err = errors.Join(err, b.DeleteRange([]byte{byte(indexes[i].order)}, []byte{byte(indexes[i].order) + 1}, nil))
	}
	if err = errors.Join(err, b.Set([]byte{versionKey}, []byte{versionSealed}, nil)); err != nil {
		return err
	}
	err = d.guard.Do(func() error {
		return cmp.Or(errors.Join(b.Commit(pebble.Sync), b.Close()), d.db.Compact(context.Background(), []byte{0}, []byte{math.MaxUint8}, true))
	})
	if err != nil {
		return fmt.Errorf("store the columns: %w", d.explain(err))
	}
	d.sealed, d.columns = true, &columns{rows, s.graded}
	return nil
}

// loadSummary reads the sum of a complete sweep, if it is there.
func (d *Database) loadSummary() error {
	value, err := d.get([]byte{summaryKey})
	if errors.Is(err, pebble.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	var s summary
	if err := s.read(value); err != nil {
		return err
	}
	d.sealed, d.sum, d.rows, d.graded = true, s.totals, int(s.rows), s.graded
	return nil
}

// column returns the columns, which are read by the first question, or nil if there are
// none.
func (d *Database) column() (*columns, error) {
	if !d.sealed || d.columns != nil {
		return d.columns, nil
	}
	c := &columns{rows: make([]row, 0, min(d.rows, 1<<24)), graded: d.graded}
	err := d.scan([]byte{columnsKey}, func(_, value []byte) error {
		n := min(blockRows, d.rows-len(c.rows))
		c.rows = append(c.rows, make([]row, n)...)
		return readBlock(value, c.rows[len(c.rows)-n:])
	})
	if err == nil && len(c.rows) != d.rows {
		err = errColumns
	}
	if err != nil {
		return nil, err
	}
	d.columns = c
	return c, nil
}

// sel yields the records that a filter selects.
func (c *columns) sel(d *Database, f *Filter, x *index, yield func(*sweep.Record, error) bool) error {
	// A bucket per number, or for sizes per power of two, in order.
	buckets := make(map[uint64][]int32)
	for i := range c.rows {
		if r := &c.rows[i]; f.wants(r) {
			n := r.number(x.order)
			if x.order == ByStates {
				n = uint64(bits.Len64(n))
			}
			buckets[n] = append(buckets[n], int32(i))
		}
	}
	for _, n := range sorted(buckets, x) {
		if err := c.bucket(d, buckets[n], x, yield); err != nil {
			return err
		}
	}
	return nil
}

// sorted returns the numbers that a map has, in an order.
func sorted[V any](of map[uint64]V, x *index) []uint64 {
	numbers := slices.Sorted(maps.Keys(of))
	if x.down {
		slices.Reverse(numbers)
	}
	return numbers
}

// bucket yields the records of rows, sorted. All have the same number in the order, or it
// is their size that orders them.
func (c *columns) bucket(d *Database, rows []int32, x *index, yield func(*sweep.Record, error) bool) error {
	before := func(a, b int32) int {
		p, q := &c.rows[a], &c.rows[b]
		if x.order == ByStates && p.states != q.states {
			return cmp.Compare(q.states, p.states)
		}
		return cmp.Or(cmp.Compare(q.distance, p.distance), cmp.Compare(q.states, p.states))
	}
	slices.SortStableFunc(rows, before)
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && before(rows[0], rows[n]) == 0 {
			n++
		}
		var group []*sweep.Record
		for _, i := range rows[:n] {
			r, err := d.Record(c.rows[i].id)
			if err != nil {
				return err
			}
			group = append(group, r)
		}
		slices.SortFunc(group, sweep.Compare)
		for _, r := range group {
			if !yield(r, nil) {
				return errEnough
			}
		}
		rows = rows[n:]
	}
	return nil
}

// records yields all records in an order, those that are equal in it by id.
func (c *columns) records(d *Database, x *index, yield func(*sweep.Record, error) bool) error {
	all := make([]int32, len(c.rows)) // which are sorted by id
	for i := range all {
		all[i] = int32(i)
	}
	slices.SortStableFunc(all, func(a, b int32) int {
		if x.down {
			a, b = b, a
		}
		return cmp.Compare(c.rows[a].number(x.order), c.rows[b].number(x.order))
	})
	for _, i := range all {
		r, err := d.Record(c.rows[i].id)
		if err != nil {
			return err
		}
		if !yield(r, nil) {
			return errEnough
		}
	}
	return nil
}

// histogram calls f with each number that selected rows have, in order.
func (c *columns) histogram(filter *Filter, x *index, f func(number, records uint64)) {
	tally := make(map[uint64]uint64)
	for i := range c.rows {
		if r := &c.rows[i]; filter.wants(r) {
			tally[r.number(x.order)]++
		}
	}
	for _, n := range sorted(tally, x) {
		f(n, tally[n])
	}
}

func (c *columns) count(f *Filter) (n uint64) {
	for i := range c.rows {
		if f.wants(&c.rows[i]) {
			n++
		}
	}
	return n
}

// Numbers are what records are selected by.
type Numbers struct {
	Distance, States, Pieces, Second, Grade uint64
}

// EachNumbers calls f with the numbers of all records, in the order of their ids, until it
// returns an error. If the sweep is complete, no record is read.
func (d *Database) EachNumbers(f func(id ID, n Numbers) error) error {
	c, err := d.column()
	if err != nil {
		return err
	}
	if c == nil {
		return d.Numbered(func(id ID, r *sweep.Record) error {
			return f(id, Numbers{uint64(r.Distance()), r.States(), uint64(r.Pieces), r.Attribute(second), 0})
		})
	}
	for i := range c.rows {
		r := &c.rows[i]
		if err := f(r.id, Numbers{uint64(r.distance), r.states, uint64(r.pieces), uint64(r.second), uint64(r.grade)}); err != nil {
			return err
		}
	}
	return nil
}
