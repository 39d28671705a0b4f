package conformance

import (
	"math/bits"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// checkNumbers compares what expanders do with keys and moves.
func checkNumbers(c *checker) {
	numbered, ok := c.p.(puzzle.Numbered)
	if !ok {
		return
	}
	c.doing = said("Numbering")
	n := numbered.Numbering()
	if n == nil {
		return
	}
	expanding, expands := n.(puzzle.ExpandNumbering)
	flipping, flips := n.(puzzle.FlipNumbering)
	if c.words != 1 || expands == flips || !c.layout.Reversible && !(c.layout.Graded && flips) {
		c.fault("numbers", "the puzzle has numbers: its keys must have one word, and moves that an expander makes must be reversible, moves that flip bits reversible or graded")
		return
	}
	var numbers []uint64
	for i, state := range c.states {
		words := c.wordsOf(state)
		c.at("Number", words)
		number, ok := n.Number(words[0])
		switch {
		case !ok && i < c.starts:
			c.fault("numbers", "Numbering: %s is a start, but has no number", c.name(words))
			return
		case !ok:
			continue
		case number >= n.Count():
			c.fault("numbers", "Numbering: %s has the number %d of %d", c.name(words), number, n.Count())
			return
		}
		numbers = append(numbers, number)
		if keys := n.AppendKeys(nil, []uint64{number}); !slices.Equal(keys, words) {
			c.fault("numbers", "Numbering: the number of %s leads back to the keys %x", c.name(words), keys)
			return
		}
	}
	compareGoals(c, n, numbers)
	if flips {
		compareFlips(c, flipping, numbers)
		return
	}
	compareExpanded(c, expanding, numbers)
	compareLeaving(c, expanding, numbers)
	pruneNumbers(c, n, expanding.Expander())
}

// compareGoals compares goals by number, alone and beside others, with those by key.
func compareGoals(c *checker, n puzzle.Numbering, numbers []uint64) {
	marking, ok := n.(puzzle.GoalNumbering)
	if !ok {
		return
	}
	for _, number := range numbers {
		words, want := n.AppendKeys(nil, []uint64{number}), []bool{false}
		c.at("MarkGoals", words)
		c.p.Goals(words, want)
		var one, two [2]uint64
		before := min(number, 64)
		marking.MarkGoals(number, one[:1])
		marking.MarkGoals(number-before, two[:])
		if got := one[0]&1 == 1; got != want[0] || (two[before/64]>>(before%64)&1 == 1) != want[0] {
			c.fault("numbers", "MarkGoals: whether %s is a goal should be %v", c.name(words), want[0])
			return
		}
	}
}

// compareFlips compares the moves that flip bits with those by key.
func compareFlips(c *checker, n puzzle.FlipNumbering, numbers []uint64) {
	flips := n.Flips()
	if bits.OnesCount64(n.Count()) != 1 || len(flips) > c.layout.Moves {
		c.fault("numbers", "Flips: there are %d moves, and %d numbers, which must be a power of two", len(flips), n.Count())
		return
	}
	for move := range flips {
		if len(flips[move].Ifs) > puzzle.FlipIfsMax {
			c.fault("numbers", "Flips: move %d has %d conditions, at most %d are possible", move, len(flips[move].Ifs), puzzle.FlipIfsMax)
			return
		}
	}
	for _, number := range numbers {
		key := n.AppendKeys(nil, []uint64{number})
		c.at("Flips", key)
		var got, want puzzle.Edges
		for move := range flips {
			if flips[move].Possible(number) {
				got.Keys, got.Moves = append(got.Keys, number^flips[move].Bits), append(got.Moves, puzzle.Move(move))
			}
		}
		c.p.Successors(key, &want)
		if !sameNumbered(n, &got, &want) {
			c.fault("numbers", "Numbering: flips lead from %s to numbers %d by %v, but there are %x by %v", c.name(key), got.Keys, got.Moves, want.Keys, want.Moves)
			return
		}
	}
}

// compareExpanded compares the successors of states by number with those by key: one at a
// time, and many, in order, and from the beginning again.
func compareExpanded(c *checker, n puzzle.ExpandNumbering, numbers []uint64) {
	for _, number := range numbers {
		words := n.AppendKeys(nil, []uint64{number})
		c.at("Expand", words)
		var got, want puzzle.Edges
		keys, pruned := n.Expander().Expand(nil, []uint64{number}, nil, &got)
		c.p.Successors(words, &want)
		if !slices.Equal(keys, words) || pruned != 0 || !sameNumbered(n, &got, &want) {
			c.fault("numbers", "Numbering: an expander leads from %s (key %x, %d left out) to numbers %d by %v, but there are %x by %v", c.name(words), keys, pruned, got.Keys, got.Moves, want.Keys, want.Moves)
			return
		}
	}
	slices.Sort(numbers)
	expander := n.Expander()
	var out puzzle.Edges
	for range 2 {
		keys, _ := expander.Expand(nil, numbers, nil, &out)
		if want := n.AppendKeys(nil, numbers); !slices.Equal(keys, want) {
			c.fault("numbers", "Numbering: an expander makes other keys of numbers than AppendKeys")
			return
		}
	}
}

// compareLeaving compares the successors of goals by number, of which those may be left out
// that are goals, with all of them.
func compareLeaving(c *checker, n puzzle.ExpandNumbering, numbers []uint64) {
	expander := n.Expander()
	for _, number := range numbers {
		words, goal := n.AppendKeys(nil, []uint64{number}), []bool{false}
		c.at("Leave", words)
		if c.p.Goals(words, goal); !goal[0] {
			continue
		}
		var got, all, want puzzle.Edges
		keys, left := expander.Leave(nil, []uint64{number}, nil, 0, &got)
		c.p.Successors(words, &all)
		for i, key := range all.Keys {
			if c.p.Goals([]uint64{key}, goal); !goal[0] || slices.Contains(got.Moves, all.Moves[i]) {
				want.Keys, want.Moves = append(want.Keys, key), append(want.Moves, all.Moves[i])
			}
		}
		if !slices.Equal(keys, words) || left != all.Len()-want.Len() || !sameNumbered(n, &got, &want) {
			c.fault("numbers", "Numbering: an expander leads from the goal %s to numbers %d by %v (%d left out), but there are %x by %v", c.name(words), got.Keys, got.Moves, left, all.Keys, all.Moves)
			return
		}
	}
}

// sameNumbered reports whether edges by number are those by key, in any order.
func sameNumbered(n puzzle.Numbering, got, want *puzzle.Edges) bool {
	if got.Len() != want.Len() {
		return false
	}
	for i, key := range want.Keys {
		number, ok := n.Number(key)
		at := slices.Index(got.Moves, want.Moves[i])
		if !ok || at < 0 || got.Keys[at] != number {
			return false
		}
	}
	return true
}

// pruneNumbers compares what an expander prunes with what Onward does: for each move from a
// state, given the states that it leads to.
func pruneNumbers(c *checker, n puzzle.Numbering, expander puzzle.Expander) {
	onward, ok := c.p.(puzzle.Onward)
	if !ok {
		return
	}
	for _, state := range c.states {
		words := c.wordsOf(state)
		var first puzzle.Edges
		c.p.Successors(words, &first)
		for i, key := range first.Keys {
			number, ok := n.Number(key)
			if !ok {
				continue
			}
			var got, want puzzle.Edges
			_, pruned := expander.Expand(nil, []uint64{number}, first.Moves[i:i+1], &got)
			wantPruned := onward.Onward([]uint64{key}, first.Moves[i:i+1], &want)
			if pruned != wantPruned || !sameNumbered(n, &got, &want) {
				c.at("Expand", []uint64{key})
				c.fault("numbers", "Numbering: after move %d, %s has the successors %d by %v (%d left out), but Onward gives %x by %v (%d left out)", first.Moves[i], c.name([]uint64{key}), got.Keys, got.Moves, pruned, want.Keys, want.Moves, wantPruned)
				return
			}
		}
	}
}
