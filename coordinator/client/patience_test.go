package client

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// TestPatience calls a coordinator that listens only after it has refused a connection.
func TestPatience(t *testing.T) {
	t.Parallel()
	var config net.ListenConfig
	lis, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := lis.Addr().String()
	if err := lis.Close(); err != nil {
		t.Fatal(err)
	}
	g := grpc.NewServer()
	everystatev1.RegisterRunServiceServer(g, &fake{})
	done := make(chan error, 1)
	var once sync.Once
	begin := func(ctx context.Context, desc *grpc.StreamDesc, c *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		s, err := open(ctx, desc, c, method, opts...)
		once.Do(func() {
			if !refused(err) {
				t.Errorf("before the coordinator listens: %v", err)
			}
			lis, err := config.Listen(ctx, "tcp", addr)
			if err != nil {
				t.Error(err)
			}
			go func() { done <- g.Serve(lis) }()
		})
		return s, err
	}
	var waits, ends atomic.Int32
	c, err := Dial(addr, Options{
		Dial:     []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithChainStreamInterceptor(begin)},
		Patience: time.Minute,
		Waiting: func(bool) func() {
			waits.Add(1)
			return func() { ends.Add(1) }
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&Run{client: c, name: "n"}).read(t.Context(), 0); err != nil {
		t.Errorf("the call was not repeated: %v", err)
	}
	if waits.Load() != 2 || ends.Load() != 2 { // for the stream, and for its end
		t.Errorf("%d waits began and %d ended", waits.Load(), ends.Load())
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	g.Stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
