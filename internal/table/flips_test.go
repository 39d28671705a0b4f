package table

import (
	"context"
	"errors"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/partition"
)

// switches is a puzzle of random flips, with those that undo them.
type switches struct {
	puzzle.Puzzle // nil

	puzzle.KeysAsNumbers
	flips []puzzle.Flip
	start uint64
}

func newSwitches(r *rand.Rand, width int) *switches {
	p := &switches{KeysAsNumbers: puzzle.KeysAsNumbers{Bits: width}, start: r.Uint64N(1 << width)}
	word := func(most int) (word uint64) {
		for range 1 + r.IntN(most) {
			word |= 1 << r.IntN(width)
		}
		return word
	}
	for range width + 2 {
		f := puzzle.Flip{Bits: word(3)}
		for range 1 + r.IntN(puzzle.FlipIfsMax) {
			f.Ifs = append(f.Ifs, puzzle.Parity{Of: word(4), Odd: r.IntN(2) == 0})
		}
		p.flips = append(p.flips, f, f.Back())
	}
	return p
}

func (p *switches) Layout() puzzle.Layout {
	return puzzle.Layout{KeyBits: p.Bits, Moves: len(p.flips), Reversible: true, HasGoal: true}
}
func (p *switches) Starts() []uint64            { return []uint64{p.start} }
func (p *switches) Numbering() puzzle.Numbering { return p }
func (p *switches) Flips() []puzzle.Flip        { return p.flips }

func (p *switches) Successors(states []uint64, out *puzzle.Edges) {
	for _, key := range states {
		for i := range p.flips {
			met := true
			for _, c := range p.flips[i].Ifs {
				met = met && (bits.OnesCount64(c.Of&key)%2 == 1) == c.Odd
			}
			if met {
				out.Keys, out.Moves = append(out.Keys, key^p.flips[i].Bits), append(out.Moves, puzzle.Move(i))
			}
		}
	}
}

func (p *switches) Goals(states []uint64, marks []bool) {
	for i, key := range states {
		marks[i] = key%5 == 0
	}
}

// Every layer of random flips is that of a plain search, whatever the number of bits: less
// than a word, a block, or several blocks.
func TestFlipsSameAsSlowTwin(t *testing.T) {
	states := int64(0)
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 0))
		p := newSwitches(r, 1+r.IntN(18))
		scheme, err := partition.New(p.Layout(), 64)
		if err != nil {
			t.Fatal(err)
		}
		space := NewNumberedSpace(p, p, scheme)
		table := compareWithSlow(t, p, space)
		replay(t, p, space, table, 1, p.Starts())
		states += table.Seen()
		if t.Failed() {
			t.Fatalf("seed %d, %d bits", seed, p.Bits)
		}
	}
	if states < 100_000 {
		t.Errorf("only %d states", states)
	}
}

// A flip is undone by the one back, and by no other way.
func TestFlipBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		p := newSwitches(r, 7)
		for i, f := range p.flips {
			back := f.Back()
			for number := range uint64(1 << 7) {
				if f.Possible(number) != back.Possible(number^f.Bits) || back.Bits != f.Bits {
					t.Fatalf("flip %d of %v and its back differ at %b", i, f, number)
				}
			}
		}
	}
}

// A layer that is stopped between blocks, and a search that goes on after any layer, leave no
// trace.
func TestFlipsStopped(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	p := newSwitches(r, 19)
	scheme, err := partition.New(p.Layout(), 64)
	if err != nil {
		t.Fatal(err)
	}
	space := NewNumberedSpace(p, p, scheme)
	want := slow(p, 1, p.Starts(), scheme)
	if len(want) < 8 || want[len(want)/2].States < 10_000 {
		t.Fatalf("%d layers: the test does not test that", len(want))
	}
	table := space.NewTable()
	s := newPasses(table, 1, true, 1)
	got, err := s.Begin(p.Starts())
	for i := range want {
		if err != nil || !sameLayer(got, want[i]) {
			t.Fatalf("layer %d: %v\n got %+v\nwant %+v", i, err, got, want[i])
		}
		low, high := slices.Clone(table.low), slices.Clone(table.high)
		if _, err := s.Next(&stopAfter{context.Background(), 0, 1}); !errors.Is(err, context.Canceled) {
			t.Fatalf("layer %d was not stopped: %v", i+1, err)
		}
		if !slices.Equal(low, table.low) || !slices.Equal(high, table.high) {
			t.Fatalf("layer %d: a stopped layer left something in the table", i+1)
		}
		edges := s.Edges()
		s = newPasses(table, 1, true, 1)
		s.Resume(uint32(i), edges)
		got, err = s.Next(context.Background())
	}
}
