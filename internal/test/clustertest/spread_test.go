package clustertest

import (
	"fmt"
	"testing"

	"github.com/everystate/everystate/coordinator/server"
	workerserver "github.com/everystate/everystate/worker/server"
)

// TestSpread explores a space with workers that get partitions only once layers are worth
// them: none of the others is asked to do anything before.
func TestSpread(t *testing.T) {
	t.Parallel()
	b := boardOf(t, short)
	if _, err := b.digest(); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name    string
		unit    int64
		keepers int
	}{{"narrow", 0, 1}, {"wide", 8, 4}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := newWorld(t, "").coordinator("c", func(o *server.Options) { o.AloneStates, o.SpreadStates = test.unit, test.unit })
			const n = 4
			stats := make([]workerserver.Stats, n)
			for i := range n {
				c.workerWith(fmt.Sprint("w", i), func(o *workerserver.Options) { o.Stats = &stats[i] })
			}
			c.present(n)
			c.submit(run, b, everything())
			c.exact(run, b)
			_, workers := c.get(run)
			keepers, busy := 0, 0
			for name, w := range workers {
				if w.Partitions > 0 {
					keepers++
				}
				t.Log(name, w.Partitions)
			}
			for i := range stats {
				if stats[i].Attempts.Load() > 0 {
					busy++
				}
			}
			if keepers != test.keepers || busy != test.keepers {
				t.Errorf("%d workers keep partitions, and %d took part, want %d", keepers, busy, test.keepers)
			}
		})
	}
}
