package engine

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/digest"
)

// toy is a family of small graphs for tests: states are the numbers below size,
// spread over words of key. Moves add their step modulo size, so that all have
// inverses; an irreversible toy has only the steps that it is given, and stops
// at size instead of wrapping.
type toy struct {
	size       uint64
	steps      []uint64
	words      int
	wrap       bool
	reversible bool
	goal       func(v uint64) bool
}

func (t *toy) Layout() puzzle.Layout {
	keyBits := bits.Len64(t.size - 1)
	if t.words > 1 {
		keyBits = 64 * t.words
	}
	return puzzle.Layout{KeyBits: max(1, keyBits), Moves: len(t.steps), Reversible: t.reversible, HasGoal: true}
}

// key spreads v: all words matter, and many keys agree in all words but one.
func (t *toy) key(v uint64) []uint64 {
	key := make([]uint64, t.words)
	if t.words == 1 {
		key[0] = v
		return key
	}
	key[v%uint64(t.words)] = v + 1
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

func (t *toy) Starts() []uint64 { return t.key(0) }

func (t *toy) Valid(key []uint64) bool {
	v := t.value(key)
	return v < t.size && slices.Equal(t.key(v), key)
}

func (t *toy) Successors(states []uint64, out *puzzle.Edges) {
	next := make([]uint64, t.words)
	for i := 0; i < len(states); i += t.words {
		for m := range t.steps {
			if t.Apply(next, states[i:i+t.words], puzzle.Move(m)) {
				out.Keys = append(out.Keys, next...)
				out.Moves = append(out.Moves, puzzle.Move(m))
			}
		}
	}
}

func (t *toy) Apply(dst, state []uint64, move puzzle.Move) bool {
	v := t.value(state) + t.steps[move]
	if t.wrap {
		v %= t.size
	}
	if v >= t.size {
		return false
	}
	copy(dst, t.key(v))
	return true
}

func (t *toy) Undo(dst, state []uint64, move puzzle.Move) bool {
	v := t.value(state)
	step := t.steps[move]
	switch {
	case t.wrap:
		v = (v + t.size - step%t.size) % t.size
	case v < step:
		return false
	default:
		v -= step
	}
	copy(dst, t.key(v))
	return true
}

func (t *toy) Goals(states []uint64, marks []bool) {
	for i := range marks {
		marks[i] = t.goal(t.value(states[i*t.words : (i+1)*t.words]))
	}
}

func (t *toy) Format(state []uint64) string { return fmt.Sprint(t.value(state)) }

func (t *toy) Draw(state []uint64) string { return t.Format(state) }

func (t *toy) Parse(text string) ([]uint64, error) {
	var v uint64
	if _, err := fmt.Sscan(text, &v); err != nil || v >= t.size {
		return nil, &puzzle.InputError{What: fmt.Sprintf("%q is not a state", text)}
	}
	return t.key(v), nil
}

func (t *toy) FormatMove(m puzzle.Move) string { return fmt.Sprintf("+%d", t.steps[m]) }

func (t *toy) board() puzzle.Board {
	return puzzle.Board{Puzzle: t, Family: "toy", Name: "toy", Metric: "step", Text: fmt.Sprint(*t)[:10], Expect: puzzle.ExpectNothing()}
}

// toys covers narrow and wide keys, tiny spaces, many repetitions, and
// irreversible moves.
func toys() map[string]*toy {
	every := func(n uint64) func(uint64) bool { return func(v uint64) bool { return v%n == n/2 } }
	both := func(size uint64, steps ...uint64) []uint64 {
		for _, s := range slices.Clone(steps) {
			steps = append(steps, size-s)
		}
		return steps
	}
	return map[string]*toy{
		"one state":        {size: 1, steps: []uint64{0}, words: 1, wrap: true, reversible: true, goal: every(1)},
		"ring":             {size: 101, steps: both(101, 1), words: 1, wrap: true, reversible: true, goal: every(50)},
		"no goal":          {size: 300, steps: both(300, 1, 7), words: 1, wrap: true, reversible: true, goal: func(uint64) bool { return false }},
		"many repetitions": {size: 3000, steps: both(3000, 1, 2, 3, 4, 5, 60, 61, 62, 700, 701, 702, 703), words: 1, wrap: true, reversible: true, goal: every(1000)},
		"large":            {size: 100_000, steps: both(100_000, 1, 450, 20_011, 3_000), words: 1, wrap: true, reversible: true, goal: every(50_000)},
		"two words":        {size: 30_000, steps: both(30_000, 1, 245, 7_000), words: 2, wrap: true, reversible: true, goal: every(10_000)},
		"eight words":      {size: 5000, steps: both(5000, 1, 70), words: 8, wrap: true, reversible: true, goal: every(5000)},
		"irreversible":     {size: 20_000, steps: []uint64{1, 2, 3, 150, 151, 2_000}, words: 1, goal: every(20_000)},
	}
}

// slowRun explores with a map and a list. It is what every run is compared
// with.
type slowRun struct {
	layers    [history.Goal + 1][][]uint64
	generated int64
	goals     int64
	digest    digest.Digest
}

// slowly explores a puzzle the obvious way.
func slowly(p puzzle.Puzzle, distances bool) slowRun {
	var run slowRun
	var goals []uint64
	run.search(p, history.Forward, p.Starts(), func(key []uint64) {
		mark := []bool{false}
		if p.Goals(key, mark); mark[0] {
			run.goals++
			goals = append(goals, key...)
		}
	})
	if distances && !slices.Equal(goals, p.Starts()) {
		generated := run.generated
		run.search(p, history.Goal, goals, func([]uint64) {})
		run.generated = generated
	}
	return run
}

func (r *slowRun) search(p puzzle.Puzzle, phase history.Phase, starts []uint64, visit func(key []uint64)) {
	words := p.Layout().Words()
	seen := map[string]bool{}
	layer := map[string]puzzle.Move{}
	name := func(key []uint64) string { return fmt.Sprint(key) }
	keys := map[string][]uint64{}
	for i := 0; i < len(starts); i += words {
		key := starts[i : i+words]
		layer[name(key)] = 0
		keys[name(key)] = key
	}
	for depth := uint32(0); len(layer) > 0; depth++ {
		next := map[string]puzzle.Move{}
		nextKeys := map[string][]uint64{}
		var states []uint64
		for n := range layer {
			seen[n] = true
		}
		for n, link := range layer {
			key := keys[n]
			states = append(states, key...)
			r.digest.AddState(digest.LayerSalt(uint8(phase), depth), key, link)
			visit(key)
			var edges puzzle.Edges
			p.Successors(key, &edges)
			r.generated += int64(edges.Len())
			for i, move := range edges.Moves {
				succ := edges.Keys[i*words : (i+1)*words]
				sn := name(succ)
				if seen[sn] {
					continue
				}
				if old, ok := next[sn]; !ok || move < old {
					next[sn] = move
					nextKeys[sn] = succ
				}
			}
		}
		r.layers[phase] = append(r.layers[phase], states)
		layer, keys = next, nextKeys
	}
}
