package store

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// DropLayers removes the segments of a phase at depths from first up to but excluding
// end. The journal has an entry that says so, written before: that entry is on disk before
// anything is removed. With now the space is free when DropLayers returns, otherwise
// after a later compaction.
func DropLayers(s *Store, phase uint8, first, end uint32, now bool) error {
	lo := binary.BigEndian.AppendUint32([]byte{segmentPrefix, phase}, first)
	hi := binary.BigEndian.AppendUint32([]byte{segmentPrefix, phase}, end)
	it, err := s.newIter(lo, hi)
	if err != nil {
		return s.explain(err)
	}
	found := it.First()
	if err := s.closeIter(it); err != nil {
		return s.explain(err)
	}
	if !found {
		return nil
	}
	err = s.guard.Do(func() error {
		if !now {
			return s.db.DeleteRange(lo, hi, pebble.NoSync)
		}
		if err := s.db.DeleteRange(lo, hi, pebble.Sync); err != nil {
			return err
		}
		return s.db.Compact(context.Background(), lo, hi, false)
	})
	if err != nil {
		return s.explain(fmt.Errorf("drop layers %d to %d: %w", first, end-1, err))
	}
	return nil
}
