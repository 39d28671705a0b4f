package clustertest

import (
	"context"
	"fmt"
	"strings"
	"sync"
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
			o.LeaseMillis = soonLostMillis // so long the run waits if too much is kept
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

	asked, may, reads := make(chan struct{}, 1000), make(chan struct{}), new(reads)
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
				return &readStream{ClientStream: stream, reads: reads}, err
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
	if divided {
		c.gate.set(false)
		r := c.ended(b)
		w.keptAhead(r.History())
		reads.check(w.t, killed)
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
		w.t.Errorf("never were records of more than %d layers kept", most+1)
	}
	if n := uint32(len(layers)); h.KeptFrom() != n-2 {
		w.t.Errorf("at the end records are kept from layer %d of %d", h.KeptFrom(), n)
	}
}

// reads is what a worker reads of others.
type reads struct {
	mu     sync.Mutex
	active map[*everystatev1.ReadLayerRequest]bool
	tables int
	wrong  []string
}

// check checks that each partition of the table was read once, when it was fetched ahead.
func (r *reads) check(t *testing.T, killed bool) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.wrong) > 0 {
		t.Errorf("%d are read too soon, such as %s", len(r.wrong), r.wrong[0])
	}
	if want := 8; !killed && r.tables != want {
		t.Errorf("%d partitions of the table are read, want %d", r.tables, want)
	}
}

// readStream notes when a read begins and ends: one of a layer may not begin before those of
// the table and of earlier layers have ended.
type readStream struct {
	grpc.ClientStream
	reads *reads
	req   *everystatev1.ReadLayerRequest
}

func (s *readStream) SendMsg(m any) error {
	r := s.reads
	r.mu.Lock()
	if req, ok := m.(*everystatev1.ReadLayerRequest); ok {
		s.req = req
		for other := range r.active {
			if other.GetDepth() != req.GetDepth() {
				r.wrong = append(r.wrong, fmt.Sprintf("%v\nbeside %v", req, other))
			}
		}
		if r.active == nil {
			r.active = make(map[*everystatev1.ReadLayerRequest]bool)
		}
		r.active[req] = true
		if req.GetTable() {
			r.tables++
		}
	}
	r.mu.Unlock()
	return s.ClientStream.SendMsg(m)
}

func (s *readStream) RecvMsg(m any) error {
	err := s.ClientStream.RecvMsg(m)
	if err != nil {
		s.reads.mu.Lock()
		delete(s.reads.active, s.req)
		s.reads.mu.Unlock()
	}
	return err
}
