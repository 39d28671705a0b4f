package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/everystate/everystate/internal/test/s3test"
	"github.com/everystate/everystate/store/bucket/cloudtest"
)

// A place is a kind of bucket that the suite runs over. Each call of open gives a
// handle of its own to the same bucket.
type place struct {
	name string
	slow bool // a server
	open func(t testing.TB) *Bucket
}

func filePlace(tb testing.TB) place {
	tb.Helper()
	u := (&url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(tb.TempDir(), "a bucket"))}).String()
	return place{name: "file", open: func(tb testing.TB) *Bucket {
		tb.Helper()
		return opened(tb, u)
	}}
}

// cloudPlace runs the code for S3 without a server: it is the bucket that fails, where
// nothing does.
func cloudPlace(testing.TB) place {
	cloud := cloudtest.New()
	return place{name: "cloud", open: func(tb testing.TB) *Bucket {
		tb.Helper()
		b, err := Of(cloud.Client(func(string, string) cloudtest.Fate { return cloudtest.Fate{} }), "s3://test")
		must(tb, err)
		return b
	}}
}

func s3Place(tb testing.TB) place {
	tb.Helper()
	u, _ := s3test.Start(tb)
	withPrefix := strings.Replace(u, "?", "/some/prefix?", 1)
	return place{name: "s3", slow: true, open: func(tb testing.TB) *Bucket {
		tb.Helper()
		return opened(tb, withPrefix)
	}}
}

func opened(tb testing.TB, bucketURL string) *Bucket {
	tb.Helper()
	b, err := Open(tb.Context(), bucketURL)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := b.Close(); err != nil {
			tb.Error(err)
		}
	})
	return b
}

func TestFile(t *testing.T)  { suite(t, filePlace(t)) }
func TestCloud(t *testing.T) { suite(t, cloudPlace(t)) }
func TestS3(t *testing.T)    { suite(t, s3Place(t)) }

func suite(t *testing.T, p place) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(t *testing.T, p place)
	}{
		{"Log", testLog},
		{"Contention", testContention},
		{"Control", testControl},
		{"Layer", testLayer},
		{"LargeLayer", testLargeLayer},
		{"LayerTwice", testLayerTwice},
		{"Abort", testAbort},
		{"Runs", testRuns},
		{"Delete", testDelete},
		{"Prune", testPrune},
		{"Damage", testDamage},
		{"Hole", testHole},
		{"Names", testNames},
		{"Cancelled", testCancelled},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, p) })
	}
}

// runOf returns a run that is named after the test, with entry 0.
func runOf(t *testing.T, p place) *Run {
	t.Helper()
	r := p.open(t).Run(strings.NewReplacer("/", "-").Replace(t.Name()))
	must(t, r.Append(t.Context(), 0, []byte("spec")))
	return r
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func testLog(t *testing.T, p place) {
	t.Helper()
	ctx := t.Context()
	r := p.open(t).Run("log")
	wantLog := func(from int, want ...string) {
		t.Helper()
		got, err := r.Log(ctx, from)
		must(t, err)
		var texts []string
		for _, e := range got {
			texts = append(texts, string(e))
		}
		if !slices.Equal(texts, want) {
			t.Fatalf("log from %d is %q, want %q", from, texts, want)
		}
	}
	wantLog(0)
	wantLog(7)
	var want []string
	for n := range 50 {
		entry := fmt.Sprintf("entry %d", n)
		if n == 3 {
			entry = ""
		}
		must(t, r.Append(ctx, n, []byte(entry)))
		want = append(want, entry)
	}
	wantLog(0, want...)
	wantLog(17, want[17:]...)
	wantLog(49, want[49:]...)
	wantLog(50)
	must(t, r.Append(ctx, 52, []byte("behind a gap")))
	wantLog(48, want[48:]...)

	// Asking again, as after a lost reply.
	must(t, r.Append(ctx, 7, []byte("entry 7")))
	err := r.Append(ctx, 7, []byte("mine"))
	var taken *TakenError
	if !errors.As(err, &taken) || taken.N != 7 || string(taken.Entry) != "entry 7" {
		t.Errorf("got %v, want that entry 7 is taken", err)
	}
	wantError(t, err, "/log/log/00000007: entry 7 is another writer's")
	if Retryable(err) {
		t.Error("a number that is taken is worth another try")
	}
	large := bytes.Repeat([]byte{1}, EntryBytesMax)
	must(t, r.Append(ctx, 50, large))
	got, err := r.Log(ctx, 50)
	if err != nil || len(got) != 1 || !bytes.Equal(got[0], large) {
		t.Errorf("the largest entry is not read back: %v", err)
	}
	wantError(t, r.Append(ctx, 51, append(large, 1)), "an entry of 1048577 bytes is more than 1048576")
	wantError(t, r.Append(ctx, -1, nil), "no entry has number -1")
	_, err = r.Log(ctx, -1)
	wantError(t, err, "no entry has number -1")
}

// wantError checks that there is an error, of one line, with a text in it.
func wantError(tb testing.TB, err error, text string) {
	tb.Helper()
	if err == nil || !strings.Contains(err.Error(), text) || strings.ContainsAny(err.Error(), "\n\t") {
		tb.Errorf("got %v, want an error of one line with %q", err, text)
	}
}

// Of writers that compete for numbers exactly one gets each.
func testContention(t *testing.T, p place) {
	t.Helper()
	for _, writers := range []int{2, 8} {
		numbers := 300
		if p.slow {
			numbers = 150
		}
		r := p.open(t).Run(fmt.Sprintf("contention-%d", writers))
		wins := make([]atomic.Int32, numbers)
		var wg sync.WaitGroup
		for w := range writers {
			mine := p.open(t).Run(r.Name())
			wg.Go(func() {
				entry := fmt.Appendf(nil, "writer %d", w)
				for n := range numbers {
					err := mine.Append(t.Context(), n, entry)
					var taken *TakenError
					switch {
					case err == nil:
						wins[n].Add(1)
					case !errors.As(err, &taken):
						t.Error(err)
						return
					case bytes.Equal(taken.Entry, entry):
						t.Errorf("entry %d is said to be taken by its own writer", n)
					}
				}
			})
		}
		wg.Wait()
		for n := range wins {
			if got := wins[n].Load(); got != 1 {
				t.Errorf("%d writers: entry %d was won %d times", writers, n, got)
			}
		}
		entries, err := r.Log(t.Context(), 0)
		if err != nil || len(entries) != numbers {
			t.Errorf("%d entries, %v, want %d", len(entries), err, numbers)
		}
	}
}

func testControl(t *testing.T, p place) {
	t.Helper()
	ctx := t.Context()
	r := runOf(t, p)
	_, err := r.Control(ctx)
	if !errors.Is(err, ErrNotExist) {
		t.Errorf("got %v, want ErrNotExist", err)
	}
	for _, body := range []string{"one", "", "a longer one", "two"} {
		must(t, r.SetControl(ctx, []byte(body)))
		got, err := r.Control(ctx)
		if err != nil || string(got) != body {
			t.Errorf("got %q, %v, want %q", got, err, body)
		}
	}
	wantError(t, r.SetControl(ctx, make([]byte, EntryBytesMax+1)), "more than 1048576")
}

// blocks are some blocks of some partitions.
type blocks map[uint32][][]byte

func (b blocks) parts() []uint32 {
	var parts []uint32
	for part := range b {
		parts = append(parts, part)
	}
	slices.Sort(parts)
	return parts
}

// someBlocks makes blocks of n partitions, every third of which has none.
func someBlocks(seed uint64, n, blockBytes int) blocks {
	rng := rand.New(rand.NewPCG(seed, 1))
	b := blocks{}
	for part := range uint32(n) {
		if part%3 == 1 {
			continue
		}
		for range 1 + rng.IntN(4) {
			block := make([]byte, rng.IntN(blockBytes+1))
			for i := range block {
				block[i] = byte(rng.Uint32())
			}
			b[part] = append(b[part], block)
		}
	}
	return b
}

func writeLayer(tb testing.TB, r *Run, object string, b blocks) int64 {
	tb.Helper()
	w, err := r.NewLayer(tb.Context(), object)
	must(tb, err)
	for _, part := range b.parts() {
		for _, block := range b[part] {
			must(tb, w.Append(part, block))
		}
	}
	size, err := w.Close()
	must(tb, err)
	w.Abort() // after Close it does nothing
	return size
}

func checkLayer(tb testing.TB, r *Run, object string, want blocks) {
	tb.Helper()
	l, err := r.OpenLayer(tb.Context(), object)
	must(tb, err)
	if !slices.Equal(l.Partitions(), want.parts()) {
		tb.Fatalf("partitions %v, want %v", l.Partitions(), want.parts())
	}
	equal := func(part uint32, got [][]byte) {
		tb.Helper()
		if !slices.EqualFunc(got, want[part], bytes.Equal) {
			tb.Errorf("partition %d is not what was written", part)
		}
	}
	for _, part := range append(want.parts(), 1, 1<<31) {
		var got [][]byte
		must(tb, l.Read(tb.Context(), part, func(block []byte) error {
			got = append(got, bytes.Clone(block))
			return nil
		}))
		equal(part, got)
	}
	// Some, in disorder, some of them twice.
	var some []uint32
	for _, part := range want.parts() {
		if part%5 != 2 {
			some = append(some, part, part+1)
		}
	}
	slices.Reverse(some)
	all := map[uint32][][]byte{}
	last := uint32(0)
	must(tb, l.ReadAll(tb.Context(), some, func(part uint32, block []byte) error {
		if part < last {
			tb.Errorf("partition %d comes after %d", part, last)
		}
		last = part
		all[part] = append(all[part], bytes.Clone(block))
		return nil
	}))
	for _, part := range some {
		equal(part, all[part])
	}
}

func testLayer(t *testing.T, p place) {
	t.Helper()
	ctx := t.Context()
	r := runOf(t, p)
	for i, b := range []blocks{
		{},
		{0: {{}}},
		{0: {[]byte("block")}, 4095: {[]byte("a"), []byte("b")}, 1<<32 - 1: {[]byte("z")}},
		{7: {bytes.Repeat([]byte{7}, BlockBytesMax)}},
		someBlocks(1, 50, 100),
		someBlocks(2, 40, 60<<10), // a few megabytes
	} {
		object := ObjectName(1, uint32(i), 3, "worker")
		_, err := r.Stat(ctx, object)
		if !errors.Is(err, ErrNotExist) {
			t.Errorf("got %v, want ErrNotExist", err)
		}
		_, err = r.OpenLayer(ctx, object)
		if !errors.Is(err, ErrNotExist) {
			t.Errorf("got %v, want ErrNotExist", err)
		}
		size := writeLayer(t, r, object, b)
		got, err := r.Stat(ctx, object)
		if err != nil || got != size {
			t.Errorf("layer %d has %d bytes, %v, want %d", i, got, err, size)
		}
		checkLayer(t, r, object, b)
	}

	w, err := r.NewLayer(ctx, ObjectName(1, 9, 3, "w"))
	must(t, err)
	defer w.Abort()
	must(t, w.Append(5, nil))
	wantError(t, w.Append(4, nil), "partition 4 comes after 5")
	wantError(t, w.Append(6, make([]byte, BlockBytesMax+1)), "a block of 524289 bytes is more than 524288")

	l, err := r.OpenLayer(ctx, ObjectName(1, 2, 3, "worker"))
	must(t, err)
	errStop := errors.New("stop")
	if err := l.Read(ctx, 4095, func([]byte) error { return errStop }); err != errStop { //nolint:errorlint // as it is, not wrapped
		t.Errorf("got %v, want the error of the function as it is", err)
	}
}

// An object of three parts and a bit.
func testLargeLayer(t *testing.T, p place) {
	t.Helper()
	r := runOf(t, p)
	object := ObjectName(2, 1, 1, "host:1234")
	b := blocks{}
	rng := rand.NewChaCha8([32]byte{})
	for part := range uint32(60) {
		block := make([]byte, 500<<10)
		_, _ = rng.Read(block)
		b[part] = [][]byte{block, block[1:]}
	}
	size := writeLayer(t, r, object, b)
	if size < 56<<20 {
		t.Fatalf("%d bytes are not large", size)
	}
	checkLayer(t, r, object, b)
	again := writeLayer(t, r, object, b)
	if again != size {
		t.Errorf("%d bytes, and again %d", size, again)
	}
}

// A layer object never changes.
func testLayerTwice(t *testing.T, p place) {
	t.Helper()
	ctx := t.Context()
	r := runOf(t, p)
	object := ObjectName(1, 1, 1, "w")
	b := blocks{3: {[]byte("abc")}}
	writeLayer(t, r, object, b)
	writeLayer(t, r, object, b) // the same, as after a lost reply
	for _, other := range []blocks{{3: {[]byte("abd")}}, {3: {[]byte("abcd")}}, {}} {
		w, err := r.NewLayer(ctx, object)
		must(t, err)
		for part, blocks := range other {
			must(t, w.Append(part, blocks[0]))
		}
		_, err = w.Close()
		if !errors.Is(err, ErrExist) {
			t.Errorf("got %v, want ErrExist", err)
		}
		checkLayer(t, r, object, b)
	}
}

// What a writer gave up, or lost its context, leaves nothing.
func testAbort(t *testing.T, p place) {
	t.Helper()
	r := runOf(t, p)
	for i, blocks := range []int{0, 1, 100} {
		for _, cancelled := range []bool{false, true} {
			ctx, cancel := context.WithCancel(t.Context())
			object := ObjectName(1, uint32(i), 1, fmt.Sprint(cancelled))
			w, err := r.NewLayer(ctx, object)
			must(t, err)
			for range blocks {
				must(t, w.Append(1, make([]byte, BlockBytesMax)))
			}
			if cancelled {
				cancel()
				if _, err := w.Close(); !errors.Is(err, context.Canceled) {
					t.Errorf("got %v, want that it was cancelled", err)
				}
			}
			w.Abort()
			cancel()
			if err := w.Append(1, nil); err == nil {
				t.Error("an ended writer takes more")
			}
			if _, err := r.Stat(t.Context(), object); !errors.Is(err, ErrNotExist) {
				t.Errorf("%d blocks, given up: %v, want ErrNotExist", blocks, err)
			}
		}
	}
	objects, _, _, err := r.Usage(t.Context())
	if err != nil || objects != 1 {
		t.Errorf("%d objects, %v, want entry 0 alone", objects, err)
	}
}

func testRuns(t *testing.T, p place) {
	t.Helper()
	ctx := t.Context()
	b := p.open(t)
	before, err := b.Runs(ctx)
	must(t, err)
	names := []string{"runs-a", "runs-b.1", "Runs_c", "l-âne", "华容道"}
	for _, name := range names {
		must(t, b.Run(name).Append(ctx, 0, nil))
		writeLayer(t, b.Run(name), ObjectName(1, 0, 1, "w"), blocks{})
	}
	must(t, b.Run("runs-none").Append(ctx, 1, nil)) // no entry 0
	got, err := b.Runs(ctx)
	must(t, err)
	want := slices.Concat(before, names)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("runs %q, want %q", got, want)
	}
}

func testDelete(t *testing.T, p place) {
	t.Helper()
	ctx := t.Context()
	b := p.open(t)
	r := b.Run("delete")
	fill := func() (objects int) {
		must(t, r.Append(ctx, 0, []byte("spec")))
		for n := range 20 {
			must(t, r.Append(ctx, n+1, []byte("entry")))
			writeLayer(t, r, ObjectName(1, uint32(n), 1, "w"), blocks{1: {[]byte("x")}})
		}
		must(t, r.SetControl(ctx, nil))
		return 42
	}
	want := fill()
	got, bytes, changed, err := r.Usage(ctx)
	if err != nil || got != want || bytes < 1000 || time.Since(changed) > time.Hour || changed.After(time.Now().Add(time.Hour)) {
		t.Errorf("usage is %d objects, %d bytes, %v, %v; want %d objects", got, bytes, changed, err, want)
	}
	must(t, b.Run("delete-not").Append(ctx, 0, nil)) // a name that begins alike
	if got, err := r.Delete(ctx); err != nil || got != want {
		t.Errorf("deleted %d, %v, want %d", got, err, want)
	}
	if got, err := r.Delete(ctx); err != nil || got != 0 {
		t.Errorf("deleted %d, %v, the second time", got, err)
	}
	if runs, err := b.Runs(ctx); err != nil || slices.Contains(runs, "delete") || !slices.Contains(runs, "delete-not") {
		t.Errorf("after deletion the runs are %q, %v", runs, err)
	}

	// A directory that holds runs, or anything else, is not a run.
	for _, foreign := range []string{"shelf/run/log/00000000", "shelf/thesis.txt", "shelf/layers/x", "shelf/log/x"} {
		must(t, write(ctx, b.backend, foreign, []byte("precious"), true))
	}
	if got, err := b.Run("shelf").Delete(ctx); err != nil || got != 0 {
		t.Errorf("deleted %d, %v, of what is somebody else's", got, err)
	}
	if got, _, _, err := b.Run("shelf").Usage(ctx); err != nil || got != 0 {
		t.Errorf("%d objects are a run's, %v, of what is somebody else's", got, err)
	}

	// Interrupted behind each number of removals.
	for stop := 1; stop < 6; stop++ {
		fill()
		half := *b
		half.backend = &failing{backend: b.backend, removes: stop}
		n, err := half.Run("delete").Delete(ctx)
		if !errors.Is(err, errInjected) {
			t.Fatalf("after %d removals: %v", stop, err)
		}
		if n > stop {
			t.Errorf("%d objects deleted, of %d", n, stop)
		}
		if runs, err := b.Runs(ctx); err != nil || slices.Contains(runs, "delete") {
			t.Errorf("half deleted it is still among %q, %v", runs, err)
		}
		if entries, err := r.Log(ctx, 0); err != nil || len(entries) > 0 {
			t.Errorf("half deleted it has %d entries, %v", len(entries), err)
		}
		if err := r.Append(ctx, 0, []byte("another")); !errors.Is(err, ErrRemains) {
			t.Errorf("got %v, want that there are remains", err)
		}
		m, err := r.Delete(ctx)
		if err != nil || m+stop != want {
			t.Errorf("deleted %d and the rest %d, %v, want %d", stop, m, err, want)
		}
	}
	must(t, r.Append(ctx, 0, []byte("another")))
}

// failing fails after some removals.
type failing struct {
	backend
	removes int
}

var errInjected = errors.New("injected")

func (f *failing) remove(ctx context.Context, keys []string) error {
	if f.removes == 0 {
		return errInjected
	}
	n := min(len(keys), f.removes)
	f.removes -= n
	if err := f.backend.remove(ctx, keys[:n]); err != nil || n == len(keys) {
		return err
	}
	return errInjected
}

func testPrune(t *testing.T, p place) {
	t.Helper()
	ctx := t.Context()
	r := runOf(t, p)
	var want int64
	for n := range uint32(20) {
		size := writeLayer(t, r, ObjectName(1, n, 1, "w"), blocks{n: {make([]byte, n)}})
		if n%2 == 0 {
			want += size
		}
	}
	must(t, r.SetControl(ctx, nil))
	keep := func(object string) bool {
		return !strings.ContainsRune("02468", rune(object[len("layers/1-000000000")]))
	}
	n, size, err := r.Prune(ctx, keep)
	if err != nil || n != 10 || size != want {
		t.Errorf("pruned %d objects, %d bytes, %v, want 10, %d", n, size, err, want)
	}
	if n, _, err := r.Prune(ctx, keep); err != nil || n != 0 {
		t.Errorf("pruned %d objects, %v, the second time", n, err)
	}
	if objects, _, _, err := r.Usage(ctx); err != nil || objects != 12 {
		t.Errorf("%d objects, %v, are left, want 12", objects, err)
	}
	checkLayer(t, r, ObjectName(1, 1, 1, "w"), blocks{1: {{0}}})
}

// put replaces an object behind the back of the run.
func put(tb testing.TB, r *Run, object string, body []byte) {
	tb.Helper()
	must(tb, write(tb.Context(), r.bucket.backend, r.key(object), body, true))
}

// An entry that the log has lost is not written by whoever takes its number for the
// next one, and a control object that is damaged is none.
func testHole(t *testing.T, p place) {
	t.Helper()
	ctx := t.Context()
	r := runOf(t, p)
	for n := range 5 {
		must(t, r.Append(ctx, n+1, []byte("entry")))
	}
	must(t, r.bucket.backend.remove(ctx, []string{r.key(entryKey(3))}))
	again := r.bucket.Run(r.name)
	var hole *HoleError
	if all, err := again.Log(ctx, 0); !errors.As(err, &hole) || hole.N != 3 || hole.Last != 5 || len(all) != 3 || Missing(err) == nil {
		t.Errorf("the whole log: %d entries, %v", len(all), err)
	}
	if rest, err := again.Log(ctx, 4); err != nil || len(rest) != 2 {
		t.Errorf("behind the hole: %d entries, %v", len(rest), err)
	}
	for range 2 {
		err := again.Append(ctx, 3, []byte("mine"))
		if !errors.As(err, &hole) || hole.N != 3 || hole.Last != 5 || Retryable(err) {
			t.Fatalf("into a hole: %v", err)
		}
		wantError(t, err, r.where(entryKey(3))+": entry 3 is missing, and there are later ones, up to 5")
	}
	if _, err := r.bucket.backend.stat(ctx, r.key(entryKey(3))); !errors.Is(err, ErrNotExist) {
		t.Errorf("entry 3 has been written: %v", err)
	}
	must(t, again.Append(ctx, 6, []byte("behind the last")))
	must(t, r.SetControl(ctx, []byte("go")))
	put(t, r, controlKey, []byte("gone"))
	if _, err := r.Control(ctx); !errors.Is(err, ErrNotExist) || !IsCorruption(err) {
		t.Errorf("damaged control: %v", err)
	}
}

func testDamage(t *testing.T, p place) {
	t.Helper()
	ctx := t.Context()
	r := runOf(t, p)
	object := ObjectName(1, 1, 1, "w")
	b := blocks{1: {[]byte("one"), []byte("two")}, 4: {[]byte("three")}}
	writeLayer(t, r, object, b)
	must(t, r.SetControl(ctx, []byte("go")))
	for object, readAll := range map[string]func() error{
		entryKey(0): func() error {
			_, err := r.Log(ctx, 0)
			return err
		},
		controlKey: func() error {
			_, err := r.Control(ctx)
			return err
		},
		object: func() error {
			l, err := r.OpenLayer(ctx, object)
			if err != nil {
				return err
			}
			return l.ReadAll(ctx, l.Partitions(), func(uint32, []byte) error { return nil })
		},
	} {
		must(t, readAll())
		good, err := read(ctx, r.bucket.backend, r.key(object), 0, 1<<20)
		must(t, err)
		damaged := func(what string, bad []byte) {
			t.Helper()
			put(t, r, object, bad)
			err := readAll()
			if !IsCorruption(err) || Retryable(err) {
				t.Errorf("%s, %s: got %v, want corruption", object, what, err)
			}
			wantError(t, err, r.where(object)+": corrupted: ")
		}
		step := 1
		if p.slow {
			step = 5
		}
		for i := 0; i < len(good); i += step {
			bad := bytes.Clone(good)
			bad[i] ^= 1 << (i % 8)
			damaged(fmt.Sprintf("byte %d changed", i), bad)
			damaged(fmt.Sprintf("cut to %d bytes", i), good[:i])
		}
		damaged("a byte more", append(bytes.Clone(good), 0))
		put(t, r, object, good)
		must(t, readAll())
	}
	// In another's place.
	good, err := read(ctx, r.bucket.backend, r.key(entryKey(0)), 0, 1<<20)
	must(t, err)
	put(t, r, entryKey(1), good)
	_, err = r.Log(ctx, 0)
	wantError(t, err, "/log/00000001: corrupted: it belongs to a different number")
	wantError(t, r.Append(ctx, 1, []byte("x")), "/log/00000001: corrupted: it belongs to a different number")
	good, err = read(ctx, r.bucket.backend, r.key(object), 0, 1<<20)
	must(t, err)
	put(t, r, ObjectName(1, 2, 1, "w"), good)
	_, err = r.OpenLayer(ctx, ObjectName(1, 2, 1, "w"))
	wantError(t, err, "corrupted: the checksum of the index does not match")
}

func testNames(t *testing.T, p place) {
	t.Helper()
	ctx := t.Context()
	b := p.open(t)
	for _, name := range []string{"", ".", "..", ".hidden", "a/b", "a b", "a\u202eb", "a\xffb", strings.Repeat("x", 129), "a\nb"} {
		r := b.Run(name)
		errs := []error{r.Append(ctx, 0, nil), r.SetControl(ctx, nil)}
		for _, f := range []func() error{
			func() error { _, err := r.Log(ctx, 0); return err },
			func() error { _, err := r.Control(ctx); return err },
			func() error { _, err := r.Stat(ctx, "control"); return err },
			func() error { _, err := r.NewLayer(ctx, ObjectName(1, 1, 1, "w")); return err },
			func() error { _, err := r.OpenLayer(ctx, ObjectName(1, 1, 1, "w")); return err },
			func() error { _, err := r.Delete(ctx); return err },
			func() error { _, _, err := r.Prune(ctx, nil); return err },
			func() error { _, _, _, err := r.Usage(ctx); return err },
		} {
			errs = append(errs, f())
		}
		for i, err := range errs {
			if err == nil {
				t.Errorf("call %d of run %q succeeds", i, name)
			}
			wantError(t, err, "name")
		}
	}
	r := b.Run(strings.Repeat("y", 128))
	must(t, r.Append(ctx, 0, nil))
	for _, object := range []string{"", "control", "log/00000000", "layers/", "layers/../x", "layers/a/b", "layers/.x"} {
		if _, err := r.NewLayer(ctx, object); err == nil {
			t.Errorf("%q is the name of a layer object", object)
		}
		if _, err := r.OpenLayer(ctx, object); err == nil {
			t.Errorf("%q is the name of a layer object", object)
		}
	}
}

func testCancelled(t *testing.T, p place) {
	t.Helper()
	r := runOf(t, p)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for what, f := range map[string]func() error{
		"log":     func() error { _, err := r.Log(ctx, 0); return err },
		"append":  func() error { return r.Append(ctx, 1, nil) },
		"control": func() error { return r.SetControl(ctx, nil) },
		"layer":   func() error { _, err := r.NewLayer(ctx, ObjectName(1, 1, 1, "w")); return err },
		"open":    func() error { _, err := r.OpenLayer(ctx, ObjectName(1, 1, 1, "w")); return err },
		"delete":  func() error { _, err := r.Delete(ctx); return err },
		"runs":    func() error { _, err := r.bucket.Runs(ctx); return err },
	} {
		err := f()
		if !errors.Is(err, context.Canceled) || Retryable(err) {
			t.Errorf("%s: got %v, want that it was cancelled", what, err)
		}
		wantError(t, err, "context canceled")
	}
}
