package flat

import (
	"math"
	"slices"
	"testing"

	"github.com/everystate/everystate/puzzle"
)

// move returns the move of some cycles, of places from 1.
func move(places int, cycles ...[]int) []uint8 {
	from := make([]uint8, places)
	for i := range from {
		from[i] = uint8(i)
	}
	for _, c := range cycles {
		for i, place := range c {
			from[c[(i+1)%len(c)]-1] = uint8(place - 1)
		}
	}
	return from
}

func upTo(first, last int) []int {
	var out []int
	for i := first; i <= last; i++ {
		out = append(out, i)
	}
	return out
}

// TestGrid: rows and columns that turn are a board, however the places are numbered.
func TestGrid(t *testing.T) {
	s := Of([][]uint8{move(6, []int{1, 5}, []int{2, 6}), move(6, []int{1, 2, 3}), move(6, []int{3, 2, 1}), move(6, []int{5, 6, 4})})
	if s == nil || s.spots == nil {
		t.Errorf("columns that turn together are no grid, but it is %+v", s)
	}
	s = Of([][]uint8{
		move(12, []int{1, 2, 3, 4}), move(12, []int{4, 3, 2, 1}), move(12, []int{8, 5, 6, 7}), move(12, upTo(9, 12)),
		move(12, []int{1, 9, 5}), move(12, []int{2, 10, 6}), move(12, []int{7, 3, 11}), move(12, []int{4, 12, 8}),
	})
	if s == nil || s.spots != nil || s.rows != 3 || s.cols != 4 {
		t.Fatalf("it is %+v", s)
	}
	rows := [][]int{upTo(1, 4), upTo(9, 12), upTo(5, 8)}
	for r, row := range rows {
		for c, place := range row {
			if want := (puzzle.Cell{Row: r, Col: c}); s.cells[place-1] != want {
				t.Errorf("place %d is at %v, want %v", place, s.cells[place-1], want)
			}
		}
	}
	pic := s.Picture([]string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"}, []uint8{11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0})
	if pic.Pieces[0].Label != "l" || pic.Pieces[0].Cells[0] != (puzzle.Cell{Row: 1, Col: 3}) {
		t.Errorf("the piece of the least colour is %+v", pic.Pieces[0])
	}
}

// TestRings: what a move takes round lies on a circle, at even distances, in this order,
// and nothing on anything else.
func TestRings(t *testing.T) {
	for name, c := range map[string]struct {
		moves [][]uint8
		rings int // and discs
		discs int
	}{
		"topspin":   {[][]uint8{move(20, upTo(1, 20)), move(20, []int{1, 4}, []int{2, 3})}, 1, 1},
		"odd":       {[][]uint8{move(9, upTo(1, 9)), move(9, []int{9, 2})}, 1, 1},
		"m12":       {[][]uint8{move(12, upTo(1, 11)), move(12, []int{3, 7, 11, 8}, []int{4, 10, 5, 6})}, 1, 0},
		"apart":     {[][]uint8{move(25, upTo(1, 12)), move(25, upTo(13, 24)), move(25, []int{7, 19})}, 2, 0},
		"touching":  {[][]uint8{move(7, upTo(1, 3)), move(7, upTo(3, 7))}, 2, 0},
		"hungarian": {[][]uint8{move(14, upTo(1, 8)), move(14, []int{1, 9, 10, 4, 11, 12, 13, 14})}, 2, 0},
		"backwards": {[][]uint8{move(14, []int{8, 7, 6, 5, 4, 3, 2, 1}), move(14, []int{1, 9, 10, 4, 11, 12, 13, 14})}, 2, 0},
		"unequal":   {[][]uint8{move(16, upTo(1, 8)), move(16, []int{1, 9, 10, 4, 11, 12, 13, 14, 15, 16})}, 2, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := Of(c.moves)
			if s == nil {
				t.Fatal("it is a row")
			}
			discs := 0
			for _, r := range s.rings {
				if r.Disc {
					discs++
				}
			}
			if len(s.rings)-discs != c.rings || discs != c.discs {
				t.Errorf("%d rings and %d discs, want %d and %d", len(s.rings)-discs, discs, c.rings, c.discs)
			}
			for i, a := range s.spots {
				for j, b := range s.spots[:i] {
					if d := distance(a, b); d < nearest-1e-9 {
						t.Errorf("places %d and %d are %v apart", i+1, j+1, d)
					}
				}
				if a.X < 0.5-1e-9 || a.Y < 0.5-1e-9 {
					t.Errorf("place %d is at %v", i+1, a)
				}
			}
			for _, m := range c.moves {
				if cycle := cycleOf(m); len(cycle) > 2 {
					onCircle(t, s, cycle)
				}
			}
		})
	}
}

// onCircle checks that the places of a cycle lie on one ring, each as far from the next.
func onCircle(t *testing.T, s *Shape, cycle []int) {
	t.Helper()
	on := slices.ContainsFunc(s.rings, func(r puzzle.Ring) bool {
		return !r.Disc && !slices.ContainsFunc(cycle, func(place int) bool { return math.Abs(distance(s.spots[place], r.Middle)-r.Radius) > 1e-9 })
	})
	if !on {
		t.Errorf("%v are on no ring", cycle)
	}
	want := distance(s.spots[cycle[0]], s.spots[cycle[1]])
	for i, place := range cycle {
		if got := distance(s.spots[place], s.spots[cycle[(i+1)%len(cycle)]]); math.Abs(got-want) > 1e-9 {
			t.Errorf("place %d is %v from the next, want %v", place+1, got, want)
		}
	}
}

func distance(a, b puzzle.Spot) float64 { return math.Hypot(a.X-b.X, a.Y-b.Y) }

// TestRow: where moves give no shape, pieces lie in a row.
func TestRow(t *testing.T) {
	for name, moves := range map[string][][]uint8{
		"three rings": {move(9, upTo(1, 4)), move(9, []int{1, 5, 6, 7}), move(9, []int{1, 8, 9, 5})},
		"no cycle":    {move(6, []int{1, 2}, []int{3, 4, 5})},
		"nothing":     {},
		"crossing":    {move(6, upTo(1, 4)), move(6, []int{1, 2, 5, 6}), move(6, []int{2, 3, 5})},
	} {
		if s := Of(moves); s != nil {
			t.Errorf("%s is %+v", name, s)
		}
	}
	var row *Shape
	pic := row.Picture([]string{"x", "y"}, []uint8{1, 0})
	if pic.Cols != 2 || pic.Pieces[0].Label != "x" || pic.Spots != nil {
		t.Errorf("%+v", pic)
	}
}
