package core

import (
	"fmt"
	"slices"

	"github.com/everystate/everystate/coordinator/history"
)

// A layer of few states is made faster by one worker than by many, who would wait for
// one another and for the coordinator. That worker makes many such layers on end, and
// reports them together; the others then get their shares of them, and they are
// committed. So nothing that is committed is anywhere but with its keeper, and a worker
// that is lost takes no more than these layers with it.

// How far a worker goes on alone before it reports: others are told of the counts of all
// partitions of all these layers.
const (
	aloneLayersMax       = 64
	aloneCountsMax       = aloneLayersMax * 1024
	AloneTicks     Ticks = 500
)

// AloneLayers returns how many layers a worker makes alone, at most, of a run with so many
// partitions.
func AloneLayers(partitions int) int { return min(aloneLayersMax, aloneCountsMax/partitions) }

// AloneStates returns the number of states up to which a layer is made faster by one of
// so many workers than by all of them: what a layer costs beyond its states grows with
// the workers who have a part in it (docs/lab/SCALING.md).
func AloneStates(workers int) int64 { return 64<<10 + 4<<10*int64(workers) }

// Alone is how far a worker goes on alone.
type Alone struct {
	// Behind are the plans of the layers behind the first. Each has an epoch of its own.
	Behind []Attempt
	// States and Ticks are where it stops: behind a layer of more states, and after so
	// long.
	States int64
	Ticks  Ticks
}

// Made is a layer that a worker has made alone.
type Made struct {
	Generated int64
	// Sent and Took are what it has exchanged with itself.
	Sent, Took Carried
	// Parts are the partitions that have states.
	Parts []Part
	Bytes int64
}

// solo is what the core knows of the worker that makes layers alone.
type solo struct {
	worker history.WorkerID
	// has holds the epochs of the layers that it has whole, by phase and depth; 0 where
	// it does not.
	has [history.Goal + 1][]uint32
	// made are the layers that it has made, to be committed, and read those that it has
	// read for them.
	made, read []history.Layer
}

func (s *solo) note(l history.Layer) {
	for len(s.has[l.Phase]) <= int(l.Depth) {
		s.has[l.Phase] = append(s.has[l.Phase], 0)
	}
	s.has[l.Phase][l.Depth] = l.Epoch
}

func (s *solo) hasLayer(l history.Layer) bool {
	has := s.has[l.Phase]
	return int(l.Depth) < len(has) && has[l.Depth] == l.Epoch
}

// read returns the layers that an attempt reads.
func read(h *history.History, a Attempt) (layers []history.Layer) {
	for _, spans := range [][]history.Span{a.Expand, a.Exclude, a.Within} {
		for _, s := range spans {
			layers = append(layers, h.Layers(s.Phase)[s.First:s.End]...)
		}
	}
	return layers
}

// goAlone has one worker make the layer of the attempt, and those behind it, if it is
// small, what that worker would have to get from others is little, and the members have
// just made a layer together: after an attempt that failed, all take part in the next.
// Runs that divide a table among workers are made by all, and so is a layer while somebody
// lacks records of others.
func goAlone(c *Core) bool {
	if c.oneTable {
		makeTable(c)
		return true
	}
	most := c.opts.Alone
	if most == 0 {
		most = AloneStates(max(2, len(c.members)))
		if len(c.members) == 1 {
			most = max(most, spreadUnit(c, c.eligible()))
		}
	}
	if !c.opts.Placed || most < 0 || len(c.lacking) > 0 || history.Divides(&c.history) || !slices.Equal(c.members, c.inStep) ||
		c.attempt.Source != FromSuccessors && c.attempt.Source != FromPredecessors || c.attempt.Edges != 0 {
		return false
	}
	if c.history.SpanStates(c.attempt.Expand) > most {
		return false
	}
	for _, w := range c.members {
		if !c.able[w].Alone {
			return false
		}
	}
	if !slices.Contains(c.members, c.solo.worker) {
		c.solo = solo{worker: heaviest(c)}
	}
	if len(c.members) > 1 && lacking(c) > 3*most {
		return false
	}
	c.attempt.Alone = &Alone{Behind: plansBehind(c, AloneLayers(c.partitions)), States: most, Ticks: AloneTicks}
	return true
}

// lacking returns how many states the one worker would have to get from others for the
// attempt, counting those twice that are read twice.
func lacking(c *Core) (states int64) {
	for _, spans := range [][]history.Span{c.attempt.Expand, c.attempt.Exclude, c.attempt.Within} {
		for _, span := range spans {
			for _, l := range c.history.Span(span) {
				if !c.solo.hasLayer(l) {
					states += l.States
				}
			}
		}
	}
	return states
}

// heaviest returns the member with the most weight.
func heaviest(c *Core) history.WorkerID {
	best := c.members[0]
	for _, w := range c.members {
		if c.weights[w] > c.weights[best] {
			best = w
		}
	}
	return best
}

// plansBehind returns the plans of the layers behind that of the attempt, as far as they
// are wanted, so many layers in all, and reserves their epochs.
func plansBehind(c *Core, layers int) (plans []Attempt) {
	for i := uint32(1); i < uint32(layers); i++ {
		depth := c.attempt.Depth + i
		if c.attempt.Phase == history.Forward && c.want.DepthReached(int(depth)) {
			break
		}
		plan := planAfter(&c.history, c.opts, c.attempt.Phase, c.attempt.Epoch+i, depth)
		if !c.oneTable && !slices.Equal(plan.Within, c.attempt.Within) {
			break // It reads layers that the worker has not got from others.
		}
		plans = append(plans, plan)
	}
	c.epoch += uint32(len(plans))
	return plans
}

// beginAlone tells the worker.
func beginAlone(c *Core) []Effect {
	c.stage = writing
	c.waiting[c.solo.worker] = true
	parts := make([]uint32, c.partitions)
	for p := range parts {
		parts[p] = uint32(p)
	}
	return []Effect{Begin{Worker: c.solo.worker, Attempt: c.attempt, Parts: parts}}
}

// madeAlone takes the layers that a worker has made alone, and has the others get their
// shares.
func madeAlone(c *Core, ev MadeAlone) ([]Effect, error) {
	if !c.awaits(ev.Worker, ev.Epoch, writing) || c.attempt.Alone == nil {
		return nil, nil
	}
	layers, err := layersOf(c, ev)
	if err != nil {
		return nil, err
	}
	for _, m := range ev.Layers {
		if m.Sent.Records != m.Took.Records || m.Sent.Sum != m.Took.Sum {
			return c.unbalanced(&ConservationError{From: ev.Worker, To: ev.Worker, Sent: m.Sent, Took: m.Took}), nil
		}
	}
	c.answers(ev.Worker, ev.Epoch, writing)
	c.layer = layers[len(layers)-1]
	if c.layer.States == 0 {
		layers = layers[:len(layers)-1]
	}
	c.solo.made = layers
	return shareOut(c), nil
}

// layersOf returns the layers that a worker reports to have made, or what is wrong with
// them.
func layersOf(c *Core, ev MadeAlone) (layers []history.Layer, err error) {
	if n := len(ev.Layers); n == 0 || n > 1+len(c.attempt.Alone.Behind) {
		return nil, fmt.Errorf("worker %d reports %d layers", ev.Worker, n)
	}
	for i, m := range ev.Layers {
		l := history.Layer{
			Phase: c.attempt.Phase, Depth: c.attempt.Depth + uint32(i), Epoch: c.attempt.Epoch + uint32(i),
			Generated: m.Generated, Bytes: m.Bytes, PartStates: make([]int64, c.partitions),
		}
		taken := make(samples)
		next := uint32(0)
		for _, p := range m.Parts {
			if int64(p.Part) >= int64(c.partitions) || p.Part < next || !possible(c, &l, p) {
				return nil, fmt.Errorf("worker %d reports impossible counts for partition %d", ev.Worker, p.Part)
			}
			next = p.Part + 1
			addPart(&l, taken, p)
		}
		if m.Generated < 0 || m.Bytes < 0 || m.Sent.Records < 0 || m.Took.Records < 0 || l.States == 0 && i < len(ev.Layers)-1 {
			return nil, fmt.Errorf("worker %d reports an impossible layer %d", ev.Worker, l.Depth)
		}
		l.KeptFrom = keptFrom(c, l)
		l.Sample = taken.first(c.partitions)
		layers = append(layers, l)
	}
	return layers, nil
}

// shareOut has each member get its share of the layers that one of them has made.
func shareOut(c *Core) []Effect {
	made := c.attempt
	c.epoch++
	c.attempt = Attempt{Epoch: c.epoch}
	c.solo.read = read(&c.history, made)
	c.stage = sharing
	homes := c.history.Placement().Homes
	kept := uint32(0)
	if n := len(c.solo.made); n > 0 {
		kept = c.solo.made[n-1].KeptFrom
	}
	used := make([]bool, c.partitions)
	for _, l := range c.solo.made {
		if l.Phase == history.Forward && l.Depth < kept && !c.history.Keep().Named.Has(l.Depth) {
			continue // it is dropped as soon as it is committed
		}
		for p, states := range l.PartStates {
			used[p] = used[p] || states > 0
		}
	}
	var effects []Effect
	for _, w := range c.members {
		var parts []uint32
		for _, p := range partsOf(homes, w) {
			if used[p] {
				parts = append(parts, p)
			}
		}
		if w == c.solo.worker || len(parts) == 0 {
			continue
		}
		c.waiting[w] = true
		effects = append(effects, Hold{
			Worker: w, Epoch: c.epoch, Parts: parts, From: slices.Repeat([]history.WorkerID{c.solo.worker}, len(parts)), Layers: c.solo.made,
		})
	}
	if len(effects) == 0 {
		return allShared(c)
	}
	return effects
}

// allShared commits what one worker has made alone, as far as it is wanted.
func allShared(c *Core) []Effect {
	c.stage = committing
	if n := enough(&c.history, c.want, c.solo.made); n < len(c.solo.made) {
		c.solo.made = c.solo.made[:n]
		c.layer = c.solo.made[n-1]
	}
	if len(c.solo.made) == 0 {
		return []Effect{CommitEnd{c.phaseEnd()}}
	}
	return []Effect{CommitLayers{c.solo.made}}
}

// enough returns how many of the layers behind a history are wanted.
func enough(h *history.History, want history.Want, made []history.Layer) int {
	if len(made) == 0 || made[0].Phase != history.Forward {
		return len(made)
	}
	depth, states, goal := len(h.Layers(history.Forward)), h.States(history.Forward), h.FirstGoal() >= 0
	for i, l := range made {
		depth, states, goal = depth+1, states+l.States, goal || l.Goals > 0
		if limit(want, depth, states, goal) != 0 {
			return i + 1
		}
	}
	return len(made)
}

// committedAlone adopts layers that one worker has made alone, and goes on with the end
// of the phase, if that was reached, or with the next layer.
func committedAlone(c *Core, ev Committed) ([]Effect, error) {
	made := c.solo.made
	c.solo.made, c.imbalances, c.retry.failures = nil, 0, 0
	for _, l := range c.solo.read {
		c.solo.note(l)
	}
	c.solo.read = nil
	for _, l := range made {
		l.Nanos = ev.Nanos / int64(len(made))
		if !c.history.AddLayer(l) {
			return nil, fmt.Errorf("%v, depth %d is not next", l.Phase, l.Depth)
		}
		c.solo.note(l)
	}
	if c.layer.States == 0 {
		return []Effect{CommitEnd{c.phaseEnd()}}, nil
	}
	return goOn(c)
}
