package conformance

import (
	"bytes"
	"math/bits"
	"strconv"
	"strings"

	"github.com/everystate/everystate/puzzle"
)

// toy is two counters, a and b, on a row of cells: one of them goes one cell left
// or right, to a free cell. The goal is that b stands in the last cell.
type toy struct{ start uint64 }

const toyCells = 8

// The key holds the places of a and b.
func toyKey(a, b int) uint64        { return uint64(a)<<3 | uint64(b) }
func toyPlaces(state uint64) [2]int { return [2]int{int(state >> 3), int(state & 7)} }

func (t toy) Layout() puzzle.Layout {
	return puzzle.Layout{KeyBits: 6, Moves: 4, Reversible: true, HasGoal: true}
}

func (t toy) Starts() []uint64 { return []uint64{t.start} }

func (t toy) Valid(key []uint64) bool {
	return len(key) == 1 && key[0] < toyCells*toyCells && key[0]>>3 != key[0]&7
}

func (t toy) Apply(dst, state []uint64, move puzzle.Move) bool { return t.step(dst, state, move, 1) }
func (t toy) Undo(dst, state []uint64, move puzzle.Move) bool  { return t.step(dst, state, move, -1) }

// step makes move 0 (a-1), 1 (a+1), 2 (b-1) or 3 (b+1), or takes it back.
func (t toy) step(dst, state []uint64, move puzzle.Move, sign int) bool {
	if move > 3 {
		return false
	}
	at := toyPlaces(state[0])
	at[move/2] += sign * (2*int(move%2) - 1)
	if to := at[move/2]; to < 0 || to >= toyCells || at[0] == at[1] {
		return false
	}
	dst[0] = toyKey(at[0], at[1])
	return true
}

func (t toy) Successors(states []uint64, out *puzzle.Edges) {
	for i := range states {
		var next [1]uint64
		for m := range puzzle.Move(4) {
			if t.Apply(next[:], states[i:i+1], m) {
				out.Keys, out.Moves = append(out.Keys, next[0]), append(out.Moves, m)
			}
		}
	}
}

func (t toy) Onward(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	for i := range states {
		var next, at [1]uint64
		link := links[i]
		for m := range puzzle.Move(4) {
			switch {
			case !t.Apply(next[:], states[i:i+1], m):
			case m == link^1, m > link && t.Undo(at[:], states[i:i+1], link) && t.Apply(at[:], at[:], m) && t.Apply(at[:], at[:], link):
				pruned++
			default:
				out.Keys, out.Moves = append(out.Keys, next[0]), append(out.Moves, m)
			}
		}
	}
	return pruned
}

func (t toy) Homeward(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	for i := range states {
		var before, at [1]uint64
		link := links[i]
		for m := range puzzle.Move(4) {
			switch {
			case !t.Undo(before[:], states[i:i+1], m):
			case m == link^1, m > link && t.Apply(at[:], before[:], link) && t.Apply(at[:], at[:], m):
				pruned++
			default:
				out.Keys, out.Moves = append(out.Keys, before[0]), append(out.Moves, m)
			}
		}
	}
	return pruned
}

func (t toy) Predecessors(states []uint64, out *puzzle.Edges) {
	for i := range states {
		var before [1]uint64
		for m := range puzzle.Move(4) {
			if t.Undo(before[:], states[i:i+1], m) {
				out.Keys, out.Moves = append(out.Keys, before[0]), append(out.Moves, m)
			}
		}
	}
}

func (t toy) Goals(states []uint64, marks []bool) {
	for i, state := range states {
		marks[i] = state&7 == toyCells-1
	}
}

func (t toy) Format(state []uint64) string {
	text := bytes.Repeat([]byte("."), toyCells)
	at := toyPlaces(state[0])
	text[at[0]], text[at[1]] = 'a', 'b'
	return string(text)
}

func (t toy) Draw(state []uint64) string { return t.Format(state) }

func (t toy) Parse(text string) ([]uint64, error) {
	a, b := strings.IndexByte(text, 'a'), strings.IndexByte(text, 'b')
	if len(text) != toyCells || a < 0 || b < 0 || strings.Count(text, ".") != toyCells-2 {
		return nil, &puzzle.InputError{What: "a row has 8 cells, . but for one a and one b"}
	}
	return []uint64{toyKey(a, b)}, nil
}

func (t toy) FormatMove(move puzzle.Move) string {
	if move > 3 {
		return "no move"
	}
	return []string{"a-1", "a+1", "b-1", "b+1"}[move]
}

func (t toy) Picture(state []uint64) *puzzle.Picture {
	pic := &puzzle.Picture{Rows: 1, Cols: toyCells, Ground: make([]puzzle.Ground, toyCells)}
	for i, at := range toyPlaces(state[0]) {
		pic.Pieces = append(pic.Pieces, puzzle.Piece{
			Kind: puzzle.PieceBlock, Cells: []puzzle.Cell{{Row: 0, Col: at}}, Label: "ab"[i : i+1], Colour: i, Goal: i == 1,
		})
	}
	return pic
}

// Weights says that a state of an odd key stands for two.
func (t toy) Weights(states, weights []uint64) {
	for i := range weights {
		weights[i] = 1 + states[i]&1
	}
}

func (t toy) Compare(a, b string) int { return strings.Compare(b, a) }

// wideToy has keys of two words, whose first is always the same.
type wideToy struct{ toy }

func (w wideToy) Layout() puzzle.Layout {
	l := w.toy.Layout()
	l.KeyBits = 128
	return l
}
func (w wideToy) Starts() []uint64 { return []uint64{1 << 63, w.start} }
func (w wideToy) Valid(key []uint64) bool {
	return len(key) == 2 && key[0] == 1<<63 && w.toy.Valid(key[1:])
}

func (w wideToy) wide(states []uint64, out *puzzle.Edges, call func(narrow []uint64, out *puzzle.Edges)) {
	for i := 1; i < len(states); i += 2 {
		var edges puzzle.Edges
		call(states[i:i+1], &edges)
		for j, key := range edges.Keys {
			out.Keys, out.Moves = append(out.Keys, 1<<63, key), append(out.Moves, edges.Moves[j])
		}
	}
}
func (w wideToy) Successors(states []uint64, out *puzzle.Edges) {
	w.wide(states, out, w.toy.Successors)
}
func (w wideToy) Predecessors(states []uint64, out *puzzle.Edges) {
	w.wide(states, out, w.toy.Predecessors)
}
func (w wideToy) Onward(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	at := 0
	w.wide(states, out, func(narrow []uint64, out *puzzle.Edges) {
		pruned += w.toy.Onward(narrow, links[at:], out)
		at++
	})
	return pruned
}
func (w wideToy) Homeward(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	at := 0
	w.wide(states, out, func(narrow []uint64, out *puzzle.Edges) {
		pruned += w.toy.Homeward(narrow, links[at:], out)
		at++
	})
	return pruned
}
func (w wideToy) Apply(dst, state []uint64, m puzzle.Move) bool {
	if !w.toy.Apply(dst[1:], state[1:], m) {
		return false
	}
	dst[0] = state[0]
	return true
}
func (w wideToy) Undo(dst, state []uint64, m puzzle.Move) bool {
	if !w.toy.Undo(dst[1:], state[1:], m) {
		return false
	}
	dst[0] = state[0]
	return true
}
func (w wideToy) Goals(states []uint64, marks []bool) {
	for i := range marks {
		w.toy.Goals(states[2*i+1:2*i+2], marks[i:i+1])
	}
}
func (w wideToy) Weights(states, weights []uint64) {
	for i := range weights {
		w.toy.Weights(states[2*i+1:2*i+2], weights[i:i+1])
	}
}
func (w wideToy) Format(state []uint64) string           { return w.toy.Format(state[1:]) }
func (w wideToy) Draw(state []uint64) string             { return w.toy.Format(state[1:]) }
func (w wideToy) Picture(state []uint64) *puzzle.Picture { return w.toy.Picture(state[1:]) }
func (w wideToy) Parse(text string) ([]uint64, error) {
	state, err := w.toy.Parse(text)
	if err != nil {
		return nil, err
	}
	return []uint64{1 << 63, state[0]}, nil
}

// liar is the toy with some methods put in the place of others.
type liar struct {
	toy
	layout       func() puzzle.Layout
	starts       func() []uint64
	valid        func(key []uint64) bool
	apply, undo  func(dst, state []uint64, move puzzle.Move) bool
	successors   func(states []uint64, out *puzzle.Edges)
	predecessors func(states []uint64, out *puzzle.Edges)
	onward       func(states []uint64, links []puzzle.Move, out *puzzle.Edges) int
	homeward     func(states []uint64, links []puzzle.Move, out *puzzle.Edges) int
	goals        func(states []uint64, marks []bool)
	format, draw func(state []uint64) string
	parse        func(text string) ([]uint64, error)
	formatMove   func(move puzzle.Move) string
	picture      func(state []uint64) *puzzle.Picture
	weights      func(states, weights []uint64)
	compare      func(a, b string) int
}

// or returns the first function that is there.
func or[F any](lie F, there bool, truth F) F {
	if there {
		return lie
	}
	return truth
}

func (l *liar) Layout() puzzle.Layout   { return or(l.layout, l.layout != nil, l.toy.Layout)() }
func (l *liar) Starts() []uint64        { return or(l.starts, l.starts != nil, l.toy.Starts)() }
func (l *liar) Valid(key []uint64) bool { return or(l.valid, l.valid != nil, l.toy.Valid)(key) }
func (l *liar) Apply(dst, state []uint64, move puzzle.Move) bool {
	return or(l.apply, l.apply != nil, l.toy.Apply)(dst, state, move)
}
func (l *liar) Undo(dst, state []uint64, move puzzle.Move) bool {
	return or(l.undo, l.undo != nil, l.toy.Undo)(dst, state, move)
}
func (l *liar) Successors(states []uint64, out *puzzle.Edges) {
	or(l.successors, l.successors != nil, l.toy.Successors)(states, out)
}
func (l *liar) Predecessors(states []uint64, out *puzzle.Edges) {
	or(l.predecessors, l.predecessors != nil, l.toy.Predecessors)(states, out)
}
func (l *liar) Onward(states []uint64, links []puzzle.Move, out *puzzle.Edges) int {
	return or(l.onward, l.onward != nil, l.toy.Onward)(states, links, out)
}
func (l *liar) Homeward(states []uint64, links []puzzle.Move, out *puzzle.Edges) int {
	return or(l.homeward, l.homeward != nil, l.toy.Homeward)(states, links, out)
}
func (l *liar) Goals(states []uint64, marks []bool) {
	or(l.goals, l.goals != nil, l.toy.Goals)(states, marks)
}
func (l *liar) Format(state []uint64) string {
	return or(l.format, l.format != nil, l.toy.Format)(state)
}
func (l *liar) Draw(state []uint64) string { return or(l.draw, l.draw != nil, l.toy.Draw)(state) }
func (l *liar) Parse(text string) ([]uint64, error) {
	return or(l.parse, l.parse != nil, l.toy.Parse)(text)
}
func (l *liar) FormatMove(move puzzle.Move) string {
	return or(l.formatMove, l.formatMove != nil, l.toy.FormatMove)(move)
}
func (l *liar) Picture(state []uint64) *puzzle.Picture {
	return or(l.picture, l.picture != nil, l.toy.Picture)(state)
}

func (l *liar) Weights(states, weights []uint64) {
	or(l.weights, l.weights != nil, l.toy.Weights)(states, weights)
}
func (l *liar) Compare(a, b string) int { return or(l.compare, l.compare != nil, l.toy.Compare)(a, b) }

// keep drops the edges that are not wanted.
func keep(out *puzzle.Edges, wanted func(key uint64, m puzzle.Move) bool) {
	n := 0
	for i, m := range out.Moves {
		if wanted(out.Keys[i], m) {
			out.Keys[n], out.Moves[n] = out.Keys[i], m
			n++
		}
	}
	out.Keys, out.Moves = out.Keys[:n], out.Moves[:n]
}

// odd says of a state what some lies depend on.
func odd(state uint64) bool { return bits.OnesCount64(state)%2 == 1 }

// ring is a ring of states that says that its moves alternate, as they do if the
// number of states is even.
type ring struct{ size uint64 }

func (r ring) Layout() puzzle.Layout {
	return puzzle.Layout{KeyBits: bits.Len64(r.size - 1), Moves: 2, Reversible: true, Alternating: true}
}
func (r ring) Starts() []uint64        { return []uint64{0} }
func (r ring) Valid(key []uint64) bool { return len(key) == 1 && key[0] < r.size }
func (r ring) Successors(states []uint64, out *puzzle.Edges) {
	for _, s := range states {
		out.Keys = append(out.Keys, (s+1)%r.size, (s+r.size-1)%r.size)
		out.Moves = append(out.Moves, 0, 1)
	}
}

func (r ring) Apply(dst, state []uint64, move puzzle.Move) bool {
	if move > 1 {
		return false
	}
	dst[0] = (state[0] + 1 + uint64(move)*(r.size-2)) % r.size
	return true
}

func (r ring) Undo(dst, state []uint64, move puzzle.Move) bool {
	return move < 2 && r.Apply(dst, state, 1-move)
}
func (r ring) Goals(_ []uint64, marks []bool)     { clear(marks) }
func (r ring) Format(state []uint64) string       { return strconv.FormatUint(state[0], 10) }
func (r ring) Draw(state []uint64) string         { return r.Format(state) }
func (r ring) FormatMove(move puzzle.Move) string { return "to " + strconv.Itoa(int(move)) }
func (r ring) Parse(text string) ([]uint64, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n >= r.size {
		return nil, &puzzle.InputError{What: "no state of the ring"}
	}
	return []uint64{n}, nil
}
