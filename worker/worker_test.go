package worker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/digest"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
)

// mailbag is an exchange that holds everything back until it is emptied.
type mailbag struct {
	owner []*Worker
	mail  []letter
}

type letter struct {
	epoch uint32
	part  partition.ID
	chunk []uint64
}

func (m *mailbag) Send(epoch uint32, part partition.ID, chunk []uint64) error {
	m.mail = append(m.mail, letter{epoch, part, chunk})
	return nil
}

// empty delivers everything, in an order drawn from rng.
func (m *mailbag) empty(t *testing.T, rng *rand.Rand) {
	t.Helper()
	rng.Shuffle(len(m.mail), func(i, j int) { m.mail[i], m.mail[j] = m.mail[j], m.mail[i] })
	for _, l := range m.mail {
		if err := m.owner[l.part].Deliver(l.epoch, l.part, l.chunk); err != nil {
			t.Fatal(err)
		}
	}
	m.mail = nil
}

// crew is some workers with one exchange and one store.
type crew struct {
	t       *testing.T
	rng     *rand.Rand
	puzzle  puzzle.Puzzle
	scheme  partition.Scheme
	store   *store.Store
	mail    *mailbag
	workers []*Worker
	epoch   uint32
	settled bool // partitions stay with their workers
}

func newCrew(t *testing.T, p puzzle.Puzzle, seed uint64, workers, parts int, inboxBytes, cacheBytes int64) *crew {
	t.Helper()
	scheme, err := partition.New(p.Layout(), parts)
	if err != nil {
		t.Fatal(err)
	}
	c := &crew{t: t, rng: rand.New(rand.NewPCG(seed, 8)), puzzle: p, scheme: scheme, store: openStore(t)}
	c.mail = &mailbag{owner: make([]*Worker, parts)}
	chunks := NewChunks(0, scheme.Stride())
	for range workers {
		c.workers = append(c.workers, New(Options{
			Puzzle: p, Scheme: scheme, Store: c.store, Exchange: c.mail, Chunks: chunks, InboxBytes: inboxBytes, CacheBytes: cacheBytes,
		}))
	}
	return c
}

// begin begins an attempt with partitions dealt out anew.
func (c *crew) begin(a Attempt) {
	c.epoch++
	a.Target.Epoch = c.epoch
	shares := make([][]partition.ID, len(c.workers))
	for p := range c.mail.owner {
		i := c.rng.IntN(len(c.workers))
		if c.settled {
			i = p % len(c.workers)
		}
		shares[i] = append(shares[i], partition.ID(p))
		c.mail.owner[p] = c.workers[i]
	}
	for i, w := range c.workers {
		a.Parts = shares[i]
		w.Begin(a)
	}
}

func (c *crew) expand() (generated int64) {
	c.t.Helper()
	for _, i := range c.rng.Perm(len(c.workers)) {
		n, err := c.workers[i].Expand(context.Background())
		if err != nil {
			c.t.Fatal(err)
		}
		generated += n
	}
	c.mail.empty(c.t, c.rng)
	return generated
}

// made is a layer that a crew has made.
type made struct {
	Layer
	generated int64
	result    Result // of all workers together, by partition
}

// layer makes a layer as all workers together.
func (c *crew) layer(a Attempt) made {
	c.t.Helper()
	c.begin(a)
	m := made{generated: c.expand()}
	m.Segment = a.Target
	m.Segment.Epoch = c.epoch
	for _, w := range c.workers {
		res, err := w.Write(context.Background())
		if err != nil {
			c.t.Fatal(err)
		}
		m.result.Parts = append(m.result.Parts, res.Parts...)
		m.result.Bytes += res.Bytes
	}
	slices.SortFunc(m.result.Parts, func(a, b PartResult) int { return int(a.Part) - int(b.Part) })
	for _, p := range m.result.Parts {
		m.PartStates = append(m.PartStates, p.States)
	}
	c.end()
	return m
}

func (c *crew) end() {
	c.t.Helper()
	for _, w := range c.workers {
		if err := w.End(); err != nil {
			c.t.Fatal(err)
		}
	}
}

// search makes all layers of a phase, and checks the links of each.
func (c *crew) search(phase uint8, first Attempt) []made {
	c.t.Helper()
	first.Target = store.SegmentID{Phase: phase}
	layers := []made{c.layer(first)}
	for depth := 1; ; depth++ {
		last := layers[depth-1]
		a := Attempt{
			Target: store.SegmentID{Phase: phase, Layer: uint32(depth)}, Source: FromSuccessors,
			Expand: []Layer{last.Layer}, Exclude: []Layer{last.Layer}, CountGoals: first.CountGoals,
		}
		check := FromLinks
		switch {
		case !c.puzzle.Layout().Reversible:
			a.Exclude = layersOf(layers)
			if a.Within = first.Within; a.Within != nil {
				a.Source, check = FromPredecessors, FromLinksAhead
			}
		case depth > 1:
			a.Exclude = append(a.Exclude, layers[depth-2].Layer)
		}
		next := c.layer(a)
		layers = append(layers, next)
		if states(next) == 0 {
			return layers
		}
		c.begin(Attempt{Target: store.SegmentID{Phase: phase, Layer: uint32(depth)}, Source: check, Expand: []Layer{next.Layer}, Exclude: []Layer{last.Layer}})
		c.expand()
		for _, w := range c.workers {
			if missing, err := w.Check(context.Background()); err != nil || len(missing) > 0 {
				c.t.Fatalf("links of phase %d, layer %d: %v, %v", phase, depth, missing, err)
			}
		}
		c.end()
	}
}

func states(m made) (n int64) {
	for _, p := range m.result.Parts {
		n += p.States
	}
	return n
}

// read returns the states of a layer with their links.
func (c *crew) read(toy *toy, l Layer) map[uint64]puzzle.Move {
	c.t.Helper()
	found := map[uint64]puzzle.Move{}
	for part, n := range l.PartStates {
		cursor, err := c.store.NewCursor(ShapeOf(c.scheme), l.Segment, uint32(part))
		if err != nil {
			c.t.Fatal(err)
		}
		var count int64
		for {
			recs, err := cursor.Next()
			if err != nil {
				c.t.Fatal(err)
			}
			if len(recs) == 0 {
				break
			}
			for i := 0; i < len(recs); i += c.scheme.Stride() {
				found[toy.value(c.scheme.Key(nil, partition.ID(part), recs[i:]))] = c.scheme.Move(recs[i:])
				count++
			}
		}
		if err := cursor.Close(); err != nil {
			c.t.Fatal(err)
		}
		if count != n {
			c.t.Fatalf("%v, partition %d: %d records, want %d", l.Segment, part, count, n)
		}
	}
	return found
}

// check compares the layers of a phase with the slow twin's.
func (c *crew) check(toy *toy, phase uint8, layers []made, starts []uint64) {
	c.t.Helper()
	want, generated := toy.slowLayers(starts)
	c.compare(toy, phase, layers, want, generated)
}

// compare compares the layers of a phase with those that should be.
func (c *crew) compare(toy *toy, phase uint8, layers []made, want []map[uint64]puzzle.Move, generated []int64) {
	c.t.Helper()
	if len(layers) != len(want)+1 {
		c.t.Fatalf("phase %d: %d layers, want %d and an empty one", phase, len(layers), len(want))
	}
	for depth, layer := range want {
		got := layers[depth]
		var sum, wantSum digest.Digest
		var goals, wantGoals int64
		for _, p := range got.result.Parts {
			sum.Add(p.Digest)
			goals += p.Goals
		}
		for v, move := range layer {
			wantSum.AddState(digest.LayerSalt(phase, uint32(depth)), toy.key(v), move)
			if phase == 1 && toy.goal(v) {
				wantGoals++
			}
		}
		if !maps.Equal(c.read(toy, got.Layer), layer) {
			c.t.Errorf("phase %d, layer %d: other states or links than the slow twin has", phase, depth)
		}
		if sum != wantSum || goals != wantGoals || depth > 0 && got.generated != generated[depth] {
			c.t.Errorf("phase %d, layer %d: digest %v, %d goals, %d generated, want %v, %d, %d",
				phase, depth, sum, goals, got.generated, wantSum, wantGoals, generated[depth])
		}
	}
}

// Any number of workers and any memory, order of arrival and share of the
// partitions give the same results, and the states and links of the slow twin.
func TestWorkersTogether(t *testing.T) {
	for name, p := range map[string]*toy{
		"one word":  ring(3000, 1, 1, 54),
		"repeating": ring(700, 1, 1, 2, 3, 26, 27, 28, 100, 101),
		"wide":      ring(1500, 2, 1, 39),
		"tiny":      ring(2, 1, 1),
	} {
		if name == "tiny" {
			p.goal = func(uint64) bool { return true }
		}
		p.starts = slices.Compact([]uint64{0, p.size / 2})
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var results []string
			for seed, cfg := range []struct {
				workers             int
				inboxBytes, caching int64
			}{{1, 1 << 30, 1 << 30}, {2, 1 << 30, 0}, {2, 0, 1 << 30}, {2, 2000, 3000}, {2, 2000, 3000}, {3, 4000, 0}} {
				var counted puzzle.Puzzle = p
				if seed%2 == 1 {
					counted = onwardToy{p}
				}
				c := newCrew(t, counted, uint64(seed), cfg.workers, 4, cfg.inboxBytes, cfg.caching)
				forward := c.search(1, Attempt{Source: FromStarts, CountGoals: true})
				c.check(p, 1, forward, p.starts)
				back := c.search(2, Attempt{Source: FromGoals, Expand: layersOf(forward)})
				c.check(p, 2, back, goalsOf(p))
				c.checkProgress(cfg.inboxBytes == 0, cfg.caching)
				var text strings.Builder
				for _, m := range append(forward, back...) {
					fmt.Fprintln(&text, m.generated, m.result)
				}
				results = append(results, text.String())
			}
			for i, r := range results {
				if r != results[0] {
					t.Errorf("configuration %d has other results than the first:\n%s\n%s", i, r, results[0])
				}
			}
		})
	}
}

// checkProgress sees whether what arrived has been accounted for.
func (c *crew) checkProgress(allSpilled bool, caching int64) {
	c.t.Helper()
	for i, w := range c.workers {
		p := &w.Progress
		if arrived, found := p.Arrived.Load(), p.Written.Load()+p.Dropped.Load(); arrived != found {
			c.t.Errorf("worker %d: %d candidates arrived, and %d were written or dropped", i, arrived, found)
		}
		if allSpilled && p.SpilledBytes.Load() == 0 {
			c.t.Errorf("worker %d: nothing is said to be spilled", i)
		}
		if caching == 0 && p.CacheHits.Load() > 0 || caching > 0 && p.Expanded.Load() > 100 && p.CacheHits.Load() == 0 {
			c.t.Errorf("worker %d: %d hits of a cache of %d bytes", i, p.CacheHits.Load(), caching)
		}
		if n := p.CacheBytes.Load(); n < 0 || n > caching {
			c.t.Errorf("worker %d: %d bytes in a cache of %d", i, n, caching)
		}
	}
}

// A space whose moves go one way, of many layers with many states that come up
// again much later, is the slow twin's; so are the distances to its goals, of
// which only the states count that were found. It does not matter whether workers
// keep what they have merged.
func TestOneWay(t *testing.T) {
	for name, p := range map[string]*toy{
		"one word": oneWayRing(2400, 1, 1, 120, 1199),
		"dense":    oneWayRing(1<<13, 1, 1, 16, 257, 4097),
		"wide":     oneWayRing(900, 2, 1, 40, 449),
	} {
		p.starts = []uint64{7, 8}
		var inside []uint64
		for v := range p.size {
			inside = append(inside, v)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(3) {
				c := newCrew(t, p, seed, 1+int(seed%3), 4, 1<<20, int64(seed%2)<<20)
				c.settled = seed < 2
				forward := c.search(1, Attempt{Source: FromStarts, CountGoals: true})
				c.check(p, 1, forward, p.starts)
				if p.words > 1 {
					continue // layers are not made by hand
				}

				within := map[uint64]bool{}
				for _, v := range inside {
					within[v] = v%5 != 0
				}
				var some []Layer
				for depth, epoch := range []uint32{1000, 1001, 1002} {
					var part []uint64
					for v := range p.size {
						if within[v] && v%3 == uint64(depth) {
							part = append(part, v)
						}
					}
					some = append(some, c.writeLayer(store.SegmentID{Phase: 1, Layer: uint32(depth), Epoch: epoch}, part, 0))
				}
				back := c.search(2, Attempt{Source: FromGoals, Expand: some, Within: some})
				want, generated := p.slowSearch(slices.DeleteFunc(goalsOf(p), func(v uint64) bool { return !within[v] }),
					func(v, step uint64) uint64 { return v + p.size - step }, within)
				c.compare(p, 2, back, want, generated)
				for _, w := range c.workers {
					if err := w.Close(); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}

func layersOf(all []made) (layers []Layer) {
	for _, m := range all {
		layers = append(layers, m.Layer)
	}
	return layers
}

func goalsOf(p *toy) (goals []uint64) {
	for v := range p.size {
		if p.goal(v) {
			goals = append(goals, v)
		}
	}
	return goals
}

// Progress counts what was done in all attempts.
func TestProgress(t *testing.T) {
	p := ring(300, 1, 1, 17)
	c := newCrew(t, p, 1, 1, 4, 1<<30, 0)
	forward := c.search(1, Attempt{Source: FromStarts})
	got := &c.workers[0].Progress
	// Links are expanded, too: every state but the start sends its predecessor.
	if want := int64(300 + 299); got.Expanded.Load() != want {
		t.Errorf("%d expanded, want %d", got.Expanded.Load(), want)
	}
	if want := int64(1 + 4*300 + 299); got.Generated.Load() != want {
		t.Errorf("%d generated, want %d", got.Generated.Load(), want)
	}
	if got.Written.Load() != 300 || len(forward) < 3 {
		t.Errorf("%d written, want 300", got.Written.Load())
	}
}

// A partition that has not the states that were committed is damaged, whether it
// is expanded or excluded, in memory or not.
func TestLayerThatEndsEarly(t *testing.T) {
	p := ring(3000, 1, 1, 54, 55, 56)
	for _, caching := range []int64{0, 1 << 30} {
		for _, by := range []int64{-1, 1} {
			for _, role := range []string{"expand", "exclude"} {
				t.Run(fmt.Sprintf("%s, %+d states, cache of %d bytes", role, by, caching), func(t *testing.T) {
					c := newCrew(t, p, 1, 1, 2, 1<<30, caching)
					layers := c.search(1, Attempt{Source: FromStarts})
					layer := layers[3].Layer
					wrong := layer
					wrong.PartStates = slices.Clone(layer.PartStates)
					wrong.PartStates[1] += by
					a := Attempt{Target: store.SegmentID{Phase: 1, Layer: 99}, Source: FromSuccessors, Expand: []Layer{wrong}, Exclude: []Layer{layer}}
					if role == "exclude" {
						a.Expand, a.Exclude = a.Exclude, a.Expand
					}
					c.begin(a)
					w := c.workers[0]
					_, err := w.Expand(context.Background())
					if role == "exclude" {
						if err != nil {
							t.Fatal(err)
						}
						c.mail.empty(t, c.rng)
						_, err = w.Write(context.Background())
					}
					var damage *store.CorruptionError
					if !errors.As(err, &damage) || !strings.Contains(damage.Where, "layer 3") || !strings.Contains(damage.Where, "partition 1") {
						t.Errorf("got %v", err)
					}
					c.end()
				})
			}
		}
	}
}

// interrupted is a puzzle that calls a function whenever it is used.
type interrupted struct {
	*toy
	used func()
}

func (i interrupted) Successors(states []uint64, out *puzzle.Edges) {
	i.used()
	i.toy.Successors(states, out)
}

func (i interrupted) Goals(states []uint64, marks []bool) {
	i.used()
	i.toy.Goals(states, marks)
}

// Cancelling ends Expand within a block, and Write within a bucket.
func TestCancel(t *testing.T) {
	var cancel context.CancelFunc
	var used int
	p := interrupted{ring(300_000, 1, 1), func() {
		used++
		cancel()
	}}
	c := newCrew(t, p, 1, 1, 1, 1<<30, 0)
	var all []uint64
	for v := range p.size {
		all = append(all, v)
	}
	layer := c.writeLayer(store.SegmentID{Phase: 1}, all, 0)

	var ctx context.Context
	ctx, cancel = context.WithCancel(context.Background())
	c.begin(Attempt{Target: store.SegmentID{Phase: 1, Layer: 1}, Source: FromSuccessors, Expand: []Layer{layer}, CountGoals: true})
	n, err := c.workers[0].Expand(ctx)
	if !errors.Is(err, context.Canceled) || n > 2*store.BlockRecords {
		t.Errorf("Expand: %d candidates, %v", n, err)
	}
	cancel = func() {}
	if _, err := c.workers[0].Expand(context.Background()); err != nil {
		t.Fatal(err)
	}
	c.mail.empty(t, c.rng)
	ctx, cancel = context.WithCancel(context.Background())
	used = 0
	if _, err := c.workers[0].Write(ctx); !errors.Is(err, context.Canceled) || used != 1 {
		t.Errorf("Write: %v, after %d buckets", err, used)
	}
	c.end()

	cancel()
	c.begin(Attempt{Target: store.SegmentID{Phase: 1, Layer: 1}})
	if _, err := c.workers[0].Write(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Write of nothing: %v", err)
	}
	if _, err := c.workers[0].Check(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Check of nothing: %v", err)
	}
	c.end()
}

// writeLayer writes a layer of given states, all with one link. Values that are
// no states of the puzzle are taken for keys of one word.
func (c *crew) writeLayer(id store.SegmentID, values []uint64, link puzzle.Move) Layer {
	c.t.Helper()
	parts := make([][]uint64, c.scheme.Partitions())
	rec := make([]uint64, c.scheme.Stride())
	for _, v := range values {
		part := c.scheme.Record(rec, []uint64{v}, link)
		parts[part] = append(parts[part], rec...)
	}
	w := c.store.NewWriter(ShapeOf(c.scheme), id)
	layer := Layer{Segment: id}
	for part, recs := range parts {
		slices.Sort(recs)
		err := errors.Join(w.Append(uint32(part), recs, nil), w.EndPartition(nil))
		if err != nil {
			c.t.Fatal(err)
		}
		layer.PartStates = append(layer.PartStates, int64(len(recs)))
	}
	if _, err := w.Finish(); err != nil {
		c.t.Fatal(err)
	}
	return layer
}

// stubborn is a puzzle whose moves cannot all be undone, or lead elsewhere.
type stubborn struct{ *toy }

func (s stubborn) Undo(dst, state []uint64, move puzzle.Move) bool {
	return move != 1 && s.toy.Undo(dst, state, move)
}

func (s stubborn) Apply(dst, state []uint64, move puzzle.Move) bool {
	switch move {
	case 2:
		return false
	case 3:
		dst[0] = state[0]
		return true
	}
	return s.toy.Apply(dst, state, move)
}

// A link that is wrong is reported with its state and move.
func TestLinkError(t *testing.T) {
	p := stubborn{ring(1000, 1, 5, 6, 7)} // six moves, so that a link may be 6 or 7
	for _, test := range []struct {
		name  string
		value uint64
		link  puzzle.Move
		want  *LinkError
	}{
		{"good", 500, 0, nil},
		{"no state", 1001, 0, &LinkError{State: "key [3e9]", Move: "0", What: "belongs to no state"}},
		{"no such move", 500, 7, &LinkError{State: "500", Move: "7", What: "has no predecessor"}},
		{"cannot be undone", 500, 1, &LinkError{State: "500", Move: "1", What: "has no predecessor"}},
		{"is not legal there", 500, 2, &LinkError{State: "500", Move: "+7", What: "does not lead back"}},
		{"leads elsewhere", 500, 3, &LinkError{State: "500", Move: "+995", What: "does not lead back"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newCrew(t, p, 1, 1, 1, 1<<30, 0)
			layer := c.writeLayer(store.SegmentID{Phase: 1}, []uint64{test.value}, test.link)
			c.begin(Attempt{Target: store.SegmentID{Phase: 1, Layer: 1}, Source: FromLinks, Expand: []Layer{layer}})
			_, err := c.workers[0].Expand(context.Background())
			var link *LinkError
			if got := errors.As(err, &link); got != (test.want != nil) || got && *link != *test.want {
				t.Errorf("got %v, want %v", err, test.want)
			}
			if link != nil && !strings.HasSuffix(link.Error(), "\n"+link.State) {
				t.Errorf("the message does not end with the state: %q", link.Error())
			}
			c.end()
		})
	}
}

// Check returns a few of the states that are missing.
func TestCheckNamesMissing(t *testing.T) {
	p := ring(1000, 1, 1)
	c := newCrew(t, p, 1, 1, 4, 1<<30, 0)
	layer := c.writeLayer(store.SegmentID{Phase: 1, Layer: 1}, []uint64{10, 20, 30, 40, 50}, 0)
	above := c.writeLayer(store.SegmentID{Phase: 1}, []uint64{9, 19}, 0)
	c.begin(Attempt{Target: store.SegmentID{Phase: 1, Layer: 1}, Source: FromLinks, Expand: []Layer{layer}, Exclude: []Layer{above}})
	c.expand()
	missing, err := c.workers[0].Check(context.Background())
	slices.Sort(missing)
	if err != nil || !slices.Equal(missing, []string{"29", "39", "49"}) {
		t.Errorf("got %q, %v", missing, err)
	}
	c.end()
}

// broken is an exchange that fails.
type broken struct{}

func (broken) Send(uint32, partition.ID, []uint64) error { return errors.New("no way there") }

func TestSendFails(t *testing.T) {
	c := newCrew(t, ring(1000, 1, 1), 1, 1, 4, 1<<30, 0)
	layer := c.writeLayer(store.SegmentID{Phase: 1}, []uint64{10}, 0)
	c.workers[0].opts.Exchange = broken{}
	for _, source := range []Source{FromStarts, FromSuccessors} {
		c.begin(Attempt{Target: store.SegmentID{Phase: 1, Layer: 1}, Source: source, Expand: []Layer{layer}})
		if _, err := c.workers[0].Expand(context.Background()); err == nil || !strings.Contains(err.Error(), "no way there") {
			t.Errorf("got %v", err)
		}
		c.end()
	}
}
