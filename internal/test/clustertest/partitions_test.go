package clustertest

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/server"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/puzzle/partition"
	workerserver "github.com/everystate/everystate/worker/server"
)

// TestManyPartitions explores a space with as many partitions as a run may have, most of
// them empty. A worker that comes when there are layers gets its share and is told of all of
// them, in answers that are bounded.
func TestManyPartitions(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, alone := range []int64{-1, 0} {
		t.Run(fmt.Sprint("alone ", alone), func(t *testing.T) {
			t.Parallel()
			manyPartitions(newWorld(t, ""), alone)
		})
	}
}

func manyPartitions(w *world, alone int64) {
	b := boardOf(w.t, short)
	var largest, layersMost, uncommitted atomic.Int64
	note := func(ctx context.Context, method string, req, res any, conn *grpc.ClientConn, call grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		err := call(ctx, method, req, res, conn, opts...)
		if answer, ok := res.(*everystatev1.SynchronizeResponse); ok {
			raise(&largest, int64(proto.Size(answer)))
			raise(&layersMost, int64(len(answer.GetRun().GetLayers())))
			raise(&uncommitted, int64(len(answer.GetRun().GetAttempt().GetUncommitted())))
		}
		return err
	}
	c := w.coordinator("c", func(o *server.Options) { o.AloneStates = alone })
	dial := func(o *workerserver.Options) { o.Dial = append(plaintext(), grpc.WithUnaryInterceptor(note)) }
	c.workerWith("w0", dial)
	c.workerWith("w1", dial)
	c.present(2)
	spec := b.spec()
	spec.Partitions = partition.Max
	want := everything()
	want.GoalDistance = false
	want.MaxDepth = new(25)
	if _, err := c.client.Submit(w.t.Context(), run, spec, want); err != nil {
		w.t.Fatal(err)
	}
	c.stopped(run)
	c.workerWith("w2", dial)
	c.present(3)
	if _, err := c.client.Submit(w.t.Context(), run, spec, everything()); err != nil {
		w.t.Fatal(err)
	}
	c.exact(run, b)
	_, workers := c.get(run)
	for name, one := range workers {
		if n := one.Partitions; n < partition.Max/3 || n > partition.Max/3+1 {
			w.t.Errorf("%s keeps %d of %d partitions", name, n, partition.Max)
		}
	}
	r, err := c.client.Open(w.t.Context(), run)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Logf("%d and %d layers; an answer has at most %d bytes, %d layers and %d that are not committed",
		len(r.History().Layers(history.Forward)), len(r.History().Layers(history.Goal)), largest.Load(), layersMost.Load(), uncommitted.Load())
	if layersMost.Load() > 16 || uncommitted.Load() > 16 || alone == 0 && uncommitted.Load() == 0 || largest.Load() > 3<<20 {
		w.t.Errorf("an answer has %d bytes, %d layers and %d that are not committed", largest.Load(), layersMost.Load(), uncommitted.Load())
	}
}

// raise sets a number to another one if that is greater.
func raise(n *atomic.Int64, to int64) {
	for was := n.Load(); to > was && !n.CompareAndSwap(was, to); was = n.Load() {
	}
}
