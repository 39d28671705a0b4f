package core

import (
	"fmt"
	"math"
	"slices"
)

// goesStraight reports whether the members can make a layer without being told each stage:
// all can, and they have just made a layer together. So none of them has
// to open the run first while others wait for it, and after an attempt that failed, the
// next one is made stage by stage.
func goesStraight(c *Core) bool {
	if !c.opts.Placed || !slices.Equal(c.members, c.inStep) || len(c.lacking) > 0 && c.attempt.Source != FromSuccessors {
		return false
	}
	for _, w := range c.members {
		if !c.able[w].Straight {
			return false
		}
	}
	return true
}

// checkExpanded returns what is wrong with what a member reports to have generated and
// sent, or nil.
func checkExpanded(c *Core, ev Expanded) error {
	if ev.Generated < 0 || ev.Generated > math.MaxInt64-c.generated {
		return fmt.Errorf("worker %d reports %d successors, too many after %d of others", ev.Worker, ev.Generated, c.generated)
	}
	return checkCarried(c.members, ev.Worker, ev.Sent)
}

// noteExpanded adds up what a member has generated and sent.
func noteExpanded(c *Core, ev Expanded) {
	c.carried.note(ev.Worker, ev.Sent, true)
	c.generated += ev.Generated
}
