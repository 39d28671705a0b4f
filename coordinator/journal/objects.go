package journal

import (
	"bytes"
	"fmt"
	"math"

	"google.golang.org/protobuf/proto"

	"github.com/everystate/everystate/coordinator/history"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
)

// The log of a run in a bucket holds the entries of its journal; those of layers
// also name the objects that hold the blocks.

// Object is an object in a bucket that holds the blocks of some partitions of a
// layer.
type Object struct {
	Name       string
	Bytes      int64
	Partitions []uint32 // in increasing order
}

// WithObjects returns the entry of a layer with the objects that hold its blocks
// added.
func WithObjects(entry []byte, objects []Object) ([]byte, error) {
	var e everystatev1.JournalEntry
	if err := proto.Unmarshal(entry, &e); err != nil {
		return nil, err
	}
	layer := e.GetLayer()
	if layer == nil {
		return nil, fmt.Errorf("is not the entry of a layer")
	}
	layer.Objects = nil
	for _, o := range objects {
		layer.Objects = append(layer.Objects, &everystatev1.StoredObject{
			Name: o.Name, Bytes: uint64(o.Bytes), Partitions: o.Partitions,
		})
	}
	return marshal(&e), nil
}

// Plain returns an entry of a log as it is in the journal, without objects.
func Plain(entry []byte) ([]byte, error) {
	var e everystatev1.JournalEntry
	if err := proto.Unmarshal(entry, &e); err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	if e.GetLayer() == nil {
		return entry, nil
	}
	e.GetLayer().Objects = nil
	return marshal(&e), nil
}

// Entry is the content of an entry of a journal or a log, as far as the fields
// below.
type Entry struct {
	// Layer is the layer that the entry commits, nil if it commits none.
	Layer *history.Layer
	// Objects are the objects with the layer's blocks, in a log.
	Objects []Object
	// Placement is where the partitions are kept from then on, nil if the entry
	// does not record that.
	Placement *history.Placement
	// SessionBy is who began the session that the entry begins.
	SessionBy string
	// Ends is set if the entry ends a phase.
	Ends bool
	// FirstEpoch is the first epoch of that session, 0 if the entry begins none.
	FirstEpoch uint32
}

// ReadEntry decodes an entry. It does not check that it fits those before it.
func ReadEntry(entry []byte, partitions int) (Entry, error) {
	var e everystatev1.JournalEntry
	if err := proto.Unmarshal(entry, &e); err != nil {
		return Entry{}, fmt.Errorf("cannot be read: %w", err)
	}
	var out Entry
	switch e := e.GetEntry().(type) {
	case *everystatev1.JournalEntry_Layer:
		l, err := wire.LayerOf(e.Layer, partitions)
		if err != nil {
			return Entry{}, err
		}
		out.Layer = &l
		if out.Objects, err = objectsOf(e.Layer.GetObjects(), partitions); err != nil {
			return Entry{}, err
		}
	case *everystatev1.JournalEntry_Placement:
		p := placementOf(e.Placement)
		out.Placement = &p
	case *everystatev1.JournalEntry_PhaseEnd:
		out.Ends = true
	case *everystatev1.JournalEntry_SessionStart:
		first := e.SessionStart.GetFirstEpoch()
		if first > math.MaxUint32 {
			return Entry{}, fmt.Errorf("a session cannot begin with epoch %d", first)
		}
		out.SessionBy, out.FirstEpoch = e.SessionStart.GetBy(), uint32(first)
	}
	return out, nil
}

func objectsOf(stored []*everystatev1.StoredObject, partitions int) ([]Object, error) {
	var objects []Object
	for _, s := range stored {
		if s.GetName() == "" || s.GetBytes() > math.MaxInt64 {
			return nil, fmt.Errorf("names an impossible object")
		}
		for i, p := range s.GetPartitions() {
			if int64(p) >= int64(partitions) || i > 0 && p <= s.GetPartitions()[i-1] {
				return nil, fmt.Errorf("object %s: partition %d of %d, or not in order", s.GetName(), p, partitions)
			}
		}
		objects = append(objects, Object{Name: s.GetName(), Bytes: int64(s.GetBytes()), Partitions: s.GetPartitions()})
	}
	return objects, nil
}

// Entries is a journal in memory.
type Entries [][]byte

// Journal calls f with each entry in order.
func (e Entries) Journal(f func(entry []byte) error) error {
	for _, entry := range e {
		if err := f(entry); err != nil {
			return err
		}
	}
	return nil
}

// Diverge returns the length of the longest common prefix of a journal and a log,
// in entries.
func Diverge(journal, log Entries) (int, error) {
	for i := range min(len(journal), len(log)) {
		plain, err := Plain(log[i])
		if err != nil {
			return 0, fmt.Errorf("log entry %d: %w", i, err)
		}
		if !bytes.Equal(plain, journal[i]) {
			return i, nil
		}
	}
	return min(len(journal), len(log)), nil
}
