// Package structure finds out what the moves of a permutation puzzle are as a whole:
// how many states they lead to, and under which renamings of places and pieces they
// remain the same moves; and it compares the images of a state under those renamings.
//
// It must never know a notation or a key, nor visit states. Its functions are pure and
// safe for concurrent use.
package structure

import "slices"

// An Arrangement holds the piece at each place and how far it is turned. Pieces that
// look alike have the same number.
type Arrangement struct{ Pieces, Orients []uint8 }

// A Move is the effect of a move: the piece that comes to place i was at place From[i],
// and is turned by By[i] on its way.
type Move struct{ From, By []uint8 }

// Still returns the move that leaves everything as it is.
func Still(places int) Move {
	t := Move{make([]uint8, places), make([]uint8, places)}
	for i := range t.From {
		t.From[i] = uint8(i)
	}
	return t
}

// Equal reports whether two moves do the same.
func (t Move) Equal(u Move) bool { return slices.Equal(t.From, u.From) && slices.Equal(t.By, u.By) }

// Then returns the move that does t and then u.
func (t Move) Then(u Move, moduli []uint8) Move {
	v := Still(len(t.From))
	for i, from := range u.From {
		v.From[i] = t.From[from]
		v.By[i] = (t.By[from] + u.By[i]) % moduli[i]
	}
	return v
}

// Inverse returns the move that undoes t.
func (t Move) Inverse(moduli []uint8) Move {
	v := Still(len(t.From))
	for i, from := range t.From {
		v.From[from] = uint8(i)
		v.By[from] = (moduli[i] - t.By[i]) % moduli[i]
	}
	return v
}

// Power returns a move repeated amount times, inverted if that is negative.
func (t Move) Power(amount int, moduli []uint8) Move {
	if amount < 0 {
		t, amount = t.Inverse(moduli), -amount
	}
	result := Still(len(t.From))
	for ; amount > 0; amount >>= 1 {
		if amount&1 == 1 {
			result = result.Then(t, moduli)
		}
		t = t.Then(t, moduli)
	}
	return result
}

// A Block says that a piece must not be at a place.
type Block struct{ Place, Piece uint8 }

// An Orbit is a set of places whose pieces the moves mix among themselves.
type Orbit struct {
	Places  []int
	Modulus int // the number of orientations of a piece there
}

// A System is a puzzle without a notation.
type System struct {
	Moduli []uint8 // by place
	// Ways holds, by piece, how many orientations are distinguished; nil means all.
	Ways    []uint8
	Start   Arrangement
	Goals   []Arrangement
	Moves   []Move
	Blocked []Block
	Orbits  []Orbit // by their first places
}

// settle reduces the turns to the orientations that are distinguished.
func (s *System) settle(a Arrangement) {
	if s.Ways != nil {
		for i, piece := range a.Pieces {
			a.Orients[i] %= s.Ways[piece]
		}
	}
}
