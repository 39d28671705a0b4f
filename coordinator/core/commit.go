package core

import (
	"fmt"
	"math"
	"slices"

	"github.com/everystate/everystate/coordinator/history"
)

// written adds up a member's part of the layer. The last one decides: the layer is
// committed if the candidates taken are those sent, and otherwise made again.
func (c *Core) written(ev Written) ([]Effect, error) {
	if !c.awaits(ev.Worker, ev.Epoch, writing) {
		return nil, nil
	}
	if err := c.checkWritten(ev); err != nil {
		return nil, err
	}
	c.carried.note(ev.Worker, ev.Took, false)
	if c.attempt.Straight {
		noteExpanded(c, ev.Expanded)
	}
	for _, p := range ev.Parts {
		addPart(&c.layer, c.samples, p)
	}
	c.layer.Bytes += ev.Bytes
	if !c.answers(ev.Worker, ev.Epoch, writing) {
		return nil, nil
	}
	if err := c.carried.imbalance(); err != nil {
		return c.unbalanced(err), nil
	}
	if c.attempt.Source == FromMoves {
		return madeEdges(c), nil
	}
	c.stage = committing
	if c.attempt.Source == FromSuccessors || c.attempt.Source == FromPredecessors {
		// Start states and goal states are not successors of anything.
		c.layer.Generated = c.generated
	}
	if c.layer.States == 0 {
		return []Effect{CommitEnd{c.phaseEnd()}}, nil
	}
	c.layer.KeptFrom = keptFrom(c, c.layer)
	c.layer.Sample = c.samples.first(c.partitions)
	return []Effect{CommitLayer{c.layer}}, nil
}

// checkWritten returns what is wrong with a worker's report, or nil.
func (c *Core) checkWritten(ev Written) error {
	mine := c.share(slices.Index(c.members, ev.Worker))
	sums := history.Layer{States: c.layer.States, Represented: c.layer.Represented, Pruned: c.layer.Pruned}
	for i, p := range ev.Parts {
		if i >= len(mine) || p.Part != mine[i] || !possible(c, &sums, p) {
			return fmt.Errorf("worker %d reports impossible counts for partition %d", ev.Worker, p.Part)
		}
		sums.States += p.States
		sums.Represented += p.Represented
		sums.Pruned += p.Pruned
	}
	if len(ev.Parts) != len(mine) {
		return fmt.Errorf("worker %d reports %d of its %d partitions", ev.Worker, len(ev.Parts), len(mine))
	}
	if ev.Bytes < 0 || ev.Bytes > math.MaxInt64-c.layer.Bytes {
		return fmt.Errorf("worker %d reports %d bytes", ev.Worker, ev.Bytes)
	}
	if c.attempt.Straight {
		if err := checkExpanded(c, ev.Expanded); err != nil {
			return err
		}
	}
	return checkCarried(c.members, ev.Worker, ev.Took)
}

// possible reports whether a worker can have written a partition so, beside what is in
// the layer already.
func possible(c *Core, l *history.Layer, p Part) bool {
	forward := c.attempt.Phase == history.Forward
	switch {
	case p.States < 0 || p.States > math.MaxInt64-l.States || p.States > 0 && c.attempt.Source == FromMoves:
		return false
	case p.Goals < 0 || p.Goals > p.States || p.Goals > 0 && !forward:
		return false
	case p.Represented != 0 && (p.Represented < p.States || !forward) || p.Represented > math.MaxInt64-l.Represented:
		return false
	case len(p.Sample) > history.SampleMax || int64(len(p.Sample)) > p.States || len(p.Sample) > 0 && !c.attempt.Sample:
		return false
	}
	return p.Pruned >= 0 && (p.Pruned == 0 || forward) && p.Pruned <= math.MaxInt64-l.Pruned
}

// addPart adds a partition to a layer.
func addPart(l *history.Layer, s samples, p Part) {
	l.PartStates[p.Part] = p.States
	l.States += p.States
	l.Goals += p.Goals
	l.Represented += p.Represented
	l.Pruned += p.Pruned
	l.Digest.Add(p.Digest)
	if len(p.Sample) > 0 {
		s[p.Part] = p.Sample
	}
}

func (c *Core) phaseEnd() history.PhaseEnd {
	return history.PhaseEnd{Phase: c.layer.Phase, Layers: c.layer.Depth, Generated: c.layer.Generated, Nanos: c.layer.Nanos}
}

// committed continues after the journal has a layer, the end of a phase, or a placement.
func (c *Core) committed(ev Committed) ([]Effect, error) {
	if c.stage == placing {
		return c.placed()
	}
	if c.stage != committing {
		return nil, fmt.Errorf("nothing to commit")
	}
	if len(c.solo.made) > 0 {
		return committedAlone(c, ev)
	}
	c.layer.Nanos, c.imbalances, c.retry.failures = ev.Nanos, 0, 0
	var ok bool
	if c.layer.States == 0 {
		ok = c.history.AddEnd(c.phaseEnd())
	} else {
		ok = c.history.AddLayer(c.layer)
	}
	if !ok {
		return nil, fmt.Errorf("%v, depth %d is not next", c.layer.Phase, c.layer.Depth)
	}
	return goOn(c)
}

// goOn continues after an attempt at a layer was committed.
func goOn(c *Core) ([]Effect, error) {
	c.inStep = c.members
	effects := c.end(true)
	c.stage = idle
	return append(effects, c.next()...), nil
}
