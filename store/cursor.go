package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"
)

// A Cursor reads one partition of a segment in order, one block at a time.
type Cursor struct {
	shape Shape
	buf   []uint64

	// The blocks are either in memory, as a Writer handed them out,
	blocks [][]byte
	// or they come from Pebble.
	s          *Store
	it         *pebble.Iterator
	positioned bool // the iterator is on a block or at the end
	id         SegmentID
	part       uint32
	err        error // the error that Next returned
}

// NewMemoryCursor returns a cursor over blocks that a Writer handed out.
func NewMemoryCursor(shape Shape, blocks [][]byte) *Cursor {
	return &Cursor{shape: shape, blocks: blocks}
}

// NewCursor returns a cursor at the start of a partition of a segment.
func (s *Store) NewCursor(shape Shape, id SegmentID, part uint32) (*Cursor, error) {
	lo := appendSegmentPrefix(make([]byte, 0, segmentKeySizeMax+1), id, part)
	it, err := s.newIter(lo, prefixEnd(lo))
	if err != nil {
		return nil, s.explain(fmt.Errorf("read %v, partition %d: %w", id, part, err))
	}
	return &Cursor{shape: shape, s: s, it: it, id: id, part: part}, nil
}

// EachBlock passes the blocks of some partitions of a segment to f, partition by partition
// and in order, in the form of NextBlock. parts must increase. f may keep the block.
func EachBlock(s *Store, id SegmentID, parts []uint32, f func(part uint32, block []byte) error) (err error) {
	if len(parts) == 0 {
		return nil
	}
	prefix := appendSegmentPrefix(make([]byte, 0, segmentPrefixSize), id, parts[0])
	it, err := s.newIter(slices.Clone(prefix), prefixEnd(appendSegmentPrefix(nil, id, parts[len(parts)-1])))
	if err != nil {
		return s.explain(fmt.Errorf("read %v: %w", id, err))
	}
	c := Cursor{s: s, it: it, id: id}
	defer func() { err = cmp.Or(err, c.Close()) }()
	on := it.First()
	for _, c.part = range parts {
		prefix = appendSegmentPrefix(prefix[:0], id, c.part)
		if on && bytes.Compare(it.Key(), prefix) < 0 {
			on = it.SeekGE(prefix)
		}
		for ; on && bytes.HasPrefix(it.Key(), prefix); on = it.Next() {
			block, err := c.block(nil)
			if err == nil {
				err = f(c.part, block)
			}
			if err != nil {
				return err
			}
		}
	}
	return s.explain(it.Error())
}

// Absent returns those of parts in which a segment has no record.
func (s *Store) Absent(id SegmentID, parts []uint32) (absent []uint32, err error) {
	if len(parts) == 0 {
		return nil, nil
	}
	lo := []byte{segmentPrefix, id.Phase}
	it, err := s.newIter(lo, prefixEnd(lo))
	if err != nil {
		return nil, s.explain(fmt.Errorf("look for %v: %w", id, err))
	}
	defer func() {
		if cerr := s.closeIter(it); cerr != nil && err == nil {
			err = s.explain(fmt.Errorf("look for %v: %w", id, cerr))
		}
	}()
	prefix := make([]byte, 0, segmentPrefixSize)
	for _, part := range parts {
		prefix = appendSegmentPrefix(prefix[:0], id, part)
		if it.SeekGE(prefix) && bytes.HasPrefix(it.Key(), prefix) {
			continue
		}
		if err := it.Error(); err != nil {
			return nil, s.explain(fmt.Errorf("look for %v: %w", id, err))
		}
		absent = append(absent, part)
	}
	return absent, nil
}

func prefixEnd(prefix []byte) []byte {
	end := append([]byte(nil), prefix...)
	for i := len(end) - 1; i >= 0; i-- {
		end[i]++
		if end[i] != 0 {
			break
		}
	}
	return end
}

// Next returns the records of the next block, or none at the end. The slice is
// valid until the next call.
func (c *Cursor) Next() ([]uint64, error) {
	if c.it == nil {
		return c.nextInMemory()
	}
	if !c.advance() {
		return nil, c.err
	}
	recs, err := c.decode()
	c.err = err
	return recs, err
}

// NextBlock appends the next block to dst in its form for transport (see
// AppendBlock); at the end it returns dst unchanged. It verifies the checksum but
// does not decode the block. A cursor over blocks in memory yields none.
func (c *Cursor) NextBlock(dst []byte) ([]byte, error) {
	if c.it == nil || !c.advance() {
		return dst, c.err
	}
	return c.block(dst)
}

// block appends the block under the iterator to dst.
func (c *Cursor) block(dst []byte) ([]byte, error) {
	value, err := c.it.ValueAndErr()
	if err != nil {
		c.err = c.s.explain(fmt.Errorf("read %v, partition %d: %w", c.id, c.part, err))
		return dst, c.err
	}
	if !checkBlock(value, c.it.Key()) {
		c.err = c.s.damaged(c.it.Key(), "checksum does not match")
		return dst, c.err
	}
	return rechecksumBlock(dst, value), nil
}

// advance moves to the next block in Pebble and reports whether there is one.
func (c *Cursor) advance() bool {
	var ok bool
	if c.positioned {
		ok = c.it.Next()
	} else {
		ok = c.it.First()
		c.positioned = true
	}
	if err := c.it.Error(); !ok && err != nil {
		c.err = c.s.explain(fmt.Errorf("read %v, partition %d: %w", c.id, c.part, err))
	}
	return ok
}

func (c *Cursor) nextInMemory() ([]uint64, error) {
	if len(c.blocks) == 0 {
		return nil, nil
	}
	block := c.blocks[0]
	c.blocks = c.blocks[1:]
	recs, ok := c.shape.decodeBlock(c.buf[:0], block)
	if !ok {
		return nil, &CorruptionError{Where: "memory", What: "a block differs from what was written"}
	}
	c.buf = recs
	return recs, nil
}

// decode decodes the block under the iterator.
func (c *Cursor) decode() ([]uint64, error) {
	value, err := c.it.ValueAndErr()
	if err != nil {
		return nil, c.s.explain(fmt.Errorf("read %v, partition %d: %w", c.id, c.part, err))
	}
	recs, err := c.s.decodeChecked(c.shape, c.buf[:0], c.it.Key(), value)
	if err != nil {
		return nil, err
	}
	c.buf = recs
	return recs, nil
}

// decodeChecked decodes a block and checks it against its checksum and its key,
// which has a segment's prefix, as the iterator's bounds guarantee.
func (s *Store) decodeChecked(shape Shape, dst []uint64, key, block []byte) ([]uint64, error) {
	if !checkBlock(block, key) {
		return nil, s.damaged(key, "checksum does not match")
	}
	recs, ok := shape.decodeBlock(dst, block)
	if !ok {
		return nil, s.damaged(key, "is not a block of this segment")
	}
	if !bytes.Equal(key[segmentPrefixSize:], shape.appendKey(nil, recs)) {
		return nil, s.damaged(key, "is in the wrong place")
	}
	return recs, nil
}

// damaged returns a CorruptionError for the block under a key.
func (s *Store) damaged(key []byte, what string) error {
	return &CorruptionError{Where: s.dir + ": " + describeSegmentKey(key), What: what}
}

func describeSegmentKey(key []byte) string {
	return fmt.Sprintf("phase %d, layer %d, partition %d, block %x", key[1],
		binary.BigEndian.Uint32(key[2:]), binary.BigEndian.Uint16(key[6:]), key[segmentPrefixSize:])
}

// Lend gives the cursor memory for the records of a block.
func (c *Cursor) Lend(recs []uint64) { c.buf = recs }

// Memory returns the memory that a closed cursor had for the records of a block.
func (c *Cursor) Memory() []uint64 { return c.buf }

// Close releases the cursor. It does not repeat an error that Next returned.
func (c *Cursor) Close() error {
	if c.it == nil {
		return nil
	}
	it := c.it
	c.it = nil
	if err := c.s.closeIter(it); err != nil && c.err == nil {
		return c.s.explain(fmt.Errorf("read %v, partition %d: %w", c.id, c.part, err))
	}
	return nil
}

// Find looks up the record with the key of rec in a partition of a segment. It
// appends the record found to dst, and reports whether there is one.
func (s *Store) Find(shape Shape, id SegmentID, part uint32, rec, dst []uint64) ([]uint64, bool, error) {
	c, err := s.NewCursor(shape, id, part)
	if err != nil {
		return dst, false, err
	}
	found, ok, err := c.find(rec)
	if ok {
		dst = append(dst, found...)
	}
	if cerr := c.Close(); err == nil {
		err = cerr
	}
	return dst, ok, err
}

// find looks in the only block that can hold the record: the last one that does
// not begin after it.
func (c *Cursor) find(rec []uint64) ([]uint64, bool, error) {
	key := appendSegmentPrefix(make([]byte, 0, segmentKeySizeMax+1), c.id, c.part)
	key = c.shape.appendKey(key, rec)
	key = append(key, 0) // the first key after it
	if !c.it.SeekLT(key) {
		return nil, false, c.s.explain(c.it.Error())
	}
	recs, err := c.decode()
	if err != nil {
		return nil, false, err
	}
	i := c.shape.lowerBound(recs, rec)
	if i < len(recs) && c.shape.Compare(recs[i:], rec) == 0 {
		return recs[i : i+c.shape.Stride], true, nil
	}
	return nil, false, nil
}

// lowerBound returns the index in recs, in words, of the first record whose key
// is not less than the key of rec.
func (s Shape) lowerBound(recs, rec []uint64) int {
	lo, hi := 0, len(recs)/s.Stride
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if s.Compare(recs[mid*s.Stride:], rec) < 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo * s.Stride
}
