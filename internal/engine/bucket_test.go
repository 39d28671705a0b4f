package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/test/s3test"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/store/bucket"
)

func check(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func openedBucket(tb testing.TB, bucketURL string) *bucket.Bucket {
	tb.Helper()
	b, err := bucket.Open(tb.Context(), bucketURL)
	check(tb, err)
	tb.Cleanup(func() { check(tb, b.Close()) })
	return b
}

func fileURL(dir string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(dir)}).String()
}

// buckets calls f with each kind of bucket.
func buckets(t *testing.T, f func(t *testing.T, b *bucket.Bucket)) {
	t.Helper()
	t.Run("file", func(t *testing.T) { f(t, openedBucket(t, fileURL(t.TempDir()))) })
	t.Run("s3", func(t *testing.T) {
		u, _ := s3test.Start(t)
		f(t, openedBucket(t, u))
	})
}

func boardOf(tb testing.TB, file string) puzzle.Board {
	tb.Helper()
	text, err := os.ReadFile("../../puzzles/rushhour/" + file)
	check(tb, err)
	boards, err := families.Read(text, puzzle.ReadOptions{})
	check(tb, err)
	return boards[0]
}

func keptOptions(run *bucket.Run) Options {
	return Options{Workers: 2, Partitions: 4, MemoryBytes: MemoryMin, BatchBytes: 400, Bucket: run}
}

// exploreOn explores in a directory, and returns what is there afterwards.
func exploreOn(ctx context.Context, dir string, board puzzle.Board, opts Options, want history.Want) (*history.History, error) {
	r, err := Create(dir, board, opts)
	if err != nil {
		return nil, err
	}
	_, err = r.Explore(ctx, want)
	return r.History(), errors.Join(err, r.Close())
}

// elsewhereAlone makes a directory out of a bucket alone and goes on there.
func elsewhereAlone(tb testing.TB, run *bucket.Run, board puzzle.Board) *history.History {
	tb.Helper()
	dir := filepath.Join(tb.TempDir(), "elsewhere")
	stored, err := ReadStored(tb.Context(), run, nil)
	check(tb, err)
	check(tb, Rebuild(tb.Context(), dir, stored.Entries, stored, Options{Workers: 2, MemoryBytes: MemoryMin}, func(int64) {}))
	h, err := exploreOn(tb.Context(), dir, board, keptOptions(run), everything(board.Puzzle))
	check(tb, err)
	return h
}

// checkStored checks that a bucket alone has all of a run.
func checkStored(tb testing.TB, run *bucket.Run, want *history.History) {
	tb.Helper()
	dir := filepath.Join(tb.TempDir(), "restored")
	stored, err := ReadStored(tb.Context(), run, nil)
	check(tb, err)
	check(tb, Rebuild(tb.Context(), dir, stored.Entries, stored, Options{Workers: 2, MemoryBytes: MemoryMin}, func(int64) {}))
	r, err := Open(dir, Options{ReadOnly: true, MemoryBytes: MemoryMin})
	check(tb, err)
	if r.History().Digest() != want.Digest() {
		tb.Errorf("the bucket has digest %v, want %v", r.History().Digest(), want.Digest())
	}
	_, err = r.Verify(tb.Context(), func(int64) {})
	check(tb, errors.Join(err, r.Close()))
}

// A run that is interrupted again and again, and goes on in another directory
// each time, from the bucket alone, ends as an undisturbed one.
func TestBucketAlone(t *testing.T) {
	board := boardOf(t, "jam-93.txt")
	undisturbed := explored(t, board, Options{Workers: 2, Partitions: 4, MemoryBytes: MemoryMin}, nil)
	buckets(t, func(t *testing.T, b *bucket.Bucket) {
		t.Helper()
		run := b.Run("jam-93")
		const seed = 5
		rng := rand.New(rand.NewPCG(seed, 0))
		for n := 0; n < 300; n += 5 + rng.IntN(60) {
			ctx, cancel := context.WithCancel(t.Context())
			watched := make(chan struct{})
			go func() {
				defer close(watched)
				tick := time.NewTicker(2 * time.Millisecond)
				defer tick.Stop()
				for ctx.Err() == nil {
					if _, err := run.Stat(ctx, fmt.Sprintf("log/%08d", n)); err == nil {
						cancel()
					}
					select {
					case <-tick.C:
					case <-ctx.Done():
					}
				}
			}()
			_, err := exploreOn(ctx, filepath.Join(t.TempDir(), "d"), board, keptOptions(run), everything(board.Puzzle))
			cancel()
			<-watched
			if err == nil {
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		h := elsewhereAlone(t, run, board)
		if h.Digest() != undisturbed.Digest() {
			t.Errorf("seed %d: digest %v, want %v", seed, h.Digest(), undisturbed.Digest())
		}
		checkStored(t, run, undisturbed)
	})
}

// What a bucket has at any moment is enough to go on with when the machine and
// its disk are gone at that moment.
func TestBucketAtAnyMoment(t *testing.T) {
	t.Parallel()
	board := boardOf(t, "jam-93.txt")
	undisturbed := explored(t, board, Options{Workers: 2, Partitions: 4, MemoryBytes: MemoryMin}, nil)
	from := t.TempDir()
	run := openedBucket(t, fileURL(from)).Run("jam-93")
	done := make(chan error, 1)
	go func() {
		_, err := exploreOn(t.Context(), filepath.Join(t.TempDir(), "d"), board, keptOptions(run), everything(board.Puzzle))
		done <- err
	}()
	var snapshots []string
	now := time.NewTicker(100 * time.Millisecond)
	defer now.Stop()
	for going := true; going; {
		select {
		case err := <-done:
			check(t, err)
			going = false
		case <-now.C:
		}
		if _, err := os.Stat(filepath.Join(from, "jam-93", "log", "00000000")); err != nil {
			continue
		}
		to := t.TempDir()
		// What the log names was there before: it is copied after.
		for _, part := range []string{"log", "layers"} {
			err := os.CopyFS(filepath.Join(to, "jam-93", part), os.DirFS(filepath.Join(from, "jam-93", part)))
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
		}
		snapshots = append(snapshots, to)
	}
	few := 6
	if testing.Short() {
		few = 2
	}
	step := max(1, len(snapshots)/few)
	for i := 0; i < len(snapshots); i += step {
		h := elsewhereAlone(t, openedBucket(t, fileURL(snapshots[i])).Run("jam-93"), board)
		if h.Digest() != undisturbed.Digest() {
			t.Errorf("snapshot %d: digest %v, want %v", i, h.Digest(), undisturbed.Digest())
		}
	}
	t.Logf("%d snapshots", len(snapshots))
}

// gate is a toy that waits at a state until it is let go on.
func gate(at uint64) (p *toy, reached, open chan struct{}) {
	reached, open = make(chan struct{}), make(chan struct{})
	var once sync.Once
	p = corruptToy()
	goal := p.goal
	p.goal = func(v uint64) bool {
		if v == at {
			once.Do(func() {
				close(reached)
				<-open
			})
		}
		return goal(v)
	}
	return p, reached, open
}

// Of two that explore one run the later one goes on. The other says who it is,
// loses nothing, and cannot go on in the bucket.
func TestBucketTaken(t *testing.T) {
	slow := slowly(corruptToy(), true)
	buckets(t, func(t *testing.T, b *bucket.Bucket) {
		t.Helper()
		run := b.Run("toy")
		dir := filepath.Join(t.TempDir(), "first")
		p, reached, open := gate(600)
		first := make(chan error, 1)
		go func() {
			_, err := exploreOn(t.Context(), dir, p.board(), keptOptions(run), everything(p))
			first <- err
		}()
		<-reached
		h, err := exploreOn(t.Context(), filepath.Join(t.TempDir(), "second"), corruptToy().board(), keptOptions(run), everything(p))
		check(t, err)
		checkHistory(t, h, &slow)
		close(open)
		err = <-first
		var elsewhere *ElsewhereError
		if !errors.As(err, &elsewhere) || !elsewhere.Now || !strings.HasPrefix(elsewhere.By, "explore on ") || strings.Contains(err.Error(), "\n") {
			t.Fatalf("the first says %v", err)
		}
		t.Log(err)
		_, err = exploreOn(t.Context(), dir, corruptToy().board(), keptOptions(run), everything(p))
		if !errors.As(err, &elsewhere) || elsewhere.Now {
			t.Fatalf("the first says %v when it is begun again", err)
		}
		t.Log(err)
		// Without the bucket it goes on with what it has.
		h, err = exploreOn(t.Context(), dir, corruptToy().board(), keptOptions(nil), everything(p))
		check(t, err)
		checkHistory(t, h, &slow)
		checkLog(t, run, &slow)
	})
}

func checkLog(t *testing.T, run *bucket.Run, want *slowRun) {
	t.Helper()
	stored, err := ReadStored(t.Context(), run, nil)
	check(t, err)
	checkHistory(t, &stored.History, want)
}

// Two that begin a run at the same moment: at least one ends it, and the other
// ends it as well or says who has taken over.
func TestBucketRace(t *testing.T) {
	t.Parallel()
	p := corruptToy()
	slow := slowly(p, true)
	for range 5 {
		run := openedBucket(t, fileURL(t.TempDir())).Run("toy")
		errs := make([]error, 3)
		var wait sync.WaitGroup
		for i := range errs {
			dir := t.TempDir()
			wait.Go(func() {
				_, errs[i] = exploreOn(t.Context(), dir, corruptToy().board(), keptOptions(run), everything(p))
			})
		}
		wait.Wait()
		done := 0
		for _, err := range errs {
			var elsewhere *ElsewhereError
			switch {
			case err == nil:
				done++
			case !errors.As(err, &elsewhere):
				t.Error(err)
			}
		}
		if done == 0 {
			t.Errorf("nobody ends the run: %v", errs)
		}
		checkLog(t, run, &slow)
	}
}

// A directory whose run went on in the bucket gets what it has not, even if a
// session was begun in vain meanwhile; one that is ahead brings it there first.
func TestBucketCatchesUp(t *testing.T) {
	t.Parallel()
	p := corruptToy()
	slow := slowly(p, true)
	run := openedBucket(t, fileURL(t.TempDir())).Run("toy")
	a, b := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	for depth, dir := range []string{a, b, b, a, b, a} {
		_, err := exploreOn(t.Context(), dir, p.board(), keptOptions(run), history.Want{MaxDepth: new(20 * (depth + 1))})
		check(t, err)
	}
	_, err := exploreOn(t.Context(), a, p.board(), keptOptions(nil), history.Want{MaxDepth: new(150)})
	check(t, err)
	r, err := Create(b, p.board(), keptOptions(nil))
	check(t, err)
	check(t, r.makeWritable())
	check(t, r.beginSession(t.Context(), history.Want{}))
	check(t, r.Close())
	for _, dir := range []string{a, b} {
		h, err := exploreOn(t.Context(), dir, p.board(), keptOptions(run), everything(p))
		check(t, err)
		checkHistory(t, h, &slow)
	}
	checkLog(t, run, &slow)
	url, err := BucketURL(b)
	if err != nil || url != run.URL() {
		t.Errorf("kept in %q, %v", url, err)
	}
}

// Checkpoint brings a run to a bucket without a session, and the want of the
// last exploration travels.
func TestCheckpoint(t *testing.T) {
	t.Parallel()
	p := corruptToy()
	slow := slowly(p, true)
	run := openedBucket(t, fileURL(t.TempDir())).Run("toy")
	dir := filepath.Join(t.TempDir(), "a")
	h, err := exploreOn(t.Context(), dir, p.board(), keptOptions(nil), everything(p))
	check(t, err)
	opts := keptOptions(run)
	for range 2 {
		r, err := Create(dir, p.board(), opts)
		check(t, err)
		_, err = r.Checkpoint(t.Context())
		check(t, errors.Join(err, r.Close()))
	}
	checkLog(t, run, &slow)
	stored, err := ReadStored(t.Context(), run, nil)
	check(t, err)
	if c, known, err := stored.Control(t.Context()); err != nil || !known || c.State != history.Stopped || !c.Want.GoalDistance {
		t.Errorf("control %+v, %v, %v", c, known, err)
	}
	if stored.History.Digest() != h.Digest() {
		t.Error("another digest")
	}
	other := openedBucket(t, fileURL(t.TempDir())).Run("toy")
	_, err = exploreOn(t.Context(), filepath.Join(t.TempDir(), "b"), p.board(), keptOptions(other), history.Want{MaxDepth: new(3), MaxStates: 77})
	check(t, err)
	stored, err = ReadStored(t.Context(), other, nil)
	check(t, err)
	if c, _, err := stored.Control(t.Context()); err != nil || c.Want.MaxDepth == nil || *c.Want.MaxDepth != 3 || c.Want.MaxStates != 77 || c.State != history.Stopped {
		t.Errorf("control %+v, %v", c, err)
	}
}

// No object is written before the log of the run has begun: what lies in a bucket
// without a log is taken for the remains of a deleted run.
func TestObjectsFollowTheLog(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a")
	_, err := exploreOn(t.Context(), dir, corruptToy().board(), keptOptions(nil), history.Want{MaxDepth: new(3)})
	check(t, err)
	r, err := Create(dir, corruptToy().board(), keptOptions(nil))
	check(t, err)
	own, err := entriesOf(r.store)
	check(t, err)
	b := &backup{rest: own, moved: make(chan struct{}, 1)}
	check(t, b.copy.Follow(own, r.spec.Partitions, 0, r.history.Identity(), writerName, time.Now()))
	if u := b.nextObject(); u != nil {
		t.Errorf("layer %d is written first", u.Layer.Depth)
	}
	if n, entry, err := b.nextEntry(); n != 0 || entry == nil || err != nil {
		t.Errorf("entry %d: %d bytes, %v", n, len(entry), err)
	}
	b.appended()
	if b.nextObject() == nil {
		t.Error("the log has begun, and no layer is written")
	}
	check(t, r.Close())
}

// Objects that the bucket has lost are noticed by Checkpoint, and written again.
func TestCheckpointLooks(t *testing.T) {
	board := boardOf(t, "small-5x5.txt")
	buckets(t, func(t *testing.T, b *bucket.Bucket) {
		t.Helper()
		run := b.Run("toy")
		dir := filepath.Join(t.TempDir(), "a")
		h, err := exploreOn(t.Context(), dir, board, keptOptions(run), history.Want{GoalDistance: true})
		check(t, err)
		n := 0
		_, _, err = run.Prune(t.Context(), func(string) bool { n++; return n > 10 })
		check(t, err)
		opts := keptOptions(run)
		var told []string
		opts.BucketTrouble = func(text string) { told = append(told, text) }
		for range 2 {
			r, err := Create(dir, board, opts)
			check(t, err)
			_, err = r.Checkpoint(t.Context())
			check(t, errors.Join(err, r.Close()))
		}
		if len(told) != 1 || !strings.Contains(told[0], "10 objects were missing") {
			t.Errorf("told %q", told)
		}
		if again := elsewhereAlone(t, run, board); again.Digest() != h.Digest() {
			t.Error("another digest from the bucket")
		}
	})
}

// A run goes on without a control object that can be read.
func TestDamagedControl(t *testing.T) {
	t.Parallel()
	p := corruptToy()
	slow := slowly(p, true)
	place := t.TempDir()
	run := openedBucket(t, fileURL(place)).Run("toy")
	dir := filepath.Join(t.TempDir(), "a")
	_, err := exploreOn(t.Context(), dir, p.board(), keptOptions(run), history.Want{MaxDepth: new(3)})
	check(t, err)
	check(t, os.WriteFile(filepath.Join(place, "toy", "control"), []byte("{"), 0o644))
	stored, err := ReadStored(t.Context(), run, nil)
	check(t, err)
	if _, known, err := stored.Control(t.Context()); known || err != nil {
		t.Errorf("known %v, %v", known, err)
	}
	_, err = exploreOn(t.Context(), dir, p.board(), keptOptions(run), everything(p))
	check(t, err)
	checkLog(t, run, &slow)
}

// Under the name there is another puzzle, or one with other partitions.
func TestBucketOther(t *testing.T) {
	t.Parallel()
	p := corruptToy()
	run := openedBucket(t, fileURL(t.TempDir())).Run("toy")
	_, err := exploreOn(t.Context(), filepath.Join(t.TempDir(), "a"), p.board(), keptOptions(run), history.Want{MaxDepth: new(3)})
	check(t, err)
	opts := keptOptions(run)
	opts.Partitions = 8
	if _, err = exploreOn(t.Context(), filepath.Join(t.TempDir(), "b"), p.board(), opts, history.Want{MaxDepth: new(3)}); !errors.Is(err, ErrOtherRun) {
		t.Errorf("other partitions: %v", err)
	}
	dir := filepath.Join(t.TempDir(), "c")
	if _, err = exploreOn(t.Context(), dir, boardOf(t, "small-4x4.txt"), keptOptions(run), history.Want{MaxDepth: new(3)}); !errors.Is(err, ErrOtherInBucket) {
		t.Errorf("another puzzle: %v", err)
	}
	if url, err := BucketURL(dir); err != nil || url != "" {
		t.Errorf("it is kept in %q, %v", url, err)
	}
}

// Garbage is never what a log names or the last session may name, and all of the
// rest is.
func TestGarbage(t *testing.T) {
	p := boardOf(t, "small-4x4.txt")
	buckets(t, func(t *testing.T, b *bucket.Bucket) {
		t.Helper()
		run := b.Run("small")
		const seed = 21
		rng := rand.New(rand.NewPCG(seed, 0))
		for round := range 4 {
			_, err := exploreOn(t.Context(), filepath.Join(t.TempDir(), "d"), p, keptOptions(run), history.Want{MaxDepth: new(2 * round)})
			check(t, err)
			stored, err := ReadStored(t.Context(), run, nil)
			check(t, err)
			named := make(map[string]bool)
			for _, l := range stored.History.Layers(history.Forward) {
				for _, o := range stored.Objects(l) {
					named[o.Name] = true
				}
			}
			session := stored.History.NextSession(0) - 1<<20
			layers := len(stored.History.Layers(history.Forward))
			keep := make(map[string]bool)
			made := 0
			for range 40 {
				depth := uint32(rng.IntN(layers + 3))
				epoch := session - 1<<20 + uint32(rng.IntN(2<<20+3))
				name := bucket.ObjectName(1, depth, epoch, []string{"local", "w1", "x-y"}[rng.IntN(3)])
				if _, err := run.Stat(t.Context(), name); err == nil {
					continue
				}
				w, err := run.NewLayer(t.Context(), name)
				check(t, err)
				check(t, w.Append(0, []byte("garbage")))
				_, err = w.Close()
				check(t, err)
				if int(depth) >= layers && epoch >= session {
					keep[name] = true
				} else {
					made++
				}
			}
			none, err := stored.Garbage(t.Context(), time.Now().Add(-time.Hour))
			check(t, err)
			if len(none) > 0 {
				t.Errorf("seed %d: %d young objects are garbage", seed, len(none))
			}
			garbage, err := stored.Garbage(t.Context(), time.Now().Add(time.Hour))
			check(t, err)
			for _, o := range garbage {
				if named[o.Name] || keep[o.Name] {
					t.Errorf("seed %d: %s is garbage", seed, o.Name)
				}
			}
			if len(garbage) < made {
				t.Errorf("seed %d: %d of %d garbage", seed, len(garbage), made)
			}
			n, _, err := stored.Remove(t.Context(), garbage)
			check(t, err)
			if n != len(garbage) {
				t.Errorf("%d of %d removed", n, len(garbage))
			}
			checkStored(t, run, &stored.History)
			// What a next session says is all that has been asked is garbage as well.
			for name := range keep {
				if _, err := run.Stat(t.Context(), name); err != nil {
					t.Errorf("seed %d: %v", seed, err)
				}
			}
		}
	})
}
