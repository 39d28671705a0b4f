package clustertest

import (
	"testing"

	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/server"
)

// Of workers that divide a table, one loses its disk for good. The other gets from the bucket
// the last layers of its partitions, and layers are made while it gets the rest. In the end
// all of it is in its table, and the records are gone.
func TestRestoredTable(t *testing.T) {
	t.Parallel()
	b := boardOf(t, long)
	w := newWorld(t, fileBucket(t))
	c := w.coordinator("c", func(o *server.Options) { o.LeaseMillis, o.AheadStates = soonLostMillis, 1 })
	stays, lost := c.workerWith("w1", gather), c.workerWith("w2", gather)
	c.present(2)
	c.hold()
	spec := b.spec()
	spec.Store = history.DividedTable
	c.withoutGoals(spec)
	c.entries(run, 30)
	c.shares(map[string]int{stays.name(): 8, lost.name(): 8})
	lost.loseDisk()
	c.layers(run, "has gone on with the other worker", func(_ client.Status, workers map[string]client.Worker) bool {
		return workers[stays.name()].Partitions == 16
	})
	c.gate.set(false)
	r := c.ended(b)
	for what, want := range map[string]bool{
		"remaining records of partitions are restored": true, "taken over from a lost worker are restored": true,
		"records of a layer are lost": false, "does not have all states": false,
	} {
		if w.log.has(what) != want {
			t.Errorf("the log says %q: %t", what, !want)
		}
	}
	h := r.History()
	if n := uint32(len(h.Layers(history.Forward))); h.KeptFrom() != n-2 {
		t.Errorf("records are kept from layer %d of %d", h.KeptFrom(), n)
	}
	w.eventually([]*worker{stays}, "has records of the last layers alone", func(machine string) bool { return w.recordsAre(machine, h) })
	c.untilRead(r)
	if err := r.Divided().Verify(t.Context(), func(history.Layer) {}); err != nil {
		t.Error(err)
	}
}
