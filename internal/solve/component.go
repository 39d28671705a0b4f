package solve

import (
	"context"
	"errors"
	"fmt"

	"github.com/everystate/everystate/puzzle"
)

// A Component is everything reachable from a board's starts, with the distance of
// each state to its nearest goal: a whole space, if it fits in memory. States are
// numbered in the order in which they were found. A Component can be filled
// repeatedly, reusing its memory, by one goroutine at a time.
type Component struct {
	p     puzzle.Puzzle
	seen  *visited
	edges puzzle.Edges
	marks []bool

	// The moves of state n are moves[first[n]:first[n+1]]; to holds the states that
	// they lead to at the same indices.
	first []uint32
	to    []uint32
	moves []puzzle.Move

	// The predecessors of state n are from[into[n]:into[n+1]], if some move cannot be
	// undone; otherwise both are empty, and to serves for them.
	into []uint32
	from []uint32

	distances []int32
	near      []uint32 // the states with a distance, in order of distance
	layers    []int    // how many states there are at each distance
}

// ErrTooLarge reports a component with more states than allowed.
var ErrTooLarge = errors.New("more states than allowed")

// The most edges that first can index, and how many states are expanded between
// checks of the context.
const (
	componentEdgesMax = 1<<31 - 1
	componentPatience = 1 << 12
)

// Explore fills the component with everything reachable from the starts of a
// reversible puzzle. After an error the component's contents are unusable, but it can
// be filled again.
func (c *Component) Explore(ctx context.Context, p puzzle.Puzzle, statesMax int) error {
	if !p.Layout().Reversible {
		return fmt.Errorf("%w: it has irreversible moves", ErrUnsuited)
	}
	return c.explore(ctx, p, statesMax, componentEdgesMax)
}

// ExploreAny is Explore for any puzzle, with a bound on the moves of all states together.
// Where moves cannot be undone, it also keeps the predecessors of each state.
func (c *Component) ExploreAny(ctx context.Context, p puzzle.Puzzle, statesMax, edgesMax int) error {
	return c.explore(ctx, p, statesMax, min(edgesMax, componentEdgesMax))
}

func (c *Component) explore(ctx context.Context, p puzzle.Puzzle, statesMax, edgesMax int) error {
	layout := p.Layout()
	c.p = p
	if c.seen == nil {
		c.seen = newVisited(layout.Words())
	}
	c.seen.reset(layout.Words())
	c.seen.addStarts(p.Starts())
	c.first, c.to, c.moves = append(c.first[:0], 0), c.to[:0], c.moves[:0]
	for n := 0; n < c.seen.len(); n++ {
		if n%componentPatience == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		c.edges.Reset()
		p.Successors(c.seen.key(n), &c.edges)
		words := c.seen.words
		for i := range c.edges.Moves {
			state, _ := c.seen.add(c.edges.Keys[i*words:(i+1)*words], 0)
			c.to = append(c.to, uint32(state))
		}
		c.moves = append(c.moves, c.edges.Moves...)
		if c.seen.len() > statesMax || len(c.to) > edgesMax {
			return ErrTooLarge
		}
		c.first = append(c.first, uint32(len(c.to)))
	}
	c.into, c.from = c.into[:0], c.from[:0]
	if !layout.Reversible {
		c.reverse()
	}
	c.measure()
	return nil
}

// reverse sorts the edges by the state that they lead to.
func (c *Component) reverse() {
	n := c.seen.len()
	c.into, c.from = resized(c.into, n+1), resized(c.from, len(c.to))
	clear(c.into)
	for _, next := range c.to {
		c.into[next]++
	}
	sum := uint32(0)
	for i, count := range c.into {
		sum += count
		c.into[i] = sum // the end of each state's range: it is filled backwards
	}
	for state := n - 1; state >= 0; state-- {
		for _, next := range c.to[c.first[state]:c.first[state+1]] {
			c.into[next]--
			c.from[c.into[next]] = uint32(state)
		}
	}
}

// before returns the states from which one move leads to a state.
func (c *Component) before(state uint32) []uint32 {
	if len(c.into) > 0 {
		return c.from[c.into[state]:c.into[state+1]]
	}
	return c.to[c.first[state]:c.first[state+1]]
}

// measure finds the distances.
func (c *Component) measure() {
	n := c.seen.len()
	c.marks, c.distances, c.near = resized(c.marks, n), resized(c.distances, n), c.near[:0]
	c.p.Goals(c.seen.keys, c.marks)
	for state, goal := range c.marks {
		c.distances[state] = -1
		if goal {
			c.distances[state] = 0
			c.near = append(c.near, uint32(state))
		}
	}
	c.layers = c.layers[:0]
	for at := 0; at < len(c.near); {
		end, distance := len(c.near), int32(len(c.layers)+1)
		c.layers = append(c.layers, end-at)
		for ; at < end; at++ {
			state := c.near[at]
			for _, next := range c.before(state) {
				if c.distances[next] < 0 {
					c.distances[next] = distance
					c.near = append(c.near, next)
				}
			}
		}
	}
}

// resized returns a slice of n elements with arbitrary contents.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/2)
	}
	return s[:n]
}

// Len returns the number of states.
func (c *Component) Len() int { return c.seen.len() }

// Key returns the key of a state. It is valid until the component is filled again.
func (c *Component) Key(state int) []uint64 { return c.seen.key(state) }

// Number returns the number of the state with a key, or -1.
func (c *Component) Number(key []uint64) int { return c.seen.number(key) }

// Distance returns the distance from a state to its nearest goal, or -1 if it can
// reach none.
func (c *Component) Distance(state int) int { return int(c.distances[state]) }

// Layers returns the number of states at each distance to the nearest goal. It is
// empty if no goal is reachable.
func (c *Component) Layers() []int { return c.layers }

// Farthest returns the states with the greatest distance.
func (c *Component) Farthest() []uint32 {
	if len(c.layers) == 0 {
		return nil
	}
	return c.near[len(c.near)-c.layers[len(c.layers)-1]:]
}

// Moves returns the moves of a state in the order of their ids, and the states that
// they lead to.
func (c *Component) Moves(state int) ([]puzzle.Move, []uint32) {
	from, to := c.first[state], c.first[state+1]
	return c.moves[from:to], c.to[from:to]
}

// Solution returns a shortest path from a state to a goal, the one whose moves have
// the least ids if there are several, and nil if there is none.
func (c *Component) Solution(state int) []puzzle.Move {
	if c.distances[state] < 0 {
		return nil
	}
	way := make([]puzzle.Move, 0, c.distances[state])
	for c.distances[state] > 0 {
		moves, to := c.Moves(state)
		for i, next := range to {
			if c.distances[next] == c.distances[state]-1 {
				way, state = append(way, moves[i]), int(next)
				break
			}
		}
	}
	return way
}
