package world

import (
	"context"
	"testing"
	"time"

	"github.com/everystate/everystate/store/bucket/cloudtest"
)

// TestDeletedUncompared deletes a run while the bucket is away, from a coordinator that was
// just started and is killed right afterwards. When the bucket is back, the run is removed
// from it as well, unless another coordinator has completed it meanwhile.
func TestDeletedUncompared(t *testing.T) {
	for seed, taken := range []bool{false, true} {
		prepare := func(w *world) { w.net.latency, w.cloud = 20*time.Millisecond, cloudtest.New() }
		scenario(t, uint64(seed)+1, 2, prepare, func(w *world) {
			first, r := w.coordinators[0], w.dice.of("first")
			w.entries(begunEntries + 4)
			first.kill(false, r)
			if taken {
				second := w.coordinate()
				w.watch.watches([]*machine{second})
				for _, m := range w.workers {
					m.kill(false, r)
					m.boss = second
					m.start()
				}
				w.gets(5 * time.Minute)
			}
			w.trouble.set(func(t *troubles) { t.away = true })
			first.start()
			c, _, err := w.newClient(first, "10.0.3.3")
			if err != nil {
				w.fail("%v", err)
				return
			}
			defer func() { _ = c.Close() }()
			w.until(time.Minute, "the run is deleted", func() bool { return c.Delete(context.Background(), run) == nil })
			first.kill(false, r)
			first.start()
			w.trouble.set(func(t *troubles) { t.away = false })
			w.until(5*time.Minute, "the bucket is done with", func() bool { return w.said("left in the bucket")+w.said("run removed from the bucket") > 0 })
			if is := w.said("left in the bucket") == 1; is != taken {
				w.fail("left in the bucket: %v", is)
			}
			if taken {
				w.inBucket()
			}
		})
	}
}
