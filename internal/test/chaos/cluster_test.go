//go:build linux

package chaos

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	lease        = 2 * time.Second
	workerMemory = "96MiB"

	// pollInterval is how often a run's progress is checked.
	pollInterval = 250 * time.Millisecond

	// stillMax is how long a run may make no progress when everybody is there, and
	// drainMax how long a worker may take to leave.
	stillMax = 60 * time.Second
	drainMax = 90 * time.Second

	// importMax is how long a coordinator may take to read the bucket.
	importMax = 3 * time.Second

	tailLines = 60 // of each log, when a test fails
)

// host is where a process runs.
type host struct {
	name string
	ip   string
	wrap []string // words put before a command to run it there
	port string   // of the switch, in a network of hosts
}

func thisMachine() host { return host{name: "localhost", ip: "127.0.0.1"} }

// freePort returns a port that is free at this moment.
func freePort(t *testing.T) int {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer lis.Close() //nolint:errcheck // Nothing was sent.
	return lis.Addr().(*net.TCPAddr).Port
}

// credentials are flags and environment variables that identify a caller.
type credentials struct {
	coordinator, worker []string // flags
	operator            []string // environment
}

// coordinator is a coordinator, which may be down.
type coordinator struct {
	name   string
	host   host
	port   int
	data   string
	adopt  bool
	bucket string   // empty for that of the cluster
	server *process // nil while it is down
	began  time.Time
}

func (c *coordinator) addr() string { return net.JoinHostPort(c.host.ip, strconv.Itoa(c.port)) }

// worker is a worker, which may be down.
type worker struct {
	name    string
	host    host
	at      *coordinator
	data    string
	server  *process // nil while it is down
	flags   []string // besides the usual ones
	leaving bool     // it was told to drain
	hurt    bool     // its disk was damaged: Pebble may have to be started again
}

// cluster is a coordinator, workers and a bucket, and what is currently wrong with them.
type cluster struct {
	t       *testing.T
	r       *rand.Rand
	diary   *diary
	dir     string
	bucket  string
	callers credentials
	place   func(name string) host // where a new worker runs

	main    *coordinator
	workers []*worker
	made    int // workers made so far
	seconds int // coordinators started by accident so far
	servers []*process

	later []deed // sorted by time

	file     string
	expected map[bool]findings // by whether goal distances were asked for
	runs     int
	run      string // the run under way
	goal     bool   // whether its goal distances were asked for
	paused   bool   // by us
	last     status
	moved    time.Time                  // when the run last made progress, or something was done
	hits     []hit                      // faults since which the run has not been seen to go on
	took     map[string][]time.Duration // from each fault until the next progress
	finished int
	settled  bool // whether the latest run has ended

	// Of a soak: workers that nothing ends, whether runs are always deleted, and what
	// looks at the processes, nil for nothing.
	spared map[*worker]bool
	tidy   bool
	look   func()
}

// deed is something to do later, mostly to undo a fault.
type deed struct {
	at   time.Time
	what string
	do   func()
}

// status is the part of the output of `everystate status` that matters here.
type status struct {
	State      string  `json:"state"`
	Phase      string  `json:"phase"`
	Depth      int     `json:"depth"`
	States     int64   `json:"states"`
	Expanded   int64   `json:"expanded"`
	Written    int64   `json:"written"`
	Complete   bool    `json:"complete"`
	WaitingFor *string `json:"waiting_for"`
	Failure    *string `json:"failure"`
	Durable    int64   `json:"durable_entries"`
}

// newCluster makes a cluster without starting it. It ends with the test, and its
// directory is removed unless the test has failed.
func newCluster(t *testing.T, seed uint64) *cluster {
	t.Helper()
	dir, err := os.MkdirTemp(os.Getenv(dirVariable), "everystate-chaos-") //nolint:usetesting // It stays if the test fails.
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{
		t: t, r: rand.New(rand.NewPCG(seed, 0)), diary: &diary{}, dir: dir, bucket: "file://" + filepath.Join(dir, "bucket"),
		place: func(string) host { return thisMachine() }, took: make(map[string][]time.Duration), file: board(t), moved: time.Now(), settled: true,
	}
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "bucket"), 0o755), os.Mkdir(filepath.Join(dir, "logs"), 0o755)); err != nil {
		t.Fatal(err)
	}
	c.diary.note(t, "%s=%d directory %s", seedVariable, seed, dir)
	t.Cleanup(func() { c.end(seed) })
	return c
}

// end ends all processes, and prints what is needed to find out why a test failed.
func (c *cluster) end(seed uint64) {
	t := c.t
	if t.Failed() {
		for _, p := range c.servers {
			if !p.ended() { // its log then says what it is at
				_ = errors.Join(p.signal(syscall.SIGCONT), p.signal(syscall.SIGQUIT))
			}
		}
		linger(time.Second)
	}
	for _, p := range c.servers {
		if err := p.kill(); err != nil {
			t.Error(err)
		}
	}
	c.lookForTraces()
	if !t.Failed() {
		if err := os.RemoveAll(c.dir); err != nil {
			t.Error(err)
		}
		return
	}
	t.Logf("%s=%d; everything is in %s\n%s", seedVariable, seed, c.dir, c.diary)
	logs, err := filepath.Glob(filepath.Join(c.dir, "logs", "*"))
	if err != nil {
		t.Error(err)
	}
	for _, log := range logs {
		t.Logf("end of %s\n%s", log, tail(log, tailLines))
	}
}

// traceAsked marks a stack trace in a log that we have asked for.
const traceAsked = "SIGQUIT: quit"

// lookForTraces checks that the logs have no stack traces.
func (c *cluster) lookForTraces() {
	logs, err := filepath.Glob(filepath.Join(c.dir, "logs", "*"))
	if err != nil {
		c.t.Error(err)
	}
	for _, log := range logs {
		body, err := os.ReadFile(log)
		if err != nil {
			c.t.Error(err)
			continue
		}
		before, _, _ := strings.Cut(string(body), traceAsked)
		for _, trace := range []string{"panic:", "fatal error:", "internal error", "DATA RACE"} {
			if strings.Contains(before, trace) {
				c.t.Errorf("%s has %q", log, trace)
			}
		}
	}
}

func (c *cluster) note(format string, args ...any) {
	c.t.Helper()
	c.diary.note(c.t, format, args...)
}

func (c *cluster) fatal(format string, args ...any) {
	c.t.Helper()
	c.note("FAILED: "+format, args...)
	c.t.FailNow()
}

func (c *cluster) must(err error) {
	c.t.Helper()
	if err != nil {
		c.fatal("%v", err)
	}
}

// launch starts a server and remembers it.
func (c *cluster) launch(name string, h host, args ...string) *process {
	c.t.Helper()
	p, err := launch(name, filepath.Join(c.dir, "logs", name), h.wrap, nil, args...)
	c.must(err)
	c.servers = append(c.servers, p)
	return p
}

// newCoordinator makes a coordinator that is down.
func (c *cluster) newCoordinator(name string, h host) *coordinator {
	c.t.Helper()
	return &coordinator{name: name, host: h, port: freePort(c.t), data: filepath.Join(c.dir, name)}
}

func (c *cluster) startCoordinator(o *coordinator) {
	c.t.Helper()
	args := []string{"coordinator", "--listen", o.addr(), "--data", o.data, "--bucket", cmp.Or(o.bucket, c.bucket), "--lease", lease.String()}
	if o.adopt {
		args = append(args, "--adopt")
	}
	o.server, o.began = c.launch(o.name, o.host, append(args, c.callers.coordinator...)...), time.Now()
}

// startFirst starts the main coordinator and the first workers, and waits until
// the coordinator answers.
func (c *cluster) startFirst(h host) {
	c.t.Helper()
	c.main = c.newCoordinator("coordinator", h)
	c.startCoordinator(c.main)
	for range workersFirst {
		c.addWorker(c.main)
	}
	for deadline := time.Now().Add(stillMax); ; linger(pollInterval) {
		a := c.ask(c.main, "runs", c.main.addr())
		if a.code == 0 {
			return
		}
		if time.Now().After(deadline) {
			c.fatal("the coordinator does not answer: %v", a)
		}
	}
}

// addWorker makes a worker with an empty disk, and starts it.
func (c *cluster) addWorker(at *coordinator) *worker {
	c.t.Helper()
	c.made++
	name := fmt.Sprintf("worker-%d", c.made)
	w := &worker{name: name, host: c.place(name), at: at, data: filepath.Join(c.dir, name)}
	c.startWorker(w)
	if at == c.main {
		c.workers = append(c.workers, w)
	}
	return w
}

func (c *cluster) startWorker(w *worker) {
	c.t.Helper()
	args := []string{
		"worker", "--coordinator", w.at.addr(), "--listen", net.JoinHostPort(w.host.ip, "0"), "--data", w.data,
		"--memory", workerMemory, "--lanes", "1", "--machine", w.name, // or not all of them would have partitions
	}
	args = append(args, w.flags...) // the last one of a name counts
	w.server = c.launch(w.name, w.host, append(args, c.callers.worker...)...)
}

// ask runs a command that calls a coordinator.
func (c *cluster) ask(o *coordinator, args ...string) answer {
	return ask(commandTimeMax, o.host.wrap, append(c.callers.operator, "EVERYSTATE_COORDINATOR="+o.addr()), args...)
}

// status returns the status of the run. It is not ok if there is no answer.
func (c *cluster) status(o *coordinator) (s status, a answer, ok bool) {
	a = c.ask(o, "status", o.addr()+"/"+c.run, "--json")
	return s, a, a.code == 0 && json.Unmarshal([]byte(a.out), &s) == nil
}

// submit submits a new run.
func (c *cluster) submit() {
	c.t.Helper()
	c.runs++
	c.run, c.goal = fmt.Sprintf("run-%d", c.runs), c.r.IntN(3) == 0
	c.settled = false
	c.resubmit()
}

func (c *cluster) resubmit() {
	c.t.Helper()
	args := []string{"submit", c.file, "--name", c.run, "--json"}
	if c.goal {
		args = append(args, "--goal-distance")
	}
	a := c.ask(c.main, args...)
	c.note("submit %s goal-distance=%v: exit code %d %s", c.run, c.goal, a.code, strings.TrimSpace(a.errs))
}

// after schedules something to be done after a while.
func (c *cluster) after(d time.Duration, what string, do func()) {
	c.later = append(c.later, deed{time.Now().Add(d), what, do})
	slices.SortStableFunc(c.later, func(a, b deed) int { return a.at.Compare(b.at) })
}

// settle does what is due.
func (c *cluster) settle() {
	for len(c.later) > 0 && !c.later[0].at.After(time.Now()) {
		d := c.later[0]
		c.later = c.later[1:]
		c.note("  %s", d.what)
		d.do()
		c.moved = time.Now()
	}
}

// healthy reports whether no fault has yet to be undone.
func (c *cluster) healthy() bool { return len(c.later) == 0 && !c.paused }

// pass lets time pass while watching the run. It returns early when the run has ended.
func (c *cluster) pass(d time.Duration) {
	c.t.Helper()
	until := time.Now().Add(d)
	for !c.settled && time.Now().Before(until) {
		c.settle()
		c.watch()
		if !c.settled {
			linger(min(pollInterval, max(0, time.Until(until))))
		}
	}
}

// watch checks the progress of the run.
func (c *cluster) watch() {
	c.t.Helper()
	if c.look != nil {
		c.look()
	}
	c.watchWorkers()
	if c.main.server == nil || c.main.server.paused {
		return
	}
	if c.main.server.ended() {
		c.fatal("the coordinator has ended by itself: %v", c.main.server.cmd.ProcessState)
	}
	s, a, ok := c.status(c.main)
	switch {
	case !ok && a.code == 2:
		// Submitted to a coordinator whose disk was lost before the bucket had it, if
		// it was not only started just now and has not seen the bucket yet.
		if time.Since(c.main.began) < importMax {
			return
		}
		c.note("  the run is not known: %s", strings.TrimSpace(a.errs))
		c.resubmit()
		return
	case !ok:
		if time.Since(c.moved) > stillMax && c.healthy() {
			c.fatal("no answer: %v", a)
		}
		return
	}
	if s != c.lastWithout(s) {
		c.moved = time.Now()
	}
	c.wentOn(s)
	c.last = s
	switch s.State {
	case "failed":
		c.fatal("the run failed: %s", *s.Failure)
	case "cancelled":
		c.fatal("the run was cancelled")
	case "paused":
		if !c.paused {
			c.note("  the run rests: %v", c.ask(c.main, "resume", c.main.addr()+"/"+c.run))
		}
	case "stopped":
		if !s.Complete {
			c.fatal("the run stopped without being complete: %+v", s)
		}
		if c.check(c.main) {
			c.settled = true
			c.finished++
			c.prove()
		}
	}
	if time.Since(c.moved) > stillMax && c.healthy() && !c.settled {
		c.fatal("the run has stood still for %v: %v", stillMax, c.ask(c.main, "status", c.main.addr()+"/"+c.run))
	}
}

// hit is a fault that was done, and the first status of the run after it.
type hit struct {
	what string
	at   time.Time
	seen *status
}

// wentOn notes how long after each fault the run has made a layer that it did not have
// when it was first asked after the fault. Further faults may have come in between.
func (c *cluster) wentOn(s status) {
	c.hits = slices.DeleteFunc(c.hits, func(h hit) bool {
		on := s.Complete || h.seen != nil && (s.Phase != h.seen.Phase || s.Depth > h.seen.Depth)
		if on {
			c.took[h.what] = append(c.took[h.what], time.Since(h.at))
		}
		return on
	})
	for i := range c.hits {
		if c.hits[i].seen == nil {
			c.hits[i].seen = &s
		}
	}
}

// prove has the cluster prove that the run is complete, once all are there.
func (c *cluster) prove() {
	c.t.Helper()
	for deadline := time.Now().Add(verifyTimeMax); ; linger(pollInterval) {
		c.settle()
		c.watchWorkers()
		if !c.healthy() || c.main.server == nil || c.main.server.paused {
			continue
		}
		a := ask(verifyTimeMax, c.main.host.wrap, c.callers.operator, "verify", c.main.addr()+"/"+c.run, "--complete", "--quiet", "--json")
		switch {
		case a.code == 0 && strings.Contains(a.out, `"sound":true`):
			c.note("%s is proved complete", c.run)
			c.moved = time.Now()
			return
		case strings.Contains(a.errs+a.out, "everystate resume "): // its keepers are gone, and the message says what helps
			c.note("  resumed, to be verified: %v", c.ask(c.main, "resume", c.main.addr()+"/"+c.run, "--wait", "--quiet"))
		case time.Now().After(deadline):
			c.fatal("%s is not proved complete: %v", c.run, a)
		default:
			c.note("  cannot be verified yet: %v", a)
		}
	}
}

// lastWithout returns the last known status of the run, with the texts of s.
func (c *cluster) lastWithout(s status) status {
	l := c.last
	l.WaitingFor, l.Failure = s.WaitingFor, s.Failure
	return l
}

// watchWorkers checks that workers are running unless they were told to leave.
func (c *cluster) watchWorkers() {
	c.t.Helper()
	for _, w := range slices.Clone(c.workers) {
		switch {
		case w.server == nil || !w.server.ended():
		case w.leaving && w.server.cmd.ProcessState.Success():
			c.note("  %s has left", w.name)
			c.remove(w)
		case w.hurt:
			c.note("  %s has ended, and is started again", w.name)
			w.server, w.leaving = nil, false
			c.back(w)
		default:
			c.fatal("%s has ended by itself: %v\n%s", w.name, w.server.cmd.ProcessState, tail(w.server.file, tailLines))
		}
	}
}

// remove forgets a worker that is down, and its disk.
func (c *cluster) remove(w *worker) {
	c.t.Helper()
	c.workers = slices.DeleteFunc(c.workers, func(o *worker) bool { return o == w })
	c.must(os.RemoveAll(w.data))
}

// check checks that the run completed by a coordinator is as expected. It is not ok if
// that cannot be determined yet.
func (c *cluster) check(o *coordinator) (ok bool) {
	c.t.Helper()
	run := o.addr() + "/" + c.run
	a := c.ask(o, "watch", run, "--json", "--quiet")
	got, err := findingsOf(a)
	if err != nil {
		c.note("  cannot be told yet: %s", strings.TrimSpace(a.errs))
		if strings.Contains(a.errs, "everystate resume ") {
			a = c.ask(o, "resume", run)
			c.note("  resumed: exit code %d %s%s", a.code, a.out, a.errs)
		}
		return false
	}
	if want := c.expected[c.goal]; !got.equal(want) {
		c.fatal("%s is\n%+v, want\n%+v", c.run, got, want)
	}
	c.note("%s has the right digest: %s", c.run, got.Digest)
	return true
}
