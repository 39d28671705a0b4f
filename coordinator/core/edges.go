package core

import (
	"slices"

	"github.com/everystate/everystate/coordinator/history"
)

// throughEdges adapts the plan of a goal layer to a puzzle that cannot generate
// predecessors: the edges are made first, unless the workers have them, and then tell
// them. They lead only from states within the forward layers.
func throughEdges(c *Core, a Attempt) Attempt {
	switch {
	case !c.opts.Edges || a.Phase != history.Goal || c.history.Goals() == 0:
	case c.edges == 0:
		forward := span(history.Forward, 0, uint32(len(c.history.Layers(history.Forward))))
		return Attempt{Epoch: a.Epoch, Phase: a.Phase, Depth: a.Depth, Source: FromMoves, Expand: forward}
	case a.Source == FromPredecessors:
		a.Edges, a.Within = c.edges, nil
	}
	return a
}

// madeEdges continues after all workers have made the edges. Nothing is recorded: they
// last until a worker is lost or partitions move, or until the session ends.
func madeEdges(c *Core) []Effect {
	if c.opts.Placed || slices.Equal(c.members, c.workers) { // else shares change
		c.edges = c.attempt.Epoch
	}
	c.imbalances, c.retry.failures = 0, 0
	effects := c.end(true)
	c.stage = idle
	return append(effects, c.next()...)
}

// loseEdges notes that a worker has lost what it had of the edges, if anything.
func loseEdges(c *Core, w history.WorkerID) {
	if !c.opts.Placed || c.keeps(w) {
		c.edges = 0
	}
}
