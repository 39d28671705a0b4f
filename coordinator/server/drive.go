package server

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/gauges"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/internal/telemetry/tracing"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// step passes an event to the core and performs the effects.
func (l *layersJob) step(ev core.Event) {
	if err := l.stepOf(ev); err != nil {
		l.server.fail(l.run, err)
	}
}

// stepOf is like step, but returns the core's error about an event that cannot have
// happened, which leaves the core unchanged.
func (l *layersJob) stepOf(ev core.Event) error {
	if l.core == nil {
		return nil
	}
	c := l.core
	effects, err := c.Step(ev)
	if err != nil {
		return err
	}
	for err == nil && len(effects) > 0 && l.core == c {
		effect := effects[0]
		effects = effects[1:]
		var more []core.Effect
		more, err = l.perform(effect)
		effects = append(effects, more...)
	}
	if err != nil {
		l.server.fail(l.run, err)
	}
	return nil
}

// perform performs an effect and returns the effects that follow at once.
func (l *layersJob) perform(effect core.Effect) ([]core.Effect, error) {
	s := l.server
	switch e := effect.(type) {
	case core.Hold:
		l.waits = core.Wait{}
		l.order(e.Worker, l.holdOrder(e))
	case core.Ahead:
		l.orderAhead(e)
	case core.Begin:
		l.waits, l.began = core.Wait{}, time.Now()
		l.order(e.Worker, l.attemptOrder(e))
	case core.Expand:
		l.orderStage(e.Worker, everystatev1.Stage_STAGE_EXPANDED)
	case core.Write:
		l.orderStage(e.Worker, everystatev1.Stage_STAGE_WRITTEN)
	case core.End:
		l.order(e.Worker, nil)
	case core.Unbalanced:
		s.unbalanced++
		l.trouble = e.Err.Say(l.names[e.Err.From], l.names[e.Err.To])
		s.log.Error("layer not committed", "run", l.name, "why", l.trouble)
	case core.Wait:
		l.waits = e
	case core.Retry:
		l.retry(e)
	case core.Renew:
		l.renew(e)
	case core.LeaveOut:
		l.leaveOut(e)
	case core.CommitPlacement:
		return l.commitPlacement(e.Homes)
	case core.CommitLayer:
		return l.commitLayers([]history.Layer{e.Layer})
	case core.CommitLayers:
		return l.commitLayers(e.Layers)
	case core.CommitEnd:
		e.End.Nanos = int64(time.Since(l.began))
		if err := l.append(journal.End(e.End)); err != nil {
			return nil, fmt.Errorf("commit the end of phase %v: %w", e.End.Phase, err)
		}
		l.noteCommit()
		return l.afterCommit(core.Committed{Nanos: e.End.Nanos})
	case core.Rewind:
		if l.backup != nil && !l.backup.mayCut() {
			return nil, nil
		}
		if err := l.rewind(e); err != nil {
			return nil, err
		}
		clear(l.givenUp) // other workers may keep what is left
		return l.core.Step(core.Rewound{History: l.history})
	case core.Stop:
		if lost := new(core.ConservationError); errors.As(e.Err, &lost) {
			return nil, errors.New(lost.Say(l.names[lost.From], l.names[lost.To]))
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

// rewind forgets what is lost.
func (l *layersJob) rewind(e core.Rewind) error {
	if l.backup == nil {
		return l.cutBack(e.Phase, e.Depth)
	}
	if !e.Lacking || l.backup.behindJournal() {
		if err := l.backup.rewind(); err != nil {
			return err
		}
	}
	if e.Lacking {
		l.backup.makeAgain(e.Phase, e.Depth)
	}
	return nil
}

// noteCommit notes that the attempt has come to its end.
func (l *layersJob) noteCommit() {
	l.trouble = ""
	l.grey.Committed()
	l.run.noteCommit()
}

// noteCommit notifies those who wait for a new entry of the journal.
func (r *run) noteCommit() {
	r.pace.Progressed(r.server.now())
	if r.backup != nil {
		r.backup.wake()
	}
}

func (l *layersJob) commitPlacement(homes []history.WorkerID) ([]core.Effect, error) {
	place := history.Placement{Workers: slices.Clone(l.names), Homes: homes}
	if err := l.append(journal.Placement(place)); err != nil {
		return nil, fmt.Errorf("commit where the partitions are: %w", err)
	}
	if !l.core.History().AddPlacement(place) {
		return nil, fmt.Errorf("these partitions cannot be placed this way")
	}
	l.server.log.Info("partitions placed", "run", l.name, "shares", place.Shares())
	l.waits = core.Wait{}
	l.noteCommit()
	return l.core.Step(core.Committed{})
}

// layerToldAfter is the least time that a layer must take to be logged: a deep space has
// thousands of layers that take milliseconds.
const layerToldAfter = 5 * time.Second

// commitLayers records layers that were made together, all or none of them.
func (l *layersJob) commitLayers(made []history.Layer) ([]core.Effect, error) {
	took, first := time.Since(l.began), len(l.log)
	entries := make([][]byte, len(made))
	for i := range made {
		made[i].Nanos = int64(took) / int64(len(made))
		entries[i] = journal.Layer(made[i])
	}
	if err := l.append(entries...); err != nil {
		return nil, fmt.Errorf("commit %v layer %d: %w", made[0].Phase, made[0].Depth, err)
	}
	for i, one := range made {
		if b := l.backup; b != nil {
			waits := b.copy.Await(first+i, one, l.past().Placement(), l.past().Identity(), "", time.Now())
			for _, m := range l.server.members {
				if waits.Share(m.name) != nil {
					m.tell(m.run, m.attempt) // it has this layer to upload
				}
			}
		}
		l.server.opts.Traces.Layer(tracing.Attempt{Run: l.name, Phase: gauges.Phase(one.Phase), Depth: int(one.Depth), Epoch: uint64(one.Epoch)}, l.began, one.States, one.Generated)
	}
	l.noteCommit()
	if last := made[len(made)-1]; took >= layerToldAfter {
		l.server.log.Info("layer made", "run", l.name, "phase", gauges.Phase(last.Phase), "layer", last.Depth, "states", last.States, "generated", last.Generated, "took", took.Round(time.Millisecond))
	}
	l.began = time.Now()
	return l.afterCommit(core.Committed{Nanos: int64(took)})
}

// afterCommit takes the step after a commit, unless work remains and another run comes first.
func (l *layersJob) afterCommit(ev core.Committed) ([]core.Effect, error) {
	effects, err := l.core.Step(ev)
	over := slices.ContainsFunc(effects, func(e core.Effect) bool { _, is := e.(core.Stop); return is })
	if err == nil && !over && l.yield() {
		return nil, nil // no worker has been told of what was to begin
	}
	return effects, err
}
