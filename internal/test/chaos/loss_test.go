//go:build linux

package chaos

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/everystate/everystate/coordinator/client"
)

// lookInterval is the precision of the measured times.
const lookInterval = 10 * time.Millisecond

// TestLossOfWorker measures what it costs to lose one of four workers and its disk in
// the middle of the largest layer. Each round begins with an undisturbed run on the same
// machines.
func TestLossOfWorker(t *testing.T) {
	onlyWhenAsked(t)
	rounds := int(number(t, roundsVariable, 1))
	var all []loss
	for round := range rounds {
		t.Run(fmt.Sprint("round", round+1), func(t *testing.T) {
			all = append(all, measureLoss(t))
			t.Logf("%v", all[len(all)-1])
		})
	}
	if len(all) < rounds {
		t.FailNow()
	}
	t.Logf("medians of %d:\n%v", rounds, medians(all))
}

// loss is what the loss of a worker cost.
type loss struct {
	undisturbed, disturbed time.Duration // from submitting to the end
	layer                  time.Duration // of the layer that was hit, undisturbed
	spent                  time.Duration // on the layer, until the worker was killed
	noticed                time.Duration // until the coordinator took it for lost
	restored               time.Duration // until the others had its partitions
	restoredBytes          int64         // in the bucket
	redone                 time.Duration // until the layer was committed
	again                  int           // layers made again that the bucket did not have

	// more is how much longer the whole run took than the undisturbed one before
	// it. later is how much later the layer was committed than without the loss;
	// it is taken within the run, where other work of the machine disturbs it less.
	more, later time.Duration
}

func (l loss) String() string {
	s := func(d time.Duration) string { return fmt.Sprintf("%6.2f s", d.Seconds()) }
	var b strings.Builder
	fmt.Fprintf(&b, "undisturbed             %s\n", s(l.undisturbed))
	fmt.Fprintf(&b, "with the loss           %s, that is %s more\n", s(l.disturbed), s(l.more))
	fmt.Fprintf(&b, "the layer, undisturbed  %s\n", s(l.layer))
	fmt.Fprintf(&b, "of it done when killed  %s\n", s(l.spent))
	fmt.Fprintf(&b, "until it was noticed    %s, the lease is %v\n", s(l.noticed), lease)
	fmt.Fprintf(&b, "restore                 %s, %.1f MB, %.0f MB/s\n", s(l.restored), float64(l.restoredBytes)/1e6, float64(l.restoredBytes)/1e6/l.restored.Seconds())
	fmt.Fprintf(&b, "the layer again         %s\n", s(l.redone))
	fmt.Fprintf(&b, "so the layer was later  %s\n", s(l.later))
	fmt.Fprintf(&b, "layers made again that the bucket did not have: %d", l.again)
	return b.String()
}

// medians returns the median of each number.
func medians(all []loss) loss {
	return loss{
		undisturbed:   median(all, func(l loss) time.Duration { return l.undisturbed }),
		disturbed:     median(all, func(l loss) time.Duration { return l.disturbed }),
		layer:         median(all, func(l loss) time.Duration { return l.layer }),
		spent:         median(all, func(l loss) time.Duration { return l.spent }),
		noticed:       median(all, func(l loss) time.Duration { return l.noticed }),
		restored:      median(all, func(l loss) time.Duration { return l.restored }),
		restoredBytes: median(all, func(l loss) int64 { return l.restoredBytes }),
		redone:        median(all, func(l loss) time.Duration { return l.redone }),
		again:         median(all, func(l loss) int { return l.again }),
		more:          median(all, func(l loss) time.Duration { return l.more }),
		later:         median(all, func(l loss) time.Duration { return l.later }),
	}
}

func median[T int | int64 | time.Duration](all []loss, of func(loss) T) T {
	var values []T
	for _, l := range all {
		values = append(values, of(l))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// measureLoss measures once.
func measureLoss(t *testing.T) loss {
	t.Helper()
	c := newCluster(t, seedOf(t))
	c.expect()
	c.startFirst(thisMachine())
	calls, err := client.Dial(c.main.addr(), client.Options{Dial: []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}})
	c.must(err)
	defer func() { c.must(calls.Close()) }()
	largest := 0 // the layer from which the one is made that is hit
	layers := c.expected[false].Layers
	for depth, n := range layers {
		if n > layers[largest] {
			largest = depth
		}
	}

	var l loss
	plain := c.timed(calls, "plain", func(int, time.Duration) {})
	l.undisturbed, l.layer = plain.whole, plain.layers[largest+1]
	w := c.workers[c.r.IntN(len(c.workers))]
	var killed time.Time
	var hit timing
	var name string
	// Other work of the machine may have been over meanwhile, so that the layer takes less
	// than half of what it took undisturbed: then the worker is killed earlier next time.
	for at := l.layer / 2; killed.IsZero(); at /= 2 {
		if at < lookInterval {
			c.fatal("the layer was over before the worker could be killed")
		}
		name = fmt.Sprint("hit-", at.Milliseconds())
		hit = c.timed(calls, name, func(depth int, in time.Duration) {
			if killed.IsZero() && depth == largest+1 && in >= at {
				killed = time.Now()
				c.crash(w)
				l.spent = in
				c.remove(w)
				c.note("%s killed %v into layer %d, its disk is lost", w.name, in.Round(time.Millisecond), depth)
			}
		})
	}
	l.disturbed = hit.whole
	lost := c.logged(killed, `msg="worker lost"`)
	placed := c.logged(lost, `msg="partitions placed" run=`+name)
	l.noticed, l.restored, l.redone = lost.Sub(killed), placed.Sub(lost), hit.ended[largest+1].Sub(placed)
	l.restoredBytes = c.uploadedBy(w, name)
	l.again = c.madeAgain(killed)
	l.more = l.disturbed - l.undisturbed
	l.later = l.spent + l.noticed + l.restored + l.redone - l.layer
	return l
}

// timing is when a run reached which layer.
type timing struct {
	whole  time.Duration
	layers map[int]time.Duration // that making each layer took, the first time
	ended  map[int]time.Time     // when each layer was last committed
}

// timed makes a run and calls look repeatedly, with the layer in progress and how long
// it has been.
func (c *cluster) timed(calls *client.Client, name string, look func(depth int, in time.Duration)) timing {
	c.t.Helper()
	began := time.Now()
	a := c.ask(c.main, "submit", c.file, "--name", name)
	if a.code != 0 {
		c.fatal("%v", a)
	}
	tm := timing{layers: make(map[int]time.Duration), ended: make(map[int]time.Time)}
	depth, since := -1, began
	for deadline := began.Add(timeOfEndMax); ; linger(lookInterval) {
		ctx, cancel := context.WithTimeout(c.t.Context(), commandTimeMax)
		s, _, err := calls.Get(ctx, name)
		cancel()
		c.must(err)
		now := time.Now()
		if s.Depth > depth && depth >= 0 {
			if _, is := tm.layers[depth]; !is {
				tm.layers[depth] = now.Sub(since)
			}
			tm.ended[depth] = now
		}
		if s.Depth != depth {
			depth, since = s.Depth, now
		}
		switch {
		case s.State == client.Stopped && s.Complete:
			tm.whole = now.Sub(began)
			c.run, c.goal = name, false
			if !c.check(c.main) {
				c.fatal("what %s found cannot be told", name)
			}
			return tm
		case s.State.Over() || now.After(deadline):
			c.fatal("%s is not complete: %+v", name, s)
		}
		look(depth, now.Sub(since))
	}
}

// logged returns the time of the first line of the coordinator's log that has these
// words and is not before from.
func (c *cluster) logged(from time.Time, words string) time.Time {
	c.t.Helper()
	if at, _, ok := c.logLine(from, words); ok {
		return at
	}
	c.fatal("the coordinator's log has no %s", words)
	return from
}

func (c *cluster) logLine(from time.Time, words string) (at time.Time, line string, ok bool) {
	c.t.Helper()
	body, err := os.ReadFile(c.main.server.file)
	c.must(err)
	for line := range strings.Lines(string(body)) {
		text, found := strings.CutPrefix(line, "time=")
		text, _, _ = strings.Cut(text, " ")
		at, err := time.Parse(time.RFC3339Nano, text)
		if found && err == nil && strings.Contains(line, words) && !at.Before(from.Truncate(time.Millisecond)) {
			return at, line, true
		}
	}
	return from, "", false
}

// madeAgain returns how many layers had to be made again.
func (c *cluster) madeAgain(from time.Time) int {
	c.t.Helper()
	_, line, ok := c.logLine(from, `msg="layers were lost before the bucket had them`)
	n := 0
	if found := regexp.MustCompile(` layers=([0-9]+)`).FindStringSubmatch(line); ok && found != nil {
		_, err := fmt.Sscan(found[1], &n)
		c.must(err)
	}
	return n
}

// uploadedBy returns how many bytes of a run the bucket has from a worker.
func (c *cluster) uploadedBy(w *worker, run string) int64 {
	c.t.Helper()
	body, err := os.ReadFile(filepath.Join(c.dir, "logs", w.name))
	c.must(err)
	name := regexp.MustCompile(` worker=(\S+)`).FindSubmatch(body)
	if name == nil {
		c.fatal("the log of %s does not say its name", w.name)
	}
	objects, err := filepath.Glob(filepath.Join(c.dir, "bucket", run, "layers", "*-"+string(name[1])+"-*"))
	c.must(err)
	if len(objects) == 0 {
		c.must(errors.New("the bucket has nothing of it"))
	}
	var bytes int64
	for _, o := range objects {
		info, err := os.Stat(o)
		c.must(err)
		bytes += info.Size()
	}
	return bytes
}
