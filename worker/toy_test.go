package worker

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// toy is a family of rings for tests: states are the numbers below size, spread
// over words of key, and a move adds its step modulo size.
type toy struct {
	oneWay bool // moves have no inverses
	size   uint64
	steps  []uint64
	words  int
	starts []uint64
	goal   func(v uint64) bool
}

// ring returns a toy whose moves have inverses.
func ring(size uint64, words int, steps ...uint64) *toy {
	for _, s := range slices.Clone(steps) {
		steps = append(steps, size-s)
	}
	return &toy{size: size, steps: steps, words: words, starts: []uint64{0}, goal: func(v uint64) bool { return v%97 == 5 }}
}

func (t *toy) Layout() puzzle.Layout {
	keyBits := max(1, bits.Len64(t.size-1))
	if t.words > 1 {
		keyBits = 64 * t.words
	}
	return puzzle.Layout{KeyBits: keyBits, Moves: len(t.steps), Reversible: !t.oneWay, HasGoal: true}
}

// oneWayRing returns a toy whose moves only go on.
func oneWayRing(size uint64, words int, steps ...uint64) *toy {
	return &toy{oneWay: true, size: size, steps: steps, words: words, starts: []uint64{0}, goal: func(v uint64) bool { return v%97 == 5 }}
}

// key spreads v: all words matter, and many keys agree in all words but one.
func (t *toy) key(v uint64) []uint64 {
	key := make([]uint64, t.words)
	if t.words == 1 {
		key[0] = v
	} else {
		key[v%uint64(t.words)] = v + 1
	}
	return key
}

func (t *toy) value(key []uint64) uint64 {
	if t.words == 1 {
		return key[0]
	}
	for _, w := range key {
		if w != 0 {
			return w - 1
		}
	}
	return ^uint64(0)
}

func (t *toy) Starts() []uint64 {
	var keys []uint64
	for _, v := range t.starts {
		keys = append(keys, t.key(v)...)
	}
	return keys
}

func (t *toy) Valid(key []uint64) bool {
	v := t.value(key)
	return v < t.size && slices.Equal(t.key(v), key)
}

func (t *toy) Successors(states []uint64, out *puzzle.Edges) {
	next := make([]uint64, t.words)
	for i := 0; i < len(states); i += t.words {
		for m := range t.steps {
			t.Apply(next, states[i:i+t.words], puzzle.Move(m))
			out.Keys = append(out.Keys, next...)
			out.Moves = append(out.Moves, puzzle.Move(m))
		}
	}
}

// onwardToy leaves out the way back, and all greater moves: steps can be made in any
// order.
type onwardToy struct{ *toy }

func (t onwardToy) Onward(states []uint64, links []puzzle.Move, out *puzzle.Edges) int {
	return t.without(t.Successors, states, links, out)
}

func (t onwardToy) Homeward(states []uint64, links []puzzle.Move, out *puzzle.Edges) int {
	return t.without(t.Predecessors, states, links, out)
}

func (t onwardToy) without(edges func([]uint64, *puzzle.Edges), states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	for i := range links {
		var all puzzle.Edges
		edges(states[i*t.words:(i+1)*t.words], &all)
		for m, move := range all.Moves {
			back := !t.oneWay && int(move) == (int(links[i])+len(t.steps)/2)%len(t.steps)
			if back || move > links[i] {
				pruned++
				continue
			}
			out.Keys = append(out.Keys, all.Keys[m*t.words:(m+1)*t.words]...)
			out.Moves = append(out.Moves, move)
		}
	}
	return pruned
}

func (t *toy) Predecessors(states []uint64, out *puzzle.Edges) {
	for i := 0; i < len(states); i += t.words {
		for m := range t.steps {
			before := make([]uint64, t.words)
			t.Undo(before, states[i:i+t.words], puzzle.Move(m))
			out.Keys = append(out.Keys, before...)
			out.Moves = append(out.Moves, puzzle.Move(m))
		}
	}
}

func (t *toy) Apply(dst, state []uint64, move puzzle.Move) bool {
	copy(dst, t.key((t.value(state)+t.steps[move])%t.size))
	return true
}

func (t *toy) Undo(dst, state []uint64, move puzzle.Move) bool {
	copy(dst, t.key((t.value(state)+t.size-t.steps[move])%t.size))
	return true
}

func (t *toy) Goals(states []uint64, marks []bool) {
	for i := range marks {
		marks[i] = t.goal(t.value(states[i*t.words : (i+1)*t.words]))
	}
}

func (t *toy) Format(state []uint64) string { return fmt.Sprint(t.value(state)) }

func (t *toy) Draw(state []uint64) string { return t.Format(state) }

func (t *toy) Parse(string) ([]uint64, error) { return nil, &puzzle.InputError{What: "is not read"} }

func (t *toy) FormatMove(m puzzle.Move) string { return fmt.Sprintf("+%d", t.steps[m]) }

// slowLayers explores a toy with maps: for each depth the states with the least
// move that leads to them, and the number of edges out of the layer before.
func (t *toy) slowLayers(starts []uint64) (layers []map[uint64]puzzle.Move, generated []int64) {
	return t.slowSearch(starts, func(v, step uint64) uint64 { return v + step }, nil)
}

// slowSearch goes from states along steps, within some states if there are any.
func (t *toy) slowSearch(starts []uint64, along func(v, step uint64) uint64, within map[uint64]bool) (layers []map[uint64]puzzle.Move, generated []int64) {
	seen := map[uint64]bool{}
	layer := map[uint64]puzzle.Move{}
	for _, v := range starts {
		layer[v] = 0
	}
	edges := int64(len(starts))
	for len(layer) > 0 {
		layers, generated = append(layers, layer), append(generated, edges)
		for v := range layer {
			seen[v] = true
		}
		next := map[uint64]puzzle.Move{}
		for v := range layer {
			for m, step := range t.steps {
				to := along(v, step) % t.size
				if within != nil && !within[to] {
					continue
				}
				if old, ok := next[to]; !seen[to] && (!ok || puzzle.Move(m) < old) {
					next[to] = puzzle.Move(m)
				}
			}
		}
		edges = int64(len(layer) * len(t.steps))
		layer = next
	}
	return layers, generated
}
