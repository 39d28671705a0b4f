package structure

import (
	"testing"

	"github.com/everystate/everystate/puzzle"
)

// TestInverts has symmetries that leave all places and turn pieces: all of them, those at
// some places, some of them wherever they are.
func TestInverts(t *testing.T) {
	s := &System{
		Moduli: []uint8{3, 3, 3}, Start: Arrangement{[]uint8{0, 1, 2}, []uint8{0, 0, 0}},
		Orbits: []Orbit{{Places: []int{0, 1, 2}, Modulus: 3}},
	}
	of := func(turns, pieceTurns [3]uint8, unit uint8) *Automorphism {
		still := []uint8{0, 1, 2}
		return &Automorphism{
			To: still, Back: still, Unit: []uint8{unit, unit, unit}, Turns: turns[:],
			Pieces: still, PieceTurns: pieceTurns[:], Moves: []puzzle.Move{},
		}
	}
	var list []*Automorphism
	for _, unit := range []uint8{1, 2} {
		for places := range uint8(27) {
			for pieces := range uint8(27) {
				list = append(list, of([3]uint8{places % 3, places / 3 % 3, places / 9}, [3]uint8{pieces % 3, pieces / 3 % 3, pieces / 9}, unit))
			}
		}
	}
	apply := func(a *Automorphism, place int, piece, orient uint8) uint8 { return a.Turn(place, piece, orient, s) }
	inverses := 0
	for _, a := range list {
		for _, b := range list[:100] {
			want := true
			for place := range 3 {
				for piece := range uint8(3) {
					for orient := range uint8(3) {
						want = want && apply(b, place, piece, apply(a, place, piece, orient)) == orient
					}
				}
			}
			if want {
				inverses++
			}
			if got := a.Inverts(b, s); got != want {
				t.Fatalf("%+v and %+v: %v, want %v", a, b, got, want)
			}
		}
	}
	if inverses == 0 {
		t.Error("none is the inverse of another")
	}
}
