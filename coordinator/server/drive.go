package server

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/internal/telemetry/tracing"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// step lets the core of the active run take an event, and performs what
// follows.
func (s *Server) step(ev core.Event) {
	r := s.active
	if err := s.stepOf(ev); err != nil {
		s.fail(r, err)
	}
}

// stepOf is like step, but returns the core's error about an event that cannot
// have happened, after which the core is as before.
func (s *Server) stepOf(ev core.Event) error {
	r := s.active
	if r == nil || r.core == nil {
		return nil
	}
	c := r.core
	effects, err := c.Step(ev)
	if err != nil {
		return err
	}
	for err == nil && len(effects) > 0 && r.core == c {
		effect := effects[0]
		effects = effects[1:]
		var more []core.Effect
		more, err = s.perform(r, effect)
		effects = append(effects, more...)
	}
	if err != nil {
		s.fail(r, err)
	}
	return nil
}

// perform performs an effect and returns what follows from it at once.
func (s *Server) perform(r *run, effect core.Effect) ([]core.Effect, error) {
	switch e := effect.(type) {
	case core.Hold:
		r.waitFor, r.waitBackup = nil, false
		s.order(r, e.Worker, s.holdOrder(r, e))
	case core.Begin:
		r.waitFor, r.waitBackup = nil, false
		r.began = time.Now()
		s.order(r, e.Worker, s.attemptOrder(r, e.Attempt))
	case core.Expand:
		s.orderStage(r, e.Worker, everystatev1.Stage_STAGE_EXPANDED)
	case core.Write:
		s.orderStage(r, e.Worker, everystatev1.Stage_STAGE_WRITTEN)
	case core.End:
		s.order(r, e.Worker, nil)
	case core.Unbalanced:
		s.unbalanced++
		r.trouble = e.Err.Say(r.names[e.Err.From], r.names[e.Err.To])
		s.log.Error("layer not committed", "run", r.name, "why", r.trouble)
	case core.Wait:
		r.waitFor, r.waitBackup = e.For, e.Backup
	case core.CommitPlacement:
		return s.commitPlacement(r, e.Homes)
	case core.CommitLayer:
		return s.commitLayer(r, e.Layer)
	case core.CommitEnd:
		e.End.Nanos = int64(time.Since(r.began))
		if err := r.append(journal.End(e.End)); err != nil {
			return nil, fmt.Errorf("commit the end of phase %v: %w", e.End.Phase, err)
		}
		s.noteCommit(r)
		return r.core.Step(core.Committed{Nanos: e.End.Nanos})
	case core.Rewind:
		if err := s.rewind(r); err != nil {
			return nil, err
		}
		clear(r.givenUp) // those who keep what is left may be others
		return r.core.Step(core.Rewound{History: r.history})
	case core.Stop:
		if lost := new(core.ConservationError); errors.As(e.Err, &lost) {
			return nil, errors.New(lost.Say(r.names[lost.From], r.names[lost.To]))
		}
		if e.Err != nil {
			return nil, e.Err
		}
		s.deactivate(history.Stopped, "")
		s.soon()
	default:
		return nil, fmt.Errorf("unknown effect %T", e)
	}
	return nil, nil
}

// noteCommit lets those know who wait for a new entry of the journal.
func (s *Server) noteCommit(r *run) {
	r.gotOn()
	if r.backup != nil {
		r.backup.wake()
	}
}

func (s *Server) commitPlacement(r *run, homes []history.WorkerID) ([]core.Effect, error) {
	place := history.Placement{Workers: slices.Clone(r.names), Homes: homes}
	if err := r.append(journal.Placement(place)); err != nil {
		return nil, fmt.Errorf("commit where the partitions are: %w", err)
	}
	if !r.core.History().AddPlacement(place) {
		return nil, fmt.Errorf("these partitions cannot be placed this way")
	}
	s.log.Info("partitions placed", "run", r.name, "shares", shares(place))
	r.waitFor, r.waitBackup = nil, false
	s.noteCommit(r)
	return r.core.Step(core.Committed{})
}

// shares says how many partitions each worker has.
func shares(place history.Placement) string {
	var out []string
	for id, name := range place.Workers {
		if n := partitionsOf(&place, history.WorkerID(id)); n > 0 {
			out = append(out, fmt.Sprintf("%s %d", name, n))
		}
	}
	sort.Strings(out)
	return strings.Join(out, ", ")
}

func partitionsOf(place *history.Placement, id history.WorkerID) int {
	n := 0
	for _, home := range place.Homes {
		if home == id {
			n++
		}
	}
	return n
}

// layerToldAfter is how long a layer takes of which the log tells: a deep space has
// thousands that take milliseconds.
const layerToldAfter = 5 * time.Second

func (s *Server) commitLayer(r *run, l history.Layer) ([]core.Effect, error) {
	l.Nanos = int64(time.Since(r.began))
	if err := r.append(journal.Layer(l)); err != nil {
		return nil, fmt.Errorf("commit %v layer %d: %w", l.Phase, l.Depth, err)
	}
	c := r.core
	committed := core.Committed{Nanos: l.Nanos}
	b := r.backup
	if b != nil {
		b.await(len(r.log)-1, l, *r.past().Placement(), r.past().Identity())
		for _, m := range s.members {
			if len(b.pending[len(b.pending)-1].writers[m.name]) > 0 {
				m.tell(m.run, m.attempt) // what it has to upload
			}
		}
	}
	s.noteCommit(r)
	s.opts.Traces.Layer(tracing.Attempt{Run: r.name, Phase: phaseName(l.Phase), Depth: int(l.Depth), Epoch: uint64(l.Epoch)}, r.began, l.States, l.Generated)
	if took := time.Duration(l.Nanos); took >= layerToldAfter {
		s.log.Info("layer made", "run", r.name, "phase", phaseName(l.Phase), "layer", l.Depth, "states", l.States,
			"generated", l.Generated, "took", took.Round(time.Millisecond))
	}
	if b != nil && b.lags() && !s.stuck(r) {
		r.committed = func() {
			if r.core == c {
				s.step(committed)
			}
		}
		return nil, nil
	}
	return c.Step(committed)
}
