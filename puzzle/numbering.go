package puzzle

import "math/bits"

// Numbered is a puzzle whose states can be numbered almost without gaps. Unlike those of a
// Dense one its moves are no actions on blocks and items. Its keys have one word. Its moves
// are reversible; with a FlipNumbering, its states may be graded instead.
type Numbered interface {
	// Numbering returns the numbering, an ExpandNumbering or a FlipNumbering, or nil if
	// there is none. It builds tables, so callers keep the result.
	Numbering() Numbering
}

// NumberingOf returns the numbering of a puzzle, or nil if it has none that a table can use.
func NumberingOf(p Puzzle) Numbering {
	numbered, ok := p.(Numbered)
	if !ok || !Tabular(p) {
		return nil
	}
	if _, weighted := p.(Weighted); weighted {
		return nil
	}
	n, l := numbered.Numbering(), p.Layout()
	if _, flips := n.(FlipNumbering); n == nil || !l.Reversible && !(l.Graded && flips) {
		return nil
	}
	return n
}

// Tabular reports whether a table of two bits per state can hold a puzzle, as far as its
// numbers or ranks do not decide it: keys have one word, and no moves are left out for good.
func Tabular(p Puzzle) bool {
	_, pruning := p.(Pruning)
	return p.Layout().Words() == 1 && !Merges(p) && !pruning
}

// Numbering numbers a set of states that contains the starts and all that moves lead to.
// A number need not belong to such a state. It is immutable and safe for concurrent use.
type Numbering interface {
	// Count returns how many numbers there are: from 0 on.
	Count() uint64

	// Number returns the number of a valid key, or false if it has none. A state without
	// a number cannot be reached.
	Number(key uint64) (number uint64, ok bool)

	// AppendKeys appends the keys of numbers, which must increase.
	AppendKeys(keys, numbers []uint64) []uint64
}

// ExpandNumbering is a Numbering whose moves are made state by state.
type ExpandNumbering interface {
	Numbering

	// Expander returns an expander, which is not safe for concurrent use.
	Expander() Expander
}

// GoalNumbering is a Numbering that tells goals by their numbers.
type GoalNumbering interface {
	Numbering

	// MarkGoals sets the bits of goals: bit i of words is for the number from + i.
	MarkGoals(from uint64, words []uint64)
}

// Expander generates successors as numbers.
type Expander interface {
	// Expand appends the keys of states, given by increasing numbers, and to out, as
	// numbers, what Onward appends for them and their links, or what Successors does if
	// links is nil. It returns how many were left out.
	Expand(keys, numbers []uint64, links []Move, out *Edges) (appended []uint64, pruned int)

	// Leave is Expand of states that are all so many moves from the nearest goal, with links
	// on ways from goals, or nil at distance 0. It may also leave out successors that are no
	// farther from a goal.
	Leave(keys, numbers []uint64, links []Move, distance uint32, out *Edges) (appended []uint64, pruned int)
}

// FlipNumbering is a Numbering whose moves flip bits of numbers. The numbers are all of some
// number of bits.
type FlipNumbering interface {
	Numbering

	// Flips returns what each move does, by move.
	Flips() []Flip
}

// FlipIfsMax is the greatest number of conditions of a Flip.
const FlipIfsMax = 3

// Flip is the effect of a move on numbers: it flips Bits of those that meet every condition
// of Ifs, and is not possible elsewhere.
type Flip struct {
	Bits uint64
	Ifs  []Parity
}

// Parity is met by a number if an odd number of the bits Of it are set, or, unless Odd is
// set, an even number.
type Parity struct {
	Of  uint64
	Odd bool
}

// Holds reports whether a number meets the condition.
func (p Parity) Holds(number uint64) bool { return bits.OnesCount64(number&p.Of)&1 == 1 == p.Odd }

// Possible reports whether the move is possible in the state with a number.
func (f *Flip) Possible(number uint64) bool {
	for _, p := range f.Ifs {
		if !p.Holds(number) {
			return false
		}
	}
	return true
}

// Back returns the flip that undoes f.
func (f *Flip) Back() Flip {
	back := Flip{Bits: f.Bits}
	for _, p := range f.Ifs {
		flipped := Parity{p.Of, true}.Holds(f.Bits)
		back.Ifs = append(back.Ifs, Parity{p.Of, p.Odd != flipped})
	}
	return back
}

// NumberingByKeys completes a numbering by expanders that make moves on keys.
func NumberingByKeys(p Puzzle, n Numbering) ExpandNumbering { return byKeys{n, p} }

type byKeys struct {
	Numbering
	p Puzzle
}

func (n byKeys) Expander() Expander { return n }

func (n byKeys) Expand(keys, numbers []uint64, links []Move, out *Edges) (appended []uint64, pruned int) {
	first, made := len(keys), len(out.Keys)
	keys = n.AppendKeys(keys, numbers)
	if onward, ok := n.p.(Onward); ok && links != nil {
		pruned = onward.Onward(keys[first:], links, out)
	} else {
		n.p.Successors(keys[first:], out)
	}
	for i, key := range out.Keys[made:] {
		out.Keys[made+i], _ = n.Number(key)
	}
	return keys, pruned
}

func (n byKeys) Leave(keys, numbers []uint64, links []Move, _ uint32, out *Edges) (appended []uint64, pruned int) {
	return n.Expand(keys, numbers, links, out)
}

// KeysAsNumbers numbers the states of a puzzle by their keys.
type KeysAsNumbers struct{ Bits int }

// Count returns the number of keys.
func (n KeysAsNumbers) Count() uint64 { return 1 << n.Bits }

// Number returns the key.
func (n KeysAsNumbers) Number(key uint64) (uint64, bool) { return key, true }

// AppendKeys appends the numbers.
func (n KeysAsNumbers) AppendKeys(keys, numbers []uint64) []uint64 { return append(keys, numbers...) }
