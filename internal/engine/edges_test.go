package engine

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/digest"
	"github.com/everystate/everystate/puzzle/families"
)

// tangle is a random graph of numbered states. A move may lead from many states to
// one, above all to state 0, to where it began, or nowhere. It knows no way back.
type tangle struct {
	toy
	keyBits int
}

func newTangle(size uint64, moves, words int, goal func(v uint64) bool) *tangle {
	return &tangle{toy: toy{size: size, steps: make([]uint64, moves), words: words, goal: goal}}
}

func (g *tangle) Layout() puzzle.Layout {
	l := g.toy.Layout()
	l.KeyBits = max(l.KeyBits, g.keyBits)
	return l
}

func (g *tangle) Apply(dst, state []uint64, move puzzle.Move) bool {
	v := g.value(state)
	h := (v*31+uint64(move)+1)*0x9e3779b97f4a7c15 ^ 0xff51afd7ed558ccd
	h = (h ^ h>>31) * 0xc4ceb9fe1a85ec53
	h ^= h >> 29
	switch h % 8 {
	case 0:
		return false
	case 1:
		v = 0
	case 2: // to itself
	default:
		v, _ = bits.Mul64(h, g.size)
	}
	copy(dst, g.key(v))
	return true
}

func (g *tangle) Successors(states []uint64, out *puzzle.Edges) {
	next := make([]uint64, g.words)
	for i := 0; i < len(states); i += g.words {
		for m := range g.steps {
			if g.Apply(next, states[i:i+g.words], puzzle.Move(m)) {
				out.Keys = append(out.Keys, next...)
				out.Moves = append(out.Moves, puzzle.Move(m))
			}
		}
	}
}

func (*tangle) Undo(_, _ []uint64, _ puzzle.Move) bool { return false }

func (*tangle) Merges() bool { return true }

func (g *tangle) board() puzzle.Board {
	return puzzle.Board{Puzzle: g, Family: "toy", Name: "tangle", Metric: "step", Text: "tangle", Expect: puzzle.ExpectNothing()}
}

func tangles() map[string]*tangle {
	at := func(goals ...uint64) func(uint64) bool {
		return func(v uint64) bool { return slices.Contains(goals, v) }
	}
	wide := newTangle(3_000, 4, 1, at(7, 8, 2_999))
	wide.keyBits = 60 // an edge does not fit a word
	whole := newTangle(3_000, 4, 1, at(5))
	whole.keyBits = 64
	return map[string]*tangle{
		"no goal":      newTangle(500, 3, 1, at()),
		"start solved": newTangle(500, 3, 1, at(0)),
		"one move":     newTangle(5_000, 1, 1, at(1, 2, 3, 4, 5)),
		"few moves":    newTangle(8_000, 3, 1, at(17, 7_000)),
		"many moves":   newTangle(2_000, 40, 1, at(3)),
		"60 bits":      wide,
		"64 bits":      whole,
		"two words":    newTangle(3_000, 4, 2, at(99)),
		"eight words":  newTangle(2_000, 5, 8, at(1_000)),
	}
}

// goalDigests returns the digest and the number of states of each goal layer, by a
// reversed graph in memory.
func goalDigests(p puzzle.Puzzle, forward [][]uint64) (all []digest.Digest, states []int64) {
	words := p.Layout().Words()
	type edge struct {
		from []uint64
		move puzzle.Move
	}
	name := func(key []uint64) string { return fmt.Sprint(key) }
	into := map[string][]edge{}
	seen := map[string]bool{}
	layer, link := map[string][]uint64{}, map[string]puzzle.Move{}
	for _, keys := range forward {
		for i := 0; i < len(keys); i += words {
			key := keys[i : i+words]
			var out puzzle.Edges
			p.Successors(key, &out)
			for j, m := range out.Moves {
				to := name(out.Keys[j*words : (j+1)*words])
				into[to] = append(into[to], edge{key, m})
			}
			if mark := []bool{false}; true {
				if p.Goals(key, mark); mark[0] {
					layer[name(key)], seen[name(key)] = key, true
				}
			}
		}
	}
	for depth := uint32(0); len(layer) > 0; depth++ {
		var d digest.Digest
		next, nextLink := map[string][]uint64{}, map[string]puzzle.Move{}
		for n, key := range layer {
			d.AddState(digest.LayerSalt(uint8(history.Goal), depth), key, link[n])
			for _, e := range into[n] {
				f := name(e.from)
				if old, known := nextLink[f]; !seen[f] && (!known || e.move < old) {
					next[f], nextLink[f] = e.from, e.move
				}
			}
		}
		for n := range next {
			seen[n] = true
		}
		all, states = append(all, d), append(states, int64(len(layer)))
		layer, link = next, nextLink
	}
	return all, states
}

func checkGoalLayers(t *testing.T, h *history.History, want []digest.Digest, states []int64) {
	t.Helper()
	layers := h.Layers(history.Goal)
	if len(layers) != len(want) || h.End(history.Goal) == nil {
		t.Fatalf("%d goal layers (ended: %v), want %d", len(layers), h.End(history.Goal) != nil, len(want))
	}
	for g, l := range layers {
		if l.Digest != want[g] || l.States != states[g] {
			t.Errorf("goal layer %d: %d states, digest %v; want %d, %v", g, l.States, l.Digest, states[g], want[g])
		}
	}
}

func create(t *testing.T, fs vfs.FS, board puzzle.Board, opts Options) *Run {
	t.Helper()
	opts.FS, opts.MemoryBytes = fs, MemoryMin
	r, err := Create("run", board, opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestEdges finds goal distances of puzzles that cannot go backward, and leaves no
// file behind.
func TestEdges(t *testing.T) {
	for name, p := range tangles() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, states := goalDigests(p, slowly(p, false).layers[history.Forward])
			for _, c := range []struct {
				workers, partitions int
				memory              int64
			}{{1, 1, MemoryMin}, {2, 64, MemoryMin}, {3, 4, tinyMemory}} {
				if testing.Short() && c.workers < 3 {
					continue
				}
				fs := vfs.NewMem()
				r := create(t, fs, p.board(), Options{Workers: c.workers, Partitions: c.partitions})
				r.opts.MemoryBytes = c.memory
				if _, err := r.Explore(t.Context(), history.Want{GoalDistance: true}); err != nil {
					t.Fatal(err)
				}
				checkGoalLayers(t, r.History(), want, states)
				if left, err := fs.List(fs.PathJoin("run", "scratch")); err == nil && len(left) > 0 {
					t.Errorf("%v are left", left)
				}
				if err := r.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestEdgesResumed stops while edges are made and between goal layers, and goes on.
func TestEdgesResumed(t *testing.T) {
	p := &toy{size: 1_000, steps: []uint64{1, 3}, words: 1, goal: func(v uint64) bool { return v == 999 }}
	want, states := goalDigests(p, slowly(p, false).layers[history.Forward])
	fs := vfs.NewMem()
	inGoal := 0
	for session := 0; ; session++ {
		ctx, cancel := context.WithCancel(t.Context())
		r := create(t, fs, p.board(), Options{Workers: 2, Partitions: 8})
		before := len(r.History().Layers(history.Goal))
		go func() {
			tick := time.NewTicker(time.Millisecond)
			defer tick.Stop()
			for {
				at := r.Progress()
				if turning := at.Phase == history.Goal && len(at.Layers) == 0 && at.Expanded > 0; session == 0 && turning || at.Depth > before+50 && at.Phase == history.Goal {
					cancel()
				}
				select {
				case <-tick.C:
				case <-ctx.Done():
					return
				}
			}
		}()
		_, err := r.Explore(ctx, history.Want{GoalDistance: true})
		cancel()
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if closing := r.Close(); closing != nil {
			t.Fatal(closing)
		}
		if err == nil {
			checkGoalLayers(t, r.History(), want, states)
			break
		}
		if n := len(r.History().Layers(history.Goal)); n > before && n < len(want) {
			inGoal++
		}
	}
	if inGoal == 0 {
		t.Error("it was never stopped between goal layers")
	}
}

// TestEdgesFail reports a puzzle that breaks down while edges are made, and a damaged
// layer.
func TestEdgesFail(t *testing.T) {
	p := newTangle(5_000, 3, 1, func(v uint64) bool { return v == 9 })
	fs := vfs.NewMem()
	r := create(t, fs, p.board(), Options{Workers: 2, Partitions: 8})
	if _, err := r.Explore(t.Context(), history.Want{}); err != nil {
		t.Fatal(err)
	}
	good := r.board.Puzzle
	broken := &failing{tangle: p, err: errors.New("line 3: broken")}
	r.board.Puzzle = broken
	if _, err := r.Explore(t.Context(), history.Want{GoalDistance: true}); !errors.Is(err, broken.err) {
		t.Errorf("got %v, want %v", err, broken.err)
	}
	r.board.Puzzle = good
	if _, err := r.Explore(t.Context(), history.Want{GoalDistance: true}); err != nil {
		t.Error(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

type failing struct {
	*tangle
	err error
}

func (f *failing) Err() error { return f.err }

// TestEdgesAsFamilies takes from the families what they know of the way back: the
// distances and links are the same.
func TestEdgesAsFamilies(t *testing.T) {
	for _, c := range []struct{ file, metric string }{
		{"rushhour/small-5x5.txt", "slide"}, {"sokoban/rooms.txt", "push"}, {"peg/triangle-15.txt", "jump"},
		{"sudoku/nine-eight-solutions.txt", "row-major"}, {"tiles/2x4.txt", "tile"},
	} {
		t.Run(c.file+"/"+c.metric, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile("../../puzzles/" + c.file)
			if err != nil {
				t.Fatal(err)
			}
			boards, err := families.Read(text, puzzle.ReadOptions{Metric: c.metric})
			if err != nil {
				t.Fatal(err)
			}
			for _, board := range boards {
				var digests [2][]digest.Digest
				for i := range digests {
					b := board
					if i == 1 {
						b.Puzzle = oneWay{b.Puzzle}
					}
					r := create(t, vfs.NewMem(), b, Options{Workers: 2, Partitions: 16})
					if reason, err := r.Explore(t.Context(), history.Want{GoalDistance: true}); err != nil || reason != history.Exhausted {
						t.Fatalf("%v, %v", reason, err)
					}
					for _, l := range r.History().Layers(r.Space().DistancePhase()) {
						if board.Puzzle.Layout().Reversible {
							l.Digest = digest.Digest{uint64(l.States)} // links lead the other way there
						}
						digests[i] = append(digests[i], l.Digest)
					}
					if err := r.Close(); err != nil {
						t.Fatal(err)
					}
				}
				if !slices.Equal(digests[0], digests[1]) {
					t.Errorf("%s: goal layers differ: %d and %d of them", board.Name, len(digests[0]), len(digests[1]))
				}
			}
		})
	}
}

// oneWay is a puzzle that does not know its way back.
type oneWay struct{ puzzle.Puzzle }

func (p oneWay) Layout() puzzle.Layout {
	l := p.Puzzle.Layout()
	l.Reversible, l.Graded = false, false
	return l
}

// swapped is a tangle whose moves have each other's numbers.
type swapped struct{ *tangle }

func (s swapped) Apply(dst, state []uint64, move puzzle.Move) bool {
	return s.tangle.Apply(dst, state, puzzle.Move(len(s.steps)-1)-move)
}

func (s swapped) Successors(states []uint64, out *puzzle.Edges) {
	next := make([]uint64, s.words)
	for i := 0; i < len(states); i += s.words {
		for m := range s.steps {
			if s.Apply(next, states[i:i+s.words], puzzle.Move(m)) {
				out.Keys = append(out.Keys, next...)
				out.Moves = append(out.Moves, puzzle.Move(m))
			}
		}
	}
}

// TestVerifyMerging checks links that do not tell where a state was reached from: the
// right ones are all looked at, and those of other moves are found to be wrong, in
// both phases.
func TestVerifyMerging(t *testing.T) {
	for _, words := range []int{1, 2} {
		p := newTangle(2_000, 4, words, func(v uint64) bool { return v%700 == 3 })
		r := create(t, vfs.NewMem(), p.board(), Options{Workers: 2, Partitions: 8})
		want := history.Want{}
		for _, want.GoalDistance = range []bool{false, true} {
			if _, err := r.Explore(t.Context(), want); err != nil {
				t.Fatal(err)
			}
			r.board.Puzzle = p
			v, err := r.Verify(t.Context(), func(int64) {})
			h := r.History()
			links := h.States(history.Forward) - h.Layers(history.Forward)[0].States
			if want.GoalDistance {
				links += h.States(history.Goal) - h.Layers(history.Goal)[0].States
			}
			if err != nil || v.Links != links {
				t.Errorf("%d words: %d links of %d, %v", words, v.Links, links, err)
			}
			r.board.Puzzle = swapped{p}
			var fault *FaultError
			if _, err := r.Verify(t.Context(), func(int64) {}); !errors.As(err, &fault) {
				t.Errorf("%d words: other links: %v", words, err)
			}
			r.board.Puzzle = p
		}
		goals := r.History().Layers(history.Goal)
		ws := r.newLinkWorkers()
		if err := r.verifyLinks(t.Context(), ws, goals[1], goals[2]); err != nil {
			t.Error(err)
		}
		if err := r.verifyLinks(t.Context(), ws, goals[0], goals[2]); err == nil {
			t.Error("links into another goal layer are found right")
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFirstDead compares the first state from which no goal can be reached, and how
// many there are, with a search from the goals in memory.
func TestFirstDead(t *testing.T) {
	for name, p := range tangles() {
		if name == "no goal" || name == "eight words" {
			continue
		}
		forward := slowly(p, false).layers[history.Forward]
		_, states := goalDigests(p, forward)
		alive, all := int64(0), int64(0)
		for _, n := range states {
			alive += n
		}
		for _, layer := range forward {
			all += int64(len(layer) / p.words)
		}
		r := create(t, vfs.NewMem(), p.board(), Options{Workers: 2, Partitions: 4})
		if _, err := r.Explore(t.Context(), history.Want{GoalDistance: true}); err != nil {
			t.Fatal(err)
		}
		space := r.Space()
		if space.DeadStates() != all-alive {
			t.Errorf("%s: %d dead states, want %d", name, space.DeadStates(), all-alive)
		}
		key, err := space.FirstDead(t.Context(), query.TableOptions{Rows: 100})
		switch {
		case all == alive:
			if !errors.Is(err, query.ErrNoDead) {
				t.Errorf("%s: %v, want %v", name, err, query.ErrNoDead)
			}
		case err != nil:
			t.Errorf("%s: %v", name, err)
		default:
			want := firstDead(t, space, forward, p.words)
			if got := p.Format(key); got != want {
				t.Errorf("%s: first dead state %s, want %s", name, got, want)
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// firstDead looks states up one by one.
func firstDead(t *testing.T, space *query.Space, forward [][]uint64, words int) string {
	t.Helper()
	for _, layer := range forward {
		var texts []string
		for i := 0; i < len(layer); i += words {
			at, err := space.Locate(t.Context(), layer[i:i+words])
			if err != nil {
				t.Fatal(err)
			}
			if at.GoalDistance < 0 {
				texts = append(texts, space.Board.Puzzle.Format(layer[i:i+words]))
			}
		}
		if len(texts) > 0 {
			return slices.Min(texts)
		}
	}
	return "none"
}

// TestEdgesAsSokoban explores one level as a game in PuzzleScript and as Sokoban by
// moves: each state is as far from the goals.
func TestEdgesAsSokoban(t *testing.T) {
	text, err := os.ReadFile("../../puzzles/puzzlescript/crates.txt")
	if err != nil {
		t.Fatal(err)
	}
	room := string(text[strings.LastIndex(string(text), "\n\n")+2:])
	var states [2][]int64
	for i, c := range []struct{ text, metric string }{
		{string(text), ""},
		{"puzzle: sokoban\n\n" + strings.NewReplacer("*", "$", "O", ".", ".", " ", "P", "@").Replace(room), "move"},
	} {
		boards, err := families.Read([]byte(c.text), puzzle.ReadOptions{Metric: c.metric})
		if err != nil {
			t.Fatal(err)
		}
		r := create(t, vfs.NewMem(), boards[0], Options{Workers: 2, Partitions: 16})
		if _, err := r.Explore(t.Context(), history.Want{GoalDistance: true}); err != nil {
			t.Fatal(err)
		}
		states[i] = layerStates(r.History(), history.Goal)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if len(states[0]) != 36 || !slices.Equal(states[0], states[1]) {
		t.Errorf("as a game %v, as Sokoban %v", states[0], states[1])
	}
}

// TestShortestSolutions counts them by trying all ways.
func TestShortestSolutions(t *testing.T) {
	all := tangles()
	all["steps"] = newTangle(400, 6, 1, func(v uint64) bool { return v%50 == 7 })
	for name, p := range all {
		r := create(t, vfs.NewMem(), p.board(), Options{Workers: 1, Partitions: 4})
		if _, err := r.Explore(t.Context(), history.Want{GoalDistance: true}); err != nil {
			t.Fatal(err)
		}
		length := r.History().FirstGoal()
		got, ok, err := r.Space().ShortestSolutions(t.Context())
		var ways func(key []uint64, left int) uint64
		ways = func(key []uint64, left int) (n uint64) {
			mark := []bool{false}
			if p.Goals(key, mark); left == 0 {
				if mark[0] {
					return 1
				}
				return 0
			}
			var out puzzle.Edges
			p.Successors(key, &out)
			for succ := range slices.Chunk(out.Keys, p.words) {
				n += ways(succ, left-1)
			}
			return n
		}
		switch {
		case length < 0:
			if !errors.Is(err, query.ErrNoGoal) {
				t.Errorf("%s: %v", name, err)
			}
		case length > 7:
		default:
			if want := ways(p.Starts(), length); err != nil || !ok || got != want {
				t.Errorf("%s: %d solutions of %d moves, want %d (%v)", name, got, length, want, err)
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
