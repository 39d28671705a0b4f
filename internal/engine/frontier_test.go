package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/frontier"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/internal/test/crashdisk"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/store/bucket"
	"github.com/everystate/everystate/worker"
)

// keepFrontier is --keep frontier with some layers named.
func keepFrontier(named ...uint32) *history.Keep {
	return &history.Keep{Frontier: true, Named: history.DepthsOf(named)}
}

// puzzleIn reads a board below puzzles/.
func puzzleIn(t *testing.T, file string) puzzle.Board {
	t.Helper()
	text, err := os.ReadFile("../../puzzles/" + file)
	check(t, err)
	boards, err := families.Read(text, puzzle.ReadOptions{})
	check(t, err)
	return boards[0]
}

// A run that keeps its frontier finds the same as one that keeps all, whatever memory it
// has, and has the layers that it should have and no others.
func TestFrontierFindsTheSame(t *testing.T) {
	t.Parallel()
	for file, last := range map[string]int{ // how many layers stay at the end
		"rushhour/small-5x5.txt": 2, // reversible
		"tiles/2x4.txt":          2, // alternating
		"peg/triangle-15.txt":    1, // graded
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			board := puzzleIn(t, file)
			run := func(keep *history.Keep, memory int64) (*Run, int64) {
				var peak diskPeak
				disk := vfs.NewMem()
				r, err := Create("run", board, Options{Workers: 2, Partitions: 4, MemoryBytes: MemoryMin, BatchBytes: 60, Keep: keep, FS: peak.watch(disk)})
				check(t, err)
				r.opts.MemoryBytes = memory
				reason, err := r.Explore(t.Context(), history.Want{})
				if err != nil || reason != history.Exhausted {
					t.Fatalf("reason %v, error %v", reason, err)
				}
				v, err := r.Verify(t.Context(), func(int64) {})
				if err != nil || v.Layers+v.Dropped != len(r.history.Layers(history.Forward)) {
					t.Errorf("verified %+v: %v", v, err)
				}
				return r, peak.bytes.Load()
			}
			all, peakOfAll := run(nil, MemoryMin)
			for _, memory := range []int64{MemoryMin, 44 << 10} {
				r, peak := run(keepFrontier(3, 5), memory)
				if r.history.Digest() != all.history.Digest() || r.history.States(history.Forward) != all.history.States(history.Forward) ||
					r.history.Generated(history.Forward) != all.history.Generated(history.Forward) || r.history.Goals() != all.history.Goals() {
					t.Errorf("digest %v, %d states; %v, %d if all layers are kept",
						r.history.Digest(), r.history.States(history.Forward), all.history.Digest(), all.history.States(history.Forward))
				}
				for again := 0; memory == MemoryMin && peak >= peakOfAll && again < 5; again++ {
					_, peak = run(keepFrontier(3, 5), memory) // files are removed beside the search, late on a busy machine
				}
				if memory == MemoryMin && peak >= peakOfAll {
					t.Errorf("%d bytes on disk at the peak, %d if all layers are kept", peak, peakOfAll)
				}
				t.Logf("%d bytes at the peak, %d if all are kept", peak, peakOfAll)
				layers := r.history.Layers(history.Forward)
				for _, l := range layers {
					kept := int(l.Depth) >= len(layers)-last || l.Depth == 3 || l.Depth == 5
					if n := storedOf(t, r, l); kept == r.history.Dropped(l) || kept && n != l.States || !kept && n != 0 {
						t.Errorf("layer %d of %d: dropped %t, and %d of %d states are there", l.Depth, len(layers), r.history.Dropped(l), n, l.States)
					}
				}
				check(t, r.Close())
			}
			check(t, all.Close())
		})
	}
}

// A sample of every layer stays when it is dropped: the states with the least mixed keys,
// whatever the workers and partitions are, also when the run is opened again.
func TestFrontierKeepsSamples(t *testing.T) {
	t.Parallel()
	boards := map[string]puzzle.Board{"narrow": puzzleIn(t, "rushhour/small-5x5.txt"), "wide": toys()["eight words"].board()}
	for name, board := range boards {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := func(keep *history.Keep, workers, partitions int) *Run {
				fs := vfs.NewMem()
				opts := Options{Workers: workers, Partitions: partitions, MemoryBytes: MemoryMin, Keep: keep, FS: fs}
				r, err := Create("run", board, opts)
				check(t, err)
				_, err = r.Explore(t.Context(), history.Want{})
				check(t, err)
				if name == "wide" {
					return r // a toy cannot be read again
				}
				check(t, r.Close())
				opts.ReadOnly = true
				r, err = Open("run", opts)
				check(t, err)
				return r
			}
			all := run(nil, 1, 2)
			for _, l := range all.history.Layers(history.Forward) {
				if len(l.Sample) > 0 {
					t.Fatalf("layer %d of a run that keeps all has a sample", l.Depth)
				}
			}
			for _, c := range [][2]int{{1, 1}, {2, 16}, {3, 64}} {
				r := run(keepFrontier(), c[0], c[1])
				for d, l := range r.history.Layers(history.Forward) {
					want, err := query.Sample(t.Context(), all.Space(), all.history.Layers(history.Forward)[d])
					check(t, err)
					got, err := query.Sample(t.Context(), r.Space(), l)
					check(t, err)
					if fmt.Sprint(got) != fmt.Sprint(want) || len(got) != int(min(l.States, history.SampleMax)) {
						t.Fatalf("%v layer %d of %d states: sample %v, want %v", c, d, l.States, got, want)
					}
					for _, at := range got {
						place, err := r.Space().Locate(t.Context(), at.Key)
						if err != nil || place.Depth != d || d > 0 && place.Link != at.Move {
							t.Fatalf("layer %d: a sampled state is at %+v: %v", d, place, err)
						}
					}
				}
				check(t, r.Close())
			}
			check(t, all.Close())
		})
	}
}

// storedOf returns how many states of a layer a run has.
func storedOf(t *testing.T, r *Run, l history.Layer) (n int64) {
	t.Helper()
	for part := range r.spec.Partitions {
		states, err := r.store.Count(worker.ShapeOf(r.scheme), segmentID(l), uint32(part))
		check(t, err)
		n += states
	}
	return n
}

// diskPeak is the most that the tables of a run took on disk.
type diskPeak struct{ bytes atomic.Int64 }

// watch returns a file system that measures whenever a file is made.
func (p *diskPeak) watch(disk *vfs.MemFS) vfs.FS {
	return errorfs.Wrap(disk, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind != errorfs.OpCreate {
			return nil
		}
		var sum int64
		names, _ := disk.List("run/db") // not there yet: nothing
		for _, name := range names {
			if info, err := disk.Stat("run/db/" + name); err == nil && len(name) > 4 && name[len(name)-4:] == ".sst" {
				sum += info.Size()
			}
		}
		for was := p.bytes.Load(); sum > was && !p.bytes.CompareAndSwap(was, sum); was = p.bytes.Load() {
		}
		return nil
	}))
}

// What cannot be is refused before anything is made.
func TestFrontierIsRefused(t *testing.T) {
	t.Parallel()
	reversible, not := boardOf(t, "small-5x5.txt"), toys()["irreversible"].board()
	opts := Options{Workers: 1, Partitions: 4, MemoryBytes: MemoryMin, Keep: keepFrontier()}
	table := opts
	table.Store = StoreTable
	for name, c := range map[string]struct {
		board puzzle.Board
		opts  Options
		want  error
	}{
		"irreversible": {not, opts, frontier.ErrNeedsAll},
		"table":        {puzzleIn(t, "tiles/2x4.txt"), table, frontier.ErrInTable},
	} {
		c.opts.FS = vfs.NewMem()
		if _, err := Create("run", c.board, c.opts); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if names, _ := c.opts.FS.List("run"); len(names) > 0 {
			t.Errorf("%s: %v is left", name, names)
		}
	}
	opts.FS = vfs.NewMem()
	r, err := Create("run", reversible, opts)
	check(t, err)
	if _, err := r.Explore(t.Context(), history.Want{GoalDistance: true}); !errors.Is(err, frontier.ErrNoDistances) {
		t.Errorf("goal distances: %v", err)
	}
	check(t, r.Close())
	for _, other := range []*history.Keep{{}, keepFrontier(4)} {
		opts.Keep = other
		if _, err := Create("run", reversible, opts); !errors.Is(err, frontier.ErrFixed) {
			t.Errorf("%v: %v", other, err)
		}
	}
	opts.Keep = nil
	r, err = Create("run", reversible, opts)
	check(t, err)
	if !r.spec.Keep.Frontier {
		t.Error("the run has become another")
	}
	check(t, r.Close())
}

// exploreFrontier makes or opens a frontier run and explores it as far as the file
// system allows.
func exploreFrontier(p *toy, fs vfs.FS) (*Run, error) {
	opts := faultOptions(fs)
	opts.Keep = keepFrontier(1)
	r, err := Create("run", p.board(), opts)
	if err != nil {
		return nil, err
	}
	if _, err := r.Explore(context.Background(), history.Want{}); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// A frontier run survives a failure of any file operation, and a power cut at any write:
// resumed, it has the digest of an undisturbed run, and nothing of what it dropped.
func TestFrontierSurvivesFaults(t *testing.T) {
	p := faultToy()
	want := slowly(p, false)
	checkRun := func(t *testing.T, disk *vfs.MemFS) {
		t.Helper()
		r, err := exploreFrontier(p, disk)
		if err != nil {
			t.Fatalf("after the crash: %v", err)
		}
		if r.history.Digest() != want.digest {
			t.Fatalf("digest %v, want %v", r.history.Digest(), want.digest)
		}
		for _, l := range r.history.Layers(history.Forward) {
			if n := storedOf(t, r, l); r.history.Dropped(l) != (n == 0) {
				t.Errorf("layer %d: %d of %d states are there", l.Depth, n, l.States)
			}
		}
		check(t, r.Close())
	}
	step := int64(7)
	if thorough() {
		step = 1
	}
	var operations atomic.Int64
	fs, cuts := crashdisk.New().Record(func(errorfs.Op) { operations.Add(1) })
	r, err := exploreFrontier(p, fs)
	check(t, err)
	check(t, r.Close())
	clones := cuts.All()
	for i := int64(0); i < int64(len(clones)); i += step {
		t.Run(fmt.Sprintf("power cut at write %d", i), func(t *testing.T) {
			t.Parallel()
			checkRun(t, clones[i])
		})
	}
	for at := int64(1); at <= operations.Load(); at += step {
		t.Run(fmt.Sprintf("operation %d", at), func(t *testing.T) {
			t.Parallel()
			disk := crashdisk.New()
			var n atomic.Int64
			r, err := exploreFrontier(p, errorfs.Wrap(disk, errorfs.InjectorFunc(func(errorfs.Op) error {
				if i := n.Add(1); i == at || at%2 == 0 && i > at {
					return errorfs.ErrInjected
				}
				return nil
			})))
			if err == nil {
				_ = r.Close() // may meet the failure
			}
			checkRun(t, disk.Cut())
		})
	}
	t.Logf("%d operations, %d writes", operations.Load(), len(clones))
}

// fullDisk is a disk that is full from some write on, and measures when most was taken.
type fullDisk struct {
	disk   *crashdisk.Disk
	from   atomic.Int64 // the write from which on it is full; 0 means never
	writes atomic.Int64

	mu     sync.Mutex // guards the fields below
	peak   int64      // the most bytes that were taken
	peakAt int64      // the write before which they were
}

// fs returns a file system that fails when it would write to a full disk.
func (f *fullDisk) fs() vfs.FS {
	return errorfs.Wrap(f.disk, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind != errorfs.OpFileWrite && op.Kind != errorfs.OpCreate {
			return nil
		}
		n := f.writes.Add(1)
		f.mu.Lock()
		defer f.mu.Unlock()
		if taken := f.taken("run/db"); taken > f.peak {
			f.peak, f.peakAt = taken, n
		}
		if from := f.from.Load(); from > 0 && n >= from {
			return &os.PathError{Op: "write", Path: op.Path, Err: syscall.ENOSPC}
		}
		return nil
	}))
}

// taken returns the size of the tables of a run.
func (f *fullDisk) taken(dir string) (sum int64) {
	names, _ := f.disk.List(dir) // not there yet: nothing
	for _, name := range names {
		if info, err := f.disk.Stat(f.disk.PathJoin(dir, name)); err == nil && strings.HasSuffix(name, ".sst") {
			sum += info.Size()
		}
	}
	return sum
}

// The disk of a frontier run is full shortly before its tables take most of it, or earlier.
// Once there is room it goes on to the counts and the digest of a run that keeps all, and
// has dropped what it should have.
func TestFrontierDiskFullAtThePeak(t *testing.T) {
	t.Parallel()
	p := toys()["many repetitions"]
	want := slowly(p, false)
	undisturbed := &fullDisk{disk: crashdisk.New()}
	r, err := exploreFrontier(p, undisturbed.fs())
	check(t, err)
	check(t, r.Close())
	t.Logf("%d bytes at write %d of %d", undisturbed.peak, undisturbed.peakAt, undisturbed.writes.Load())
	for _, part := range []int64{90, 75, 50, 25} { // percent of the writes to the peak
		t.Run(fmt.Sprint(part), func(t *testing.T) {
			t.Parallel()
			full := &fullDisk{disk: crashdisk.New()}
			full.from.Store(max(1, undisturbed.peakAt*part/100))
			if _, err := exploreFrontier(p, full.fs()); !IsDiskFull(err) {
				t.Fatalf("full from write %d, of %d to the peak: %v", full.from.Load(), undisturbed.peakAt, err)
			}
			full.from.Store(0)
			r, err := exploreFrontier(p, full.fs())
			if err != nil {
				t.Fatalf("with room: %v", err)
			}
			if r.history.Digest() != want.digest || r.history.Generated(history.Forward) != want.generated || r.history.Goals() != want.goals {
				t.Errorf("digest %v, %d generated, %d goals; want %v, %d, %d", r.history.Digest(),
					r.history.Generated(history.Forward), r.history.Goals(), want.digest, want.generated, want.goals)
			}
			for d, l := range r.history.Layers(history.Forward) {
				if states := int64(len(want.layers[history.Forward][d])); l.States != states {
					t.Errorf("layer %d has %d states, want %d", d, l.States, states)
				}
				if n := storedOf(t, r, l); r.history.Dropped(l) != (n == 0) {
					t.Errorf("layer %d: %d of %d states are there", d, n, l.States)
				}
			}
			check(t, r.Close())
		})
	}
}

// A frontier run stopped anywhere goes on to the same end, and what is dropped later
// never comes back.
func TestFrontierResumes(t *testing.T) {
	t.Parallel()
	board := boardOf(t, "small-5x5.txt")
	opts := Options{Workers: 2, Partitions: 4, MemoryBytes: MemoryMin, BatchBytes: 400, FS: vfs.NewMem()}
	all, err := exploreOn(t.Context(), "all", board, opts, history.Want{})
	check(t, err)
	opts.Keep = keepFrontier()
	var digests []string
	for depth := range all.Layers(history.Forward) {
		h, err := exploreOn(t.Context(), "run", board, opts, history.Want{MaxDepth: &depth})
		check(t, err)
		digests = append(digests, h.Layers(history.Forward)[depth].Digest.String())
	}
	h, err := exploreOn(t.Context(), "run", board, opts, history.Want{})
	check(t, err)
	if h.Digest() != all.Digest() || !slices.Equal(digests, slices.Collect(func(yield func(string) bool) {
		for _, l := range all.Layers(history.Forward) {
			if !yield(l.Digest.String()) {
				return
			}
		}
	})) {
		t.Errorf("digest %v, want %v", h.Digest(), all.Digest())
	}
}

// bucketKeeps checks that a bucket has an object of every layer that a run has, and of no
// other.
func bucketKeeps(t *testing.T, run *bucket.Run, h *history.History) {
	t.Helper()
	has := make(map[uint32]bool)
	check(t, run.Objects(t.Context(), func(o bucket.ObjectInfo) error {
		if _, depth, _, ok := o.Layer(); ok {
			has[depth] = true
		}
		return nil
	}))
	for _, l := range h.Layers(history.Forward) {
		if has[l.Depth] == h.Dropped(l) {
			t.Errorf("layer %d of %d: dropped %t, in the bucket %t", l.Depth, len(h.Layers(history.Forward)), h.Dropped(l), has[l.Depth])
		}
	}
}

// A frontier run goes on in another directory each time, from the bucket alone, to the
// digest of a run that keeps all. Directory and bucket have the layers that the run has.
func TestFrontierInBucket(t *testing.T) {
	board := boardOf(t, "small-5x5.txt")
	opts := Options{Workers: 2, Partitions: 4, MemoryBytes: MemoryMin, BatchBytes: 400, FS: vfs.NewMem()}
	all, err := exploreOn(t.Context(), "all", board, opts, history.Want{})
	check(t, err)
	buckets(t, func(t *testing.T, b *bucket.Bucket) {
		t.Helper()
		run := b.Run("small")
		opts := keptOptions(run)
		opts.Keep = keepFrontier(3, 5)
		var dir string
		for depth := 0; depth <= len(all.Layers(history.Forward)); depth += 4 {
			dir = filepath.Join(t.TempDir(), "d")
			stored, err := ReadStored(t.Context(), run, nil)
			check(t, err)
			if len(stored.Entries) > 0 {
				check(t, Rebuild(t.Context(), dir, stored.Entries, stored, Options{Workers: 2, MemoryBytes: MemoryMin}, func(int64) {}))
			}
			_, err = exploreOn(t.Context(), dir, board, opts, history.Want{MaxDepth: &depth})
			check(t, err)
		}
		r, err := Create(dir, board, opts)
		check(t, err)
		_, err = r.Explore(t.Context(), history.Want{})
		check(t, err)
		if h := r.History(); h.Digest() != all.Digest() || !h.Exhausted(false) {
			t.Errorf("digest %v, want %v", h.Digest(), all.Digest())
		}
		for _, l := range r.history.Layers(history.Forward) {
			if n := storedOf(t, r, l); r.history.Dropped(l) != (n == 0) {
				t.Errorf("layer %d: dropped %t, and %d of %d states are there", l.Depth, r.history.Dropped(l), n, l.States)
			}
		}
		bucketKeeps(t, run, r.History())
		check(t, r.Close())
		checkStored(t, run, r.History())

		// A directory of before catches up.
		check(t, os.Remove(filepath.Join(dir, bucketFile)))
		opts.Keep = keepFrontier()
		if _, err := exploreOn(t.Context(), filepath.Join(t.TempDir(), "d"), board, opts, history.Want{}); !errors.Is(err, frontier.ErrFixed) {
			t.Errorf("the same run with other layers to keep: %v", err)
		}
	})
}

// A frontier run made without a bucket is checkpointed into one: what it has dropped by
// then is in no object.
func TestFrontierCheckpoint(t *testing.T) {
	t.Parallel()
	board := boardOf(t, "small-5x5.txt")
	run := openedBucket(t, fileURL(t.TempDir())).Run("small")
	opts := keptOptions(nil)
	opts.Keep = keepFrontier(2)
	dir, depth := filepath.Join(t.TempDir(), "d"), 9
	h, err := exploreOn(t.Context(), dir, board, opts, history.Want{MaxDepth: &depth})
	check(t, err)
	opts.Bucket = run
	r, err := Open(dir, opts)
	check(t, err)
	_, err = r.Checkpoint(t.Context())
	check(t, errors.Join(err, r.Close()))
	bucketKeeps(t, run, h)
	checkStored(t, run, h)
}
