package main

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/coordinator/client"
	coordinatorserver "github.com/everystate/everystate/coordinator/server"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/store"
	workerserver "github.com/everystate/everystate/worker/server"
)

// process is a coordinator or a worker that can be killed.
type process struct {
	kill func()
	done chan error
}

func start(t *testing.T, run func(ctx context.Context) error) *process {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	p := &process{kill: cancel, done: make(chan error, 1)}
	go func() { p.done <- run(ctx) }()
	t.Cleanup(func() { p.end(t) })
	return p
}

// end kills the process and waits for it.
func (p *process) end(t *testing.T) {
	t.Helper()
	p.kill()
	if err := <-p.done; err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	p.done <- nil // for whoever asks again
}

// plaintext dials without transport security.
func plaintext() []grpc.DialOption {
	return []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}
}

func startWorker(t *testing.T, coordinator, data string) *process {
	t.Helper()
	return start(t, func(ctx context.Context) error {
		return workerserver.Run(ctx, workerserver.Options{
			Coordinator: coordinator, Data: data, Lanes: 2, MemoryBytes: 64 << 20, Dial: plaintext(),
			BackOffMax: 100 * time.Millisecond,
		})
	})
}

// startCoordinator returns its address. It takes workers for lost soon.
func startCoordinator(t *testing.T) string {
	t.Helper()
	return startCoordinatorOf(t, 4000)
}

// startCoordinatorOf returns the address of a coordinator with a lease.
func startCoordinatorOf(t *testing.T, leaseMillis int) string {
	t.Helper()
	var config net.ListenConfig
	lis, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	start(t, func(ctx context.Context) error {
		return coordinatorserver.Serve(ctx, lis, coordinatorserver.Options{Data: data, LeaseMillis: leaseMillis, SettleMillis: 100, SpreadStates: -1, Dial: plaintext()})
	})
	return lis.Addr().String()
}

// until looks at a coordinator until it is as it should be.
func until(t *testing.T, addr string, ok func(runs []client.Status, workers []client.Worker) bool) {
	t.Helper()
	c, err := client.Dial(addr, client.Options{Dial: plaintext()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}()
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for begun := time.Now(); time.Since(begun) < time.Minute; <-ticker.C {
		runs, workers, err := c.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if ok(runs, workers) {
			return
		}
	}
	t.Fatal("it does not come to that")
}

func summaryOf(t *testing.T, text string) engine.Summary {
	t.Helper()
	var s engine.Summary
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return s
}

// TestCluster explores with a coordinator and two workers, one of which is
// killed and comes back.
func TestCluster(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	jam, small := puzzleFile(t, "jam-93.txt"), puzzleFile(t, "small-4x4.txt")
	addr := startCoordinator(t)
	dir := t.TempDir()
	startWorker(t, addr, filepath.Join(dir, "a"))
	b := startWorker(t, addr, filepath.Join(dir, "b"))
	until(t, addr, func(_ []client.Status, workers []client.Worker) bool { return len(workers) == 2 })

	same := func(got, file string, options ...string) {
		t.Helper()
		want := summaryOf(t, must(t, append([]string{"explore", file, "--run", t.TempDir(), "--json", "-q"}, options...)...))
		s := summaryOf(t, got)
		if s.Digest != want.Digest || s.States != want.States || s.Generated != want.Generated || !s.Complete || s.DiskBytes == 0 {
			t.Errorf("got %+v\nwant %+v", s, want)
		}
	}
	got := must(t, "submit", small, "--coordinator", addr, "--wait", "--json", "-q")
	same(got, small)
	if s := summaryOf(t, got); s.Run != addr+"/small-4x4" {
		t.Errorf("run is %s", s.Run)
	}

	must(t, "submit", jam, "--coordinator", addr, "--name", "jam", "--goal-distance")
	until(t, addr, func(runs []client.Status, _ []client.Worker) bool {
		return runs[0].Run == "jam" && runs[0].States > 100
	})
	b.end(t)
	must(t, "status", addr+"/jam")
	startWorker(t, addr, filepath.Join(dir, "b"))
	same(must(t, "watch", addr+"/jam", "--json", "-q"), jam, "--goal-distance")
	restored := filepath.Join(dir, "restored")
	must(t, "restore", addr+"/jam", restored, "-q")
	must(t, "verify", restored, "-q")
	same(must(t, "resume", restored, "--goal-distance", "--json", "-q"), jam, "--goal-distance")

	// Distances that a question needs are computed for it.
	must(t, "hardest", addr+"/small-4x4", "-q")
	same(must(t, "submit", small, "--coordinator", addr, "--goal-distance", "--wait", "--json", "-q"), small, "--goal-distance")

	// A limit is not an end.
	r := call("", "submit", jam, "--coordinator", addr, "--name", "part", "--max-depth", "7", "--wait", "--json", "-q")
	if s := summaryOf(t, r.out); r.code != exit.Incomplete || s.Depth != 7 || s.Complete {
		t.Errorf("exit %d: %s", r.code, r.out)
	}
	same(must(t, "resume", addr+"/part", "--wait", "--json", "-q"), jam)
	must(t, "delete", addr+"/part", "--yes")
	if r := call("", "status", addr+"/part"); r.code != exit.Usage {
		t.Errorf("a run that was deleted: exit %d, %s%s", r.code, r.out, r.errs)
	}
}

// TestHardestOfWaitingRun advises to wait for a run that goes on by itself.
func TestHardestOfWaitingRun(t *testing.T) {
	t.Parallel()
	addr := startCoordinator(t)
	must(t, "submit", puzzleFile(t, "small-4x4.txt"), "--coordinator", addr, "--name", "small")
	r := call("", "hardest", addr+"/small")
	if r.code != exit.Incomplete || !strings.Contains(r.errs, "so goal distances cannot be computed: ") || !strings.Contains(r.errs, " watch "+addr+"/small") {
		t.Errorf("exit %d: %s", r.code, r.errs)
	}
}

// TestListens shows that a coordinator says that it listens only once it has its data.
func TestListens(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	lock, err := store.LockDir(data, true)
	if err != nil {
		t.Fatal(err)
	}
	r := call("", "coordinator", "--listen", "127.0.0.1:0", "--data", data)
	if r.code != exit.Failed || strings.Contains(r.errs, "listens") {
		t.Errorf("exit %d: %s", r.code, r.errs)
	}
	if err := lock.Unlock(); err != nil {
		t.Error(err)
	}
}
