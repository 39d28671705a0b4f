package journal

import (
	"bytes"
	"fmt"
	"math"

	"google.golang.org/protobuf/proto"

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// Bounds of a sweep: the number of its units, and the bytes of what one unit found.
const (
	UnitsMax     = 1 << 20
	UnitBytesMax = 64 << 20
)

// Unit returns the entries that commit what a unit of a sweep found, which must not
// be empty. The unit is done when the last entry is recorded. epoch is that of the
// session.
func Unit(unit, epoch uint32, found []byte) Entries {
	var entries Entries
	parts := uint32(Chunks(len(found)))
	for part := range parts {
		from := int(part) * ChunkBytes
		entries = append(entries, marshal(&everystatev1.JournalEntry{Entry: &everystatev1.JournalEntry_UnitPart{UnitPart: &everystatev1.UnitPart{
			Unit: unit, Epoch: uint64(epoch), Part: part, Parts: parts, Data: found[from:min(from+ChunkBytes, len(found))],
		}}}))
	}
	return entries
}

// fits reports whether an entry belongs in a run of the given kind, a sweep or not.
func fits(e *everystatev1.JournalEntry, sweeps bool) bool {
	switch e.GetEntry().(type) {
	case *everystatev1.JournalEntry_UnitPart:
		return sweeps
	case *everystatev1.JournalEntry_Layer, *everystatev1.JournalEntry_PhaseEnd, *everystatev1.JournalEntry_Placement:
		return !sweeps
	}
	return true
}

// unitParts is how much of a unit has been read.
type unitParts struct {
	unit, epoch, next, parts uint32
	bytes                    int
}

// add takes the next part. It reports whether that completes the unit.
func (u *unitParts) add(m *everystatev1.UnitPart) (whole bool, err error) {
	if m.GetEpoch() > math.MaxUint32 {
		return false, fmt.Errorf("unit %d of epoch %d", m.GetUnit(), m.GetEpoch())
	}
	if m.GetPart() == 0 {
		*u = unitParts{unit: m.GetUnit(), epoch: uint32(m.GetEpoch()), parts: m.GetParts()}
	}
	last := m.GetPart()+1 == u.parts
	switch {
	case m.GetUnit() != u.unit || m.GetEpoch() != uint64(u.epoch) || m.GetParts() != u.parts || m.GetPart() != u.next || m.GetPart() >= u.parts:
		return false, fmt.Errorf("part %d of %d of unit %d is not the next", m.GetPart(), m.GetParts(), m.GetUnit())
	case len(m.GetData()) == 0 || len(m.GetData()) > ChunkBytes || !last && len(m.GetData()) != ChunkBytes:
		return false, fmt.Errorf("part %d of unit %d has %d bytes", m.GetPart(), m.GetUnit(), len(m.GetData()))
	case u.bytes+len(m.GetData()) > UnitBytesMax:
		return false, fmt.Errorf("unit %d has more than %d bytes", m.GetUnit(), UnitBytesMax)
	}
	u.next++
	u.bytes += len(m.GetData())
	return last, nil
}

// unitPart takes a part of a unit.
func (r *reading) unitPart(m *everystatev1.UnitPart) error {
	whole, err := r.unit.add(m)
	switch {
	case err != nil || !whole:
		return err
	case int64(m.GetUnit()) >= int64(r.spec.Units) || !r.history.AddUnit(m.GetUnit(), uint32(m.GetEpoch())):
		return fmt.Errorf("unit %d of %d does not exist, or was already done", m.GetUnit(), r.spec.Units)
	}
	return nil
}

// Findings calls f with what each unit of a sweep found, in the order in which they
// were done. Read must have accepted the log. f must not retain found.
func Findings(log Log, f func(unit uint32, found []byte) error) error {
	var parts unitParts
	var found bytes.Buffer
	return log.Journal(func(entry []byte) error {
		var e everystatev1.JournalEntry
		if err := proto.Unmarshal(entry, &e); err != nil {
			return fmt.Errorf("cannot be read: %w", err)
		}
		m := e.GetUnitPart()
		if m == nil {
			return nil
		}
		if m.GetPart() == 0 {
			found.Reset()
		}
		whole, err := parts.add(m)
		if err != nil {
			return err
		}
		found.Write(m.GetData())
		if !whole {
			return nil
		}
		return f(m.GetUnit(), found.Bytes())
	})
}
