package clustertest

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/server"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	workerserver "github.com/everystate/everystate/worker/server"
)

// TestFetchedAhead has a third worker come in the middle of a run. Layers are committed
// while it fetches, however long that takes it, and then it gets its share. If it is killed
// before, the run does not even wait until that is noticed. Where workers divide a table,
// nothing is added to it until the third one has its share, or too much is kept for that.
func TestFetchedAhead(t *testing.T) {
	t.Parallel()
	for _, divided := range []bool{false, true} {
		for _, killed := range []bool{false, true} {
			name := "stays"
			if killed {
				name = "is killed"
			}
			if divided {
				name += ", and a table is divided"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				fetchedAhead(newWorld(t, ""), killed, divided)
			})
		}
	}
}

func fetchedAhead(w *world, killed, divided bool) {
	b := boardOf(w.t, long)
	c := w.coordinator("c", func(o *server.Options) {
		if o.AheadStates = 1; divided {
			o.LeaseMillis = soonLostMillis // the run waits this long once too much is kept
		}
	})
	ws := []*worker{c.workerWith("w1", gather), c.workerWith("w2", gather)}
	c.present(2)
	c.hold()
	if divided {
		spec := b.spec()
		spec.Store = history.DividedTable
		c.withoutGoals(spec)
	} else {
		c.submit(run, b, everything())
	}
	c.entries(run, 20)
	c.shares(map[string]int{ws[0].name(): 8, ws[1].name(): 8})

	asked, may, tables := make(chan struct{}, 1000), make(chan struct{}), new(atomic.Int32)
	third := c.workerWith("w3", func(o *workerserver.Options) {
		o.Weight, o.GatherStates = 2, 40
		o.Dial = append(plaintext(), grpc.WithStreamInterceptor(func(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
			if strings.HasSuffix(method, "/ReadLayer") {
				asked <- struct{}{}
				select {
				case <-may:
				case <-ctx.Done():
					return nil, ctx.Err()
				}
				stream, err := open(ctx, desc, conn, method, opts...)
				return &readStream{ClientStream: stream, tables: tables}, err
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
	if divided && !killed { // partitions come back where some of their layers still are
		s, _ := c.get(run)
		c.entries(run, s.Entries+more)
		c.drains(third)
	}
	if divided {
		c.gate.set(false)
		r := c.ended(b)
		w.keptAhead(r.History())
		if n := tables.Load(); !killed && n != 8 {
			w.t.Errorf("%d partitions of the table are read, want 8, each once", n)
		}
		c.untilRead(r)
		if err := r.Divided().Verify(w.t.Context(), func(history.Layer) {}); err != nil {
			w.t.Error(err)
		}
	} else {
		c.exact(run, b)
	}
	for _, what := range []string{"attempt abandoned", "records of a layer are lost"} {
		if w.log.has(what) {
			w.t.Errorf("the log says %q", what)
		}
	}
}

// keptAhead checks that records of layers were kept for a while, and then no longer.
func (w *world) keptAhead(h *history.History) {
	w.t.Helper()
	layers, most := h.Layers(history.Forward), uint32(0)
	for _, l := range layers {
		most = max(most, l.Depth-l.KeptFrom)
	}
	if most < 5 {
		w.t.Errorf("records of at most %d layers were kept", most+1)
	}
	if n := uint32(len(layers)); h.KeptFrom() != n-2 {
		w.t.Errorf("at the end records are kept from layer %d of %d", h.KeptFrom(), n)
	}
}

// readStream counts the partitions of a table that are read to the end. A read that is
// under way when partitions move is given up and begins again.
type readStream struct {
	grpc.ClientStream
	tables *atomic.Int32
	asked  int32
}

func (s *readStream) SendMsg(m any) error {
	if req, ok := m.(*everystatev1.ReadLayerRequest); ok && req.GetTable() {
		s.asked = int32(len(req.GetPartitions()))
	}
	return s.ClientStream.SendMsg(m)
}

func (s *readStream) RecvMsg(m any) error {
	err := s.ClientStream.RecvMsg(m)
	if errors.Is(err, io.EOF) {
		s.tables.Add(s.asked)
	}
	return err
}
