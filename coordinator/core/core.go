package core

import (
	"fmt"
	"slices"

	"github.com/everystate/everystate/coordinator/history"
)

// stage is the stage of an attempt. All workers go through each stage together.
type stage uint8

const (
	idle      stage = iota
	moving          // new homes fetch their partitions
	placing         // the placement is being recorded
	rewinding       // layers that cannot be restored are being forgotten
	sharing         // members get their shares of layers that one of them has made alone
	beginning
	expanding
	writing
	committing
	stopped
)

// Options holds what a core has to know besides the spec.
type Options struct {
	// Reversible means that every move of the puzzle can be undone by a move.
	Reversible bool

	// Alternating means that no state has a successor in its own forward layer. It is
	// ignored without Reversible.
	Alternating bool

	// Graded means that all paths to a state have the same number of moves. It is
	// ignored with Reversible.
	Graded bool

	// Edges means that the puzzle is not Reversible and cannot generate predecessors:
	// before goal layers are made, workers make the moves of all states, reversed.
	Edges bool

	// Alone is the number of states of the frontier up to which one worker makes layers
	// alone if workers are Placed: 0 stands for AloneStates, and less for never.
	Alone int64

	// Spread is the number of states up to which a layer is not worth two workers if
	// workers are Placed: partitions are spread over no more of them than layers are worth
	// (spread.go). 0 stands for a number that depends on their lanes, and less for none:
	// all workers have partitions from the beginning.
	Spread int64

	// Ahead is the number of states that move from which they are fetched ahead: 0 stands
	// for aheadStates, and less for never.
	Ahead int64

	// Placed means that workers have disks of their own, so each partition has a home.
	// Otherwise they share one store, and any worker may take any partition.
	Placed bool
}

// Core is the state of one run.
type Core struct {
	partitions int
	opts       Options
	oneTable   bool // one worker keeps a table of the whole run (table.go)
	history    history.History
	want       history.Want

	workers   []history.WorkerID // those present, in increasing order
	weights   map[history.WorkerID]uint32
	able      map[history.WorkerID]Able // what present workers can do
	ahead     ahead                     // what they get ahead
	solo      solo                      // what the one has that makes layers alone
	inStep    []history.WorkerID        // members of the last attempt, if it was committed
	backup    *Durable                  // the last event about the copy, nil if there was none
	stage     stage
	epoch     uint32
	forgotten Rewind // while rewinding
	edges     uint32 // the epoch in which the present workers made the edges; 0 if they have none
	attempt   Attempt
	members   []history.WorkerID // workers of the attempt
	waiting   map[history.WorkerID]bool
	leaving   map[history.WorkerID]bool
	gone      map[history.WorkerID]bool // lost, and not expected back
	target    []history.WorkerID        // the new homes, while partitions move there
	damaged   map[history.WorkerID]bool // present workers that may lack records
	mending   []history.WorkerID        // workers that are getting what they lack, before all else
	lacking   map[history.WorkerID]lack // present workers that get in the background what they lack
	partly    []history.WorkerID        // workers that lack records once partitions have moved

	generated  int64
	carried    tallies // in the attempt
	samples    samples // in the attempt
	imbalances int     // attempts at the layer in which candidates were lost or changed
	retry      retry
	layer      history.Layer
}

// New returns the core of a run with what has been committed so far.
func New(spec history.Spec, opts Options, past history.History, want history.Want) *Core {
	return &Core{
		partitions: spec.Partitions,
		opts:       opts,
		oneTable:   spec.Store == history.Table && opts.Placed,
		history:    past,
		want:       want,
		weights:    make(map[history.WorkerID]uint32),
		able:       make(map[history.WorkerID]Able),
		epoch:      past.LastEpoch(),
		solo:       solo{worker: history.NoWorker},
		waiting:    make(map[history.WorkerID]bool),
		leaving:    make(map[history.WorkerID]bool),
		gone:       make(map[history.WorkerID]bool),
		damaged:    make(map[history.WorkerID]bool),
		lacking:    make(map[history.WorkerID]lack),
	}
}

// History returns what has been committed.
func (c *Core) History() *history.History { return &c.history }

// Attempt returns the attempt at a layer that is under way.
func (c *Core) Attempt() (a Attempt, underWay bool) {
	return c.attempt, c.stage >= beginning && c.stage != stopped
}

// Step applies ev and returns what the caller must now do, in this order. An error
// reports an event that cannot have happened; the core is then unchanged.
func (c *Core) Step(ev Event) ([]Effect, error) {
	switch ev := ev.(type) {
	case Joined:
		return c.joined(ev)
	case Lost:
		return c.lost(ev)
	case Unreachable:
		return leaveOut(c, ev), nil
	case Restarted:
		return c.restarted(ev), nil
	case Damaged:
		return hurt(c, ev), nil
	case Lacking:
		return noteLacking(c, ev), nil
	case Leaving:
		return c.leave(ev), nil
	case Durable:
		return c.durable(ev), nil
	case Rewound:
		return c.rewound(ev)
	case Held:
		if c.answers(ev.Worker, ev.Epoch, moving) {
			return c.allHeld(), nil
		}
		if c.answers(ev.Worker, ev.Epoch, sharing) {
			return allShared(c), nil
		}
	case Fetched:
		return fetched(c, ev), nil
	case Began:
		if c.answers(ev.Worker, ev.Epoch, beginning) {
			return c.allBegan(), nil
		}
	case Expanded:
		return c.expanded(ev)
	case Written:
		return c.written(ev)
	case MadeAlone:
		return madeAlone(c, ev)
	case Failed:
		return c.failed(ev), nil
	case Committed:
		return c.committed(ev)
	case Asked:
		return c.asked(ev.Want), nil
	case Retried:
		return c.retried()
	default:
		return nil, fmt.Errorf("unknown event %T", ev)
	}
	return nil, nil
}

func (c *Core) joined(ev Joined) ([]Effect, error) {
	i, found := slices.BinarySearch(c.workers, ev.Worker)
	if found {
		return nil, nil
	}
	takesPart := !ev.Leaving || c.keeps(ev.Worker)
	if takesPart {
		admit(c, ev, i)
	}
	switch {
	case ev.More:
		return nil, nil
	case !takesPart:
		return c.next(), nil
	}
	return append(fetchEarly(c), c.next()...), nil
}

// admit makes a worker the i-th of those that are present.
func admit(c *Core, ev Joined, i int) {
	delete(c.gone, ev.Worker)
	if !c.opts.Placed {
		c.edges = 0 // shares change
	}
	c.workers = slices.Insert(c.workers, i, ev.Worker)
	c.weights[ev.Worker] = max(1, ev.Weight)
	c.able[ev.Worker] = ev.Able
	if ev.Damaged {
		c.damaged[ev.Worker] = true
	}
	if ev.Lacking {
		c.lacking[ev.Worker] = lack{}
	}
	if ev.Leaving {
		c.leaving[ev.Worker] = true
	}
}

func (c *Core) lost(ev Lost) ([]Effect, error) {
	i, found := slices.BinarySearch(c.workers, ev.Worker)
	if !found && !c.keeps(ev.Worker) {
		return nil, nil
	}
	c.gone[ev.Worker], c.ahead.number = true, 0
	loseEdges(c, ev.Worker)
	if found {
		c.workers = slices.Delete(c.workers, i, i+1)
		delete(c.leaving, ev.Worker)
		delete(c.weights, ev.Worker)
		delete(c.able, ev.Worker)
		delete(c.damaged, ev.Worker)
		delete(c.lacking, ev.Worker)
	}
	return append(c.without(ev.Worker), c.next()...), nil
}

// restarted gives up what a worker was doing; its partitions are still there.
func (c *Core) restarted(ev Restarted) []Effect {
	if !c.present(ev.Worker) {
		return nil
	}
	c.able[ev.Worker] = ev.Able
	c.ahead.number = 0 // it has forgotten that too, or others get from it under another address
	tellAgain(c, ev.Worker)
	loseEdges(c, ev.Worker)
	return slices.Concat(c.without(ev.Worker), fetchEarly(c), c.next())
}

// without gives the attempt up if the worker is a member. A layer whose records are all
// written can be committed even if workers are lost.
func (c *Core) without(w history.WorkerID) []Effect {
	if c.recording() || !slices.Contains(c.members, w) {
		return nil
	}
	return c.abandon()
}

// recording reports whether the driver is recording something and will answer.
func (c *Core) recording() bool {
	return c.stage == committing || c.stage == placing || c.stage == rewinding
}

func (c *Core) present(w history.WorkerID) bool {
	_, there := slices.BinarySearch(c.workers, w)
	return there
}

func (c *Core) failed(ev Failed) []Effect {
	if c.recording() || ev.Epoch != c.attempt.Epoch || !slices.Contains(c.members, ev.Worker) {
		return nil
	}
	if ev.Known > c.epoch && c.backup == nil {
		// Without a log in a bucket no other coordinator can have begun those epochs, so
		// the journal was restored from a backup. Retries would reach them one epoch at
		// a time.
		effects := c.abandon()
		c.stage = stopped
		return append(effects, Renew{Worker: ev.Worker, Known: ev.Known})
	}
	switch ev.Kind {
	case Interrupted:
		return c.interrupted(ev)
	case EdgesMissing:
		c.edges = 0
		return c.interrupted(ev)
	case Missing:
		return makeAgain(c, ev)
	case Broken:
	}
	return append(c.abandon(), c.stop(history.CannotGoOn, ev.Err)...)
}

// leave releases a worker between two attempts.
func (c *Core) leave(ev Leaving) []Effect {
	if !c.present(ev.Worker) {
		return nil
	}
	c.leaving[ev.Worker] = true
	return append(fetchEarly(c), c.next()...)
}

// Needs reports whether a worker must stay: it is a member of the attempt under way, or
// it keeps partitions that others can still take over.
func (c *Core) Needs(w history.WorkerID) bool {
	if c.stage == stopped || !c.present(w) {
		return false
	}
	if slices.Contains(c.members, w) {
		return true
	}
	return c.keeps(w) && len(c.eligible()) > 0
}

// keeps reports whether a worker keeps partitions.
func (c *Core) keeps(w history.WorkerID) bool {
	place := c.history.Placement()
	return place != nil && slices.Contains(place.Homes, w)
}

func (c *Core) asked(want history.Want) []Effect {
	c.want = want
	if c.stage == stopped {
		c.stage = idle
	}
	return c.next()
}

// awaits reports whether the worker's answer is due. A repeated answer, or one for
// another attempt, is not.
func (c *Core) awaits(w history.WorkerID, epoch uint32, s stage) bool {
	return c.stage == s && epoch == c.attempt.Epoch && c.waiting[w]
}

// answers takes the worker's answer if it is due, and reports whether it was the
// last.
func (c *Core) answers(w history.WorkerID, epoch uint32, s stage) bool {
	if !c.awaits(w, epoch, s) {
		return false
	}
	delete(c.waiting, w)
	return len(c.waiting) == 0
}

// enter begins a stage in which every member has to answer.
func (c *Core) enter(s stage) {
	c.stage = s
	for _, w := range c.members {
		c.waiting[w] = true
	}
}

// next begins an attempt if nothing is under way and there is something to do.
func (c *Core) next() []Effect {
	if c.stage != idle {
		return nil
	}
	if !c.opts.Placed {
		c.workers = slices.DeleteFunc(c.workers, func(w history.WorkerID) bool { return c.leaving[w] })
		clear(c.leaving)
		if len(c.workers) == 0 {
			return nil
		}
	}
	if effects := heal(c); effects != nil {
		return effects
	}
	phase, reason := whatNext(&c.history, c.want, c.opts.Reversible)
	var effects []Effect
	if c.opts.Placed && (reason == 0 || c.want.Settle) {
		var done bool
		if effects, done = c.settle(reason == 0); !done {
			return effects
		}
	}
	if effects = append(effects, tellLacking(c)...); reason != 0 && len(c.lacking) > 0 {
		return effects
	}
	if reason != 0 {
		return append(effects, c.stop(reason, nil)...)
	}
	if lags(&c.history, c.backup) {
		return append(effects, Wait{Lag: true})
	}
	c.epoch++
	c.attempt = throughEdges(c, planOf(&c.history, c.opts, phase, c.epoch))
	c.members = slices.Clone(c.workers)
	if c.opts.Placed {
		c.members = slices.Compact(slices.Sorted(slices.Values(c.history.Placement().Homes)))
	}
	c.generated, c.carried, c.samples = 0, make(tallies), make(samples)
	c.layer = history.Layer{Phase: phase, Depth: c.attempt.Depth, Epoch: c.epoch, PartStates: make([]int64, c.partitions)}
	if goAlone(c) {
		return append(effects, beginAlone(c)...)
	}
	c.enter(beginning)
	if c.attempt.Straight = goesStraight(c); c.attempt.Straight {
		c.stage = writing
	}
	for i, w := range c.members {
		effects = append(effects, Begin{Worker: w, Attempt: c.attempt, Parts: c.share(i), Lacking: lacks(c, w)})
	}
	return effects
}

// share returns the partitions of the i-th member: those that it keeps, or else adjacent
// ones, so that each worker writes one range of keys.
func (c *Core) share(i int) []uint32 {
	if c.opts.Placed {
		return partsOf(c.history.Placement().Homes, c.members[i])
	}
	n := len(c.members)
	var parts []uint32
	for p := i * c.partitions / n; p < (i+1)*c.partitions/n; p++ {
		parts = append(parts, uint32(p))
	}
	return parts
}

func (c *Core) allBegan() []Effect {
	c.enter(expanding)
	var effects []Effect
	for _, w := range c.members {
		effects = append(effects, Expand{Worker: w, Epoch: c.attempt.Epoch})
	}
	return effects
}

func (c *Core) allExpanded() []Effect {
	c.enter(writing)
	var effects []Effect
	for _, w := range c.members {
		effects = append(effects, Write{Worker: w, Epoch: c.attempt.Epoch})
	}
	return effects
}

func (c *Core) expanded(ev Expanded) ([]Effect, error) {
	if !c.awaits(ev.Worker, ev.Epoch, expanding) {
		return nil, nil
	}
	if err := checkExpanded(c, ev); err != nil {
		return nil, err
	}
	noteExpanded(c, ev)
	if !c.answers(ev.Worker, ev.Epoch, expanding) {
		return nil, nil
	}
	return c.allExpanded(), nil
}

// abandon gives the attempt up.
func (c *Core) abandon() []Effect {
	if c.stage == idle || c.stage == stopped {
		return nil
	}
	effects := c.end(false)
	c.stage, c.inStep = idle, nil
	c.target, c.mending, c.partly = nil, nil, nil
	c.solo.made, c.solo.read = nil, nil
	return effects
}

// end tells the members that are still there that the attempt is over.
func (c *Core) end(committed bool) []Effect {
	var effects []Effect
	for _, w := range c.members {
		if slices.Contains(c.workers, w) {
			effects = append(effects, End{Worker: w, Attempt: c.attempt, Committed: committed})
		}
	}
	c.members = nil
	clear(c.waiting)
	return effects
}

func (c *Core) stop(reason history.Reason, err error) []Effect {
	c.stage = stopped
	return []Effect{Stop{Reason: reason, Err: err}}
}
