package conformance

import (
	"testing"

	"github.com/everystate/everystate/puzzle"
)

// numberedToy is the toy with its keys as numbers.
type numberedToy struct {
	toy
	change func(n *toyNumbers)
	oneWay bool
}

func (t numberedToy) Layout() puzzle.Layout {
	l := t.toy.Layout()
	l.Reversible = !t.oneWay
	return l
}

func (t numberedToy) Numbering() puzzle.Numbering {
	n := &toyNumbers{ExpandNumbering: puzzle.NumberingByKeys(t.toy, puzzle.KeysAsNumbers{Bits: 6})}
	if t.change != nil {
		t.change(n)
	}
	return n
}

// toyNumbers may lie.
type toyNumbers struct {
	puzzle.ExpandNumbering
	number func(key uint64) (uint64, bool)
	keys   func(keys []uint64)
	edges  func(keys, numbers []uint64, links []puzzle.Move, out *puzzle.Edges, pruned *int)
	leave  func(out *puzzle.Edges)
	goals  func(from uint64, words []uint64)
}

func (n *toyNumbers) MarkGoals(from uint64, words []uint64) {
	goal := []bool{false}
	for i := range 64 * uint64(len(words)) {
		if from+i < n.Count() {
			if truth.Goals([]uint64{from + i}, goal); goal[0] {
				words[i/64] |= 1 << (i % 64)
			}
		}
	}
	if n.goals != nil {
		n.goals(from, words)
	}
}

func (n *toyNumbers) Number(key uint64) (uint64, bool) {
	if n.number != nil {
		return n.number(key)
	}
	return n.ExpandNumbering.Number(key)
}

func (n *toyNumbers) AppendKeys(keys, numbers []uint64) []uint64 {
	keys = n.ExpandNumbering.AppendKeys(keys, numbers)
	if n.keys != nil {
		n.keys(keys)
	}
	return keys
}

func (n *toyNumbers) Expander() puzzle.Expander {
	return toyExpander{n.ExpandNumbering.Expander(), n.edges, n.leave}
}

type toyExpander struct {
	puzzle.Expander
	edges func(keys, numbers []uint64, links []puzzle.Move, out *puzzle.Edges, pruned *int)
	leave func(out *puzzle.Edges)
}

// Leave leaves out moves of a, which keep b in the last cell.
func (e toyExpander) Leave(keys, goals []uint64, links []puzzle.Move, distance uint32, out *puzzle.Edges) ([]uint64, int) {
	var all puzzle.Edges
	keys, _ = e.Expander.Leave(keys, goals, links, distance, &all)
	for i, move := range all.Moves {
		if move >= 2 {
			out.Keys, out.Moves = append(out.Keys, all.Keys[i]), append(out.Moves, move)
		}
	}
	if e.leave != nil {
		e.leave(out)
	}
	return keys, all.Len() - out.Len()
}

func (e toyExpander) Expand(keys, numbers []uint64, links []puzzle.Move, out *puzzle.Edges) ([]uint64, int) {
	keys, pruned := e.Expander.Expand(keys, numbers, links, out)
	if e.edges != nil {
		e.edges(keys, numbers, links, out, &pruned)
	}
	return keys, pruned
}

func TestNumberedTruth(t *testing.T) {
	p := numberedToy{toy: truth}
	if r := Check(boardOf(p), optionsOf(p)); len(r.Findings) > 0 || !r.Whole {
		t.Errorf("got %+v", r)
	}
}

func liarsOfNumbers() []liarCase {
	numbered := func(name string, change func(n *toyNumbers)) liarCase {
		return liarCase{name: name, rule: "numbers", p: numberedToy{toy: truth, change: change}}
	}
	return []liarCase{
		{name: "numbers of moves that cannot be taken back", rule: "numbers", p: numberedToy{toy: truth, oneWay: true}},
		numbered("a start without a number", func(n *toyNumbers) {
			n.number = func(key uint64) (uint64, bool) { return key, key != truth.start }
		}),
		numbered("a number that is too great", func(n *toyNumbers) {
			n.number = func(key uint64) (uint64, bool) { return key + 64, true }
		}),
		numbered("the number of another", func(n *toyNumbers) {
			n.keys = func(keys []uint64) { keys[0] = first }
		}),
		numbered("a successor that an expander forgets", func(n *toyNumbers) {
			n.edges = func(_, _ []uint64, links []puzzle.Move, out *puzzle.Edges, _ *int) {
				if links == nil {
					out.Keys, out.Moves = out.Keys[1:], out.Moves[1:]
				}
			}
		}),
		numbered("keys that are wrong for many at a time", func(n *toyNumbers) {
			n.edges = func(keys, numbers []uint64, _ []puzzle.Move, _ *puzzle.Edges, _ *int) {
				if len(numbers) > 1 {
					keys[1] = keys[0]
				}
			}
		}),
		numbered("a way out of a goal that an expander leaves out", func(n *toyNumbers) {
			n.leave = func(out *puzzle.Edges) { out.Reset() }
		}),
		numbered("a goal that is not marked", func(n *toyNumbers) {
			n.goals = func(_ uint64, words []uint64) { clear(words) }
		}),
		numbered("a goal that is marked if it is the first number", func(n *toyNumbers) {
			n.goals = func(from uint64, words []uint64) { words[0] &= 1; clear(words[1:]) }
		}),
		numbered("an expander that miscounts what it prunes", func(n *toyNumbers) {
			n.edges = func(_, _ []uint64, links []puzzle.Move, _ *puzzle.Edges, pruned *int) {
				if links != nil {
					*pruned++
				}
			}
		}),
	}
}
