package proof_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/proof"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/internal/test/effort"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/puzzle/partition"
)

// boards are spaces with and without ways back, goals and several starts.
func boards() map[string]string {
	return map[string]string{
		"reversible": "puzzles/tiles/2x3.txt",
		"one way":    "puzzles/permutation/one-way.txt",
		"pegs":       "puzzles/peg/plus.txt",
	}
}

func read(t *testing.T, file string) puzzle.Board {
	t.Helper()
	text, err := os.ReadFile("../../" + file)
	if err != nil {
		t.Fatal(err)
	}
	all, err := families.Read(text, puzzle.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

// run is a run's layers in memory, where anything can be planted.
type run struct {
	query.Space
	layers [history.Goal + 1][]map[string]puzzle.Move // by depth: the links of keys
	ended  [history.Goal + 1]bool
}

// explored explores a board and copies what was found.
func explored(t *testing.T, b puzzle.Board, want history.Want) *run {
	t.Helper()
	r, err := engine.Create(t.TempDir(), b, engine.Options{Workers: 2, Partitions: 4, MemoryBytes: engine.MemoryMin})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close() //nolint:errcheck // It has been read.
	if _, err := r.Explore(context.Background(), want); err != nil {
		t.Fatal(err)
	}
	c := &run{Space: *r.Space()}
	c.Board = b
	for _, phase := range []history.Phase{history.Forward, history.Goal} {
		for _, l := range c.History.Layers(phase) {
			layer := map[string]puzzle.Move{}
			cursor, err := c.Records.Cursor(t.Context(), l, []partition.ID{0, 1, 2, 3})
			if err != nil {
				t.Fatal(err)
			}
			for {
				part, recs, err := cursor.Next()
				if err != nil {
					t.Fatal(err)
				}
				if len(recs) == 0 {
					break
				}
				stride := c.Scheme.Stride()
				for i := 0; i < len(recs); i += stride {
					layer[text(c.Scheme.Key(nil, part, recs[i:]))] = c.Scheme.Move(recs[i:])
				}
			}
			if err := cursor.Close(); err != nil {
				t.Fatal(err)
			}
			c.layers[phase] = append(c.layers[phase], layer)
		}
		c.ended[phase] = c.History.End(phase) != nil
	}
	return c
}

// text is a key as a key of a map.
func text(key []uint64) string {
	var b strings.Builder
	for _, w := range key {
		for i := range 8 {
			b.WriteByte(byte(w >> (8 * i)))
		}
	}
	return b.String()
}

func key(text string) []uint64 {
	words := make([]uint64, len(text)/8)
	for i := range len(text) {
		words[i/8] |= uint64(text[i]) << (8 * (i % 8))
	}
	return words
}

// most is the greatest number that several workers report, in any order.
type most struct {
	mu sync.Mutex
	n  int64
}

func (m *most) report(n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.n = max(m.n, n)
}

// check checks the layers as they are now.
func (r *run) check(t *testing.T) (proof.Result, error) {
	t.Helper()
	space := r.now(t)
	var done most
	res, err := proof.Check(context.Background(), space, proof.Options{
		Dir: t.TempDir(), MemoryBytes: 16 << 10, Workers: 2, Done: done.report,
	})
	if want := proof.Work(space.History); err == nil && done.n != want {
		t.Errorf("%d states of %d were looked at", done.n, want)
	}
	inMemory, errInMemory := proof.Check(context.Background(), space, proof.Options{
		Dir: t.TempDir(), MemoryBytes: 16 << 20, Workers: 2, Done: func(int64) {},
	})
	if inMemory != res || (errInMemory == nil) != (err == nil) {
		t.Errorf("in memory %+v, %v; in files %+v, %v", inMemory, errInMemory, res, err)
	}
	for _, memory := range []int64{16 << 10, 16 << 20} {
		if shared, inShares := r.checkInShares(t, memory); (inShares == nil) != (err == nil) || err == nil && shared != res {
			t.Errorf("in shares, with %d bytes: %+v, %v; whole %+v, %v", memory, shared, inShares, res, err)
		} else if err != nil && !errors.As(inShares, new(*proof.FaultError)) {
			t.Errorf("in shares: %v", inShares)
		}
	}
	return res, err
}

// now is the space with the layers as they are now.
func (r *run) now(t *testing.T) *query.Space {
	t.Helper()
	records := memory{}
	found := history.History{}
	epoch := uint32(0)
	for _, phase := range []history.Phase{history.Forward, history.Goal} {
		for depth, layer := range r.layers[phase] {
			epoch++
			l := history.Layer{Phase: phase, Depth: uint32(depth), Epoch: epoch, States: int64(len(layer)), PartStates: make([]int64, 4)}
			for k, move := range layer {
				rec := make([]uint64, r.Scheme.Stride())
				part := r.Scheme.Record(rec, key(k), move)
				l.PartStates[part]++
				at := place{phase, uint32(depth), part}
				records[at] = append(records[at], rec...)
			}
			if !found.AddLayer(l) {
				t.Fatalf("no layer %v %d", phase, depth)
			}
		}
		if r.ended[phase] && !found.AddEnd(history.PhaseEnd{Phase: phase, Layers: uint32(len(r.layers[phase]))}) {
			t.Fatalf("no end of %v", phase)
		}
	}
	return &query.Space{Board: r.Board, Scheme: r.Scheme, History: &found, Records: records}
}

// memory is records without any order.
type memory map[place][]uint64

type place struct {
	phase history.Phase
	depth uint32
	part  partition.ID
}

func (m memory) Find(context.Context, history.Layer, partition.ID, []uint64, []uint64) ([]uint64, bool, error) {
	return nil, false, errors.New("nothing is looked for")
}

func (m memory) Cursor(_ context.Context, l history.Layer, parts []partition.ID) (query.Cursor, error) {
	return &memoryCursor{m, l, parts}, nil
}

type memoryCursor struct {
	m     memory
	l     history.Layer
	parts []partition.ID
}

func (c *memoryCursor) Next() (partition.ID, []uint64, error) {
	for len(c.parts) > 0 {
		part := c.parts[0]
		c.parts = c.parts[1:]
		if recs := c.m[place{c.l.Phase, c.l.Depth, part}]; len(recs) > 0 {
			return part, recs, nil
		}
	}
	return 0, nil, nil
}

func (c *memoryCursor) Close() error { return nil }

func everything(b puzzle.Board) history.Want {
	return history.Want{GoalDistance: puzzle.GoesBack(b.Puzzle)}
}

// What the engine finds is complete, whether it has ended or not.
func TestSoundRunsAreComplete(t *testing.T) {
	for name, file := range boards() {
		t.Run(name, func(t *testing.T) {
			b := read(t, file)
			for depth := -1; depth < 4; depth++ {
				want := everything(b)
				if depth >= 0 {
					want.MaxDepth = &depth
				}
				r := explored(t, b, want)
				res, err := r.check(t)
				if err != nil {
					t.Fatalf("to depth %d: %v", depth, err)
				}
				n := int64(0)
				for _, l := range r.layers[history.Forward] {
					n += int64(len(l))
				}
				if res.States != n || depth != 0 && res.Successors == 0 {
					t.Errorf("%+v of %d states", res, n)
				}
			}
			// Goal distances that are not all there yet.
			r := explored(t, b, everything(b))
			r.ended[history.Goal] = false
			for len(r.layers[history.Goal]) > 0 {
				if _, err := r.check(t); err != nil {
					t.Fatalf("%d goal layers: %v", len(r.layers[history.Goal]), err)
				}
				r.layers[history.Goal] = r.layers[history.Goal][:max(0, len(r.layers[history.Goal])-effort.Of(1, 4))]
			}
		})
	}
}

// first returns the least key of a layer that f takes.
func first(layer map[string]puzzle.Move, f func(key string) bool) string {
	var keys []string
	for k := range layer {
		if f(k) {
			keys = append(keys, k)
		}
	}
	return slices.Min(keys)
}

func anyOf(string) bool { return true }

// Whatever is wrong with layers that agree with themselves is found.
func TestPlantedFaultsAreFound(t *testing.T) {
	faults := []struct {
		name string
		// plant changes the layers; false if that cannot be done to the board.
		plant func(r *run) bool
		want  []string // one of these is said
	}{
		{"a state is missing", func(r *run) bool {
			l := r.layers[history.Forward][2]
			k := first(l, anyOf)
			delete(l, k)
			for _, goal := range r.layers[history.Goal] {
				delete(goal, k)
			}
			return true
		}, []string{"is in no layer", "no state above leads to it", "leads there", "goal distance"}},
		{"all behind a state is missing", func(r *run) bool {
			r.layers[history.Forward] = r.layers[history.Forward][:2]
			for d, goal := range r.layers[history.Goal] {
				for k := range goal {
					if _, is := r.layers[history.Forward][0][k]; is {
						continue
					}
					if _, is := r.layers[history.Forward][1][k]; !is {
						delete(r.layers[history.Goal][d], k)
					}
				}
			}
			for i, goal := range r.layers[history.Goal] {
				if len(goal) == 0 {
					r.layers[history.Goal] = r.layers[history.Goal][:i]
					break
				}
			}
			return true
		}, []string{"is in no layer", "goal distance"}},
		{"a state is in two layers", func(r *run) bool {
			r.layers[history.Forward][3][first(r.layers[history.Forward][1], anyOf)] = 0
			return true
		}, []string{"is in two forward layers, 1 and 3"}},
		{"a state is too deep", func(r *run) bool {
			k := first(r.layers[history.Forward][1], anyOf)
			r.layers[history.Forward][3][k] = r.layers[history.Forward][1][k]
			delete(r.layers[history.Forward][1], k)
			return len(r.layers[history.Forward][1]) > 0
		}, []string{"is at depth 3", "no state above leads to it"}},
		{"a state is not deep enough", func(r *run) bool {
			k := first(r.layers[history.Forward][3], anyOf)
			r.layers[history.Forward][1][k] = r.layers[history.Forward][3][k]
			delete(r.layers[history.Forward][3], k)
			return true
		}, []string{"no state above leads to it", "is a successor of a state at depth", "leads there"}},
		{"a link is another move", func(r *run) bool {
			k := first(r.layers[history.Forward][2], anyOf)
			r.layers[history.Forward][2][k]++
			return true
		}, []string{"leads there", "no state above leads to it by that move"}},
		{"another start", func(r *run) bool {
			r.layers[history.Forward][0][first(r.layers[history.Forward][2], anyOf)] = 0
			delete(r.layers[history.Forward][2], first(r.layers[history.Forward][2], anyOf))
			return true
		}, []string{"is not a start", "is at depth 3, but is a successor of a state at depth 0", "leads there"}},
		{"no start", func(r *run) bool {
			r.layers[history.Forward][0] = r.layers[history.Forward][1]
			r.layers[history.Forward] = slices.Delete(r.layers[history.Forward], 1, 2)
			return true
		}, []string{"is a start, but is in no layer", "is not a start", "is in no forward layer"}},
		{"a goal is not one", func(r *run) bool {
			if len(r.layers[history.Goal]) < 2 || len(r.layers[history.Goal][0]) < 2 {
				return false
			}
			delete(r.layers[history.Goal][0], first(r.layers[history.Goal][0], anyOf))
			return true
		}, []string{"is a goal, but has no goal distance"}},
		{"a goal too many", func(r *run) bool {
			if len(r.layers[history.Goal]) < 3 {
				return false
			}
			k := first(r.layers[history.Goal][2], anyOf)
			delete(r.layers[history.Goal][2], k)
			r.layers[history.Goal][0][k] = 0
			return true
		}, []string{"is not a goal, but its goal distance is 0"}},
		{"a goal distance is too great", func(r *run) bool {
			if len(r.layers[history.Goal]) < 5 {
				return false
			}
			k := first(r.layers[history.Goal][2], anyOf)
			r.layers[history.Goal][4][k] = r.layers[history.Goal][2][k]
			delete(r.layers[history.Goal][2], k)
			return true
		}, []string{"goal distance"}},
		{"a goal distance is too small", func(r *run) bool {
			if len(r.layers[history.Goal]) < 5 {
				return false
			}
			k := first(r.layers[history.Goal][4], anyOf)
			r.layers[history.Goal][2][k] = r.layers[history.Goal][4][k]
			delete(r.layers[history.Goal][4], k)
			return true
		}, []string{"goal distance"}},
		{"a goal distance is missing", func(r *run) bool {
			if len(r.layers[history.Goal]) < 3 {
				return false
			}
			last := r.layers[history.Goal][len(r.layers[history.Goal])-1]
			if len(last) == 1 {
				r.layers[history.Goal] = r.layers[history.Goal][:max(0, len(r.layers[history.Goal])-effort.Of(1, 4))]
				return true
			}
			delete(last, first(last, anyOf))
			return true
		}, []string{"has no goal distance"}},
		{"a goal link is another move", func(r *run) bool {
			if len(r.layers[history.Goal]) < 3 {
				return false
			}
			k := first(r.layers[history.Goal][2], anyOf)
			r.layers[history.Goal][2][k]++
			return true
		}, []string{"leads there", "is not a move there", "goal distance"}},
		{"a goal distance of no state", func(r *run) bool {
			if len(r.layers[history.Goal]) < 2 {
				return false
			}
			last := r.layers[history.Forward][len(r.layers[history.Forward])-1]
			k := first(last, anyOf)
			delete(last, k)
			return len(last) > 0
		}, []string{"is in no forward layer", "is in no layer"}},
	}
	for name, file := range boards() {
		t.Run(name, func(t *testing.T) {
			b := read(t, file)
			for _, f := range faults {
				r := explored(t, b, everything(b))
				if !f.plant(r) {
					continue
				}
				_, err := r.check(t)
				var fault *proof.FaultError
				if !errors.As(err, &fault) || !slices.ContainsFunc(f.want, func(s string) bool { return strings.Contains(fault.What, s) }) {
					t.Errorf("%s: %v", f.name, err)
				}
			}
		})
	}
}
