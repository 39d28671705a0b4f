package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/internal/test/crashdisk"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/worker"
)

// elsewhere is a run as a coordinator or a bucket has it.
type elsewhere struct {
	board   puzzle.Board
	shape   store.Shape
	entries [][]byte
	history history.History
	blocks  map[history.Phase]map[uint32][]wireBlock // by depth

	bend  func(l history.Layer, blocks []wireBlock) []wireBlock // what arrives, nil for what is there
	left  int                                                   // blocks until it breaks, below 0 for never
	asked []history.Layer
}

type wireBlock struct {
	part  uint32
	block []byte
}

var errBroken = errors.New("broken")

func (e *elsewhere) Layer(_ context.Context, l history.Layer, f func(part uint32, block []byte) error) error {
	e.asked = append(e.asked, l)
	blocks := e.blocks[l.Phase][l.Depth]
	if e.bend != nil {
		blocks = e.bend(l, slices.Clone(blocks))
	}
	for _, b := range blocks {
		if e.left == 0 {
			return errBroken
		}
		e.left--
		if err := f(b.part, b.block); err != nil {
			return err
		}
	}
	return nil
}

// rebuildOptions are such that some layers go through the log and others into
// tables.
func rebuildOptions() Options {
	return Options{Workers: 2, MemoryBytes: MemoryMin, Partitions: 4, BatchBytes: 400}
}

// away explores a board, and returns the run with the entries that a coordinator
// adds: placements, before the first layer and later on.
func away(t *testing.T, file string) *elsewhere {
	t.Helper()
	text, err := os.ReadFile("../../puzzles/rushhour/" + file)
	if err != nil {
		t.Fatal(err)
	}
	boards, err := families.Read(text, puzzle.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	opts := rebuildOptions()
	opts.FS = vfs.NewMem()
	explored(t, boards[0], opts, nil)
	r, err := Open("run", opts)
	if err != nil {
		t.Fatal(err)
	}
	e := &elsewhere{board: boards[0], shape: worker.ShapeOf(r.scheme), blocks: make(map[history.Phase]map[uint32][]wireBlock), left: -1}
	place := func(homes ...history.WorkerID) []byte {
		return journal.Placement(history.Placement{Workers: []string{"a", "b"}, Homes: homes})
	}
	n := 0
	err = r.store.Journal(func(entry []byte) error {
		e.entries = append(e.entries, slices.Clone(entry))
		switch n++; n {
		case 1:
			e.entries = append(e.entries, place(0, 1, 0, 1))
		case 6:
			e.entries = append(e.entries, place(1, 1, 1, 1), place(0, 0, 1, 1))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, phase := range []history.Phase{history.Forward, history.Goal} {
		e.blocks[phase] = make(map[uint32][]wireBlock)
		for _, l := range r.history.Layers(phase) {
			e.blocks[phase][l.Depth] = wireBlocks(t, r, l)
		}
	}
	if _, e.history, err = journal.Read(journal.Entries(e.entries)); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return e
}

func wireBlocks(t *testing.T, r *Run, l history.Layer) []wireBlock {
	t.Helper()
	var blocks []wireBlock
	for part := range r.spec.Partitions {
		c, err := r.store.NewCursor(worker.ShapeOf(r.scheme), segmentID(l), uint32(part))
		if err != nil {
			t.Fatal(err)
		}
		for {
			block, err := c.NextBlock(nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(block) == 0 {
				break
			}
			blocks = append(blocks, wireBlock{uint32(part), block})
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return blocks
}

func nobody(int64) {}

// prefix opens what an interrupted Rebuild has left, verifies it, and returns
// how many layers there are. It must be the beginning of the run.
func (e *elsewhere) prefix(t *testing.T, dir string, opts Options) int {
	t.Helper()
	r, err := Open(dir, opts)
	if errors.Is(err, store.ErrNotExist) {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Verify(t.Context(), nobody); err != nil {
		t.Errorf("verify: %v", err)
	}
	n := 0
	for _, phase := range []history.Phase{history.Forward, history.Goal} {
		got, want := r.history.Layers(phase), e.history.Layers(phase)
		if len(got) > len(want) || !slices.EqualFunc(got, want[:len(got)], func(a, b history.Layer) bool { return reflect.DeepEqual(a, b) }) {
			t.Errorf("%v: %d layers, not those of the run", phase, len(got))
		}
		n += len(got)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return n
}

func layersOf(h *history.History) int {
	return len(h.Layers(history.Forward)) + len(h.Layers(history.Goal))
}

// A run that is rebuilt is the run, to every row, and is sealed as one that was
// made here.
func TestRebuild(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"jam-93.txt", "small-4x4.txt"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			e := away(t, file)
			dir := filepath.Join(t.TempDir(), "new")
			last := int64(0)
			err := Rebuild(t.Context(), dir, e.entries, e, rebuildOptions(), func(states int64) {
				if states < last {
					t.Errorf("%d states after %d", states, last)
				}
				last = states
			})
			if err != nil {
				t.Fatal(err)
			}
			if want := e.history.States(history.Forward) + e.history.States(history.Goal); last != want {
				t.Errorf("told of %d states, want %d", last, want)
			}
			r, err := Open(dir, Options{ReadOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			}()
			v, err := r.Verify(t.Context(), nobody)
			if err != nil || !v.Sealed || v.Layers != layersOf(&e.history) {
				t.Errorf("%+v, %v", v, err)
			}
			if r.history.Digest() != e.history.Digest() || !reflect.DeepEqual(r.history.Placement(), e.history.Placement()) {
				t.Error("the journal says something else")
			}
			var rows int64
			count := func(_ int, b *query.Batch) (int, error) { return b.Len(), nil }
			err = query.Table(t.Context(), r.Space(), query.TableOptions{Predecessors: true}, count, func(n int) error {
				rows += int64(n)
				return nil
			})
			if err != nil || rows != e.history.States(history.Forward) {
				t.Errorf("%d rows, %v", rows, err)
			}

			// Nobody is disturbed who reads it.
			e.asked = nil
			for _, entries := range [][][]byte{e.entries, e.entries[:9]} {
				if err := Rebuild(t.Context(), dir+"/../new", entries, e, rebuildOptions(), nobody); !errors.Is(err, store.ErrLocked) {
					t.Errorf("while somebody reads it: %v", err)
				}
			}
			if len(e.asked) > 0 {
				t.Errorf("%d layers were asked for", len(e.asked))
			}
		})
	}
}

// Wherever it is interrupted, what is there is an honest run, and the next call
// goes on behind it.
func TestRebuildInterrupted(t *testing.T) {
	t.Parallel()
	e := away(t, "small-4x4.txt")
	total := 0
	for _, phase := range e.blocks {
		for _, blocks := range phase {
			total += len(blocks)
		}
	}
	for at := 0; at < total; at += 3 {
		opts := rebuildOptions()
		opts.FS = vfs.NewMem()
		e.left, e.asked = at, nil
		if err := Rebuild(t.Context(), "run", e.entries, e, opts, nobody); !errors.Is(err, errBroken) {
			t.Fatalf("after %d blocks: %v", at, err)
		}
		there := e.prefix(t, "run", opts)
		if asked := len(e.asked); there != asked-1 {
			t.Errorf("after %d blocks: %d layers, and %d were asked for", at, there, asked)
		}
		e.left, e.asked = -1, nil
		if err := Rebuild(t.Context(), "run", e.entries, e, opts, nobody); err != nil {
			t.Fatal(err)
		}
		if all := e.prefix(t, "run", opts); all != layersOf(&e.history) || len(e.asked) != all-there {
			t.Errorf("%d layers, %d of which were asked for again", all, len(e.asked))
		}
	}

	ctx, cancel := context.WithCancel(t.Context())
	opts := rebuildOptions()
	opts.FS = vfs.NewMem()
	err := Rebuild(ctx, "run", e.entries, e, opts, func(states int64) {
		if states > 20 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	e.prefix(t, "run", opts)
}

// A power cut at any time leaves an honest run too.
func TestRebuildCrash(t *testing.T) {
	t.Parallel()
	e := away(t, "small-4x4.txt")
	opts := rebuildOptions()
	var cuts *crashdisk.Cuts
	opts.FS, cuts = crashdisk.New().Record(nil)
	if err := Rebuild(t.Context(), "run", e.entries, e, opts, nobody); err != nil {
		t.Fatal(err)
	}
	clones := cuts.All()
	step := 1
	if testing.Short() {
		step = 7
	}
	for i := 0; i < len(clones); i += step {
		opts.FS = clones[i]
		e.prefix(t, "run", opts)
		if err := Rebuild(t.Context(), "run", e.entries, e, opts, nobody); err != nil {
			t.Fatalf("crash %d: %v", i, err)
		}
		if n := e.prefix(t, "run", opts); n != layersOf(&e.history) {
			t.Errorf("crash %d: %d layers", i, n)
		}
	}
	t.Logf("%d crashes", len(clones))
}

// A run that ends early because it was rebuilt only so far goes on here, whatever
// its journal says of workers elsewhere.
func TestRebuildThenResume(t *testing.T) {
	t.Parallel()
	e := away(t, "small-4x4.txt")
	for n := 1; n <= len(e.entries); n += 3 {
		opts := rebuildOptions()
		opts.FS = vfs.NewMem()
		if err := Rebuild(t.Context(), "run", e.entries[:n], e, opts, nobody); err != nil {
			t.Fatal(err)
		}
		r, err := Open("run", opts)
		if err != nil {
			t.Fatal(err)
		}
		if reason, err := r.Explore(t.Context(), everything(e.board.Puzzle)); err != nil || reason != history.Exhausted {
			t.Fatalf("%d entries: %v, %v", n, reason, err)
		}
		if _, err := r.Verify(t.Context(), nobody); err != nil {
			t.Errorf("%d entries: %v", n, err)
		}
		if r.history.Digest() != e.history.Digest() || r.history.Generated(history.Forward) != e.history.Generated(history.Forward) {
			t.Errorf("%d entries: another space", n)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		// It is not the other run any more, unless nothing was left to do.
		err = Rebuild(t.Context(), "run", e.entries, e, opts, nobody)
		if n < len(e.entries)-1 && !errors.Is(err, ErrOtherRun) {
			t.Errorf("%d entries, and gone on: %v", n, err)
		}
	}
}

// What a source gives is not trusted.
func TestRebuildBadSource(t *testing.T) {
	t.Parallel()
	e := away(t, "small-4x4.txt")
	decode := func(b wireBlock) []uint64 {
		recs, ok := e.shape.DecodeBlock(nil, b.block)
		if !ok {
			t.Fatal("no block")
		}
		return recs
	}
	encode := func(part uint32, recs ...uint64) wireBlock { return wireBlock{part, e.shape.AppendBlock(nil, recs)} }
	scheme, err := partition.New(e.board.Puzzle.Layout(), 4)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		bend func(blocks []wireBlock) []wireBlock
		want string
	}{
		{"nothing", func([]wireBlock) []wireBlock { return nil }, "partition 0 holds 0 states"},
		{"a block is missing", func(b []wireBlock) []wireBlock { return b[1:] }, "partition 0 holds 0 states"},
		{"the last is missing", func(b []wireBlock) []wireBlock { return b[:len(b)-1] }, "partition 3 holds 0 states"},
		{"out of order", func(b []wireBlock) []wireBlock { b[0], b[1] = b[1], b[0]; return b }, "partition 0 holds 0 states"},
		{"backwards", func(b []wireBlock) []wireBlock { return append(b, b[0]) }, "partition 0 of 4 comes after 3"},
		{"no such partition", func(b []wireBlock) []wireBlock { return append(b, wireBlock{4, b[0].block}) }, "partition 4 of 4 comes after 3"},
		{"a block twice", func(b []wireBlock) []wireBlock { return slices.Insert(b, 0, b[0]) }, "partition 0 has states out of order"},
		{"checksum", func(b []wireBlock) []wireBlock {
			bent := slices.Clone(b[0].block)
			bent[5] ^= 1
			b[0].block = bent
			return b
		}, "forward layer 4, partition 0: a block's checksum does not match"},
		{"of another shape", func(b []wireBlock) []wireBlock {
			b[0].block = store.Shape{Stride: 2}.AppendBlock(nil, []uint64{1, 2})
			return b
		}, "partition 0 has a block that does not belong to this run"},
		{"a key out of range", func(b []wireBlock) []wireBlock {
			b[0] = encode(0, 1<<63)
			return b
		}, "partition 0 has a block that does not belong to this run"},
		{"states out of order", func(b []wireBlock) []wireBlock {
			recs := decode(b[0])
			return slices.Insert(b, 1, encode(0, recs[0]))
		}, "out of order"},
		{"a state more", func(b []wireBlock) []wireBlock {
			recs := decode(b[0])
			b[0] = encode(0, append(recs, recs[len(recs)-1]+1<<scheme.MoveBits())...)
			return b
		}, "partition 0 holds more than"},
		{"another state", func(b []wireBlock) []wireBlock {
			recs := decode(b[0])
			recs[len(recs)-1] += 1 << scheme.MoveBits()
			b[0] = encode(0, recs...)
			return b
		}, "was committed"},
		{"another move", func(b []wireBlock) []wireBlock {
			recs := decode(b[0])
			move := scheme.Move(recs)
			recs[0] = recs[0] - uint64(move) + (uint64(move)+1)%uint64(e.board.Puzzle.Layout().Moves)
			b[0] = encode(0, recs...)
			return b
		}, "was committed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			bad := *e
			bad.bend = func(l history.Layer, blocks []wireBlock) []wireBlock {
				if l.Phase == history.Forward && l.Depth == 4 {
					return test.bend(blocks)
				}
				return blocks
			}
			opts := rebuildOptions()
			opts.FS = vfs.NewMem()
			err := Rebuild(t.Context(), "run", e.entries, &bad, opts, nobody)
			var fault *FaultError
			if err == nil || !strings.Contains(err.Error(), test.want) || !errors.As(err, &fault) && !store.IsCorruption(err) {
				t.Errorf("got %v", err)
			}
			if n := e.prefix(t, "run", opts); n != 4 {
				t.Errorf("%d layers are there", n)
			}
			if err := Rebuild(t.Context(), "run", e.entries, e, opts, nobody); err != nil {
				t.Error(err)
			}
			if n := e.prefix(t, "run", opts); n != layersOf(&e.history) {
				t.Errorf("%d layers at the end", n)
			}
		})
	}
}

// narrowFS has little room.
type narrowFS struct {
	vfs.FS
	free uint64
}

func (f narrowFS) GetDiskUsage(string) (vfs.DiskUsage, error) {
	return vfs.DiskUsage{AvailBytes: f.free, TotalBytes: 1 << 40}, nil
}

func TestRebuildRefused(t *testing.T) {
	t.Parallel()
	e := away(t, "small-4x4.txt")
	opts := rebuildOptions()
	mem := vfs.NewMem()
	opts.FS = narrowFS{mem, 1 << 20}
	var space *SpaceError
	err := Rebuild(t.Context(), "run", e.entries, e, opts, nobody)
	if !errors.As(err, &space) || space.FreeBytes != 1<<20 || space.NeedBytes < rebuildSpare || len(e.asked) > 0 {
		t.Errorf("got %v, and %d layers were asked for", err, len(e.asked))
	}
	opts.FS = narrowFS{mem, 1 << 30}
	if err := Rebuild(t.Context(), "run", e.entries, e, opts, nobody); err != nil {
		t.Error(err)
	}
	opts.FS = narrowFS{mem, 0} // nothing is to come
	if err := Rebuild(t.Context(), "run", e.entries, e, opts, nobody); err != nil {
		t.Error(err)
	}

	other := slices.Clone(e.entries)
	other[1] = journal.Placement(history.Placement{Workers: []string{"c"}, Homes: make([]history.WorkerID, 4)})
	if err := Rebuild(t.Context(), "run", other, e, opts, nobody); !errors.Is(err, ErrOtherRun) {
		t.Errorf("another run: %v", err)
	}
	for _, entries := range [][][]byte{nil, e.entries[1:], {[]byte("x")}} {
		if err := Rebuild(t.Context(), "nowhere", entries, e, opts, nobody); err == nil {
			t.Errorf("%d entries are accepted", len(entries))
		}
	}
	if _, err := mem.Stat("nowhere"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a directory was made for nothing: %v", err)
	}
	foreign := t.TempDir()
	if err := os.WriteFile(filepath.Join(foreign, "letter.txt"), []byte("Dear all"), 0o600); err != nil {
		t.Fatal(err)
	}
	opts.FS = nil
	if err := Rebuild(t.Context(), foreign, e.entries, e, opts, nobody); !errors.Is(err, ErrForeign) {
		t.Errorf("another directory: %v", err)
	}
	if text := fmt.Sprint(&SpaceError{Dir: "d", NeedBytes: 3 << 20, FreeBytes: 1 << 20}); text != "d: about 3 MiB are needed, and 1 MiB are free" {
		t.Error(text)
	}
}
