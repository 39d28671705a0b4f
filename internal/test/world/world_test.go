package world

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"

	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/history"
	coordinatorserver "github.com/everystate/everystate/coordinator/server"
	"github.com/everystate/everystate/store/bucket"
	"github.com/everystate/everystate/store/bucket/cloudtest"
	workerserver "github.com/everystate/everystate/worker/server"
)

const (
	run       = "run"
	bucketURL = "s3://simulated"

	coordinatorPort = 7000
	workerPort      = 7001

	// lease is short, so that a worker is soon taken to be lost.
	leaseMillis = 3000

	// scrubMillis is how often the bucket is compared with the log, and what is kept is read
	// again.
	scrubMillis = 30_000

	// connectMax bounds the time between two tries to connect.
	connectMax = 3 * time.Second
)

// world is everything that there is in one simulation. Its methods belong to the
// goroutine of the test, but for those that say otherwise.
type world struct {
	seed  uint64
	dice  dice
	begun time.Time
	truth *truth
	keep  history.Keep // which layers the run keeps
	store history.Store
	// gather is how many states workers let gather before they put them into a table.
	gather int64
	net    *network
	cloud  *cloudtest.Cloud // nil if there is no bucket

	coordinators []*machine // the last one is the one that counts
	workers      []*machine
	started      int
	dead         sync.WaitGroup // processes that were killed and have not noticed yet

	trouble   troubles
	watch     *observer
	chaos     *draw // what faults are drawn from
	calm      bool
	mended    time.Time // when there was calm
	ends      []ending
	faults    int
	lived     time.Duration                      // virtual
	parked    bool                               // some goroutines of stores never end
	submitted bool                               // belongs to the observer
	slice     int                                // of a run in the queue, in milliseconds
	alone     int64                              // states up to which a worker makes layers alone
	spread    int64                              // states up to which all partitions are kept by one
	ahead     int64                              // states from which partitions are fetched ahead of their move
	slow      func(op, key string) time.Duration // how much later the bucket answers, nil for never

	alive atomic.Int64 // seconds of virtual time so far

	mu      sync.Mutex // guards the fields below
	trace   []string
	count   map[string]int
	failure string
	several bool // there is or was more than one coordinator
	bent    bool // a worker's store was damaged: without a bucket, layers are made again
}

// troubles are how often requests to the bucket and calls go wrong, once in so many
// times; 0 is never. They change while processes ask.
type troubles struct {
	mu     sync.Mutex
	bucket int
	away   bool
	calls  int
}

func (t *troubles) set(f func(t *troubles)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f(t)
}

func (t *troubles) get() (bucket int, away bool, calls int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bucket, t.away, t.calls
}

// logf notes what happens, with the time. Any goroutine may call it.
func (w *world) logf(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.trace = append(w.trace, fmt.Sprintf("%12v  ", time.Since(w.begun).Round(time.Microsecond))+fmt.Sprintf(format, args...))
}

// counts counts something, for the report. Any goroutine may call it.
func (w *world) counts(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count[what]++
}

// fail ends the simulation. The first reason counts. Any goroutine may call it.
func (w *world) fail(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.logf("FAILURE: %s", text)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failure == "" {
		w.failure = text
	}
}

func (w *world) failed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failure != ""
}

// machine is a computer with a disk, and the process that it is for.
type machine struct {
	*world
	what    string
	host    string
	worker  bool
	disk    *disk
	proc    *process
	again   time.Time // when somebody starts it again; zero if nobody does
	left    bool      // it has drained
	spoiled int       // how often it has lost what was durable
	boss    *machine  // a worker's coordinator

	frozen atomic.Int64 // for how many nanoseconds its processes stood still
}

func (m *machine) addr() string { return net.JoinHostPort(m.host, strconv.Itoa(coordinatorPort)) }

// stood returns how long a process on the machine has stood still.
func (m *machine) stood() time.Duration { return time.Duration(m.frozen.Load()) }

// process is one that was started on a machine.
type process struct {
	name  string
	stack *stack
	stop  context.CancelFunc
	drain chan struct{}
	over  chan struct{} // closed when it has ended
	err   error         // why, when over is closed

	mu    sync.Mutex
	dead  bool
	asked map[string]int             // requests to the bucket, and calls
	sent  map[string][]proto.Message // the last stream of candidates to each address
}

func (w *world) newMachine(what, host string, worker bool) *machine {
	return &machine{world: w, what: what, host: host, worker: worker, disk: newDisk()}
}

// comes adds a worker, which starts at once.
func (w *world) comes() *machine {
	n := len(w.workers) + 1
	m := w.newMachine(fmt.Sprint("worker ", n), fmt.Sprintf("10.0.1.%d", n), true)
	m.boss = w.coordinators[len(w.coordinators)-1]
	w.workers = append(w.workers, m)
	m.start()
	return m
}

// coordinate adds a coordinator, which starts at once.
func (w *world) coordinate() *machine {
	n := len(w.coordinators) + 1
	m := w.newMachine(fmt.Sprint("coordinator ", n), fmt.Sprintf("10.0.0.%d", n), false)
	w.coordinators = append(w.coordinators, m)
	w.mu.Lock()
	w.several = n > 1
	w.mu.Unlock()
	m.start()
	return m
}

// start starts a process on a machine that has none.
func (m *machine) start() {
	w := m.world
	w.started++
	m.again = time.Time{}
	p := &process{
		name: fmt.Sprintf("%s/%d", m.what, w.started), stack: w.net.stack(m.host), drain: make(chan struct{}),
		over: make(chan struct{}), asked: make(map[string]int), sent: make(map[string][]proto.Message),
	}
	port := coordinatorPort
	if m.worker {
		port = workerPort
	}
	lis, err := p.stack.listen(port)
	if err != nil {
		w.fail("%s: %v", m.what, err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	p.stop, m.proc = stop, p
	w.logf("%s starts", p.name)
	log := slog.New(slog.NewTextHandler(&logLines{w, p.name}, &slog.HandlerOptions{Level: slog.LevelDebug}))
	random := w.dice.of("random", p.name)
	var mu sync.Mutex
	draw := func() uint64 {
		mu.Lock()
		defer mu.Unlock()
		return random.next()
	}
	files, boss := m.disk.fs(), m.boss
	weight := uint32(1 + w.dice.of("weight", m.what).n(3))
	go func() {
		defer close(p.over)
		if m.worker {
			p.err = workerserver.Run(ctx, workerserver.Options{
				Coordinator: "passthrough:///" + boss.addr(), Data: "/data", FS: files, Listener: lis,
				Buckets: func(_ context.Context, url string) (*bucket.Bucket, error) { return w.open(p, url) },
				Random:  draw, Lanes: 2, Machine: fmt.Sprint(w.dice.of("machine", m.what).n(3)), Cores: 4, MemoryBytes: workerserver.MemoryMin, Weight: weight, GatherStates: w.gather,
				Dial: w.dial(p), Drain: p.drain, Log: log, ScrubEvery: scrubMillis * time.Millisecond, Stood: m.stood,
			})
			return
		}
		opts := coordinatorserver.Options{
			Data: "/data", FS: files, Random: draw, LeaseMillis: leaseMillis, SettleMillis: 500, ScrubMillis: scrubMillis, RereadMillis: scrubMillis, SliceMillis: w.slice, AloneStates: w.alone, SpreadStates: w.spread, AheadStates: w.ahead, Adopt: true,
			Dial: w.dial(p), Log: log,
		}
		if w.cloud != nil {
			if opts.Bucket, p.err = w.open(p, bucketURL); p.err != nil {
				return
			}
		}
		p.err = coordinatorserver.Serve(ctx, lis, opts)
		if opts.Bucket != nil {
			p.err = errors.Join(p.err, opts.Bucket.Close())
		}
	}()
}

// unbalanced is what a coordinator says when what was taken is not what was sent. The
// core catches that, and makes the attempt again; but no connection here loses or
// repeats anything, so that somebody must have made a mistake.
const unbalanced = "layer not committed"

// logLines puts what a process logs into the trace.
type logLines struct {
	*world
	name string
}

func (l *logLines) Write(b []byte) (int, error) {
	_, text, _ := strings.Cut(strings.TrimSuffix(string(b), "\n"), "level=")
	l.logf("%s: %s", l.name, text)
	if strings.Contains(text, "partitions are fetched ahead") {
		l.counts("partitions fetched ahead")
	}
	if strings.Contains(text, "remaining records of partitions are restored") {
		l.counts("partitions restored while the run goes on")
	}
	if strings.Contains(text, unbalanced) {
		l.fail("candidates got lost, were taken twice, or went to another attempt, and only the tallies have shown it: %s", text)
	}
	return len(b), nil
}

// end has a process end in order, and waits for it.
func (m *machine) end() {
	if m.proc == nil {
		return
	}
	m.proc.stop()
	<-m.proc.over
	m.proc.stack.cut(true)
	m.proc = nil
}

// kill ends a process without anything that it could do about it. With power, its
// machine goes with it: others hear nothing any more, and of what was not synced some
// is lost.
func (m *machine) kill(power bool, r *draw) {
	p := m.proc
	if p == nil {
		return
	}
	w := m.world
	m.proc = nil
	unsynced := 100
	if power {
		unsynced = []int{0, 50, 90}[r.n(3)]
	}
	p.mu.Lock()
	p.dead = true
	p.mu.Unlock()
	p.stack.cut(!power)
	m.disk.detach(unsynced, r)
	p.stop()
	w.dead.Go(func() { <-p.over })
}

// dial returns how a process calls others.
func (w *world) dial(p *process) []grpc.DialOption {
	wait := backoff.DefaultConfig
	wait.Jitter, wait.MaxDelay = 0, connectMax
	return []grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(p.stack.dial),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: wait, MinConnectTimeout: connectMax}),
		grpc.WithUnaryInterceptor(w.carry(p)),
		grpc.WithStreamInterceptor(w.carryStream(p)),
	}
}

// number returns how often a process has asked for something.
func (p *process) number(what string) (n int, dead bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked[what]++
	return p.asked[what], p.dead
}

// supervise starts the processes again that have ended, as systemd or Kubernetes
// would, and those whose time has come.
func (w *world) supervise() {
	for _, m := range append(append([]*machine{}, w.coordinators...), w.workers...) {
		if p := m.proc; p != nil {
			select {
			case <-p.over:
				w.ended(m, p)
			default:
			}
		}
		if m.proc == nil && !m.again.IsZero() && !time.Now().Before(m.again) {
			m.start()
		}
	}
}

// ended notes that a process has ended by itself.
func (w *world) ended(m *machine, p *process) {
	w.logf("%s has ended: %v", p.name, p.err)
	p.stack.cut(true)
	m.proc = nil
	select {
	case <-p.drain:
		if p.err == nil {
			w.counts("drained")
			m.left = true
			return
		}
	default:
	}
	w.counts("ended by itself")
	m.disk.detach(100, w.dice.of("ended", p.name)) // what it has parked has its files open
	m.again = time.Now().Add(2 * time.Second)
}

// newClient returns a client of a coordinator.
func (w *world) newClient(m *machine, host string) (*client.Client, *process, error) {
	p := &process{name: host, stack: w.net.stack(host), asked: make(map[string]int)}
	c, err := client.Dial(m.addr(), client.Options{Dial: w.dial(p)})
	return c, p, err
}

func (w *world) spec() history.Spec {
	b := w.truth.board
	return history.Spec{Family: b.Family, Name: "simulated", Metric: b.Metric, Text: b.Text, Partitions: partitions, Keep: w.keep, Store: w.store}
}

// everything is what the run is asked for.
func (w *world) everything() history.Want {
	want := w.truth.everything()
	want.GoalDistance = want.GoalDistance && !w.keep.Frontier
	return want
}

// spoilt returns how often a coordinator has lost what was durable, and whether there
// is or was another one, or layers may be made again. Any goroutine may call it.
func (m *machine) spoilt() (times int, others bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.spoiled, m.several || m.bent && m.cloud == nil
}
