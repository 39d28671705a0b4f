//go:build unix

package clustertest

import (
	"context"
	"flag"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"

	"github.com/everystate/everystate/coordinator/history"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	workerserver "github.com/everystate/everystate/worker/server"
)

var narrowWorkers = flag.Int("narrow", 0, "measure TestNarrowLayers with so many workers, in layers of some hundred states")

// TestNarrowLayers explores a space of many small layers, and counts the streams of
// candidates that are opened: one from each lane to each other worker, however many
// layers there are. Workers are told the stages of the first layer only. With -v it logs
// calls, bytes and processor time per worker and layer.
func TestNarrowLayers(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	n, b, want := 3, boardOf(t, short), everything()
	if *narrowWorkers > 0 {
		n, b, want = *narrowWorkers, boardOf(t, even), history.Want{MaxDepth: new(60)}
	}
	if _, err := b.digest(); err != nil {
		t.Fatal(err)
	}
	var opened, messages, calls atomic.Int64
	var staged sync.Map // attempts of which workers are told each stage
	count := func(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		s, err := open(ctx, desc, conn, method, opts...)
		if method != everystatev1.ExchangeService_Send_FullMethodName || err != nil {
			return s, err
		}
		opened.Add(1)
		return &counted{ClientStream: s, sent: &messages}, nil
	}
	told := func(ctx context.Context, method string, req, res any, conn *grpc.ClientConn, call grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		err := call(ctx, method, req, res, conn, opts...)
		if answer, ok := res.(*everystatev1.SynchronizeResponse); ok {
			calls.Add(1)
			if at := answer.GetRun().GetAttempt(); at.GetStage() == everystatev1.Stage_STAGE_EXPANDED {
				staged.Store(at.GetEpoch(), true)
			}
		}
		return err
	}
	c := newWorld(t, "").coordinator("c", nil)
	var stats []*workerserver.Stats
	for i := range n {
		s := new(workerserver.Stats)
		stats = append(stats, s)
		c.workerWith(fmt.Sprint("w", i), func(o *workerserver.Options) {
			o.Lanes, o.Stats, o.Dial = 1, s, append(plaintext(), grpc.WithStreamInterceptor(count), grpc.WithUnaryInterceptor(told))
		})
	}
	c.present(n)
	spec := b.spec()
	spec.Partitions = max(partitions, 2*n)
	if _, err := c.client.Submit(t.Context(), run, spec, want); err != nil {
		t.Fatal(err)
	}
	c.entries(run, 20) // all have met
	s, _ := c.get(run)
	began, used, before, called := time.Now(), processorTime(t), s.Entries, calls.Load()
	c.stopped(run)
	took, used, called := time.Since(began), processorTime(t)-used, calls.Load()-called
	if want.GoalDistance {
		c.exact(run, b)
	}
	r, err := c.client.Open(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	b.checkSoFar(t, run, r.History())
	layers := len(r.History().Layers(history.Forward)) + len(r.History().Layers(history.Goal))
	var failures, sent, wire int64
	for _, s := range stats {
		failures, sent, wire = failures+s.Failures.Load(), sent+s.Sent.Load(), wire+s.WireBytes.Load()
	}
	t.Logf("%d workers, %d layers, %d failures: %d streams and %d messages of candidates, %.2f bytes for each of %d",
		n, layers, failures, opened.Load(), messages.Load(), float64(wire)/float64(sent), sent)
	some := n * (layers - before)
	t.Logf("%d layers in %v, %v of processor time; per worker and layer %v, %.2f calls",
		layers-before, took.Round(time.Millisecond), used, (used / time.Duration(some)).Round(time.Microsecond), float64(called)/float64(some))
	attempts := 0
	staged.Range(func(any, any) bool { attempts++; return true })
	if n <= 16 && int64(attempts) > 1+failures { // more are told each stage
		t.Errorf("workers were told the stages of %d attempts, with %d failures", attempts, failures)
	}
	if pairs := int64(n * (n - 1)); opened.Load() > pairs*(1+failures) || messages.Load() < 2*pairs {
		t.Errorf("%d streams between %d workers for %d messages", opened.Load(), n, messages.Load())
	}
}

// counted counts what is sent on a stream.
type counted struct {
	grpc.ClientStream
	sent *atomic.Int64
}

func (c *counted) SendMsg(m any) error {
	c.sent.Add(1)
	return c.ClientStream.SendMsg(m)
}

// processorTime returns the processor time of this process.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
