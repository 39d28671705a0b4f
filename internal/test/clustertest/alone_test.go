package clustertest

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"

	"github.com/everystate/everystate/coordinator/history"
	coordinatorserver "github.com/everystate/everystate/coordinator/server"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	workerserver "github.com/everystate/everystate/worker/server"
)

// TestAlone explores a space of small layers, which one worker makes alone: workers are
// called, and call, far less than once a layer, and yet each keeps its share.
func TestAlone(t *testing.T) {
	b := boardOf(t, short)
	if _, err := b.digest(); err != nil {
		t.Fatal(err)
	}
	var calls, alone atomic.Int64
	count := func(ctx context.Context, method string, req, res any, conn *grpc.ClientConn, call grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		err := call(ctx, method, req, res, conn, opts...)
		if answer, ok := res.(*everystatev1.SynchronizeResponse); ok {
			calls.Add(1)
			if answer.GetRun().GetAttempt().GetAlone() != nil {
				alone.Add(1)
			}
		}
		return err
	}
	c := newWorld(t, "").coordinator("c", func(o *coordinatorserver.Options) { o.AloneStates = 0 })
	const n = 3
	stats := make([]workerserver.Stats, n)
	for i := range n {
		c.workerWith(fmt.Sprint("w", i), func(o *workerserver.Options) {
			o.Stats, o.Dial = &stats[i], append(plaintext(), grpc.WithUnaryInterceptor(count))
		})
	}
	c.present(n)
	c.submit(run, b, everything())
	c.exact(run, b)
	r, err := c.client.Open(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	layers := len(r.History().Layers(history.Forward)) + len(r.History().Layers(history.Goal))
	var fetched int64
	for i := range stats {
		fetched += stats[i].Fetched.Load()
	}
	t.Logf("%d layers, %d calls, %d attempts alone, %d states fetched", layers, calls.Load(), alone.Load(), fetched)
	if alone.Load() == 0 || fetched == 0 || calls.Load() > int64(layers) {
		t.Errorf("%d layers took %d workers %d calls, %d of them to work alone, and %d states fetched", layers, n, calls.Load(), alone.Load(), fetched)
	}
}
