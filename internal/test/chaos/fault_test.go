//go:build linux

package chaos

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	workersMin = 3
	workersMax = 5
)

// fault is something that happens.
type fault struct {
	name   string
	weight int
	do     func(c *cluster) bool // false if it cannot happen at the moment
}

// processFaults returns the faults of processes and disks.
func processFaults() []fault {
	return []fault{
		{"worker killed, back at once", 4, (*cluster).killWorker},
		{"worker killed, back after its lease", 3, (*cluster).killWorkerLong},
		{"worker lost with its disk", 4, (*cluster).loseWorker},
		{"worker's store damaged", 5, (*cluster).damageWorker},
		{"coordinator's disk of before", 2, (*cluster).journalOfBefore},
		{"worker stands still most of the time", 1, (*cluster).stutter},
		{"worker paused for less than its lease", 1, (*cluster).pauseWorkerShort},
		{"worker paused for longer than its lease", 4, (*cluster).pauseWorker},
		{"worker drained", 2, (*cluster).drainWorker},
		{"worker added", 3, (*cluster).joinWorker},
		{"coordinator killed", 3, (*cluster).killCoordinator},
		{"coordinator paused for longer than the lease", 2, (*cluster).pauseCoordinator},
		{"coordinator lost with its disk", 3, (*cluster).loseCoordinator},
		{"everything killed", 2, (*cluster).killEverything},
		{"run paused and resumed", 1, (*cluster).restRun},
		{"second coordinator by accident", 2, (*cluster).secondCoordinator},
		{"another cluster under the same run name", 1, (*cluster).twoClusters},
		{"worker at the address of another cluster's", 2, (*cluster).misroute},
		{"entry missing in the bucket's log", 2, (*cluster).logHole},
		{"second coordinator while the first is paused", 2, (*cluster).otherCoordinator},
	}
}

// inject injects one of the faults, and returns its name, or "" if the run ended before.
func (c *cluster) inject(faults []fault) string {
	c.t.Helper()
	only := os.Getenv(onlyVariable)
	faults = slices.DeleteFunc(slices.Clone(faults), func(f fault) bool { return !strings.Contains(f.name, only) })
	total := 0
	for _, f := range faults {
		total += f.weight
	}
	for !c.settled {
		n := c.r.IntN(total)
		for _, f := range faults {
			if n -= f.weight; n >= 0 {
				continue
			}
			if f.do(c) {
				c.moved = time.Now()
				return f.name
			}
			break
		}
		c.settle()
		c.watchWorkers()
	}
	return ""
}

// where describes the progress of the run, for the diary.
func (c *cluster) where() string {
	return fmt.Sprintf("%s %s depth %d of %d states", c.run, c.last.Phase, c.last.Depth, c.last.States)
}

// anyWorker returns a running worker that was not told to leave, or nil if too few would
// be left without it.
func (c *cluster) anyWorker(leastLeft int) *worker {
	var there []*worker
	for _, w := range c.workers {
		if w.server != nil && !w.server.paused && !w.leaving && !w.server.ended() && !c.spared[w] {
			there = append(there, w)
		}
	}
	if len(there) <= leastLeft {
		return nil
	}
	return there[c.r.IntN(len(there))]
}

// crash kills a worker.
func (c *cluster) crash(w *worker) {
	c.must(w.server.kill())
	w.server, w.leaving = nil, false
}

// back starts a worker that is down.
func (c *cluster) back(w *worker) {
	if w.server == nil && slices.Contains(c.workers, w) {
		c.startWorker(w)
	}
}

func (c *cluster) killWorker() bool {
	w := c.anyWorker(1)
	if w == nil {
		return false
	}
	c.note("%s: %s killed, back at once", c.where(), w.name)
	c.crash(w)
	c.back(w)
	return true
}

func (c *cluster) killWorkerLong() bool {
	w := c.anyWorker(1)
	if w == nil {
		return false
	}
	c.note("%s: %s killed, back after its lease", c.where(), w.name)
	c.crash(w)
	c.after(between(c.r, lease*11/10, lease*5/2), w.name+" back", func() { c.back(w) })
	return true
}

func (c *cluster) loseWorker() bool {
	w := c.anyWorker(1)
	if w == nil {
		return false
	}
	again := len(c.workers) <= workersMin || c.r.IntN(3) > 0
	c.note("%s: %s lost with its disk, another one comes: %v", c.where(), w.name, again)
	c.crash(w)
	c.remove(w)
	if again {
		c.after(between(c.r, 0, lease*2), "a worker with an empty disk", func() { c.addWorker(c.main) })
	}
	return true
}

// damageWorker changes a byte of one of the files that a worker's stores consist of while
// the worker is down for a moment.
func (c *cluster) damageWorker() bool {
	w := c.anyWorker(1)
	if w == nil {
		return false
	}
	files, err := filepath.Glob(filepath.Join(w.data, "runs", "*", "db", "*"))
	c.must(err)
	files = slices.DeleteFunc(files, func(name string) bool {
		info, err := os.Stat(name)
		return err != nil || info.Size() == 0 || !strings.HasSuffix(name, ".sst") && !strings.HasSuffix(name, ".log")
	})
	if len(files) == 0 {
		return false
	}
	c.crash(w)
	name := files[c.r.IntN(len(files))]
	body, err := os.ReadFile(name)
	if err != nil || len(body) == 0 {
		c.back(w) // it was removed before the worker was killed
		return false
	}
	body[c.r.IntN(len(body))] ^= 1 << c.r.IntN(8)
	c.must(os.WriteFile(name, body, 0o600))
	w.hurt = true
	c.note("%s: %s damaged, back at once", c.where(), name)
	c.back(w)
	return true
}

// stutter stops a worker 98 % of the time, for a while.
func (c *cluster) stutter() bool {
	w := c.anyWorker(2)
	if w == nil {
		return false
	}
	d := between(c.r, lease, lease*4)
	c.note("%s: %s stands still 98 %% of the time, for %v", c.where(), w.name, d)
	p := w.server
	until := time.Now().Add(d)
	var again func()
	again = func() {
		if p.ended() {
			return
		}
		c.must(p.signal(syscall.SIGCONT))
		if time.Now().After(until) {
			return
		}
		linger(20 * time.Millisecond)
		c.must(p.signal(syscall.SIGSTOP))
		c.after(980*time.Millisecond, w.name+" goes on", again)
	}
	c.must(p.signal(syscall.SIGSTOP))
	c.after(980*time.Millisecond, w.name+" goes on", again)
	return true
}

// journalOfBefore restores the coordinator's disk as it was when this was done last, if
// ever, and keeps a copy of it for the next time.
func (c *cluster) journalOfBefore() bool {
	if !c.coordinatorThere() || c.paused {
		return false
	}
	c.must(c.main.server.kill())
	c.main.server = nil
	backup, next := filepath.Join(c.dir, "backup"), filepath.Join(c.dir, "backup.next")
	c.must(os.CopyFS(next, os.DirFS(c.main.data)))
	_, err := os.Stat(backup)
	if err == nil {
		c.must(os.RemoveAll(c.main.data))
		c.must(os.Rename(backup, c.main.data))
	}
	c.must(os.Rename(next, backup))
	c.note("%s: coordinator killed, its disk is one of before: %v", c.where(), err == nil)
	c.after(between(c.r, 0, lease), "coordinator back", func() { c.startCoordinator(c.main) })
	return true
}

func (c *cluster) pauseWorkerShort() bool {
	return c.pauseSomeWorker(lease/10, lease/2)
}

func (c *cluster) pauseWorker() bool {
	return c.pauseSomeWorker(lease*11/10, lease*5/2)
}

func (c *cluster) pauseSomeWorker(least, most time.Duration) bool {
	w := c.anyWorker(1)
	if w == nil {
		return false
	}
	d := between(c.r, least, most)
	c.note("%s: %s paused for %v", c.where(), w.name, d)
	p := w.server
	c.must(p.signal(syscall.SIGSTOP))
	c.after(d, w.name+" goes on", func() { c.must(p.signal(syscall.SIGCONT)) })
	return true
}

func (c *cluster) drainWorker() bool {
	w := c.anyWorker(workersMin - 1)
	if w == nil {
		return false
	}
	c.note("%s: %s drained", c.where(), w.name)
	w.leaving = true
	c.must(w.server.signal(syscall.SIGTERM))
	return true
}

func (c *cluster) joinWorker() bool {
	if len(c.workers) >= workersMax {
		return false
	}
	w := c.addWorker(c.main)
	c.note("%s: %s added", c.where(), w.name)
	return true
}

// coordinatorThere reports whether the coordinator can be hit.
func (c *cluster) coordinatorThere() bool { return c.main.server != nil && !c.main.server.paused }

// calm waits until all faults have been undone. It returns false if the run has ended.
func (c *cluster) calm() bool {
	c.t.Helper()
	for !c.settled && (!c.healthy() || !c.coordinatorThere()) {
		c.pass(pollInterval)
	}
	return !c.settled
}

func (c *cluster) killCoordinator() bool {
	if !c.coordinatorThere() {
		return false
	}
	c.note("%s: coordinator killed", c.where())
	c.must(c.main.server.kill())
	c.main.server = nil
	c.after(between(c.r, 0, lease*3/2), "coordinator back", func() { c.startCoordinator(c.main) })
	return true
}

func (c *cluster) pauseCoordinator() bool {
	if !c.coordinatorThere() {
		return false
	}
	d := between(c.r, lease*11/10, lease*2)
	c.note("%s: coordinator paused for %v", c.where(), d)
	p := c.main.server
	c.must(p.signal(syscall.SIGSTOP))
	c.after(d, "coordinator goes on", func() { c.must(p.signal(syscall.SIGCONT)) })
	return true
}

func (c *cluster) loseCoordinator() bool {
	if !c.coordinatorThere() || c.paused {
		return false
	}
	c.note("%s: coordinator lost with its disk", c.where())
	c.must(c.main.server.kill())
	c.main.server = nil
	c.must(os.RemoveAll(c.main.data))
	c.after(between(c.r, 0, lease*3/2), "coordinator with an empty disk", func() {
		c.main.adopt = true
		c.startCoordinator(c.main)
	})
	return true
}

// killEverything kills all processes and removes some disks.
func (c *cluster) killEverything() bool {
	if !c.calm() {
		return false
	}
	var lost []string
	c.must(c.main.server.kill())
	c.main.server = nil
	if c.r.IntN(3) == 0 {
		c.must(os.RemoveAll(c.main.data))
		c.main.adopt = true
		lost = append(lost, c.main.name)
	}
	all := c.r.IntN(4) == 0
	for _, w := range slices.Clone(c.workers) {
		if w.server != nil {
			c.crash(w)
		}
		switch {
		case all || c.r.IntN(3) == 0:
			lost = append(lost, w.name)
			c.remove(w)
			c.after(between(c.r, 0, lease*2), "a worker with an empty disk", func() { c.addWorker(c.main) })
		default:
			c.after(between(c.r, 0, lease*2), w.name+" back", func() { c.back(w) })
		}
	}
	c.after(between(c.r, 0, lease*2), "coordinator back", func() { c.startCoordinator(c.main) })
	c.note("%s: everything killed, disks lost: %s", c.where(), strings.Join(lost, ", "))
	return true
}

// restRun pauses the run and resumes it.
func (c *cluster) restRun() bool {
	if !c.calm() {
		return false
	}
	run := c.main.addr() + "/" + c.run
	a := c.ask(c.main, "pause", run)
	if a.code != 0 {
		return false
	}
	d := between(c.r, 0, lease*2)
	c.note("%s: paused by command for %v", c.where(), d)
	c.paused = true
	c.after(d, "run resumed", func() { c.resume(c.main) })
	return true
}

// resume resumes the run, and retries until there is an answer.
func (c *cluster) resume(o *coordinator) {
	a := c.ask(o, "resume", o.addr()+"/"+c.run)
	if a.code == 0 {
		c.paused = false
		return
	}
	c.note("  cannot resume yet: %s", strings.TrimSpace(a.errs))
	c.after(lease/2, "run resumed", func() { c.resume(o) })
}

// stopsLine is what a coordinator says that has lost a run to another.
const stopsLine = "is working on this run"

// secondCoordinator starts a second coordinator by accident.
func (c *cluster) secondCoordinator() bool {
	if !c.calm() || c.last.Durable < 3 {
		return false
	}
	c.rivalry(c.main.host, func() {})
	return true
}

// otherCoordinator starts a second coordinator because the first seems to be dead but is
// not.
func (c *cluster) otherCoordinator() bool {
	if !c.calm() || c.last.Durable < 3 {
		return false
	}
	c.must(c.main.server.signal(syscall.SIGSTOP))
	c.note("%s: the coordinator is paused", c.where())
	c.rivalry(c.main.host, func() {
		linger(between(c.r, lease, lease*4))
		c.must(c.main.server.signal(syscall.SIGCONT))
		c.note("  the coordinator goes on")
	})
	return true
}

// rivalry starts a second coordinator on the same bucket, with a worker of its own. Once
// they have met, at most one of them continues the run, and the other says so. Then the
// second one is killed, or may finish first, and the first continues.
func (c *cluster) rivalry(h host, meet func()) {
	c.t.Helper()
	c.seconds++
	second := c.newCoordinator(fmt.Sprintf("second-%d", c.seconds), h)
	second.adopt = true
	c.note("%s: %s started", c.where(), second.name)
	c.startCoordinator(second)
	w := c.addWorker(second)
	meet()
	winner := c.oneOf(second)
	if winner == second && c.r.IntN(2) == 0 {
		c.waitFor(second)
	}
	c.note("  %s killed", second.name)
	c.must(second.server.kill())
	c.must(w.server.kill())
	if winner == second {
		c.paused = true
		c.resume(c.main)
	}
	c.must(os.RemoveAll(w.data))
}

// oneOf waits until one of the two coordinators has found out about the other, or has
// completed the run, and returns the one that then has the run.
func (c *cluster) oneOf(second *coordinator) *coordinator {
	c.t.Helper()
	for deadline := time.Now().Add(stillMax); ; linger(pollInterval) {
		c.watchWorkers()
		first, firstAnswer, ok1 := c.status(c.main)
		other, otherAnswer, ok2 := c.status(second)
		lost1, lost2 := ok1 && lost(first), ok2 && lost(other)
		switch {
		case lost1 && lost2:
			c.fatal("both coordinators have stopped:\n%v\n%v", firstAnswer, otherAnswer)
		case lost1 && ok2:
			c.note("  the first has stopped: %s", *first.Failure)
			c.said(c.main)
			return second
		case lost2:
			c.note("  the second has stopped: %s", *other.Failure)
			c.said(second)
			return c.main
		case ok1 && first.Complete:
			c.note("  the first has come to the end")
			return c.main
		case time.Now().After(deadline):
			c.fatal("after %v both coordinators go on:\n%v\n%v", stillMax, firstAnswer, otherAnswer)
		}
	}
}

// lost reports whether a coordinator has found out that a run is another's.
func lost(s status) bool {
	return s.State == "failed" && s.Failure != nil && strings.Contains(*s.Failure, stopsLine)
}

// said checks that the coordinator's log has the line that says so.
func (c *cluster) said(o *coordinator) {
	c.t.Helper()
	body, err := os.ReadFile(filepath.Join(c.dir, "logs", o.name))
	c.must(err)
	if !strings.Contains(string(body), stopsLine) {
		c.fatal("the log of %s does not say that another one works on the run", o.name)
	}
}

// waitFor waits until a coordinator that is not the main one has completed the
// run, and checks it.
func (c *cluster) waitFor(o *coordinator) {
	c.t.Helper()
	for deadline := time.Now().Add(2 * stillMax); ; linger(pollInterval) {
		s, a, ok := c.status(o)
		switch {
		case ok && s.State == "stopped" && s.Complete && c.check(o):
			return
		case ok && s.State == "failed", time.Now().After(deadline):
			c.fatal("%s does not complete the run: %v", o.name, a)
		}
		c.watchWorkers()
	}
}
