package clustertest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/everystate/everystate/coordinator/client"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	workerserver "github.com/everystate/everystate/worker/server"
)

// stall keeps a run at its first layer of more than one state: a worker with one
// partition, none of whose states is a start, takes part in layer 0 and reports nothing
// about layer 1, for which the others are ready. It gives up attempts at it before an
// epoch.
func (c *coordinator) stall(epoch uint64) {
	c.t.Helper()
	call := fakeWorker(c.t, c)
	ctx, cancel := context.WithCancel(c.t.Context())
	done := make(chan struct{})
	c.t.Cleanup(func() {
		cancel()
		<-done
	})
	go func() {
		defer close(done)
		var order uint64
		report := &everystatev1.RunReport{}
		for ctx.Err() == nil {
			res, err := call(&everystatev1.SynchronizeRequest{Worker: "stalled", Incarnation: 1, Order: order, Report: report, Weight: 1})
			if err != nil {
				<-time.After(lookInterval)
				continue
			}
			order = res.GetOrder()
			report = obey(res.GetRun(), report, epoch)
		}
	}()
}

// obey returns the report of a worker that has done as ordered; it does only layer 0.
func obey(o *everystatev1.RunOrder, before *everystatev1.RunReport, epoch uint64) *everystatev1.RunReport {
	r := &everystatev1.RunReport{Run: o.GetRun(), RunIdentity: o.GetRunIdentity()}
	if before.GetRun() == o.GetRun() {
		r.ForwardLayers, r.ForwardEpoch = before.GetForwardLayers(), before.GetForwardEpoch()
	}
	for _, l := range o.GetLayers() {
		r.ForwardLayers, r.ForwardEpoch = l.GetDepth()+1, l.GetEpoch()
	}
	at := o.GetAttempt()
	switch {
	case at == nil || at.GetDepth() > 0 && at.GetEpoch() >= epoch:
		return r
	case at.GetDepth() > 0:
		r.Epoch, r.Failure, r.FailureKind = at.GetEpoch(), "not yet", everystatev1.FailureKind_FAILURE_KIND_INTERRUPTED
		return r
	}
	r.Epoch, r.Stage = at.GetEpoch(), at.GetStage()
	if r.GetStage() != everystatev1.Stage_STAGE_WRITTEN {
		return r
	}
	for _, owner := range at.GetOwners() {
		if owner.GetWorker() != "stalled" {
			continue
		}
		for _, p := range owner.GetPartitions() {
			r.Partitions = append(r.Partitions, &everystatev1.PartitionReport{Partition: p, Digest: make([]byte, 16)})
		}
	}
	return r
}

// TestTwoClusters has two clusters explore one board under one name. A worker of the
// first advertises the address of a worker of the second, and the epochs coincide: its
// candidates are refused there, nothing wrong is committed, and both name the mistaken
// worker. Once the address is corrected, the run is exact.
func TestTwoClusters(t *testing.T) {
	t.Parallel()
	// The first has candidates for another worker at layer 2 if nothing has gone wrong.
	const meet = 1<<20 + 4
	b := boardOf(t, short)
	w := newWorld(t, "")
	second := w.coordinator("second", nil)
	stats := new(workerserver.Stats)
	victim := second.workerWith("victim", func(o *workerserver.Options) { o.Stats, o.Weight = stats, 15 })
	second.stall(meet)
	second.present(2)
	second.submit(run, b, everything())
	w.until("the second is where the first will be", func() bool { return w.log.matches("worker=stalled.*not yet") })
	_, there := second.get(run)
	at := there[victim.name()].Address

	first := w.coordinator("first", nil)
	first.workerWith("right", nil)
	mistaken := first.workerWith("mistaken", func(o *workerserver.Options) { o.Advertise = at })
	first.present(2)
	first.submit(run, b, everything())
	first.until("the stream is refused", func() bool {
		if s, _ := first.get(run); s.Depth > 2 {
			r, err := first.client.Open(t.Context(), run)
			if err != nil {
				t.Fatal(err)
			}
			b.checkSoFar(t, run, r.History())
			t.Fatalf("it was taken: the run is at layer %d", s.Depth)
		}
		return stats.Misrouted.Load() > 0
	})
	w.until("the coordinator knows why", func() bool {
		return w.log.matches("attempt abandoned.*machine=first.*this is worker " + victim.name() + ", not the intended .*" + mistaken.name() + ".*")
	})
	r, err := first.client.Open(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	b.checkSoFar(t, run, r.History())
	mistaken.end(t)
	mistaken.opts.Advertise = ""
	mistaken.begin()
	first.exact(run, b)
}

// TestDiskOfAnotherCluster attaches a worker that keeps another cluster's run to a
// cluster that explores a board under the same name.
func TestDiskOfAnotherCluster(t *testing.T) {
	t.Parallel()
	b := boardOf(t, short)
	w := newWorld(t, "")
	one := w.coordinator("one", nil)
	kept := one.workers("kept")[0]
	one.submit(run, b, everything())
	one.exact(run, b)
	kept.end(t)

	other := w.coordinator("other", nil)
	other.workers("kept")
	other.submit(run, b, everything())
	other.until("the run has failed", func() bool {
		s, _ := other.get(run)
		return s.State == client.Failed && strings.Contains(s.Failure, "has a different run of this name")
	})
	// Once it is deleted, it makes room.
	if err := other.client.Delete(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	other.until("the run can be begun anew", func() bool {
		_, err := other.client.Submit(t.Context(), run, b.spec(), everything())
		return err == nil
	})
	other.exact(run, b)
}
