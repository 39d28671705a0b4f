package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/table/stored"
	"github.com/everystate/everystate/internal/test/crashdisk"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/store"
)

// pagedOptions keep a table as pages of 4,096 states.
func pagedOptions(fs vfs.FS) Options {
	opts := tableOptions(fs, StoreTable)
	opts.tablePages = 12
	return opts
}

// pagedBoards are boards of all kinds whose tables have several pages: ranks, folded ranks,
// numbers, and numbers whose bits moves flip, where goal distances stay among the states of
// the forward phase.
func pagedBoards(t *testing.T) map[string]puzzle.Board {
	t.Helper()
	boards := denseBoards(t)
	for _, small := range []string{"permutation/burnt-pancake-6.txt", "permutation/topspin-9-3.txt", "hanoi/classic-8.txt", "rushhour/small-5x5.txt"} {
		delete(boards, small)
	}
	for merged := range mergedBoards(t) { // which are never kept as pages
		delete(boards, merged)
	}
	return boards
}

// A table that is kept as pages, and read as pages, has the same layers and gives the same
// answers.
func TestPagedSameAsLayers(t *testing.T) {
	for name, board := range pagedBoards(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && name != "tiles/2x4.txt" {
				t.Skip("takes seconds")
			}
			fs := vfs.NewMem()
			var runs [2]*Run
			for i, opts := range []Options{tableOptions(fs, StoreLayers), pagedOptions(fs)} {
				r, err := Create(fmt.Sprint("run", i), board, opts)
				check(t, err)
				reason, err := r.Explore(t.Context(), everything(board.Puzzle))
				if err != nil || reason != history.Exhausted {
					t.Fatalf("reason %v, error %v", reason, err)
				}
				runs[i] = r
			}
			if n := runs[1].tables.Space.Pages(); n < 2 && name != "folded" {
				t.Errorf("%d pages", n)
			}
			sameLayers(t, &runs[1].history, &runs[0].history)
			check(t, runs[1].Close())
			removeLast(t, fs, runs[1])
			opts := pagedOptions(fs)
			opts.Store = StoreAny
			var err error
			runs[1], err = Open("run1", opts)
			check(t, err)
			v, err := runs[1].Verify(t.Context(), func(int64) {})
			if err != nil || v.States != runs[1].history.States(history.Forward)+runs[1].history.States(history.Goal) {
				t.Errorf("verified %+v, error %v", v, err)
			}
			sameAnswers(t, runs[1].Space(), runs[0].Space())
			for _, r := range runs {
				check(t, r.Close())
			}
			names, err := fs.List("run1")
			check(t, err)
			for _, name := range names {
				if strings.HasSuffix(name, ".pages") || strings.HasSuffix(name, ".spill") {
					t.Errorf("%s is left", name)
				}
			}
		})
	}
}

// A run that is stopped after every layer goes on in memory or as pages, by turns, and what
// it has is sound and answers each time.
func TestPagedStopped(t *testing.T) {
	for _, board := range []puzzle.Board{onePancakes(t), foldedBoard(t), puzzleIn(t, "peg/triangle-15.txt")} {
		want := historyTo(t, board, tableOptions(vfs.NewMem(), StoreLayers))
		fs := vfs.NewMem()
		of := func(depth int) Options {
			opts := pagedOptions(fs)
			opts.tableWhole = depth%3 == 0
			return opts
		}
		for depth := range len(want.Layers(history.Forward)) {
			r, err := Create("run", board, of(depth))
			check(t, err)
			reason, err := r.Explore(t.Context(), history.Want{MaxDepth: &depth})
			if err != nil || reason == 0 {
				t.Fatalf("reason %v, error %v", reason, err)
			}
			check(t, r.Close())
			opts := of(depth + 1)
			opts.ReadOnly = true
			r, err = Open("run", opts)
			check(t, err)
			_, err = r.Verify(t.Context(), func(int64) {})
			check(t, err)
			if _, err = r.Space().Deepest(t.Context()); err != nil {
				t.Fatal(err)
			}
			check(t, r.Close())
		}
		sameLayers(t, historyTo(t, board, pagedOptions(fs)), want)
	}
}

// Whenever the power goes, a run that keeps pages goes on and ends as it should: with what
// was synced, or with some of what was not as well.
func TestPagedCrashes(t *testing.T) {
	board := onePancakes(t)
	want := historyTo(t, board, tableOptions(vfs.NewMem(), StoreLayers))
	disk := crashdisk.New()
	r := rand.New(rand.NewPCG(1, 2))
	var mu sync.Mutex // guards the fields below
	var torn []*vfs.MemFS
	fs, cuts := disk.Record(func(op errorfs.Op) {
		if op.Kind.ReadOrWrite() != errorfs.OpIsWrite || !mu.TryLock() {
			return
		}
		defer mu.Unlock()
		if thorough() || r.IntN(6) == 0 {
			torn = append(torn, disk.Clone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: r}))
		}
	})
	_, err := finishTable(board, pagedOptions(fs))
	check(t, err)
	within := 0
	for i, clone := range slices.Concat(cuts.All(), torn) {
		if !thorough() && i%7 > 0 {
			continue
		}
		if names, _ := clone.List("run"); slices.ContainsFunc(names, func(name string) bool { return strings.HasSuffix(name, ".pages") }) {
			within++
		}
		opts := pagedOptions(clone)
		opts.tableWhole = i%3 == 0
		sameLayers(t, historyTo(t, board, opts), want)
	}
	if within < 10 {
		t.Fatalf("%d crashes had pages", within)
	}
}

// A process that is killed right after it has removed a file of its tables goes on: nothing is
// removed that the journal needs. What was written is there, synced or not.
func TestPagedKilled(t *testing.T) {
	board := onePancakes(t)
	want := historyTo(t, board, tableOptions(vfs.NewMem(), StoreLayers))
	disk := vfs.NewMem()
	var mu sync.Mutex // guards the fields below
	var left []vfs.FS
	removed := false
	fs := errorfs.Wrap(disk, errorfs.InjectorFunc(func(op errorfs.Op) error {
		mu.Lock()
		defer mu.Unlock()
		if removed {
			copied := vfs.NewMem()
			if ok, err := vfs.Clone(disk, copied, "run", "run"); ok && err == nil { // no other goroutine removes files now
				left = append(left, copied)
			}
		}
		removed = op.Kind == errorfs.OpRemove && stored.Named(filepath.Base(op.Path))
		return nil
	}))
	_, err := finishTable(board, pagedOptions(fs))
	check(t, err)
	if len(left) < 10 {
		t.Fatalf("%d times files were removed", len(left))
	}
	for i, fs := range left {
		opts := pagedOptions(fs)
		opts.tableWhole = i%2 == 0
		sameLayers(t, historyTo(t, board, opts), want)
	}
}

// Whichever operation on files fails, once or from then on, a run that keeps pages says so, and
// goes on after the power went as well.
func TestPagedOperationFails(t *testing.T) {
	board := onePancakes(t)
	want := historyTo(t, board, tableOptions(vfs.NewMem(), StoreLayers))
	var operations atomic.Int64
	count := errorfs.InjectorFunc(func(errorfs.Op) error { operations.Add(1); return nil })
	_, err := finishTable(board, pagedOptions(errorfs.Wrap(crashdisk.New(), count)))
	check(t, err)
	step := int64(23)
	if thorough() {
		step = 1
	}
	failed := 0
	for at := int64(1); at <= operations.Load(); at += step {
		disk := crashdisk.New()
		var n atomic.Int64
		failing := errorfs.InjectorFunc(func(errorfs.Op) error {
			if i := n.Add(1); i == at || at%2 == 0 && i > at {
				return errorfs.ErrInjected
			}
			return nil
		})
		if _, err := finishTable(board, pagedOptions(errorfs.Wrap(disk, failing))); err != nil {
			if failed++; !errors.Is(err, errorfs.ErrInjected) && !strings.Contains(err.Error(), "injected") {
				t.Fatalf("operation %d: %v", at, err)
			}
		}
		sameLayers(t, historyTo(t, board, pagedOptions(disk.Cut())), want)
	}
	if failed < 10 {
		t.Errorf("%d operations failed of %d", failed, operations.Load())
	}
}

// No bit of what was saved as pages may change without being noticed where it counts.
func TestPagedDamage(t *testing.T) {
	board := onePancakes(t)
	want := historyTo(t, board, tableOptions(vfs.NewMem(), StoreLayers))
	dir := filepath.Join(t.TempDir(), "run")
	r, err := Create(dir, board, pagedOptions(nil))
	check(t, err)
	depth := 6
	_, err = r.Explore(t.Context(), history.Want{MaxDepth: &depth})
	check(t, err)
	check(t, r.Close())
	noticed := map[string]int{}
	saved := t.TempDir()
	check(t, os.CopyFS(saved, os.DirFS(dir)))
	for _, pattern := range []string{"*.table", "*.pages", "*.spill"} {
		paths, err := filepath.Glob(filepath.Join(dir, pattern))
		check(t, err)
		if len(paths) == 0 {
			t.Fatalf("no file is named %s", pattern)
		}
		path := paths[0]
		body, err := os.ReadFile(path)
		check(t, err)
		for bit := 0; bit < 8*len(body); bit += max(8*len(body)/8+1, 1) {
			check(t, os.RemoveAll(dir))
			check(t, os.CopyFS(dir, os.DirFS(saved)))
			changed := slices.Clone(body)
			changed[bit/8] ^= 1 << (bit % 8)
			check(t, os.WriteFile(path, changed, 0o644))
			h, err := finishPaged(dir, board)
			switch {
			case store.IsCorruption(err):
				noticed[pattern]++
			case err != nil:
				t.Fatalf("bit %d of %s: %v", bit, filepath.Base(path), err)
			default:
				sameLayers(t, h, want)
			}
		}
	}
	for _, pattern := range []string{"*.table", "*.pages", "*.spill"} {
		if noticed[pattern] < 2 {
			t.Errorf("%s: damage was noticed %d times", pattern, noticed[pattern])
		}
	}
}

// finishPaged goes on to the end.
func finishPaged(dir string, board puzzle.Board) (*history.History, error) {
	r, err := Create(dir, board, pagedOptions(nil))
	if err != nil {
		return nil, err
	}
	if _, err := r.Explore(context.Background(), everything(board.Puzzle)); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r.History(), r.Close()
}
