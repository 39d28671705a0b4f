package conformance

import (
	"testing"

	"github.com/everystate/everystate/puzzle"
)

// rankedToy is the toy with ranks: a block for the place of a, an item for that of b.
type rankedToy struct {
	toy
	change func(r *puzzle.Ranks)
	locate func(l *puzzle.Locator)
	oneWay bool
}

func (t rankedToy) Layout() puzzle.Layout {
	l := t.toy.Layout()
	l.Reversible = !t.oneWay
	return l
}

func (t rankedToy) Ranks() *puzzle.Ranks {
	r := &puzzle.Ranks{Blocks: toyCells, Size: toyCells, RankCoder: toyRanks{}}
	for free := range toyCells { // a row for each cell that is not
		row := make([]uint16, toyCells)
		left, right := make([]uint16, toyCells), make([]uint16, toyCells)
		for b := range toyCells {
			row[b], left[b], right[b] = uint16(b), uint16(b-1), uint16(b+1)
			if b == free {
				row[b] = puzzle.NoItem
			}
			if b == 0 || b-1 == free {
				left[b] = puzzle.NoItem
			}
			if b+1 == toyCells || b+1 == free {
				right[b] = puzzle.NoItem
			}
		}
		r.Rows = append(r.Rows, row, left, right)
	}
	for m := range 4 {
		a := puzzle.Action{Move: puzzle.Move(m), Inverse: m ^ 1}
		for at := range toyCells {
			to, row := at, 3*at+1+m%2
			if m < 2 {
				to += 2*m - 1
				row = 3 * max(to, 0)
			}
			if to == toyCells {
				to, row = -1, 0
			}
			a.Blocks, a.BlockRows = append(a.Blocks, int32(to)), append(a.BlockRows, uint16(row))
		}
		r.Actions = append(r.Actions, a)
	}
	if t.change != nil {
		t.change(r)
	}
	return r
}

func (t rankedToy) Locator() *puzzle.Locator {
	r := t.Ranks()
	l := &puzzle.Locator{Blocks: r.Blocks, Size: r.Size, Rank: r.Rank}
	if t.locate != nil {
		t.locate(l)
	}
	return l
}

type toyRanks struct {
	rank func(key uint64) (int, uint16, bool)
	keys func(keys []uint64)
}

func (toyRanks) plain(key uint64) (int, uint16, bool) { return int(key >> 3), uint16(key & 7), true }

func (c toyRanks) AppendKeys(keys []uint64, block int, items []uint16) []uint64 {
	for _, item := range items {
		keys = append(keys, toyKey(block, int(item)))
	}
	if c.keys != nil {
		c.keys(keys)
	}
	return keys
}

func (c toyRanks) Rank(key uint64) (int, uint16, bool) {
	if c.rank != nil {
		return c.rank(key)
	}
	return c.plain(key)
}

func TestRankedTruth(t *testing.T) {
	p := rankedToy{toy: truth}
	if r := Check(boardOf(p), optionsOf(p)); len(r.Findings) > 0 || !r.Whole {
		t.Errorf("got %+v", r)
	}
}

// orbits makes ranks those of merged states, under the identity alone. The toy has states that
// stand for two, so not all symmetries may be said to map blocks to others.
func orbits(r *puzzle.Ranks, whole bool) {
	r.Orbits = &puzzle.Orbits{Symmetries: 1, Moves: 4, Valid: make([][]uint64, r.Blocks)}
	for block := range r.Orbits.Valid {
		if !whole {
			r.Orbits.Valid[block] = []uint64{1<<toyCells - 1}
		}
	}
	r.Orbits.SetInto(r)
}

func TestRankedOrbits(t *testing.T) {
	p := rankedToy{toy: truth, change: func(r *puzzle.Ranks) { orbits(r, false) }}
	if r := Check(boardOf(p), optionsOf(p)); len(r.Findings) > 0 || !r.Whole {
		t.Errorf("got %+v", r)
	}
}

func liarsOfRanks() []liarCase {
	ranked := func(name string, change func(r *puzzle.Ranks)) liarCase {
		return liarCase{name: name, rule: "ranks", p: rankedToy{toy: truth, change: change}}
	}
	without := func(lost uint64) func(r *puzzle.Ranks) {
		return func(r *puzzle.Ranks) {
			r.RankCoder = toyRanks{rank: func(key uint64) (int, uint16, bool) {
				block, item, _ := toyRanks{}.plain(key)
				return block, item, key != lost
			}}
		}
	}
	return []liarCase{
		{name: "ranks of moves that cannot be taken back", rule: "ranks", p: rankedToy{toy: truth, oneWay: true}},
		ranked("ranks of nothing", func(r *puzzle.Ranks) { r.Blocks = 0 }),
		ranked("a short row", func(r *puzzle.Ranks) { r.Rows[5] = r.Rows[5][1:] }),
		ranked("actions out of order", func(r *puzzle.Ranks) { r.Actions[2].Move = 0 }),
		ranked("an inverse of another", func(r *puzzle.Ranks) { r.Actions[2].Inverse = 1 }),
		ranked("a block that is not there", func(r *puzzle.Ranks) { r.Actions[1].Blocks[0] = toyCells }),
		ranked("rows of some blocks", func(r *puzzle.Ranks) { r.Actions[1].BlockRows = r.Actions[1].BlockRows[1:] }),
		ranked("a row that is not there", func(r *puzzle.Ranks) { r.Actions[1].BlockRows[0] = 99 }),
		ranked("a start without a rank", without(truth.start)),
		ranked("a state without a rank", without(first)),
		ranked("an item that is not there", func(r *puzzle.Ranks) {
			r.RankCoder = toyRanks{rank: func(uint64) (int, uint16, bool) { return 0, toyCells, true }}
		}),
		ranked("the rank of another", func(r *puzzle.Ranks) {
			r.RankCoder = toyRanks{keys: func(keys []uint64) { keys[0] = first }}
		}),
		ranked("an action to another item", func(r *puzzle.Ranks) { r.Rows[3*2+1][4] = 5 }),
		ranked("an action that is missing", func(r *puzzle.Ranks) {
			r.Actions[0].Blocks[2], r.Actions[1].Blocks[1] = -1, -1
		}),
		ranked("a state that stands for more than its block has images", func(r *puzzle.Ranks) { orbits(r, true) }),
		{name: "a locator of other ranks", rule: "ranks", p: rankedToy{toy: truth, locate: func(l *puzzle.Locator) { l.Size++ }}},
		{name: "a state somewhere else", rule: "ranks", p: rankedToy{toy: truth, locate: func(l *puzzle.Locator) {
			l.Rank = func(key uint64) (int, uint16, bool) {
				block, item, ok := toyRanks{}.plain(key)
				return block, item ^ uint16(key&2), ok
			}
		}}},
	}
}
