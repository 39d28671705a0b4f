package worker

import (
	"slices"
	"sort"

	"github.com/everystate/everystate/puzzle/partition"
)

// heldBlock is the number of records that a heldCursor yields at a time.
const heldBlock = 64

// held are the keys of an archive's segment in memory, in order, by partition. Many
// layers of few states are each looked up in every segment, and to read and decode a
// block of each would cost more than all else that such a layer takes.
type held map[partition.ID][]uint64

// A heldCursor reads a partition of held keys in order.
type heldCursor struct {
	recs   []uint64
	stride int
}

// Skip skips the records whose keys are all less than a key, given by its first word.
func (c *heldCursor) Skip(key uint64) {
	n := len(c.recs) / c.stride
	if n == 0 || c.recs[0] >= key {
		return
	}
	at := sort.Search(n, func(i int) bool { return c.recs[i*c.stride] >= key })
	c.recs = c.recs[at*c.stride:]
}

// Next returns the next records, or none at the end. They are not the caller's.
func (c *heldCursor) Next() ([]uint64, error) {
	n := min(len(c.recs), heldBlock*c.stride)
	recs := c.recs[:n:n]
	c.recs = c.recs[n:]
	return recs, nil
}

// hold takes what remains of a source into memory, behind the keys of the partitions
// before it, and returns all of them.
func (h held) hold(all []uint64, part partition.ID, source blockSource) ([]uint64, error) {
	from := len(all)
	for {
		recs, err := source.Next()
		if err != nil {
			return all, err
		}
		if len(recs) == 0 {
			break
		}
		all = append(all, recs...)
	}
	h[part] = slices.Clip(all[from:])
	return all, nil
}
