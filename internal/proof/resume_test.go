package proof_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/proof"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/puzzle"
)

// counted counts the states that are expanded.
type counted struct {
	puzzle.Puzzle
	n *atomic.Int64
}

func (c counted) Successors(states []uint64, out *puzzle.Edges) {
	c.n.Add(1)
	c.Puzzle.Successors(states, out)
}

// copyFiles copies what is in a directory, as it is at the moment.
func copyFiles(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		body, err := os.ReadFile(filepath.Join(from, e.Name()))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(to, e.Name()), body, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// modes are checks in memory and in files.
func modes() map[string]proof.Options {
	return map[string]proof.Options{
		"memory": {MemoryBytes: 64 << 20, SaveEvery: 1},
		"files":  {MemoryBytes: 2 << 20, SaveEvery: 1},
		"rounds": {MemoryBytes: 2 << 20, SaveEvery: 1, SpillBytes: 2 << 20},
	}
}

// stopped checks a space until so many states have been looked at. With kill what is
// left is what was there at some moment, not what an interrupt leaves.
func stopped(t *testing.T, space *query.Space, opts proof.Options, after int64, kill bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	dir := opts.Dir
	if kill {
		opts.Dir = t.TempDir()
	}
	var once atomic.Bool
	opts.Done = func(n int64) {
		if n >= after && once.CompareAndSwap(false, true) {
			if kill {
				if err := copyFiles(opts.Dir, dir); err != nil {
					t.Error(err)
				}
			}
			cancel()
		}
	}
	if _, err := proof.Check(ctx, space, opts); !errors.Is(err, context.Canceled) {
		t.Fatalf("stopped after %d: %v", after, err)
	}
}

// A check that was interrupted or killed goes on from where it was.
func TestChecksGoOn(t *testing.T) {
	b := read(t, "puzzles/tiles/3x3.txt")
	r := explored(t, b, history.Want{})
	space := r.now(t)
	for name, opts := range modes() {
		t.Run(name, func(t *testing.T) {
			for _, kill := range []bool{false, true} {
				opts.Dir, opts.Workers, opts.Version = t.TempDir(), 2, "1"
				states := space.History.States(history.Forward)
				stopped(t, space, opts, states+states*3/4, kill)
				var expanded atomic.Int64
				again := *space
				again.Board.Puzzle = counted{space.Board.Puzzle, &expanded}
				var done most
				opts.Done = done.report
				res, err := proof.Check(t.Context(), &again, opts)
				if err != nil {
					t.Fatal(err)
				}
				if res.States != states || res.Successors != 483840 {
					t.Errorf("kill %v: %+v", kill, res)
				}
				if n := expanded.Load(); n == 0 || n > states/2 {
					t.Errorf("kill %v: %d states of %d were expanded again", kill, n, states)
				}
				if done.n != proof.Work(space.History) {
					t.Errorf("kill %v: %d of %d", kill, done.n, proof.Work(space.History))
				}
			}
		})
	}
}

// What an interrupted check of another run, by another version, or damaged, has left
// is not used.
func TestOnlyItsOwnFilesAreUsed(t *testing.T) {
	b := read(t, "puzzles/tiles/3x3.txt")
	r := explored(t, b, history.Want{})
	sound := r.now(t)
	l := r.layers[history.Forward][20]
	k := first(l, anyOf)
	delete(l, k)
	wrong := r.now(t)
	for name, opts := range modes() {
		if name == "rounds" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			begin := func() {
				opts.Dir, opts.Workers, opts.Version = t.TempDir(), 2, "1"
				stopped(t, sound, opts, sound.History.States(history.Forward)*3/2, false)
				opts.Done = func(int64) {}
			}
			begin()
			var fault *proof.FaultError
			if _, err := proof.Check(t.Context(), wrong, opts); !errors.As(err, &fault) {
				t.Errorf("another run: %v", err)
			}
			begin()
			opts.Version = "2"
			var expanded atomic.Int64
			again := *sound
			again.Board.Puzzle = counted{sound.Board.Puzzle, &expanded}
			if _, err := proof.Check(t.Context(), &again, opts); err != nil || expanded.Load() != sound.History.States(history.Forward) {
				t.Errorf("another version: %d states expanded, %v", expanded.Load(), err)
			}
			begin()
			entries, err := os.ReadDir(opts.Dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				if !strings.HasPrefix(e.Name(), "nodes-") {
					continue
				}
				path := filepath.Join(opts.Dir, e.Name())
				body, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				body[len(body)/2] ^= 4
				if err := os.WriteFile(path, body, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if res, err := proof.Check(t.Context(), sound, opts); err != nil || res.Successors != 483840 {
				t.Errorf("damaged files: %+v, %v", res, err)
			}
		})
	}
}
