package proof_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/proof"
	"github.com/everystate/everystate/internal/query"
)

// shares checks a space in three shares, as workers do that each keep some partitions.
type shares struct {
	all  []*proof.Share
	from []int // the first round that each has not saved

	saveBefore int // the round before which all save; 0 for never
	stopBefore int // the round before which the check is interrupted; 0 for never
}

const (
	sharesOf = 3
	roundsOf = 4
)

// newShares begins a check whose files are below a directory.
func newShares(t *testing.T, space *query.Space, opts proof.Options) (*shares, error) {
	t.Helper()
	s := &shares{all: make([]*proof.Share, sharesOf), from: make([]int, sharesOf)}
	dir := opts.Dir
	for self := range sharesOf {
		opts.Dir = filepath.Join(dir, strconv.Itoa(self))
		if err := os.MkdirAll(opts.Dir, 0o755); err != nil {
			t.Fatal(err)
		}
		var takers [sharesOf]*proof.Taker
		s.all[self] = proof.NewShare(space, opts, proof.Division{
			Owners: []int{0, 1, 2, 1}, Self: self, Rounds: roundsOf,
			Send: func(ctx context.Context, share, round int, words []uint64) error {
				// One goroutine sends: opts.Workers is 1.
				if takers[share] == nil {
					takers[share] = s.all[share].NewTaker()
				}
				n, err := takers[share].Take(ctx, round, words, true)
				if err == nil && n*s.all[share].EdgeWords() != len(words) {
					return errors.New("some were not compared")
				}
				return err
			},
		})
	}
	err := s.each(func(self int) (err error) {
		s.from[self], err = s.all[self].Prepare(t.Context())
		return err
	})
	return s, err
}

func (s *shares) each(f func(self int) error) error {
	var group errgroup.Group
	for self := range s.all {
		group.Go(func() error { return f(self) })
	}
	return group.Wait()
}

// check leads the rounds.
func (s *shares) check(ctx context.Context, space *query.Space) (proof.Result, error) {
	res := proof.Result{States: space.History.States(history.Forward), Distances: space.History.States(history.Goal)}
	from := roundsOf
	for _, round := range s.from {
		from = min(from, round)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for round := from; round < roundsOf; round++ {
		if round > 0 && round == s.stopBefore {
			return res, context.Canceled
		}
		err := s.each(func(self int) error {
			err := s.all[self].Round(ctx, round)
			if err != nil && !errors.Is(err, context.Canceled) {
				cancel() // the others may wait for this one
			}
			return err
		})
		if err != nil {
			return res, err
		}
		if round+1 == s.saveBefore {
			if err := s.each(func(self int) error { return s.all[self].Save(round + 1) }); err != nil {
				return res, err
			}
		}
	}
	var successors atomic.Int64
	err := s.each(func(self int) error {
		res, err := s.all[self].Judge(ctx)
		successors.Add(res.Successors)
		return err
	})
	res.Successors = successors.Load()
	return res, err
}

// checkInShares checks the layers in shares.
func (r *run) checkInShares(t *testing.T, memory int64) (proof.Result, error) {
	t.Helper()
	space := r.now(t)
	s, err := newShares(t, space, proof.Options{Dir: t.TempDir(), MemoryBytes: memory, Workers: 1, Done: func(int64) {}})
	if err != nil {
		return proof.Result{}, err
	}
	return s.check(t.Context(), space)
}

// TestSharesResume interrupts a check in three shares, one of which loses what it has
// saved, or has it damaged: the check goes on, and counts the same.
func TestSharesResume(t *testing.T) {
	b := read(t, "puzzles/tiles/3x3.txt")
	r := explored(t, b, history.Want{})
	space := r.now(t)
	whole := proof.Result{States: 181440, Successors: 483840}
	for name, opts := range modes() {
		for _, lost := range []string{"nothing", "one share", "a byte"} {
			t.Run(name+"/"+lost, func(t *testing.T) {
				opts.Dir, opts.Workers, opts.Version, opts.Done = t.TempDir(), 1, "1", func(int64) {}
				s, err := newShares(t, space, opts)
				if err != nil {
					t.Fatal(err)
				}
				s.saveBefore, s.stopBefore = 2, 3
				if _, err := s.check(t.Context(), space); !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				want := 2
				switch lost {
				case "one share":
					if err := os.RemoveAll(filepath.Join(opts.Dir, "1")); err != nil {
						t.Fatal(err)
					}
					want = 0
				case "a byte":
					spoil(t, filepath.Join(opts.Dir, "1"))
				}
				if s, err = newShares(t, space, opts); err != nil {
					t.Fatal(err)
				}
				if lost != "a byte" && (s.from[1] != want || s.from[0] != 2) {
					t.Errorf("goes on from rounds %v", s.from)
				}
				res, err := s.check(t.Context(), space)
				if lost == "a byte" && err != nil && strings.Contains(err.Error(), "is damaged") {
					// It was found while the states were read; what was saved is gone now.
					if s, err = newShares(t, space, opts); err != nil || s.from[1] != 0 {
						t.Fatal(s.from, err)
					}
					res, err = s.check(t.Context(), space)
				}
				if err != nil || res != whole {
					t.Errorf("%+v, %v", res, err)
				}
			})
		}
	}
}

// TestSharesStoppedLongAfterTheyWereSaved stops shares that have compared what waited
// in files, and made new ones, since they were last saved. The names of those are used
// again.
func TestSharesStoppedLongAfterTheyWereSaved(t *testing.T) {
	space := explored(t, read(t, "puzzles/tiles/3x3.txt"), history.Want{}).now(t)
	opts := proof.Options{MemoryBytes: 2 << 20, SpillBytes: 1, Dir: t.TempDir(), Workers: 1, Version: "1", Done: func(int64) {}}
	s, err := newShares(t, space, opts)
	if err != nil {
		t.Fatal(err)
	}
	s.saveBefore, s.stopBefore = 1, 3
	if _, err := s.check(t.Context(), space); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if s, err = newShares(t, space, opts); err != nil || s.from[0] != 1 {
		t.Fatal(s.from, err)
	}
	res, err := s.check(t.Context(), space)
	if want := (proof.Result{States: 181440, Successors: 483840}); err != nil || res != want {
		t.Errorf("%+v, %v", res, err)
	}
}

// spoil changes a byte of a share's states.
func spoil(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if body, err := os.ReadFile(path); err == nil && strings.HasPrefix(e.Name(), "nodes-") && len(body) > 0 {
			body[len(body)/2] ^= 4
			if err := os.WriteFile(path, body, 0o644); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatal("nothing was saved")
}
