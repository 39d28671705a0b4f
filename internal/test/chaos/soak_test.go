//go:build linux

package chaos

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// soakVariable is how many minutes a soak lasts.
const soakVariable = "EVERYSTATE_SOAK"

const (
	sampleInterval = 2 * time.Second

	// Until then processes fill their caches, and growth does not count.
	warmUpShare = 5 // of the time, one in this many
	warmUpMax   = 4 * time.Minute

	// A quantity is flat if a straight line through all measurements after the warm-up
	// grows by no more than this from beginning to end.
	flatShare = 0.1
	flatBytes = 6 << 20
	flatFiles = 6

	faultGapLeast = 4 * time.Second
	faultGapMost  = 12 * time.Second
)

// TestSoak lets runs follow one another for a long time while workers come, go and
// pause, and checks that the memory and open files of the processes that stay are flat.
func TestSoak(t *testing.T) {
	onlyWhenAsked(t)
	if os.Getenv(soakVariable) == "" {
		t.Skip("takes long: make soak runs it")
	}
	lasts := time.Duration(number(t, soakVariable, 2)) * time.Minute
	c := newCluster(t, seedOf(t))
	c.expect()
	c.tidy = true
	c.startFirst(thisMachine())
	c.spared = map[*worker]bool{c.workers[0]: true, c.workers[1]: true}
	began := time.Now()
	seen := map[string]*course{
		"coordinator": {pid: c.main.server.cmd.Process.Pid},
		"worker-1":    {pid: c.workers[0].server.cmd.Process.Pid},
		"worker-2":    {pid: c.workers[1].server.cmd.Process.Pid},
	}
	var looked time.Time
	warm := min(lasts/warmUpShare, warmUpMax)
	c.look = func() {
		if c.finished == 0 {
			warm = max(warm, time.Since(began)) // caches fill during the first run
		}
		if time.Since(looked) < sampleInterval {
			return
		}
		looked = time.Now()
		for _, of := range seen {
			of.look(c, looked.Sub(began))
		}
	}
	c.soak(soakFaults(), began.Add(lasts))
	flat := true
	for _, name := range []string{"coordinator", "worker-1", "worker-2"} {
		of := seen[name]
		for _, l := range of.lines(warm) {
			c.note("%-11s %v", name, l)
			flat = flat && l.flat
		}
	}
	if !flat {
		c.fatal("not flat")
	}
}

// soakFaults leave the coordinator and two workers alive.
func soakFaults() []fault {
	return []fault{
		{"worker killed, back at once", 4, (*cluster).killWorker},
		{"worker killed, back after its lease", 3, (*cluster).killWorkerLong},
		{"worker lost with its disk", 3, (*cluster).loseWorker},
		{"worker paused for less than its lease", 1, (*cluster).pauseWorkerShort},
		{"worker paused for longer than its lease", 2, (*cluster).pauseWorker},
		{"spared worker paused for longer than its lease", 3, (*cluster).pauseSpared},
		{"worker drained", 2, (*cluster).drainWorker},
		{"worker added", 4, (*cluster).joinWorker},
		{"coordinator paused for longer than the lease", 2, (*cluster).pauseCoordinator},
		{"run paused and resumed", 1, (*cluster).restRun},
	}
}

// pauseSpared pauses one of the processes that are never ended.
func (c *cluster) pauseSpared() bool {
	spared := c.spared
	others := make(map[*worker]bool)
	for _, w := range c.workers {
		others[w] = !spared[w]
	}
	c.spared = others
	defer func() { c.spared = spared }()
	return c.pauseWorker()
}

// soak injects faults until a time, and waits for the last run to end.
func (c *cluster) soak(faults []fault, until time.Time) {
	c.t.Helper()
	counts := make(map[string]int)
	next := time.Now()
	for time.Now().Before(until) {
		if c.settled {
			c.next()
		}
		c.pass(time.Until(next))
		if c.settled || time.Now().Before(next) {
			continue
		}
		if what := c.inject(faults); what != "" {
			counts[what]++
		}
		next = time.Now().Add(between(c.r, faultGapLeast, faultGapMost))
	}
	c.finish(time.Now().Add(timeOfEndMax))
	var lines []string
	faultsDone := 0
	for what, n := range counts {
		faultsDone += n
		lines = append(lines, fmt.Sprintf("%4d %s", n, what))
	}
	slices.Sort(lines)
	c.note("%d faults in %d runs of %d states:\n%s", faultsDone, c.finished, c.expected[false].States, strings.Join(lines, "\n"))
}

// course is a process's consumption over time.
type course struct {
	pid   int
	at    []time.Duration
	bytes []float64 // resident, without mapped files
	files []float64
}

// look measures the process. It is an error if the process is gone, as it was to be
// spared.
func (o *course) look(c *cluster, at time.Duration) {
	proc := "/proc/" + strconv.Itoa(o.pid)
	status, err := os.ReadFile(filepath.Join(proc, "status"))
	c.must(err)
	entries, err := os.ReadDir(filepath.Join(proc, "fd"))
	c.must(err)
	_, rest, _ := strings.Cut(string(status), "RssAnon:")
	text, _, ok := strings.Cut(strings.TrimSpace(rest), " kB")
	kib, err := strconv.ParseFloat(text, 64)
	if err != nil || !ok {
		c.fatal("%s/status: %q, %v", proc, text, err)
	}
	o.at, o.bytes, o.files = append(o.at, at), append(o.bytes, kib*1024), append(o.files, float64(len(entries)))
}

// line is a straight line through measurements.
type line struct {
	what                    string
	n                       int
	least, mean, most, grow float64 // the last from beginning to end
	flat                    bool
}

func (l line) String() string {
	return fmt.Sprintf("%-7s %4d times: from %.1f to %.1f, %.1f on average, along a line %+.2f from beginning to end: flat %v", l.what, l.n, l.least, l.most, l.mean, l.grow, l.flat)
}

// lines returns the lines of memory, in MiB, and of open files, after the warm-up.
func (o *course) lines(warmUp time.Duration) []line {
	from, _ := slices.BinarySearch(o.at, warmUp)
	at := o.at[from:]
	mib := make([]float64, len(at))
	for i, b := range o.bytes[from:] {
		mib[i] = b / (1 << 20)
	}
	memory, files := fit("memory", at, mib), fit("files", at, o.files[from:])
	memory.flat = memory.grow <= flatShare*memory.mean+flatBytes>>20
	files.flat = files.grow <= flatShare*files.mean+flatFiles
	return []line{memory, files}
}

// fit fits a straight line, by least squares.
func fit(what string, at []time.Duration, v []float64) line {
	l := line{what: what, n: len(v)}
	if len(v) < 2 {
		return l
	}
	var x, y, xx, xy float64
	for i := range v {
		t := at[i].Seconds()
		x, y, xx, xy = x+t, y+v[i], xx+t*t, xy+t*v[i]
	}
	n := float64(len(v))
	slope := (n*xy - x*y) / (n*xx - x*x)
	l.least, l.most, l.mean = slices.Min(v), slices.Max(v), y/n
	l.grow = slope * (at[len(at)-1] - at[0]).Seconds()
	return l
}

// TestFit shows that growth is not flat.
func TestFit(t *testing.T) {
	t.Parallel()
	var steady, leaking course
	for i := range 300 {
		at := time.Duration(i) * time.Second
		noise := float64(i%7) * (1 << 20)
		steady.at, steady.bytes, steady.files = append(steady.at, at), append(steady.bytes, 80<<20+noise), append(steady.files, 50+float64(i%5))
		leaking.at, leaking.bytes, leaking.files = append(leaking.at, at), append(leaking.bytes, 80<<20+noise+float64(i)*(100<<10)), append(leaking.files, 50+float64(i)/10)
	}
	for _, l := range steady.lines(time.Minute) {
		if !l.flat {
			t.Error(l)
		}
	}
	for _, l := range leaking.lines(time.Minute) {
		if l.flat {
			t.Error(l)
		}
	}
}
