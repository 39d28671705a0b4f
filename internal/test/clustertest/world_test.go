package clustertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/history"
	coordinatorserver "github.com/everystate/everystate/coordinator/server"
	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/store/bucket"
	workerserver "github.com/everystate/everystate/worker/server"
)

const (
	// leaseMillis is long, so that no worker is taken for lost because the machine is
	// slow. soonLostMillis is for tests that lose one.
	leaseMillis    = 30_000
	soonLostMillis = 1000

	// partitions is few, so that a layer of a small space is cheap.
	partitions = 16

	// lookInterval is how often conditions are checked, and patience how long they may
	// take: far longer than they do, even on a busy machine.
	lookInterval = 5 * time.Millisecond
	patience     = 90 * time.Second
)

// process is a coordinator or a worker.
type process struct {
	what string
	kill context.CancelFunc
	over chan struct{} // closed when it has ended
	err  error         // why, when over is closed
}

// start runs a process that ends with the test.
func start(t *testing.T, what string, run func(ctx context.Context) error) *process {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	p := &process{what: what, kill: cancel, over: make(chan struct{})}
	go func() {
		p.err = run(ctx)
		close(p.over)
	}()
	t.Cleanup(func() { p.end(t) })
	return p
}

// end kills the process and waits for it.
func (p *process) end(t *testing.T) {
	t.Helper()
	p.kill()
	<-p.over
	if p.err != nil && !errors.Is(p.err, context.Canceled) {
		t.Errorf("%s: %v", p.what, p.err)
	}
	p.err = nil // once
}

func (p *process) ended() bool {
	select {
	case <-p.over:
		return true
	default:
		return false
	}
}

// lines is a log. It is safe for concurrent use.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *lines) has(text string) bool { return strings.Contains(l.String(), text) }

// matches reports whether a line matches a pattern.
func (l *lines) matches(pattern string) bool {
	return regexp.MustCompile(pattern).MatchString(l.String())
}

// world is what one test has: machines with disks, and possibly a bucket.
type world struct {
	t      *testing.T
	bucket string // URL, empty if there is none
	disks  string
	log    *lines
	sweeps func(rules string) (sweep.Enumeration, error) // nil means those of package kinds

	divided divided // whether runs that are submitted divide a table
}

func newWorld(t *testing.T, bucketURL string) *world {
	t.Helper()
	w := &world{t: t, bucket: bucketURL, disks: t.TempDir(), log: &lines{}}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("log:\n%s", w.log)
		}
	})
	return w
}

func (w *world) disk(machine string) string { return filepath.Join(w.disks, machine) }

func (w *world) logger(machine string) *slog.Logger {
	h := slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug})
	return slog.New(h).With("machine", machine)
}

// coordinator is a coordinator with a client of it.
type coordinator struct {
	*world
	*process
	machine string
	addr    string
	client  *client.Client
	gate    *gate
	tune    func(*coordinatorserver.Options)
}

// soonLost makes workers count as lost after a second.
func soonLost(o *coordinatorserver.Options) { o.LeaseMillis = soonLostMillis }

// plaintext dials without transport security, and retries soon.
func plaintext() []grpc.DialOption {
	wait := backoff.DefaultConfig
	wait.BaseDelay, wait.MaxDelay = 10*time.Millisecond, 50*time.Millisecond
	return []grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: wait, MinConnectTimeout: time.Second}),
	}
}

// coordinator starts a coordinator. tune may be nil.
func (w *world) coordinator(machine string, tune func(*coordinatorserver.Options)) *coordinator {
	w.t.Helper()
	c := &coordinator{world: w, machine: machine, addr: "127.0.0.1:0", gate: newGate(), tune: tune}
	c.begin()
	var err error
	if c.client, err = client.Dial(c.addr, client.Options{Dial: plaintext()}); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = c.client.Close() })
	return c
}

// begin starts the coordinator, at its earlier address if it had one.
func (c *coordinator) begin() {
	c.t.Helper()
	var lis net.Listener
	c.until("the address is free", func() bool {
		var err error
		lis, err = (&net.ListenConfig{}).Listen(c.t.Context(), "tcp", c.addr)
		return err == nil
	})
	c.addr = lis.Addr().String()
	opts := coordinatorserver.Options{
		Data: c.disk(c.machine), LeaseMillis: leaseMillis, SettleMillis: 50, AloneStates: -1, SpreadStates: -1, Dial: plaintext(), Log: c.logger(c.machine),
		Sweeps: c.sweeps, Serve: []grpc.ServerOption{grpc.ChainUnaryInterceptor(c.gate.intercept)},
	}
	if c.divided.ahead {
		opts.AheadStates = 1
	}
	if c.tune != nil {
		c.tune(&opts)
	}
	c.process = start(c.t, c.machine, func(ctx context.Context) (err error) {
		if c.bucket != "" {
			opened, err := bucket.Open(context.WithoutCancel(ctx), c.bucket)
			if err != nil {
				return errors.Join(err, lis.Close())
			}
			defer func() { err = errors.Join(err, opened.Close()) }()
			opts.Bucket = opened
		}
		return coordinatorserver.Serve(ctx, lis, opts)
	})
}

// worker is a worker process.
type worker struct {
	*world
	*process
	machine string
	opts    workerserver.Options
	drain   chan struct{}
}

// worker starts a worker with a weight.
func (c *coordinator) worker(machine string, weight uint32) *worker {
	c.t.Helper()
	return c.workerWith(machine, func(o *workerserver.Options) { o.Weight = weight })
}

// workerWith starts a worker with other options. tune may be nil.
func (c *coordinator) workerWith(machine string, tune func(*workerserver.Options)) *worker {
	c.t.Helper()
	w := &worker{world: c.world, machine: machine, opts: workerserver.Options{
		Coordinator: c.addr, Data: c.disk(machine), Lanes: 2, MemoryBytes: workerserver.MemoryMin, Weight: 1,
		Dial: plaintext(), BackOffMax: 50 * time.Millisecond, Log: c.logger(machine),
		Sweeps: c.sweeps,
	}}
	if c.divided.table {
		gather(&w.opts)
	}
	if tune != nil {
		tune(&w.opts)
	}
	w.begin()
	return w
}

func (c *coordinator) workers(machines ...string) []*worker {
	c.t.Helper()
	var all []*worker
	for _, m := range machines {
		all = append(all, c.worker(m, 1))
	}
	c.present(len(machines))
	return all
}

// present waits until n workers are present.
func (c *coordinator) present(n int) {
	c.t.Helper()
	c.until("all workers are there", func() bool {
		_, there, err := c.client.List(c.t.Context())
		present := 0
		for _, w := range there {
			if w.Present {
				present++
			}
		}
		return err == nil && present >= n
	})
}

func (w *worker) begin() {
	w.drain = make(chan struct{})
	opts := w.opts
	opts.Drain = w.drain
	w.process = start(w.t, w.machine, func(ctx context.Context) error { return workerserver.Run(ctx, opts) })
}

// name returns the worker's persistent name, once it has one.
func (w *worker) name() string {
	var text []byte
	w.until(w.machine+" has a name", func() bool {
		var err error
		text, err = os.ReadFile(filepath.Join(w.opts.Data, "worker-id"))
		return err == nil
	})
	return strings.TrimSpace(string(text))
}

// loseDisk kills the worker and deletes its data.
func (w *worker) loseDisk() {
	w.t.Helper()
	w.end(w.t)
	w.wipe(w.machine)
}

func (w *world) wipe(machine string) {
	w.t.Helper()
	if err := os.RemoveAll(w.disk(machine)); err != nil {
		w.t.Fatal(err)
	}
}

// until waits until is returns true.
func (w *world) until(what string, is func() bool) {
	w.t.Helper()
	ticker := time.NewTicker(lookInterval)
	defer ticker.Stop()
	for begun := time.Now(); time.Since(begun) < patience; <-ticker.C {
		if is() {
			return
		}
	}
	w.t.Fatalf("after %v it is not so that %s", patience, what)
}

// get returns the status of a run, or nothing while the coordinator is away.
func (c *coordinator) get(run string) (client.Status, map[string]client.Worker) {
	s, list, err := c.client.Get(c.t.Context(), run)
	if err != nil {
		return client.Status{}, nil
	}
	workers := make(map[string]client.Worker, len(list))
	for _, w := range list {
		workers[w.Name] = w
	}
	return s, workers
}

// untilRun waits until is returns true for a run. It fails if the run fails.
func (c *coordinator) untilRun(run, what string, is func(s client.Status, workers map[string]client.Worker) bool) {
	c.t.Helper()
	var s client.Status
	c.until(run+" "+what, func() bool {
		var workers map[string]client.Worker
		s, workers = c.get(run)
		if is(s, workers) {
			return true
		}
		if s.State == client.Failed {
			c.t.Fatalf("before %s %s it has failed: %s", run, what, s.Failure)
		}
		return false
	})
}

// entries waits until the journal of a run has n entries.
func (c *coordinator) entries(run string, n int) {
	c.t.Helper()
	n = c.divided.entries(n)
	c.layers(run, fmt.Sprintf("has %d entries", n), func(s client.Status, _ map[string]client.Worker) bool {
		return s.Entries >= n && !s.State.Over()
	})
}

// durable waits until the bucket has n entries of a run.
func (c *coordinator) durable(run string, n int) {
	c.t.Helper()
	n = c.divided.entries(n)
	c.layers(run, fmt.Sprintf("has %d entries in the bucket", n), func(s client.Status, _ map[string]client.Worker) bool {
		return s.DurableEntries >= n && !s.State.Over()
	})
}

// submit puts a board in the queue.
func (c *coordinator) submit(run string, b *board, want history.Want) {
	c.t.Helper()
	spec := b.spec()
	if c.divided.table {
		spec.Store = history.DividedTable
	}
	if c.divided.later {
		c.explored(run, spec)
	}
	_, err := c.client.Submit(c.t.Context(), run, spec, want)
	if err != nil {
		c.t.Fatal(err)
	}
}

func everything() history.Want { return history.Want{GoalDistance: true} }

// stopped waits for the end of a run.
func (c *coordinator) stopped(run string) {
	c.t.Helper()
	c.untilRun(run, "is over", func(s client.Status, _ map[string]client.Worker) bool { return s.State == client.Stopped })
}

// exact waits for the end of a run and compares what it has found with what is known of
// the board.
func (c *coordinator) exact(run string, b *board) {
	c.t.Helper()
	c.gate.set(false)
	c.stopped(run)
	s, _ := c.get(run)
	if !s.Complete || !s.Want.GoalDistance {
		c.t.Errorf("%s is not complete: %+v", run, s)
	}
	r, err := c.client.Open(c.t.Context(), run)
	if err != nil {
		c.t.Fatal(err)
	}
	b.check(c.t, run, r.History())
	if c.bucket != "" {
		c.inBucket(run, b)
	}
	if c.divided.table {
		c.verified(r)
	}
}
