package query

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"slices"
	"sort"
	"sync/atomic"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/puzzle/rushhour"
)

// toy is a line of states, spread over words of key. A move adds its step, and is
// legal as long as it stays on the line and does not cross a wall, so that
// states have more or fewer successors, and some cannot reach a goal.
type toy struct {
	size   uint64
	steps  []int64
	words  int
	starts []uint64
	goals  []uint64
	walls  []uint64 // no move leads from below a wall to above it, or back
}

func (t *toy) Layout() puzzle.Layout {
	keyBits := max(1, bits.Len64(t.size-1))
	if t.words > 1 {
		keyBits = 64 * t.words
	}
	return puzzle.Layout{KeyBits: keyBits, Moves: len(t.steps), Reversible: true, HasGoal: true}
}

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

func (t *toy) Starts() (keys []uint64) {
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
			if t.Apply(next, states[i:i+t.words], puzzle.Move(m)) {
				out.Keys = append(out.Keys, next...)
				out.Moves = append(out.Moves, puzzle.Move(m))
			}
		}
	}
}

// step moves from v by a number, if there is a way.
func (t *toy) step(dst []uint64, v uint64, by int64) bool {
	to := v + uint64(by)
	if to >= t.size {
		return false
	}
	for _, wall := range t.walls {
		if v < wall != (to < wall) {
			return false
		}
	}
	copy(dst, t.key(to))
	return true
}

func (t *toy) Apply(dst, state []uint64, move puzzle.Move) bool {
	return t.step(dst, t.value(state), t.steps[move])
}

func (t *toy) Undo(dst, state []uint64, move puzzle.Move) bool {
	return t.step(dst, t.value(state), -t.steps[move])
}

func (t *toy) Goals(states []uint64, marks []bool) {
	for i := range marks {
		marks[i] = slices.Contains(t.goals, t.value(states[i*t.words:(i+1)*t.words]))
	}
}

func (t *toy) Format(state []uint64) string { return fmt.Sprint(t.value(state)) }

func (t *toy) Draw(state []uint64) string { return t.Format(state) }

func (t *toy) Parse(string) ([]uint64, error) { return nil, &puzzle.InputError{What: "is not read"} }

func (t *toy) FormatMove(m puzzle.Move) string { return fmt.Sprintf("%+d", t.steps[m]) }

// fact is what the slow twin knows of a state.
type fact struct {
	key          []uint64
	text         string
	depth        int
	link         puzzle.Move
	goal         bool
	goalDistance int // -1 if there is none
}

// world is a space with all that is known of it from a plain search with maps,
// and the space as query sees it.
type world struct {
	t      *testing.T // of the subtest, in eachWorld
	puzzle puzzle.Puzzle
	facts  map[string]*fact // by the text of the key
	known  bool             // goal distances are
	space  *Space
}

func name(key []uint64) string { return fmt.Sprint(key) }

// reach is how far a run has come.
type reach struct {
	depths    int // forward layers; 0 means all
	distances bool
}

// explore makes the world of a puzzle.
func explore(tb testing.TB, p puzzle.Puzzle, parts int, r reach) *world {
	tb.Helper()
	scheme, err := partition.New(p.Layout(), parts)
	if err != nil {
		tb.Fatal(err)
	}
	w := &world{puzzle: p, facts: map[string]*fact{}}
	var past history.History
	recs := records{scheme: &scheme, cursors: new(atomic.Uint64), parts: map[place][]uint64{}}
	w.space = &Space{Board: puzzle.Board{Puzzle: p}, Scheme: scheme, History: &past, Records: recs}

	var goals []uint64
	layers := search(p, p.Starts())
	whole := r.depths == 0 || r.depths >= len(layers)
	if !whole {
		layers = layers[:r.depths]
	}
	for depth, layer := range layers {
		var goalStates int64
		for _, f := range layer {
			f.depth, f.goalDistance, f.text = depth, -1, p.Format(f.key)
			mark := []bool{false}
			if p.Goals(f.key, mark); mark[0] {
				f.goal = true
				goalStates++
				goals = append(goals, f.key...)
			}
			w.facts[name(f.key)] = f
		}
		commit(tb, &past, recs, history.Layer{Phase: history.Forward, Depth: uint32(depth), Goals: goalStates}, layer)
	}
	if !whole {
		return w
	}
	past.AddEnd(history.PhaseEnd{Phase: history.Forward, Layers: uint32(len(layers))})
	home := isSameSet(p.Starts(), goals, p.Layout().Words()) // then there is no goal phase
	if w.known = r.distances || home; !w.known {
		return w
	}
	back := search(p, goals)
	for distance, layer := range back {
		for _, f := range layer {
			w.facts[name(f.key)].goalDistance = distance
		}
		if !home {
			commit(tb, &past, recs, history.Layer{Phase: history.Goal, Depth: uint32(distance)}, layer)
		}
	}
	if home {
		return w
	}
	past.AddEnd(history.PhaseEnd{Phase: history.Goal, Layers: uint32(len(back))})
	return w
}

// isSameSet reports whether two lists have the same keys, once each.
func isSameSet(a, b []uint64, words int) bool {
	keys := map[string]int{}
	for key := range slices.Chunk(a, words) {
		keys[name(key)]++
	}
	for key := range slices.Chunk(b, words) {
		keys[name(key)]--
	}
	for _, n := range keys {
		if n != 0 {
			return false
		}
	}
	return true
}

// search returns the layers of a breadth-first search, with least links.
func search(p puzzle.Puzzle, starts []uint64) (layers [][]*fact) {
	words := p.Layout().Words()
	seen := map[string]bool{}
	next := map[string]*fact{}
	for i := 0; i < len(starts); i += words {
		next[name(starts[i:i+words])] = &fact{key: starts[i : i+words]}
	}
	for len(next) > 0 {
		var layer []*fact
		for n, f := range next {
			seen[n] = true
			layer = append(layer, f)
		}
		layers = append(layers, layer)
		next = map[string]*fact{}
		for _, f := range layer {
			var edges puzzle.Edges
			p.Successors(f.key, &edges)
			for i, move := range edges.Moves {
				key := edges.Keys[i*words : (i+1)*words]
				n := name(key)
				if old := next[n]; !seen[n] && (old == nil || move < old.link) {
					next[n] = &fact{key: key, link: move}
				}
			}
		}
	}
	return layers
}

// commit adds a layer to the history and its records to the store.
func commit(tb testing.TB, h *history.History, recs records, layer history.Layer, states []*fact) {
	tb.Helper()
	layer.PartStates = make([]int64, recs.scheme.Partitions())
	layer.States = int64(len(states))
	for _, p := range []history.Phase{history.Forward, history.Goal} {
		layer.Epoch += uint32(len(h.Layers(p)))
	}
	layer.Epoch++
	rows := make([][][]uint64, len(layer.PartStates))
	for _, f := range states {
		rec := make([]uint64, recs.scheme.Stride())
		part := recs.scheme.Record(rec, f.key, f.link)
		rows[part] = append(rows[part], rec)
		layer.PartStates[part]++
	}
	for part, list := range rows {
		slices.SortFunc(list, slices.Compare[[]uint64])
		recs.parts[place{layer.Phase, layer.Depth, partition.ID(part)}] = slices.Concat(list...)
	}
	if !h.AddLayer(layer) {
		tb.Fatalf("%v layer %d is not the next one", layer.Phase, layer.Depth)
	}
}

type place struct {
	phase history.Phase
	depth uint32
	part  partition.ID
}

// records is a Records in memory that gives blocks of random sizes.
type records struct {
	scheme  *partition.Scheme
	cursors *atomic.Uint64 // so far: each has its own randomness
	parts   map[place][]uint64
}

func (r records) Find(_ context.Context, layer history.Layer, part partition.ID, rec, dst []uint64) ([]uint64, bool, error) {
	recs, stride := r.parts[place{layer.Phase, layer.Depth, part}], r.scheme.Stride()
	i, ok := sort.Find(len(recs)/stride, func(i int) int { return compareKeys(rec, recs[i*stride:], r.scheme) })
	if ok {
		dst = append(dst, recs[i*stride:(i+1)*stride]...)
	}
	return dst, ok, nil
}

func (r records) Cursor(_ context.Context, layer history.Layer, parts []partition.ID) (Cursor, error) {
	c := &blocks{stride: r.scheme.Stride(), rng: rand.New(rand.NewPCG(1, r.cursors.Add(1)))}
	for i, part := range parts {
		if i > 0 && part <= parts[i-1] {
			return nil, fmt.Errorf("partition %d after %d", part, parts[i-1])
		}
		if len(layer.PartStates) > 0 && layer.PartStates[part] == 0 {
			return nil, fmt.Errorf("%v layer %d, partition %d is empty, and is read", layer.Phase, layer.Depth, part)
		}
		if recs := r.parts[place{layer.Phase, layer.Depth, part}]; len(recs) > 0 {
			c.parts, c.recs = append(c.parts, part), append(c.recs, recs)
		}
	}
	return c, nil
}

type blocks struct {
	parts  []partition.ID
	recs   [][]uint64 // of these
	buf    []uint64
	stride int
	rng    *rand.Rand
}

// Next scribbles on the block before.
func (b *blocks) Next() (partition.ID, []uint64, error) {
	for i := range b.buf {
		b.buf[i] = ^uint64(0)
	}
	if len(b.parts) == 0 {
		return 0, nil, nil
	}
	part := b.parts[0]
	n := min(len(b.recs[0]), b.stride*(1+b.rng.IntN(300)))
	b.buf = append(b.buf[:0], b.recs[0][:n]...)
	if b.recs[0] = b.recs[0][n:]; len(b.recs[0]) == 0 {
		b.parts, b.recs = b.parts[1:], b.recs[1:]
	}
	return part, b.buf, nil
}

func (b *blocks) Close() error { return nil }

// board reads a board of the puzzles that come with the program.
func board(tb testing.TB, file, metric string) puzzle.Puzzle {
	tb.Helper()
	text, err := os.ReadFile("../../puzzles/rushhour/" + file)
	if err != nil {
		tb.Fatal(err)
	}
	boards, err := rushhour.Read(text, puzzle.ReadOptions{Metric: metric})
	if err != nil {
		tb.Fatal(err)
	}
	return boards[0].Puzzle
}

// line is a toy with several starts and goals, and a part behind a wall that
// has no goal.
func line(size uint64, words int) *toy {
	return &toy{
		size: size, words: words, steps: []int64{7, -7, 1, -1, 20, -20},
		starts: []uint64{0, size / 2, size - 1}, goals: []uint64{3, 4, size / 3}, walls: []uint64{size * 3 / 4},
	}
}

func worlds(tb testing.TB) map[string]puzzle.Puzzle {
	tb.Helper()
	return map[string]puzzle.Puzzle{
		"narrow toy": line(3000, 1),
		"wide toy":   line(900, 3),
		"one state":  &toy{size: 1, words: 1, steps: []int64{1}, starts: []uint64{0}, goals: []uint64{0}},
		"goals are the starts": &toy{
			size: 900, words: 1, steps: []int64{7, -7, 1, -1, 20, -20}, starts: []uint64{0, 450}, goals: []uint64{450, 0},
		},
		"4x4 by step":     board(tb, "small-4x4.txt", "step"),
		"4x4 by slide":    board(tb, "small-4x4.txt", "slide"),
		"5x5 by step":     board(tb, "small-5x5.txt", "step"),
		"no goal, narrow": &toy{size: 100, words: 1, steps: []int64{1, -1}, starts: []uint64{50}},
	}
}

// compareKeys compares the keys of two records.
func compareKeys(a, b []uint64, scheme *partition.Scheme) int {
	if scheme.Narrow() {
		m := scheme.MoveBits()
		return cmp.Compare(a[0]>>m, b[0]>>m)
	}
	return slices.Compare(a[:scheme.Words()], b[:scheme.Words()])
}

// inOrder returns the facts that a test approves of, by the byte order of their
// texts.
func (w *world) inOrder(keep func(*fact) bool) []*fact {
	var all []*fact
	for _, f := range w.facts {
		if keep(f) {
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b *fact) int { return cmp.Compare(a.text, b.text) })
	return all
}
