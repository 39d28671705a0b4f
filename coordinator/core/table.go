package core

import "math"

// Where one worker keeps a table of the whole run, it has all partitions and makes all layers
// alone. Layers follow from the puzzle, so nothing moves: a worker that takes the partitions
// over makes the layers again.

// tableKeeper returns the one of some workers that keeps the table: the one that has it, or
// else the one with the most memory for it.
func tableKeeper(c *Core, all []weighted) []weighted {
	if len(all) == 0 {
		return nil
	}
	best := all[0]
	for _, w := range all {
		if c.keeps(w.id) {
			return []weighted{w}
		}
		if c.able[w.id].TableBytes > c.able[best.id].TableBytes {
			best = w
		}
	}
	return []weighted{best}
}

// Divide divides a layer of a table among its partitions, of which the states are given. Goals,
// represented states and the digest are known of the whole only, and whoever adds them up does
// not mind which partition has them. Goals beyond the states are of the last one.
func Divide(whole Part, states []int64) []Part {
	parts := make([]Part, len(states))
	goals, more := whole.Goals, whole.Represented-whole.States
	for i, n := range states {
		p := &parts[i]
		p.Part, p.States, p.Goals = uint32(i), n, min(goals, n)
		goals -= p.Goals
		if n > 0 && whole.Represented > 0 {
			p.Represented, more = n+more, 0
		}
	}
	if len(parts) > 0 {
		parts[0].Digest = whole.Digest
		parts[len(parts)-1].Goals += goals
	}
	return parts
}

// MadeMax is how many layers a worker makes alone at most before it reports. It does so of a
// table, which it writes each time.
const MadeMax = 256

// makeTable has the worker that keeps the table make the layer of the attempt, and those
// behind it unless no layers are to be made on end.
func makeTable(c *Core) {
	c.solo.worker = c.members[0]
	c.attempt.Alone = &Alone{States: math.MaxInt64, Ticks: AloneTicks}
	if c.opts.Alone >= 0 {
		c.attempt.Alone.Behind = plansBehind(c, min(MadeMax, max(1, aloneCountsMax/c.partitions)))
	}
}
