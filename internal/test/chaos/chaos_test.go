//go:build linux

package chaos

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	faultsDefault = 50
	workersFirst  = 4

	// How long a fault and the end may take before the test is taken to hang.
	timeOfFaultMax = 25 * time.Second
	timeOfEndMax   = 5 * time.Minute
	verifyTimeMax  = 10 * time.Minute
)

// TestProcesses makes processes and disks fail.
func TestProcesses(t *testing.T) {
	onlyWhenAsked(t)
	c := newCluster(t, seedOf(t))
	c.expect()
	c.startFirst(thisMachine())
	c.suffer(processFaults(), int(number(t, faultsVariable, faultsDefault)))
}

// expect finds out what the runs must find.
func (c *cluster) expect() {
	c.t.Helper()
	c.expected = undisturbed(c.t, c.file)
	c.note("%s has %d states; undisturbed, the digest is %s, with goal distances %s",
		c.file, c.expected[false].States, c.expected[false].Digest, c.expected[true].Digest)
}

// suffer injects n faults while runs are under way, and waits for the last run to end.
func (c *cluster) suffer(faults []fault, n int) {
	c.t.Helper()
	counts := make(map[string]int)
	deadline := time.Now().Add(time.Duration(n)*timeOfFaultMax + timeOfEndMax)
	began := time.Now()
	for done := 0; done < n; {
		if c.settled {
			c.next()
		}
		c.pass(between(c.r, 0, lease*3/2))
		if c.settled {
			continue
		}
		if what := c.inject(faults); what != "" {
			counts[what]++
			done++
			c.hits = append(c.hits, hit{what: what, at: time.Now()})
		}
		if time.Now().After(deadline) {
			c.fatal("%d faults took %v", done, time.Since(began))
		}
	}
	c.finish(deadline)
	var lines []string
	for what, n := range counts {
		line := fmt.Sprintf("%4d %s", n, what)
		if took := c.took[what]; len(took) > 0 {
			slices.Sort(took)
			line += fmt.Sprintf("; went on after %v, at most %v", took[len(took)/2].Round(100*time.Millisecond), took[len(took)-1].Round(100*time.Millisecond))
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	c.note("%d faults in %d runs of %d states, %v:\n%s", n, c.finished, c.expected[false].States, time.Since(began).Round(time.Second), strings.Join(lines, "\n"))
}

// finish lets the last run end without further faults, and checks it.
func (c *cluster) finish(deadline time.Time) {
	c.note("no more faults")
	for !c.settled || len(c.later) > 0 {
		if c.settled {
			c.settle()
			linger(pollInterval)
			continue
		}
		c.pass(time.Second)
		if time.Now().After(deadline) {
			c.fatal("the last run does not come to its end")
		}
	}
	c.drained()
	c.sound()
}

// next deletes the run that has ended and begins another.
func (c *cluster) next() {
	c.t.Helper()
	for c.main.server == nil || c.main.server.paused {
		c.settle()
		linger(pollInterval)
	}
	if c.runs > 0 && (c.tidy || c.r.IntN(2) == 0) {
		a := c.ask(c.main, "delete", c.main.addr()+"/"+c.run, "--yes")
		c.note("delete %s: exit code %d %s", c.run, a.code, strings.TrimSpace(a.errs))
	}
	c.submit()
	c.moved = time.Now()
}

// drained checks that workers that were told to leave have left.
func (c *cluster) drained() {
	c.t.Helper()
	for deadline := time.Now().Add(drainMax); ; linger(pollInterval) {
		c.watchWorkers()
		i := slices.IndexFunc(c.workers, func(w *worker) bool { return w.leaving })
		if i < 0 {
			return
		}
		if time.Now().After(deadline) {
			c.fatal("%s does not leave", c.workers[i].name)
		}
	}
}

// sound checks that every block of the last run is sound, and that the workers' shares
// of it are what the bucket has. A worker of another coordinator, which may have
// finished the run, does not come back; then verify is used.
func (c *cluster) sound() {
	c.t.Helper()
	verify := func() answer {
		return ask(verifyTimeMax, c.main.host.wrap, c.callers.operator, "verify", c.main.addr()+"/"+c.run, "--quiet", "--json")
	}
	a := verify()
	if a.code != 0 && strings.Contains(a.out, "other workers restore it from the bucket with") {
		c.note("%v", a)
		again := ask(verifyTimeMax, c.main.host.wrap, c.callers.operator, "resume", c.main.addr()+"/"+c.run, "--wait", "--quiet")
		c.note("resume %s: %v", c.run, again)
		a = verify()
	}
	if a.code != 0 || !strings.Contains(a.out, `"sound":true`) {
		c.fatal("not sound: %v", a)
	}
	c.note("%s is sound in every block", c.run)
}
