// Command river is a puzzle as a WebAssembly module, as a starting point for your own:
// a farmer takes a wolf, a goat and a cabbage across a river, in a boat for two. Left
// alone, the wolf eats the goat, and the goat the cabbage. In a directory with this
// file and its board:
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -ldflags='-s -w' -o river.wasm .
//	everystate puzzles check river.wasm river.txt
//	everystate explore --puzzle river.wasm river.txt
//
// It finds 10 states, and the goal after 7 crossings.
package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/sdk/go"
)

func init() { sdk.Serve(read) } //nolint:gochecknoinits // a module is asked without main being called

func main() {}

// who lists the farmer and his passengers, as texts show them. In the key of a state
// bit i is set if who[i] has crossed.
const who = "@wgc"

const (
	farmer uint64 = 1 << iota
	wolf
	goat
	cabbage
	everybody = farmer | wolf | goat | cabbage
)

// crossings are the names of the moves: the farmer crosses alone or with a passenger.
var crossings = []string{"alone", "wolf", "goat", "cabbage"}

// river is a board. It is immutable once read.
type river struct{ start uint64 }

// read reads a board: who is on the near bank, a bar, and who is on the far one.
func read(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, error) {
	if opts.Metric != "" && opts.Metric != "crossing" {
		return nil, &puzzle.InputError{What: fmt.Sprintf("%.20q is not a metric: river has crossing", opts.Metric)}
	}
	key, err := parse(strings.TrimSpace(string(text)))
	if err != nil {
		return nil, err
	}
	return []puzzle.Board{{
		Puzzle: &river{start: key}, Family: "river", Name: "river", Metric: "crossing", Text: format(key),
		Note: "a farmer, a wolf, a goat and a cabbage cross a river", Expect: puzzle.ExpectNothing(),
	}}, nil
}

// safe reports whether nobody is eaten. Only safe keys are states.
func safe(key uint64) bool {
	same := func(a, b uint64) bool { return (key&a == 0) == (key&b == 0) }
	return same(goat, farmer) || !same(goat, wolf) && !same(goat, cabbage)
}

// cross returns the state after a move, if the move is legal.
func cross(key uint64, move puzzle.Move) (next uint64, legal bool) {
	if int(move) >= len(crossings) {
		return 0, false
	}
	passenger := uint64(1) << move
	if (key&farmer == 0) != (key&passenger == 0) {
		return 0, false // the passenger is on the other bank
	}
	next = key ^ (farmer | passenger)
	return next, safe(next)
}

// Layout reports that every move is reversible, by the same crossing.
func (r *river) Layout() puzzle.Layout {
	return puzzle.Layout{KeyBits: len(who), Moves: len(crossings), Reversible: true, HasGoal: true}
}

func (r *river) Starts() []uint64 { return []uint64{r.start} }

func (r *river) Valid(key []uint64) bool { return len(key) == 1 && key[0] <= everybody && safe(key[0]) }

// Successors appends the successors of each state, in increasing order of the moves.
func (r *river) Successors(states []uint64, out *puzzle.Edges) {
	for _, key := range states {
		for move := range puzzle.Move(len(crossings)) {
			if next, legal := cross(key, move); legal {
				out.Keys, out.Moves = append(out.Keys, next), append(out.Moves, move)
			}
		}
	}
}

func (r *river) Apply(dst, state []uint64, move puzzle.Move) bool {
	next, legal := cross(state[0], move)
	if legal {
		dst[0] = next
	}
	return legal
}

// Undo returns the state before a move, to which the same move leads.
func (r *river) Undo(dst, state []uint64, move puzzle.Move) bool { return r.Apply(dst, state, move) }

func (r *river) Goals(states []uint64, marks []bool) {
	for i, key := range states {
		marks[i] = key == everybody
	}
}

// format writes a state as read reads it: "@wgc|" is the usual start.
func format(key uint64) string {
	var banks [2]string
	for i := range who {
		side := key >> i & 1
		banks[side] += who[i : i+1]
	}
	return banks[0] + "|" + banks[1]
}

func parse(text string) (uint64, error) {
	near, far, _ := strings.Cut(text, "|")
	letters := []byte(near + far)
	slices.Sort(letters)
	var key uint64
	for i := range who {
		if strings.Contains(far, who[i:i+1]) {
			key |= 1 << i
		}
	}
	switch {
	case len(text) != len(who)+1 || string(letters) != "@cgw":
		return 0, &puzzle.InputError{Line: 1, Column: 1, What: "a state is the letters @ w g c, each once, with a bar for the river: as in @wgc|"}
	case !safe(key):
		return 0, &puzzle.InputError{Line: 1, Column: 1, What: "the goat is eaten, or eats: the farmer has to be with it, or it has to be alone"}
	}
	return key, nil
}

func (r *river) Format(state []uint64) string { return format(state[0]) }

func (r *river) Draw(state []uint64) string { return format(state[0]) }

func (r *river) FormatMove(move puzzle.Move) string { return crossings[move] }

func (r *river) Parse(text string) ([]uint64, error) {
	key, err := parse(text)
	if err != nil {
		return nil, err
	}
	return []uint64{key}, nil
}
