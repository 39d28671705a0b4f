package engine

import (
	"context"
	"fmt"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/store/bucket"
	"github.com/everystate/everystate/store/layerobject"
)

// Stored is a run as it is stored in a bucket. It is a LayerSource.
type Stored struct {
	Run     *bucket.Run
	Entries journal.Entries // as in a journal
	Spec    history.Spec
	History history.History
	// By is who began the last session, empty if there was none.
	By string

	patience *bucket.Patience
	session  uint32 // first epoch of the last one, 0 if there was none
	objects  map[store.SegmentID][]journal.Object
}

// ReadStored reads the log of a run in a bucket. A run that does not exist has no
// entries. While the bucket does not answer, ReadStored retries; after a while it
// calls tell, which may be nil, and again when the bucket is back.
func ReadStored(ctx context.Context, run *bucket.Run, tell func(text string)) (*Stored, error) {
	return readStored(ctx, run, bucket.PatienceTelling(tell))
}

func readStored(ctx context.Context, run *bucket.Run, p *bucket.Patience) (*Stored, error) {
	s := &Stored{Run: run, patience: p, objects: make(map[store.SegmentID][]journal.Object)}
	var log journal.Entries
	err := p.Try(ctx, func() (err error) {
		log, err = run.Log(ctx, 0)
		return err
	})
	if err != nil {
		return nil, err
	}
	if s.Spec, s.History, err = journal.Read(log); err != nil {
		return nil, fmt.Errorf("%s: %w", run.URL(), err)
	}
	for i, body := range log {
		plain, err := journal.Plain(body)
		if err != nil {
			return nil, fmt.Errorf("%s: log entry %d: %w", run.URL(), i, err)
		}
		s.Entries = append(s.Entries, plain)
		e, err := journal.ReadEntry(body, s.Spec.Partitions)
		if err != nil {
			return nil, fmt.Errorf("%s: log entry %d: %w", run.URL(), i, err)
		}
		if e.Layer != nil {
			s.objects[segmentID(*e.Layer)] = e.Objects
		}
		if e.FirstEpoch > 0 {
			s.By, s.session = e.SessionBy, e.FirstEpoch
		}
	}
	return s, nil
}

// Cut drops everything after the first n layers of the forward phase, if there
// are more.
func (s *Stored) Cut(n int) (err error) {
	if s.Entries, err = journal.FirstLayers(s.Entries, n); err == nil {
		s.Spec, s.History, err = journal.Read(s.Entries)
	}
	return err
}

// Layer calls f with the blocks of a layer, partitions in increasing order.
func (s *Stored) Layer(ctx context.Context, l history.Layer, f func(part uint32, block []byte) error) error {
	var objects []layerobject.Object
	for _, o := range s.objects[segmentID(l)] {
		objects = append(objects, layerobject.Object{Name: o.Name, Partitions: o.Partitions})
	}
	return layerobject.Read(ctx, s.Run, s.patience, s.Spec.Partitions, objects, f)
}

// Counts returns the part of the summary that needs no look at the states.
func (s *Stored) Counts() Summary {
	c := countsOf(s.Spec, &s.History, history.Goal)
	c.Run = s.Run.URL()
	for _, p := range []history.Phase{history.Forward, history.Goal} {
		for _, l := range s.History.Layers(p) {
			c.DiskBytes += l.Bytes
		}
	}
	return c
}

// Objects returns the objects of a layer.
func (s *Stored) Objects(l history.Layer) []journal.Object { return s.objects[segmentID(l)] }

// Control returns the run's control object, and false if there is none.
func (s *Stored) Control(ctx context.Context) (c journal.Control, known bool, err error) {
	err = s.patience.Try(ctx, func() (err error) {
		c, known, err = journal.ControlOf(ctx, s.Run)
		return err
	})
	return c, known, err
}
