package conformance

import (
	"fmt"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// checkRanks compares the effect of actions on ranks with Successors.
func checkRanks(c *checker) {
	dense, ok := c.p.(puzzle.Dense)
	if !ok {
		return
	}
	c.doing = said("Ranks")
	r := dense.Ranks()
	if r == nil {
		return
	}
	if c.words != 1 || !c.layout.Reversible {
		c.fault("ranks", "the puzzle has ranks: its keys must have one word, and its moves must be reversible")
		return
	}
	if wrong := ranksFault(r, c.layout.Moves); wrong != "" {
		c.fault("ranks", "Ranks: %s", wrong)
		return
	}
	for i, state := range c.states {
		compareRank(c, r, state, i < c.starts)
	}
	checkLocator(c, r)
}

// checkLocator compares where a puzzle says that states are with their ranks.
func checkLocator(c *checker, r *puzzle.Ranks) {
	located, ok := c.p.(puzzle.Located)
	if !ok {
		return
	}
	c.doing = said("Locator")
	l := located.Locator()
	if l == nil {
		l = &puzzle.Locator{}
	}
	if l.Blocks != r.Blocks || l.Size != r.Size {
		c.fault("ranks", "Locator: %d blocks of %d items, but Ranks has %d of %d", l.Blocks, l.Size, r.Blocks, r.Size)
		return
	}
	for _, state := range c.states {
		words := c.wordsOf(state)
		block, item, ok := r.Rank(words[0])
		if b, i, found := l.Rank(words[0]); found != ok || ok && (b != block || i != item) {
			c.fault("ranks", "Locator: %s is item %d of block %d (%t), but Ranks says item %d of block %d (%t)", c.name(words), i, b, found, item, block, ok)
			return
		}
	}
}

// ranksFault describes a fault within ranks, or returns "".
func ranksFault(r *puzzle.Ranks, moves int) string {
	if r.Blocks < 1 || r.Size < 1 || r.Size > puzzle.NoItem {
		return fmt.Sprintf("%d blocks of %d items", r.Blocks, r.Size)
	}
	for i, row := range r.Rows {
		if len(row) != r.Size || slices.ContainsFunc(row, func(to uint16) bool { return int(to) >= r.Size && to != puzzle.NoItem }) {
			return fmt.Sprintf("row %d does not map %d items", i, r.Size)
		}
	}
	for i := range r.Actions {
		a := &r.Actions[i]
		switch {
		case int(a.Move) >= moves || i > 0 && a.Move < r.Actions[i-1].Move:
			return fmt.Sprintf("action %d has move %d, which is unknown or out of order", i, a.Move)
		case a.Inverse < 0 || a.Inverse >= len(r.Actions) || r.Actions[a.Inverse].Inverse != i:
			return fmt.Sprintf("action %d has the inverse %d, whose inverse is another action", i, a.Inverse)
		case len(a.Blocks) != r.Blocks || slices.ContainsFunc(a.Blocks, func(to int32) bool { return int(to) >= r.Blocks }):
			return fmt.Sprintf("action %d does not map %d blocks", i, r.Blocks)
		case a.Thens != nil && len(a.Thens) != r.Blocks:
			return fmt.Sprintf("action %d has rows that follow for %d of %d blocks", i, len(a.Thens), r.Blocks)
		case a.BlockRows != nil && len(a.BlockRows) != r.Blocks:
			return fmt.Sprintf("action %d has rows for %d of %d blocks", i, len(a.BlockRows), r.Blocks)
		}
		for block := range r.Blocks {
			if row := a.Row(block); a.Blocks[block] >= 0 && (row < 0 || row >= len(r.Rows)) {
				return fmt.Sprintf("action %d has row %d of %d", i, row, len(r.Rows))
			}
		}
	}
	return ""
}

// follow returns where an action leads from an item.
func follow(r *puzzle.Ranks, a *puzzle.Action, block int, item uint16) uint16 {
	next := r.Rows[a.Row(block)][item]
	if a.Thens != nil && next != puzzle.NoItem {
		next = r.Rows[a.Thens[block]][next]
	}
	return next
}

// merged reports whether an action leads to a representative, and none with the same move
// does before it.
func merged(o *puzzle.Orbits, a *puzzle.Action, to int, item uint16, before []puzzle.Move) bool {
	const wordBits = 64
	if valid := o.Valid[to]; len(valid) > 0 && valid[item/wordBits]>>(item%wordBits)&1 == 0 {
		return false
	}
	n := len(before)
	return n == 0 || int(before[n-1])/o.Symmetries != int(a.Move)/o.Symmetries
}

// weightOf returns how many states one stands for, if the puzzle says so.
func weightOf(c *checker, state []uint64) (weight uint64, is bool) {
	weighted, is := c.p.(puzzle.Weighted)
	if !is {
		return 0, false
	}
	c.at("Weights", state)
	weights := []uint64{0}
	weighted.Weights(state, weights)
	return weights[0], true
}

// compareRank compares the actions of a state with its successors.
func compareRank(c *checker, r *puzzle.Ranks, state key, reachable bool) {
	words := c.wordsOf(state)
	c.at("Rank", words)
	block, item, ok := r.Rank(words[0])
	if !ok {
		if reachable {
			c.fault("ranks", "Ranks: %s is a start, but has no rank", c.name(words))
		}
		return
	}
	if block < 0 || block >= r.Blocks || int(item) >= r.Size {
		c.fault("ranks", "Ranks: %s has item %d of block %d, which does not exist", c.name(words), item, block)
		return
	}
	if keys := r.AppendKeys(nil, block, []uint16{item}); !slices.Equal(keys, words) {
		c.fault("ranks", "Ranks: the rank of %s leads back to the keys %x", c.name(words), keys)
		return
	}
	if weight, is := weightOf(c, words); is && r.Orbits != nil && r.Orbits.Valid[block] == nil && weight != uint64(r.Orbits.Symmetries) {
		c.fault("ranks", "Ranks: %s stands for %d states, but no symmetry except the identity maps block %d to itself, and there are %d", c.name(words), weight, block, r.Orbits.Symmetries)
		return
	}
	var out puzzle.Edges
	for i := range r.Actions {
		a := &r.Actions[i]
		to := a.Blocks[block]
		if to < 0 {
			continue
		}
		next := follow(r, a, block, item)
		if next == puzzle.NoItem || r.Orbits != nil && !merged(r.Orbits, a, int(to), next, out.Moves) {
			continue
		}
		out.Keys, out.Moves = r.AppendKeys(out.Keys, int(to), []uint16{next}), append(out.Moves, a.Move)
		back := &r.Actions[a.Inverse]
		if back.Blocks[to] != int32(block) || follow(r, back, int(to), next) != item || r.Orbits != nil && !slices.Contains(r.Orbits.Into[to], int32(i)) {
			c.fault("ranks", "Ranks: action %d leads from %s to an item from which its inverse, action %d, does not lead back", i, c.name(words), a.Inverse)
			return
		}
	}
	var want puzzle.Edges
	c.p.Successors(words, &want)
	if !slices.Equal(out.Keys, want.Keys) || !slices.Equal(out.Moves, want.Moves) {
		c.fault("ranks", "Ranks: actions lead from %s to %x by %d, but Successors gives %x by %d", c.name(words), out.Keys, out.Moves, want.Keys, want.Moves)
		return
	}
	for _, key := range want.Keys {
		if _, _, ok := r.Rank(key); !ok {
			c.fault("ranks", "Ranks: %s has a rank, but its successor %x has none", c.name(words), key)
			return
		}
	}
}
