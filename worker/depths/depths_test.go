package depths

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/worker"
)

const forward = 0

// everyPart are all partitions of the spaces here.
var everyPart = []uint32{0, 1, 2, 3}

// space is a made-up space: the layers of a run, and in which of them a state is.
type space struct {
	scheme partition.Scheme
	shape  store.Shape // of the layers' records
	layers []worker.Layer
	depth  map[uint32]map[uint64]uint32 // by partition and record without link
	closed map[*store.Store]bool
}

// newSpace returns a space of random layers, some of them empty in some partitions.
func newSpace(t *testing.T, r *rand.Rand, layers int, perPart int) *space {
	t.Helper()
	scheme, err := partition.New(puzzle.Layout{KeyBits: 10, Moves: 4}, 4)
	if err != nil {
		t.Fatal(err)
	}
	s := &space{
		scheme: scheme, shape: store.Shape{Stride: 1, KeyBits: scheme.LocalBits(), MoveBits: scheme.MoveBits()},
		depth: make(map[uint32]map[uint64]uint32), closed: make(map[*store.Store]bool),
	}
	for part := range uint32(scheme.Partitions()) {
		s.depth[part] = make(map[uint64]uint32)
		for range r.IntN(perPart) {
			s.depth[part][r.Uint64N(1<<scheme.LocalBits())] = uint32(r.IntN(layers))
		}
	}
	for depth := range layers {
		l := worker.Layer{
			Segment:    store.SegmentID{Phase: forward, Layer: uint32(depth), Epoch: uint32(1 + depth + r.IntN(3))},
			PartStates: make([]int64, scheme.Partitions()),
		}
		for part, states := range s.depth {
			for _, at := range states {
				if at == uint32(depth) {
					l.PartStates[part]++
				}
			}
		}
		s.layers = append(s.layers, l)
	}
	return s
}

// open returns a store with the records of the layers from first on.
func (s *space) open(t *testing.T, dir string, r *rand.Rand, first int) *store.Store {
	t.Helper()
	st, err := store.Open(dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if !s.closed[st] {
			s.close(t, st)
		}
	})
	for _, l := range s.layers[first:] {
		w := st.NewWriter(s.shape, l.Segment)
		for part := range uint32(s.scheme.Partitions()) {
			var recs []uint64
			for rec, at := range s.depth[part] {
				if at == l.Segment.Layer {
					recs = append(recs, rec<<s.shape.MoveBits|r.Uint64N(4))
				}
			}
			slices.Sort(recs)
			if err := errors.Join(w.Append(part, recs, nil), w.EndPartition(nil)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := w.Finish(); err != nil {
			t.Fatal(err)
		}
	}
	return st
}

func (s *space) close(t *testing.T, st *store.Store) {
	t.Helper()
	s.closed[st] = true
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
}

func (s *space) table(t *testing.T, st *store.Store) *Table {
	t.Helper()
	table, err := Open(st, forward, s.scheme, s.shape)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// check compares what a table has of a partition with the first layers of the space.
func (s *space) check(t *testing.T, table *Table, part, end uint32) {
	t.Helper()
	// Layers without a state of the partition do not change it.
	if n, sound := table.Covers(s.layers, part); !sound || n > end || States(s.layers[n:end], part) > 0 {
		t.Errorf("partition %d covers %d layers, sound %t; want %d", part, n, sound, end)
	}
	if n, err := table.Count(part); err != nil || n != States(s.layers[:end], part) {
		t.Errorf("partition %d has %d states, %v; want %d", part, n, err, States(s.layers[:end], part))
	}
	for rec := range uint64(1 << s.scheme.LocalBits()) {
		want := uint8(0)
		if at, has := s.depth[part][rec]; has {
			want = uint8(at%Modulo) + 1
		}
		if got, err := table.Find(part, rec<<s.shape.MoveBits|1); err != nil || got != want {
			t.Fatalf("partition %d, record %d: %d, %v; want %d", part, rec, got, err, want)
		}
	}
}

// TestTable puts layers into a table, some at a time, and asks for every state whenever the
// records are removed; opens it again; and gives its partitions to another table.
func TestTable(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	s := newSpace(t, r, 9, 1+r.IntN(160))
	parts := uint32(s.scheme.Partitions())
	dir := t.TempDir()
	st := s.open(t, dir, r, 0)
	table := s.table(t, st)
	for _, end := range []uint32{1, 2, 7, 9} {
		if err := errors.Join(table.Add(t.Context(), end, Share{Parts: everyPart}, 1+r.IntN(3), true), store.DropLayers(st, forward, 0, end, true)); err != nil {
			t.Fatal(err)
		}
		for part := range parts {
			s.check(t, table, part, end)
		}
	}
	s.close(t, st)
	table = s.table(t, s.open(t, dir, r, len(s.layers)))
	other := s.table(t, s.open(t, t.TempDir(), r, len(s.layers)))
	for part := range parts {
		s.check(t, table, part, 9)
		if id, _ := table.Part(part); id.Layer > 0 {
			if _, err := table.Cursor(part, id.Layer-1); !errors.Is(err, ErrAhead) {
				t.Errorf("layers that the table has merged with later ones: %v", err)
			}
		}
		if err := other.Fill(s.layers, part, func(add func([]byte) error) error { return table.Blocks(t.Context(), part, 8, add) }); err != nil {
			t.Fatal(err)
		}
		s.check(t, other, part, 9)
	}
}

// TestFill refuses blocks that are not those of a partition, and keeps what was there.
func TestFill(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	s := newSpace(t, r, 5, 200)
	table := s.table(t, s.open(t, t.TempDir(), r, 0))
	if err := table.Add(t.Context(), 5, Share{Parts: everyPart}, 1, false); err != nil {
		t.Fatal(err)
	}
	const part = 1
	var sound [][]uint64
	if err := table.Blocks(t.Context(), part, 4, func(block []byte) error {
		recs, _ := table.Shape().DecodeBlock(nil, block)
		sound = append(sound, recs)
		return nil
	}); err != nil || len(sound) != 1 {
		t.Fatal(len(sound), err)
	}
	recs := sound[0]
	last := recs[len(recs)-1]
	for what, blocks := range map[string][][]uint64{
		"one state less":      {recs[1:]},
		"one state more":      {recs, {last + 1<<2}},
		"nothing":             nil,
		"a state twice":       {recs, {last}},
		"out of order":        {recs[1:], recs[:1]},
		"another depth twice": {recs[1:], {last ^ 1}},
	} {
		err := table.Fill(s.layers, part, func(add func([]byte) error) error {
			for _, recs := range blocks {
				if err := add(table.Shape().AppendBlock(nil, recs)); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil {
			t.Errorf("%s: accepted", what)
		}
		s.check(t, table, part, 5)
	}
	if err := table.Fill(s.layers, part, func(add func([]byte) error) error { return add([]byte("no block")) }); !errors.Is(err, ErrBlock) {
		t.Errorf("no block: %v", err)
	}
	s.check(t, table, part, 5)
}

// TestWeed forgets exactly the partitions that are damaged, or not of the run's layers.
func TestWeed(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	s := newSpace(t, r, 5, 400)
	parts := uint32(s.scheme.Partitions())
	weeded := func(table *Table, layers []worker.Layer) (forgotten []uint32) {
		t.Helper()
		if err := table.Weed(t.Context(), layers, parts); err != nil {
			t.Fatal(err)
		}
		for part := range parts {
			if _, has := table.Part(part); !has {
				forgotten = append(forgotten, part)
			}
		}
		return forgotten
	}
	dir := t.TempDir()
	st := s.open(t, dir, r, 0)
	table := s.table(t, st)
	if err := errors.Join(table.Add(t.Context(), 5, Share{Parts: everyPart}, 1, true), store.DropLayers(st, forward, 0, 5, true)); err != nil {
		t.Fatal(err)
	}
	if got := weeded(table, s.layers); got != nil {
		t.Errorf("nothing is wrong, and partitions %v are forgotten", got)
	}
	again := slices.Clone(s.layers)
	again[4].Segment.Epoch++
	again[4].PartStates = []int64{0, 0, 1, 0} // made again, with states of one partition
	again[4].PartStates[2] = s.layers[4].PartStates[2]
	if _, sound := table.Covers(again, 2); sound {
		t.Error("a layer that was made again is taken for the one in the table")
	}
	if _, sound := table.Covers(s.layers[:3], 2); sound {
		t.Error("layers that the run does not have are taken for its own")
	}
	if got, want := weeded(table, again), everyPart; !slices.Equal(got, want) {
		t.Errorf("after a layer was made again, partitions %v are forgotten, want %v", got, want)
	}

	if err := table.Weed(canceled(t), s.layers, parts); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

// TestWeedDamage weeds a table of which a part of a partition was lost.
func TestWeedDamage(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 3))
	s := newSpace(t, r, 3, 400)
	st := s.open(t, t.TempDir(), r, 0)
	table := s.table(t, st)
	if err := table.Add(t.Context(), 3, Share{Parts: everyPart}, 1, true); err != nil {
		t.Fatal(err)
	}
	const damaged = 2
	id, has := table.Part(damaged)
	if !has {
		t.Fatal("the partition is empty")
	}
	w := st.NewWriter(table.Shape(), id)
	if err := errors.Join(w.Append(damaged, []uint64{1 << 2}, nil), w.EndPartition(nil)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	if err := table.Weed(t.Context(), s.layers, uint32(s.scheme.Partitions())); err != nil {
		t.Fatal(err)
	}
	for part := range uint32(s.scheme.Partitions()) {
		end := uint32(3)
		if part == damaged {
			end = 0
		}
		if n, _ := table.Covers(s.layers, part); n != end {
			t.Errorf("partition %d has %d layers, want %d", part, n, end)
		}
		s.check(t, table, part, end) // the records are still there
	}
}

func canceled(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
