package solve

import "math/big"

// Difficulty measures how hard a state of a component is to solve.
type Difficulty struct {
	// Distance is the fewest moves to a goal.
	Distance int

	// Solutions is the number of shortest paths, to any goal.
	Solutions *big.Int

	// Forced is how many moves of a shortest path have no alternative: every shortest
	// path makes them from the same state.
	Forced int

	// Branching is the mean number of moves of the states on shortest paths, goals
	// excepted, and ComponentBranching that of all states.
	Branching, ComponentBranching float64

	// DeadEnds is how many states of the component have a single move, the one back;
	// DeadEndsNear is how many of them are one move off a shortest path.
	DeadEnds, DeadEndsNear int
}

// Difficulty measures a state that can reach a goal.
func (c *Component) Difficulty(state int) Difficulty {
	d := Difficulty{Distance: c.Distance(state), Solutions: big.NewInt(0)}
	d.ComponentBranching = float64(len(c.to)) / float64(c.Len())
	for n := range c.Len() {
		if c.first[n+1]-c.first[n] == 1 {
			d.DeadEnds++
		}
	}
	ways := map[uint32]*big.Int{uint32(state): big.NewInt(1)}
	near := map[uint32]bool{}
	layer := []uint32{uint32(state)}
	states, moves := 0, 0
	for distance := d.Distance; distance > 0; distance-- {
		next := map[uint32]*big.Int{}
		var order []uint32
		nearer := 0
		for _, from := range layer {
			states++
			for _, to := range c.to[c.first[from]:c.first[from+1]] {
				moves++
				if int(c.distances[to]) != distance-1 {
					if c.first[to+1]-c.first[to] == 1 && int(to) != state { // which the path begins at
						near[to] = true
					}
					continue
				}
				nearer++
				if next[to] == nil {
					next[to] = new(big.Int)
					order = append(order, to)
				}
				next[to].Add(next[to], ways[from])
			}
		}
		if len(layer) == 1 && nearer == 1 {
			d.Forced++
		}
		layer, ways = order, next
	}
	for _, n := range layer {
		d.Solutions.Add(d.Solutions, ways[n])
	}
	if states > 0 {
		d.Branching = float64(moves) / float64(states)
	}
	d.DeadEndsNear = len(near)
	return d
}
