package sokoban

import (
	"sync"

	"github.com/everystate/everystate/puzzle"
)

// game is one puzzle. Everything but the tables of the fast path is set at
// construction; those are built on first use, because collections are read whole and
// rarely explored whole.
type game struct {
	*level
	*codec
	metric       metric
	deadlocks    *deadlocks // nil: nothing is pruned
	unprunedGame *game      // without pruning; nil if nothing is pruned
	pruned       prune
	starts       []uint64

	once   sync.Once
	narrow *narrow // nil: a set of cells does not fit a word
}

func newGame(l *level, m metric, p prune) *game {
	g := &game{level: l, metric: m, pruned: p, codec: newCodec(len(l.places), l.count)}
	if p != pruneNone {
		g.deadlocks = newDeadlocks(l, p)
		g.unprunedGame = newGame(l, m, pruneNone)
	}
	g.starts = g.findStarts()
	return g
}

// findStarts returns the keys of the starts, least first.
func (g *game) findStarts() []uint64 {
	words := g.words()
	switch g.metric {
	case metricPush:
		key := make([]uint64, words)
		_, least := g.region(&g.boxes, g.player)
		g.encode(key, &g.boxes, least)
		return key
	case metricMove:
		key := make([]uint64, words)
		g.encode(key, &g.boxes, g.player)
		return key
	case metricBackward:
	}
	var keys []uint64
	for _, least := range g.regions(&g.targets) {
		keys = append(keys, make([]uint64, words)...)
		g.encode(keys[len(keys)-words:], &g.targets, least)
	}
	return keys
}

// tables returns the tables of the fast path, or nil.
func (g *game) tables() *narrow {
	g.once.Do(func() {
		if g.ranked && g.cells <= 64 {
			g.narrow = newNarrow(g)
		}
	})
	return g.narrow
}

func (g *game) Layout() puzzle.Layout {
	moves := 4 * g.cells
	if g.metric == metricMove {
		moves = 8
	}
	return puzzle.Layout{KeyBits: g.keyBits, Moves: moves, HasGoal: true}
}

// Starts returns the start, or for backward-push all solved states.
func (g *game) Starts() []uint64 { return append([]uint64(nil), g.starts...) }

// Retrograde reports whether moves undo pushes, from all solved states.
func (g *game) Retrograde() bool { return g.metric == metricBackward }

// Valid reports whether key is a placement of boxes and player.
func (g *game) Valid(key []uint64) bool {
	if len(key) != g.words() {
		return false
	}
	var boxes cellSet
	playerAt, ok := g.decode(key, &boxes)
	if !ok || boxes.has(playerAt) {
		return false
	}
	if g.metric == metricMove {
		return true
	}
	_, least := g.region(&boxes, playerAt)
	return least == playerAt
}

func (g *game) Successors(states []uint64, out *puzzle.Edges) {
	if g.metric == metricBackward {
		g.pulls(states, nil, out)
		return
	}
	g.forward(states, nil, out)
}

func (g *game) Predecessors(states []uint64, out *puzzle.Edges) {
	if g.metric == metricBackward {
		g.forward(states, nil, out)
		return
	}
	g.pulls(states, nil, out)
}

// Prunes reports whether pushes to states known to be dead are left out.
func (g *game) Prunes() bool { return g.pruned != pruneNone }

// Pruned counts the pushes that are left out.
func (g *game) Pruned(states []uint64, scratch *puzzle.Edges) int64 {
	if g.unprunedGame == nil {
		return 0
	}
	scratch.Reset()
	g.unprunedGame.Successors(states, scratch)
	all := scratch.Len()
	scratch.Reset()
	g.Successors(states, scratch)
	return int64(all - scratch.Len())
}

// forward appends the results of pushes or steps, but for those that links
// prune if there are links, and returns how many these are.
func (g *game) forward(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	n := g.tables()
	switch {
	case n == nil && g.metric == metricMove:
		return g.wideSteps(states, links, out)
	case n == nil:
		return g.widePushes(states, links, out)
	case g.metric == metricMove:
		return n.steps(states, links, out)
	default:
		return n.pushes(states, links, out)
	}
}

// pulls appends the states that pushes or steps lead from, but for those that links
// prune if there are links, and returns how many these are.
func (g *game) pulls(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	n := g.tables()
	switch {
	case n == nil && g.metric == metricMove:
		return g.wideBacksteps(states, links, out)
	case n == nil:
		return g.widePulls(states, links, out)
	case g.metric == metricMove:
		return n.backsteps(states, links, out)
	default:
		return n.pulls(states, links, out)
	}
}

func (g *game) Apply(dst, state []uint64, move puzzle.Move) bool {
	switch g.metric {
	case metricPush:
		return g.push(dst, state, move)
	case metricMove:
		return g.step(dst, state, move)
	case metricBackward:
	}
	return g.pull(dst, state, move)
}

func (g *game) Undo(dst, state []uint64, move puzzle.Move) bool {
	switch g.metric {
	case metricPush:
		return g.pull(dst, state, move)
	case metricMove:
		return g.backstep(dst, state, move)
	case metricBackward:
	}
	return g.push(dst, state, move)
}

// Goals marks the states with a box on every target.
func (g *game) Goals(states []uint64, marks []bool) {
	words := g.words()
	if g.ranked {
		solved := g.rank(&g.targets)
		for i := range marks {
			marks[i] = states[i]/uint64(g.cells) == solved
		}
		return
	}
	var boxes cellSet
	for i := range marks {
		g.decode(states[i*words:i*words+words], &boxes)
		marks[i] = boxes == g.targets
	}
}

// Compile-time checks of the optional interfaces.
var (
	_ puzzle.Onward   = (*game)(nil)
	_ puzzle.Homeward = (*game)(nil)
	_ puzzle.Pruning  = (*game)(nil)
	_ puzzle.Pictured = (*game)(nil)
	_ puzzle.Staged   = (*game)(nil)
)
