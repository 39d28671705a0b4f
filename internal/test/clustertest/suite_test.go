package clustertest

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/server"
	"github.com/everystate/everystate/internal/test/s3test"
	"github.com/everystate/everystate/store/bucket"
)

// scenario is what one cluster goes through. Those that need a bucket are left out where
// there is none.
type scenario struct {
	name string
	run  func(w *world)

	bucket bool // is needed
	files  bool // and must be a directory, because the test breaks it
}

func scenarios() []scenario {
	return []scenario{
		{name: "a worker joins in the middle", run: joinInTheMiddle},
		{name: "a worker drains", run: drains},
		{name: "all but the last drain", run: allDrain},
		{name: "a worker is started again within its lease", run: restartWithinLease},
		{name: "a worker is started again after its lease", run: restartAfterLease},
		{name: "the coordinator is started again", run: coordinatorRestart},
		{name: "pause and resume", run: pauseAndResume},
		{name: "questions while partitions move", run: questions},
		{name: "delete", run: deleteRun},
		{name: "a disk is lost", run: lostDisk, bucket: true},
		{name: "a directory is emptied", run: emptied, bucket: true},
		{name: "the coordinator loses its data", run: coordinatorLosesData, bucket: true},
		{name: "all machines are lost", run: allLost, bucket: true},
		{name: "a coordinator that looked on takes over", run: resumedLater, bucket: true},
		{name: "two coordinators begin at once", run: twoAtOnce, bucket: true},
		{name: "a second coordinator takes over", run: takenOver, bucket: true},
		{name: "a disk is lost before its uploads", run: rewinds, bucket: true, files: true},
		{name: "the bucket is away", run: bucketAway, bucket: true, files: true},
	}
}

func runSuite(t *testing.T, bkt func(t *testing.T) string, files bool) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for i, s := range scenarios() {
		switch {
		case s.bucket && bkt == nil || s.files && !files:
			continue
		case !s.bucket && !s.files && (i%2 == 0) == (bkt == nil) && os.Getenv("EVERYSTATE_THOROUGH") == "":
			continue // one half with a bucket, the other without
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			at := ""
			if bkt != nil {
				at = bkt(t)
			}
			s.run(newWorld(t, at))
		})
	}
}

func TestFileBucket(t *testing.T) {
	t.Parallel()
	runSuite(t, fileBucket, true)
}

func fileBucket(t *testing.T) string {
	t.Helper()
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(t.TempDir(), "bucket"))}).String()
}

func TestNoBucket(t *testing.T) {
	t.Parallel()
	runSuite(t, nil, false)
	t.Run("a disk is lost", func(t *testing.T) {
		t.Parallel()
		waitsForDisk(newWorld(t, ""))
	})
}

func TestS3Bucket(t *testing.T) {
	bkt, _ := s3test.Start(t)
	var n atomic.Int64
	runSuite(t, func(t *testing.T) string {
		t.Helper()
		u, err := url.Parse(bkt)
		if err != nil {
			t.Fatal(err)
		}
		u.Path = path.Join("/", fmt.Sprint("cluster-", n.Add(1)))
		return u.String()
	}, false)
}

const run = "jam"

// fetchTime is what workers that fetch partitions get between layers.
const fetchTime = 20 * time.Millisecond

// shares waits until workers keep these numbers of partitions, in the middle of the run.
// No layer is made before the workers that are to have some are there.
func (c *coordinator) shares(want map[string]int) {
	c.t.Helper()
	c.untilRun(run, "has the workers", func(_ client.Status, workers map[string]client.Worker) bool {
		for name, n := range want {
			if n > 0 && !workers[name].Present {
				return false
			}
		}
		return true
	})
	wait := fetchTime
	c.layers(run, fmt.Sprintf("has shares %v", want), func(s client.Status, workers map[string]client.Worker) bool {
		for name, n := range want {
			if workers[name].Partitions != n {
				select { // what is fetched ahead must not lag behind until the end
				case <-time.After(wait):
				case <-c.t.Context().Done():
				}
				wait = min(2*wait, time.Second) // the machine may be busy
				return false
			}
		}
		return s.State != client.Unknown
	})
}

// drains makes a worker leave, and waits until its process has ended. No layer is made
// before the coordinator knows that it wants to leave.
func (c *coordinator) drains(w *worker) {
	c.t.Helper()
	close(w.drain)
	c.untilRun(run, "knows who leaves", func(_ client.Status, workers map[string]client.Worker) bool {
		return workers[w.name()].Draining || w.ended()
	})
	c.layers(run, "goes on without "+w.machine, func(client.Status, map[string]client.Worker) bool { return w.ended() })
}

// A worker that joins gets its share, by weight, from the others.
func joinInTheMiddle(w *world) {
	b := boardOf(w.t, long)
	c := w.coordinator("c", nil)
	ws := c.workers("w1", "w2")
	c.hold()
	c.submit(run, b, everything())
	c.entries(run, 20)
	c.shares(map[string]int{ws[0].name(): 8, ws[1].name(): 8})
	heavy := c.worker("w3", 2)
	c.shares(map[string]int{ws[0].name(): 4, ws[1].name(): 4, heavy.name(): 8})
	c.exact(run, b)
}

// A worker that drains hands its partitions over, and its process ends, while the run
// continues.
func drains(w *world) {
	b := boardOf(w.t, middle)
	c := w.coordinator("c", nil)
	ws := c.workers("w1", "w2", "w3")
	c.hold()
	c.submit(run, b, everything())
	c.entries(run, 20)
	c.drains(ws[1])
	s, workers := c.get(run)
	if s.State.Over() || workers[ws[1].name()].Partitions != 0 {
		c.t.Errorf("when the worker had gone the run was %v, and %d partitions were its own", s.State, workers[ws[1].name()].Partitions)
	}
	w.wipe("w2") // it is no longer needed
	c.exact(run, b)
}

// The last worker of a run without a bucket may leave; the run waits for its partitions,
// or restores them.
func allDrain(w *world) {
	b := boardOf(w.t, short)
	c := w.coordinator("c", soonLost)
	ws := c.workers("w1", "w2")
	c.hold()
	c.submit(run, b, everything())
	c.entries(run, 10)
	c.drains(ws[0])
	c.drains(ws[1])
	says := func(machine string) bool {
		return w.log.matches("leave with this worker.* machine=" + machine + " .* runs=" + run + " ")
	}
	if says("w1") || !says("w2") {
		w.t.Errorf("whether the run leaves with it is said by the first: %v, by the last: %v", says("w1"), says("w2"))
	}
	c.untilRun(run, "waits", func(s client.Status, _ map[string]client.Worker) bool {
		return s.State == client.Waiting && s.WaitingFor != ""
	})
	if w.bucket == "" {
		ws[1].begin()
	} else {
		w.wipe("w2")
	}
	w3 := c.worker("w3", 1)
	c.exact(run, b)
	// The run is over: nothing moves any more.
	_, there := c.get(run)
	close(w3.drain)
	w.until("it has left", w3.ended)
	if has := there[w3.name()].Partitions > 0; !has || !says("w3") {
		w.t.Errorf("it has partitions: %v; they leave with it: %v", has, says("w3"))
	}
}

func restartWithinLease(w *world) {
	b := boardOf(w.t, short)
	c := w.coordinator("c", func(o *server.Options) { o.LeaseMillis = 60_000 })
	ws := c.workers("w1", "w2")
	c.hold()
	c.submit(run, b, everything())
	for n := 10; n <= 40; n += 15 {
		c.entries(run, n)
		ws[1].end(w.t)
		ws[1].begin()
	}
	c.exact(run, b)
	if !w.log.has("worker restarted") || w.log.has("worker lost") {
		w.t.Error("the worker was not found to have been started again")
	}
}

// Without a bucket, the run waits for the worker and says so. With one, it continues
// with the others, and the worker gets a share again when it is back.
func restartAfterLease(w *world) {
	b := boardOf(w.t, middle)
	c := w.coordinator("c", soonLost)
	ws := c.workers("w1", "w2")
	name := ws[1].name()
	c.hold()
	c.submit(run, b, everything())
	c.entries(run, 10)
	ws[1].end(w.t)
	if w.bucket == "" {
		c.waitsFor(name)
	} else {
		c.shares(map[string]int{ws[0].name(): 16, name: 0})
	}
	ws[1].begin()
	c.shares(map[string]int{ws[0].name(): 8, name: 8})
	c.exact(run, b)
}

// waitsFor waits until the run makes no progress because of a worker, and says so.
func (c *coordinator) waitsFor(name string) {
	c.t.Helper()
	c.untilRun(run, "waits for "+name, func(s client.Status, _ map[string]client.Worker) bool {
		return s.State == client.Waiting && s.WaitingFor == "for "+name+", which has partitions of the run and is not connected"
	})
}

// Without a bucket, nobody can replace a worker with a disk of its own.
func waitsForDisk(w *world) {
	b := boardOf(w.t, short)
	c := w.coordinator("c", func(o *server.Options) { o.SilenceMillis, o.LeaseMillis = 300, soonLostMillis })
	ws := c.workers("w1", "w2")
	lost := ws[1].name()
	c.hold()
	c.submit(run, b, everything())
	c.entries(run, 10)
	ws[1].end(w.t)
	if err := os.Rename(w.disk("w2"), w.disk("away")); err != nil {
		w.t.Fatal(err)
	}
	c.waitsFor(lost)
	ws[1].begin() // with an empty disk, which makes it another worker
	if ws[1].name() == lost {
		w.t.Fatal("a worker with an empty disk has an old name")
	}
	w.until("the log says who is waited for", func() bool {
		return w.log.matches(`"no progress" .*run=jam .*waiting="for ` + lost + `, which has partitions of the run and is not connected"`)
	})
	c.waitsFor(lost)
	s, _ := c.get(run)
	entries := s.Entries
	ws[1].end(w.t)
	w.wipe("w2")
	if err := os.Rename(w.disk("away"), w.disk("w2")); err != nil {
		w.t.Fatal(err)
	}
	if s, _ = c.get(run); s.Entries != entries || s.State != client.Waiting {
		w.t.Errorf("it did not wait: %+v", s)
	}
	ws[1].begin()
	c.exact(run, b)
}

func lostDisk(w *world) {
	b := boardOf(w.t, short)
	c := w.coordinator("c", soonLost)
	ws := c.workers("w1", "w2", "w3")
	c.hold()
	c.submit(run, b, everything())
	c.entries(run, 10)
	ws[0].loseDisk()
	c.entries(run, 40)
	ws[1].loseDisk()
	c.exact(run, b)
	if !w.log.has("worker lost") {
		w.t.Error("nobody was lost")
	}
}

func coordinatorRestart(w *world) {
	b := boardOf(w.t, short)
	c := w.coordinator("c", nil)
	c.workers("w1", "w2")
	c.hold()
	c.submit(run, b, everything())
	for n := 10; n <= 60; n += 25 {
		c.entries(run, n)
		c.end(w.t)
		c.begin()
	}
	c.exact(run, b)
}

// A coordinator that has only the bucket continues with the workers that are there.
func coordinatorLosesData(w *world) {
	b := boardOf(w.t, short)
	c := w.coordinator("c", func(o *server.Options) { o.Adopt, o.LeaseMillis = true, soonLostMillis })
	c.workers("w1", "w2")
	c.hold()
	c.submit(run, b, everything())
	c.durable(run, 20)
	c.end(w.t)
	w.wipe("c")
	c.begin()
	c.exact(run, b)
	if !w.log.has("run found in the bucket") {
		w.t.Error("the run was not taken from the bucket")
	}
}

// Only the bucket is left, and has the original settings.
func allLost(w *world) {
	b := boardOf(w.t, short)
	c := w.coordinator("c", soonLost)
	ws := c.workers("w1", "w2")
	c.hold()
	c.submit(run, b, everything())
	c.durable(run, 30)
	for _, lost := range ws {
		lost.loseDisk()
	}
	c.end(w.t)
	w.wipe("c")

	// A coordinator that does not adopt knows the run, and leaves it alone.
	c2 := w.coordinator("c2", soonLost)
	c2.workers("w4")
	c2.untilRun(run, "is known", func(s client.Status, _ map[string]client.Worker) bool { return s.State == client.Paused })
	c2.end(w.t)

	c3 := w.coordinator("c3", func(o *server.Options) { o.Adopt, o.LeaseMillis = true, soonLostMillis })
	c3.workers("w5", "w6", "w7")
	c3.untilRun(run, "goes on", func(s client.Status, _ map[string]client.Worker) bool { return s.Entries >= 30 && s.Want.GoalDistance })
	c3.exact(run, b)
}

// Two coordinators are given the same run at the same time. The log admits the session
// of only one.
func twoAtOnce(w *world) {
	b := boardOf(w.t, short)
	cs := []*coordinator{w.coordinator("c1", soonLost), w.coordinator("c2", soonLost)}
	for i, c := range cs {
		c.workers(fmt.Sprint("w", i, "a"), fmt.Sprint("w", i, "b"))
	}
	for _, c := range cs {
		c.hold()
		c.submit(run, b, everything())
	}
	for _, c := range cs {
		c.untilRun(run, "is begun", func(s client.Status, _ map[string]client.Worker) bool {
			return s.Entries > 0 || s.State == client.Failed
		})
	}
	for _, c := range cs {
		c.gate.set(false)
	}
	winner, loser := oneFails(w, cs[0], cs[1])
	winner.exact(run, b)

	// The loser adopts what was found when it is asked to resume.
	if _, err := loser.client.Resume(w.t.Context(), run, nil); err != nil {
		w.t.Fatal(err)
	}
	w.divided.table = false // its workers have no records
	loser.exact(run, b)
}

// oneFails waits until one of two coordinators has found out that the other works on the
// run, and returns both.
func oneFails(w *world, a, b *coordinator) (goesOn, stops *coordinator) {
	w.t.Helper()
	var failure string
	w.until("one of the two stops", func() bool {
		sa, _ := a.get(run)
		sb, _ := b.get(run)
		switch {
		case sa.State == client.Failed && sb.State == client.Failed:
			w.t.Fatalf("both have failed: %s; %s", sa.Failure, sb.Failure)
		case sa.State == client.Failed:
			goesOn, stops, failure = b, a, sa.Failure
		case sb.State == client.Failed:
			goesOn, stops, failure = a, b, sb.Failure
		}
		return failure != ""
	})
	if !strings.HasPrefix(failure, "the coordinator at "+goesOn.addr+" on ") || !strings.Contains(failure, "is working on this run") || strings.Contains(failure, "\n") {
		w.t.Errorf("it does not say clearly who works on the run: %s", failure)
	}
	return goesOn, stops
}

// A second coordinator takes the run over while the first works on it, as if the first
// were believed dead.
func takenOver(w *world) {
	b := boardOf(w.t, middle)
	c1 := w.coordinator("c1", soonLost)
	c1.workers("w1", "w2")
	c1.hold()
	c1.submit(run, b, everything())
	c1.durable(run, 20)
	logged := 0
	c1.untilRun(run, "has everything in the bucket", func(s client.Status, _ map[string]client.Worker) bool {
		logged = s.DurableEntries
		return logged == s.Entries
	})
	c2 := w.coordinator("c2", func(o *server.Options) { o.Adopt, o.LeaseMillis = true, soonLostMillis })
	c2.workers("w3", "w4")
	c2.untilRun(run, "is its own", func(s client.Status, _ map[string]client.Worker) bool { return s.DurableEntries > logged })
	c1.gate.set(false) // the bucket refuses whatever it makes now
	winner, loser := oneFails(w, c1, c2)
	s, _ := loser.get(run)
	before := s.Entries
	winner.exact(run, b)
	if s, _ = loser.get(run); s.Entries != before || s.State != client.Failed {
		w.t.Errorf("the one that lost went on: %+v, after %d entries", s, before)
	}
	// What the loser deletes is its own: the bucket keeps the winner's run.
	if err := loser.client.Delete(w.t.Context(), run); err != nil {
		w.t.Fatal(err)
	}
	other := boardOf(w.t, short)
	submitted := func() error {
		_, err := loser.client.Submit(w.t.Context(), run, history.Spec{
			Family: other.board.Family, Metric: other.board.Metric, Text: other.board.Text, Partitions: partitions,
		}, everything())
		return err
	}
	w.until("the name is free", func() bool { return submitted() == nil })
	loser.untilRun(run, "is another board than the bucket's", func(s client.Status, _ map[string]client.Worker) bool { return s.State == client.Failed })
	if err := loser.client.Delete(w.t.Context(), run); err != nil {
		w.t.Fatal(err)
	}
	w.until("the name is free again", func() bool { return submitted() == nil })
	bkt, err := bucket.Open(w.t.Context(), w.bucket)
	if err != nil {
		w.t.Fatal(err)
	}
	log, err := bkt.Run(run).Log(w.t.Context(), 0)
	if won, _ := winner.get(run); errors.Join(err, bkt.Close()) != nil || len(log) != won.Entries {
		w.t.Errorf("%d of %d entries are left in the bucket: %v", len(log), won.Entries, err)
	}
}

// A coordinator finds another's run and leaves it alone, in the bucket too. When asked
// to resume, it continues from where the other has come meanwhile.
func resumedLater(w *world) {
	b := boardOf(w.t, middle)
	c1 := w.coordinator("c1", soonLost)
	ws := c1.workers("w1", "w2")
	c1.hold()
	c1.submit(run, b, everything())
	c1.durable(run, 20)
	c2 := w.coordinator("c2", soonLost)
	c2.untilRun(run, "is known", func(s client.Status, _ map[string]client.Worker) bool { return s.State == client.Paused })
	s, _ := c2.get(run)
	c1.durable(run, s.Entries+10)
	c1.end(w.t)
	for _, lost := range ws {
		lost.loseDisk()
	}
	c2.workers("w3")
	if _, err := c2.client.Resume(w.t.Context(), run, nil); err != nil {
		w.t.Fatal(err)
	}
	c2.exact(run, b)
	if !w.log.has("the run continued elsewhere; adopting what the bucket has") {
		w.t.Error("nothing was taken over")
	}
}

func pauseAndResume(w *world) {
	b := boardOf(w.t, short)
	c := w.coordinator("c", nil)
	c.workers("w1", "w2")
	c.hold()
	c.submit(run, b, everything())
	for n := 10; n <= 50; n += 20 {
		c.entries(run, n)
		if s, err := c.client.Pause(w.t.Context(), run); err != nil || s.State != client.Paused {
			w.t.Fatalf("%v, %v", s.State, err)
		}
		if n == 30 {
			c.end(w.t) // it stays paused
			c.begin()
			c.untilRun(run, "is paused", func(s client.Status, _ map[string]client.Worker) bool { return s.State == client.Paused })
		}
		if _, err := c.client.Resume(w.t.Context(), run, nil); err != nil {
			w.t.Fatal(err)
		}
	}
	c.exact(run, b)
}

// Answers are right, or somebody is unavailable, whoever moves meanwhile.
func questions(w *world) {
	b := boardOf(w.t, long)
	c := w.coordinator("c", nil)
	ws := c.workers("w1", "w2")
	c.hold()
	c.submit(run, b, everything())
	c.layers(run, "is in the goal phase", func(s client.Status, _ map[string]client.Worker) bool { return s.Phase == history.Goal })

	stop, asked := make(chan struct{}), make(chan struct{})
	answers, away := 0, 0
	go func() {
		defer close(asked)
		for {
			select {
			case <-stop:
				return
			default:
			}
			switch err := c.ask(b); {
			case err == nil:
				answers++
			case errors.Is(err, client.ErrUnavailable):
				away++
			default:
				w.t.Error(err)
				return
			}
		}
	}()
	newcomer := c.worker("w3", 2)
	c.shares(map[string]int{newcomer.name(): 8})
	c.drains(ws[0])
	w.wipe("w1")
	c.exact(run, b)
	close(stop)
	<-asked
	w.t.Logf("%d answers, %d times somebody was away", answers, away)
	if answers == 0 {
		w.t.Error("no question was answered")
	}
	if err := c.ask(b); err != nil {
		w.t.Error(err)
	}
}

// A worker has lost all records of a complete run, but not its name: resume restores
// them.
func emptied(w *world) {
	b := boardOf(w.t, short)
	c := w.coordinator("c", soonLost)
	ws := c.workers("w1")
	c.submit(run, b, everything())
	c.exact(run, b)
	c.untilRun(run, "has everything in the bucket", func(s client.Status, _ map[string]client.Worker) bool {
		return s.DurableEntries == s.Entries
	})
	ws[0].end(w.t)
	if err := os.RemoveAll(filepath.Join(w.disk("w1"), "runs")); err != nil {
		w.t.Fatal(err)
	}
	ws[0].begin()
	w.until("the run is restored", func() bool {
		_, err := c.client.Resume(w.t.Context(), run, nil)
		return err == nil && c.ask(b) == nil
	})
	c.exact(run, b)
}

// ask asks for the shortest solution.
func (c *coordinator) ask(b *board) error {
	ctx := c.t.Context()
	r, err := c.client.Open(ctx, run)
	if err != nil {
		return err
	}
	state, err := r.Space().FirstGoal(ctx)
	if err != nil {
		return err
	}
	p, err := r.Space().FromStart(ctx, state)
	if err != nil {
		return err
	}
	if len(p.Moves) != b.SolutionLength {
		return fmt.Errorf("a path of %d moves, not %d", len(p.Moves), b.SolutionLength)
	}
	return nil
}

func deleteRun(w *world) {
	b := boardOf(w.t, short)
	c := w.coordinator("c", nil)
	ws := c.workers("w1", "w2")
	c.hold()
	c.submit(run, b, everything())
	c.entries(run, 10)
	ws[1].end(w.t) // and removes what it has when it is back
	if err := c.client.Delete(w.t.Context(), run); err != nil {
		w.t.Fatal(err)
	}
	kept := func(machine string) bool {
		_, err := os.Stat(filepath.Join(w.disk(machine), "runs", run))
		return !errors.Is(err, fs.ErrNotExist)
	}
	w.until("the worker that is there has removed it", func() bool { return !kept("w1") })
	if !kept("w2") {
		w.t.Error("who is not there has removed it")
	}
	_, err := c.client.Submit(w.t.Context(), run, history.Spec{
		Family: b.board.Family, Metric: b.board.Metric, Text: b.board.Text, Partitions: partitions,
	}, everything())
	if !errors.Is(err, client.ErrRefused) {
		w.t.Errorf("a run that is being deleted is begun again: %v", err)
	}
	ws[1].begin()
	w.until("the other has removed it", func() bool { return !kept("w2") })
	if w.bucket != "" {
		w.until("the bucket is empty", func() bool {
			bkt, err := bucket.Open(w.t.Context(), w.bucket)
			if err != nil {
				w.t.Fatal(err)
			}
			runs, err := bkt.Runs(w.t.Context())
			return errors.Join(err, bkt.Close()) == nil && len(runs) == 0
		})
	}
	// The name is free again.
	w.until("the run begins anew", func() bool {
		_, err := c.client.Submit(w.t.Context(), run, history.Spec{
			Family: b.board.Family, Metric: b.board.Metric, Text: b.board.Text, Partitions: partitions,
		}, everything())
		return err == nil
	})
	c.exact(run, b)
}

// blockWrites makes the bucket refuse writes until undo is called. What is there can be
// read.
func (w *world) blockWrites() (undo func()) {
	w.t.Helper()
	u, err := url.Parse(w.bucket)
	if err != nil {
		w.t.Fatal(err)
	}
	// The directory of files being written.
	writing := filepath.Join(filepath.FromSlash(u.Path), ".writing")
	if err := errors.Join(os.Rename(writing, writing+".away"), os.WriteFile(writing, nil, 0o600)); err != nil {
		w.t.Fatal(err)
	}
	return func() {
		w.t.Helper()
		if err := errors.Join(os.Remove(writing), os.Rename(writing+".away", writing)); err != nil {
			w.t.Fatal(err)
		}
	}
}

// A disk is lost with layers of which the bucket has nothing. They are made again from
// what the bucket has.
func rewinds(w *world) {
	b := boardOf(w.t, middle)
	c := w.coordinator("c", soonLost)
	ws := c.workers("w1", "w2")
	c.hold()
	c.submit(run, b, everything())
	c.durable(run, 10)
	unblock := w.blockWrites()
	c.layers(run, "is ahead of the bucket", func(s client.Status, _ map[string]client.Worker) bool { return s.Entries >= s.DurableEntries+20 })
	ws[0].loseDisk()
	w.until("the worker is lost", func() bool { return w.log.has("worker lost") })
	unblock()
	c.exact(run, b)
	if !w.log.has("layers were lost before reaching the bucket; repeating them") {
		w.t.Error("no layer was made again")
	}
}

// The bucket is unavailable for a while. The run continues for some layers, waits and
// says for what, and continues when the bucket is back.
func bucketAway(w *world) {
	b := boardOf(w.t, middle)
	c := w.coordinator("c", func(o *server.Options) { o.SilenceMillis = 300 })
	c.workers("w1", "w2")
	c.hold()
	c.submit(run, b, everything())
	c.entries(run, 10)
	u, err := url.Parse(w.bucket)
	if err != nil {
		w.t.Fatal(err)
	}
	dir := filepath.FromSlash(u.Path)
	if err := os.Rename(dir, dir+".away"); err != nil {
		w.t.Fatal(err)
	}
	began := time.Now()
	c.layers(run, "waits for the bucket", func(s client.Status, _ map[string]client.Worker) bool {
		return s.State == client.Waiting && strings.HasPrefix(s.WaitingFor, "for the bucket to catch up") && s.BucketTrouble != ""
	})
	w.t.Logf("it went on for %v", time.Since(began).Round(time.Millisecond))
	w.until("the log says so", func() bool {
		return w.log.matches(`"no progress" .*run=jam .*waiting="for the bucket to catch up: .*: the bucket's directory is missing`)
	})
	if err := os.Rename(dir+".away", dir); err != nil {
		w.t.Fatal(err)
	}
	c.exact(run, b)
}
