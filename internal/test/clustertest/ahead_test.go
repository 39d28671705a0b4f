package clustertest

import (
	"context"
	"strings"
	"testing"

	"google.golang.org/grpc"

	"github.com/everystate/everystate/coordinator/server"
	workerserver "github.com/everystate/everystate/worker/server"
)

// TestFetchedAhead has a third worker come in the middle of a run. Layers are committed
// while it fetches, however long that takes it, and then it gets its share. If it is killed
// before, the run does not even wait until that is noticed.
func TestFetchedAhead(t *testing.T) {
	t.Parallel()
	for _, killed := range []bool{false, true} {
		name := "stays"
		if killed {
			name = "is killed"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fetchedAhead(newWorld(t, ""), killed)
		})
	}
}

func fetchedAhead(w *world, killed bool) {
	b := boardOf(w.t, long)
	c := w.coordinator("c", func(o *server.Options) { o.AheadStates = 1 })
	ws := c.workers("w1", "w2")
	c.hold()
	c.submit(run, b, everything())
	c.entries(run, 20)
	c.shares(map[string]int{ws[0].name(): 8, ws[1].name(): 8})

	asked, may := make(chan struct{}, 100), make(chan struct{})
	third := c.workerWith("w3", func(o *workerserver.Options) {
		o.Weight = 2
		o.Dial = append(plaintext(), grpc.WithStreamInterceptor(func(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
			if strings.HasSuffix(method, "/ReadLayer") {
				asked <- struct{}{}
				select {
				case <-may:
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			}
			return open(ctx, desc, conn, method, opts...)
		}))
	})
	<-asked
	s, _ := c.get(run)
	const more = 10
	c.entries(run, s.Entries+more)
	if _, workers := c.get(run); workers[third.name()].Partitions != 0 {
		w.t.Errorf("a worker that is still fetching keeps %d partitions", workers[third.name()].Partitions)
	}
	if killed {
		third.end(w.t)
	} else {
		close(may)
		c.shares(map[string]int{ws[0].name(): 4, ws[1].name(): 4, third.name(): 8})
	}
	c.exact(run, b)
	for _, what := range []string{"attempt abandoned", "records of a layer are lost"} {
		if w.log.has(what) {
			w.t.Errorf("the log says %q", what)
		}
	}
}
