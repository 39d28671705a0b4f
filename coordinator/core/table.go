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
		if c.tables[w.id] > c.tables[best.id] {
			best = w
		}
	}
	return []weighted{best}
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
