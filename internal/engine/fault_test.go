package engine

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/test/crashdisk"
)

// The faults that a run must survive, at every file operation of a run that
// writes through the log, ingests tables and spills:
//
//   - the operation fails, once or from then on, and then the power goes: all
//     bytes that were not synced are gone;
//   - the power goes at the operation.
//
// After each the run is opened again and must end with the digest of an
// undisturbed one.

// thorough reports whether "make thorough" runs the tests: then each operation
// fails in both ways, otherwise each fourth, in turns.
func thorough() bool { return os.Getenv("EVERYSTATE_THOROUGH") != "" }

// faultToy is small, but with tinyMemory it spills, and some of its layers are
// large enough for tables.
func faultToy() *toy {
	const size = 900
	return &toy{size: size, steps: []uint64{1, size - 1, 25, size - 25, 170, size - 170, 333, size - 333}, words: 1, wrap: true, reversible: true,
		goal: func(v uint64) bool { return v == size/2 }}
}

func faultOptions(fs vfs.FS) Options {
	return Options{Workers: 2, Partitions: 4, MemoryBytes: MemoryMin, BatchBytes: 150, FS: fs}
}

// attemptRun makes or opens the run and explores it as far as the file system
// allows.
func attemptRun(p *toy, fs vfs.FS) (*history.History, error) {
	r, err := Create("run", p.board(), faultOptions(fs))
	if err != nil {
		return nil, err
	}
	r.opts.MemoryBytes = 44 << 10
	if _, err := r.Explore(context.Background(), everything(p)); err != nil {
		_ = r.Close() // the error that counts is the first
		return nil, err
	}
	return r.History(), r.Close()
}

// modifies reports whether an operation changes the disk.
func checkRecovery(t *testing.T, p *toy, disk *vfs.MemFS, want string) {
	t.Helper()
	h, err := attemptRun(p, disk)
	if err != nil {
		t.Fatalf("after the crash: %v", err)
	}
	if got := h.Digest().String(); got != want {
		t.Fatalf("digest %s, want %s", got, want)
	}
}

func countOperations(t *testing.T, p *toy) (operations int64, digest string) {
	t.Helper()
	var n, tables, spills atomic.Int64
	fs := errorfs.Wrap(crashdisk.New(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		n.Add(1)
		if op.Kind == errorfs.OpCreate && strings.Contains(op.Path, "table-") {
			tables.Add(1)
		}
		if op.Kind == errorfs.OpCreate && strings.Contains(op.Path, "spill-") {
			spills.Add(1)
		}
		return nil
	}))
	h, err := attemptRun(p, fs)
	if err != nil {
		t.Fatal(err)
	}
	if tables.Load() == 0 || spills.Load() == 0 {
		t.Fatalf("%d tables and %d spills: the test does not test what it should", tables.Load(), spills.Load())
	}
	return n.Load(), h.Digest().String()
}

func TestEveryOperationFails(t *testing.T) {
	p := faultToy()
	operations, want := countOperations(t, p)
	slow := slowly(p, true)
	if want != slow.digest.String() {
		t.Fatalf("digest %s, the slow twin has %s", want, slow.digest)
	}
	for _, forever := range []bool{false, true} {
		for at := int64(1); at <= operations; at++ {
			if !thorough() && (at%6 != 0 || (at%12 == 0) != forever) || testing.Short() && at%84 != 0 {
				continue
			}
			t.Run(fmt.Sprintf("operation %d forever %t", at, forever), func(t *testing.T) {
				t.Parallel()
				disk := crashdisk.New()
				var n atomic.Int64
				failing := errorfs.InjectorFunc(func(op errorfs.Op) error {
					if i := n.Add(1); i == at || forever && i > at {
						return errorfs.ErrInjected
					}
					return nil
				})
				_, err := attemptRun(p, errorfs.Wrap(disk, failing))
				if err != nil && strings.Contains(err.Error(), "\n") && !strings.Contains(err.Error(), "injected") {
					t.Errorf("an error that does not say what failed: %v", err)
				}
				checkRecovery(t, p, disk.Cut(), want)
			})
		}
	}
	t.Logf("%d operations", operations)
}

func TestCrashAtEveryOperation(t *testing.T) {
	p := faultToy()
	_, want := countOperations(t, p)
	fs, cuts := crashdisk.New().Record(nil)
	if _, err := attemptRun(p, fs); err != nil {
		t.Fatal(err)
	}
	clones := cuts.All()
	step := 3
	switch {
	case thorough():
		step = 1
	case testing.Short():
		step = 14
	}
	for i := 0; i < len(clones); i += step {
		t.Run(fmt.Sprintf("write %d", i), func(t *testing.T) {
			t.Parallel()
			checkRecovery(t, p, clones[i], want)
		})
	}
	t.Logf("%d crashes", len(clones))
}
