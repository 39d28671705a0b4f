package world

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/history"
	cserver "github.com/everystate/everystate/coordinator/server"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
	wserver "github.com/everystate/everystate/worker/server"
)

func dialOf(s *stack) []grpc.DialOption {
	wait := backoff.DefaultConfig
	wait.Jitter = 0
	wait.MaxDelay = 3 * time.Second
	return []grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(s.dial),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: wait, MinConnectTimeout: 3 * time.Second}),
	}
}

func TestThin(t *testing.T) {
	b, err := families.Read([]byte("333BCC\nB22BCC\nB.XXCC\n22B...\n.BB.22\n.B2222"), puzzle.ReadOptions{Metric: "slide"})
	if err != nil {
		t.Fatal(err)
	}
	board := b[0]
	real := time.Now()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		n := newNetwork(1)
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 3)
		cs := n.stack("10.0.0.1")
		lis, err := cs.listen(7000)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			done <- cserver.Serve(ctx, lis, cserver.Options{Data: "/data", FS: vfs.NewCrashableMem(), Dial: dialOf(cs)})
		}()
		for i := range 2 {
			s := n.stack(fmt.Sprintf("10.0.1.%d", i+1))
			lis, err := s.listen(7001)
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				done <- wserver.Run(ctx, wserver.Options{
					Coordinator: "passthrough:///10.0.0.1:7000", Data: "/data", FS: vfs.NewCrashableMem(), Listener: lis,
					Lanes: 2, MemoryBytes: wserver.MemoryMin, Weight: 1, Dial: dialOf(s),
				})
			}()
		}
		c, err := client.Dial("10.0.0.1:7000", client.Options{Dial: dialOf(n.stack("10.0.2.1"))})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Submit(ctx, "run", history.Spec{Family: board.Family, Metric: board.Metric, Text: board.Text, Partitions: 8}, history.Want{MaxDepth: -1, GoalDistance: true})
		if err != nil {
			t.Fatal(err)
		}
		for {
			time.Sleep(time.Second)
			s, _, err := c.Get(ctx, "run")
			if err != nil {
				t.Log(err)
				continue
			}
			if s.State.Over() {
				t.Logf("%v %v %d entries, %v virtual, %d bytes", s.State, s.Complete, s.Entries, time.Since(begun), n.bytes)
				break
			}
		}
		r, err := c.Open(ctx, "run")
		if err != nil {
			t.Fatal(err)
		}
		t.Log(r.History().Digest())
		_ = c.Close()
		cancel()
		for range 3 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	})
	t.Logf("real %v", time.Since(real))
}
