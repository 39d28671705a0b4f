package conformance

import (
	"testing"

	"github.com/everystate/everystate/puzzle"
)

// flipToy is two counters again, whose moves flip bits of their places: a stands on an even
// cell, and goes 2 cells or, if b is not between a quarter and three of the row, 4 cells; b on
// an odd one goes 2 or 4 cells.
type flipToy struct {
	puzzle.Puzzle
	flips  []puzzle.Flip // what it says of its moves
	count  uint64
	oneWay bool
}

func flipsOfToy() []puzzle.Flip {
	return []puzzle.Flip{
		{Bits: 1 << 4},
		{Bits: 1 << 5, Ifs: []puzzle.Parity{{Of: 1<<1 | 1<<2}}},
		{Bits: 1 << 1},
		{Bits: 1 << 2},
	}
}

func newFlipToy(change func(p *flipToy)) flipToy {
	p := flipToy{Puzzle: truth, flips: flipsOfToy(), count: 1 << 6}
	if change != nil {
		change(&p)
	}
	return p
}

func (p flipToy) Layout() puzzle.Layout {
	return puzzle.Layout{KeyBits: 6, Moves: 4, Reversible: !p.oneWay, HasGoal: true}
}

func (p flipToy) Valid(key []uint64) bool {
	return len(key) == 1 && key[0]>>6 == 0 && key[0]>>3&1 == 0 && key[0]&1 == 1
}

func (p flipToy) Apply(dst, state []uint64, move puzzle.Move) bool {
	if move > 3 || move == 1 && (state[0]>>1^state[0]>>2)&1 == 1 {
		return false
	}
	dst[0] = state[0] ^ [...]uint64{1 << 4, 1 << 5, 1 << 1, 1 << 2}[move]
	return true
}

func (p flipToy) Undo(dst, state []uint64, move puzzle.Move) bool { return p.Apply(dst, state, move) }

func (p flipToy) Successors(states []uint64, out *puzzle.Edges) {
	for i := range states {
		var next [1]uint64
		for m := range puzzle.Move(4) {
			if p.Apply(next[:], states[i:i+1], m) {
				out.Keys, out.Moves = append(out.Keys, next[0]), append(out.Moves, m)
			}
		}
	}
}

func (p flipToy) Numbering() puzzle.Numbering {
	return toyFlips{puzzle.KeysAsNumbers{Bits: 6}, p}
}

type toyFlips struct {
	puzzle.KeysAsNumbers
	p flipToy
}

func (n toyFlips) Count() uint64        { return n.p.count }
func (n toyFlips) Flips() []puzzle.Flip { return n.p.flips }

func TestFlipsTruth(t *testing.T) {
	p := newFlipToy(nil)
	if r := Check(boardOf(p), optionsOf(p)); len(r.Findings) > 0 || !r.Whole || r.States != 16 {
		t.Errorf("got %+v", r)
	}
}

func liarsOfFlips() []liarCase {
	flips := func(name string, change func(p *flipToy)) liarCase {
		return liarCase{name: name, rule: "numbers", p: newFlipToy(change)}
	}
	return []liarCase{
		flips("flips that cannot be taken back", func(p *flipToy) { p.oneWay = true }),
		flips("flips of numbers with gaps", func(p *flipToy) { p.count = 63 }),
		flips("a flip with too many conditions", func(p *flipToy) {
			p.flips[0].Ifs = make([]puzzle.Parity, puzzle.FlipIfsMax+1)
		}),
		flips("a flip whose condition is another", func(p *flipToy) { p.flips[1].Ifs[0].Odd = true }),
		flips("a flip of other bits", func(p *flipToy) { p.flips[3].Bits |= 1 << 4 }),
	}
}
