package clustertest

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/history"
	coordinatorserver "github.com/everystate/everystate/coordinator/server"
)

// TestOverBeforeBucket loses all machines when a run is over but the bucket lacks its last
// layers: whoever adopts the run makes them again, and does not take it for finished.
func TestOverBeforeBucket(t *testing.T) {
	t.Parallel()
	b := boardOf(t, short)
	w := newWorld(t, fileBucket(t))
	c := w.coordinator("c", func(o *coordinatorserver.Options) { o.Adopt, o.LeaseMillis = true, soonLostMillis })
	ws := c.workers("w1", "w2")
	c.hold()
	c.submit(run, b, history.Want{})
	c.durable(run, 10)
	u, err := url.Parse(w.bucket)
	if err != nil {
		t.Fatal(err)
	}
	layers := filepath.Join(filepath.FromSlash(u.Path), run, "layers")
	if err := errors.Join(os.Rename(layers, layers+".away"), os.WriteFile(layers, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	c.gate.set(false)
	c.stopped(run)
	if s, _ := c.get(run); !s.Complete || s.DurableEntries >= s.Entries {
		t.Fatalf("the bucket has everything: %+v", s)
	}
	for _, lost := range ws {
		lost.loseDisk()
	}
	c.end(t)
	w.wipe("c")
	if err := errors.Join(os.Remove(layers), os.Rename(layers+".away", layers)); err != nil {
		t.Fatal(err)
	}

	c.begin()
	c.workers("w3")
	c.untilRun(run, "is complete", func(s client.Status, _ map[string]client.Worker) bool { return s.State == client.Stopped && s.Complete })
}
