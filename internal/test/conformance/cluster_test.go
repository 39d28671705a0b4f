package conformance

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/history"
	coordinatorserver "github.com/everystate/everystate/coordinator/server"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/security"
	"github.com/everystate/everystate/puzzle"
	workerserver "github.com/everystate/everystate/worker/server"
)

const (
	// clusterPartitions is few, so that a layer of a small space is cheap, and
	// enough for seven workers.
	clusterPartitions = 16

	// lookInterval is how often a run is polled, and endWait how long the last run may
	// take.
	lookInterval = 10 * time.Millisecond
	endWait      = 5 * time.Minute
)

// setting is a kind of cluster.
type setting struct {
	workers int
	tls     bool
}

func (s setting) String() string {
	transport := "plain"
	if s.tls {
		transport = "tls"
	}
	return fmt.Sprintf("workers=%d %s", s.workers, transport)
}

// peer is what one kind of process needs to talk to the others.
type peer struct {
	serve []grpc.ServerOption
	dial  []grpc.DialOption
}

// peerOf returns the transport of a role: in the clear, or with the role's certificate in
// certs.
func peerOf(t *testing.T, certs string, role security.Role) peer {
	t.Helper()
	if certs == "" {
		return peer{dial: []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}}
	}
	file := func(name, ext string) string { return filepath.Join(certs, name+ext) }
	cert, key := file(role.String(), security.CertExt), file(role.String(), security.KeyExt)
	ca := file(security.CAName, security.CertExt)
	dial, err := security.Dial(security.ClientOptions{
		CAFile: ca, CertFile: cert, KeyFile: key, Servers: []security.Role{security.Coordinator, security.Worker},
	})
	if err != nil {
		t.Fatal(err)
	}
	if role != security.Coordinator && role != security.Worker {
		return peer{dial: dial}
	}
	srv, err := security.NewServer(security.ServerOptions{CertFile: cert, KeyFile: key, ClientCAFile: ca})
	if err != nil {
		t.Fatal(err)
	}
	return peer{serve: srv.Options(), dial: dial}
}

// startCluster starts a coordinator and its workers, and returns a client once all are
// there. They end with the test.
func startCluster(t *testing.T, s setting) *client.Client {
	t.Helper()
	dir, certs := t.TempDir(), ""
	if s.tls {
		certs = filepath.Join(dir, "certs")
		if _, err := security.WriteSet(certs, security.SetOptions{Days: 1, Now: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	var config net.ListenConfig
	lis, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := lis.Addr().String()
	start(t, func(ctx context.Context) error {
		p := peerOf(t, certs, security.Coordinator)
		return coordinatorserver.Serve(ctx, lis, coordinatorserver.Options{
			SpreadStates: -1, // small spaces are to have several workers too
			Data:         filepath.Join(dir, "coordinator"), SettleMillis: 1, Serve: p.serve, Dial: p.dial,
		})
	})
	for i := range s.workers {
		start(t, func(ctx context.Context) error {
			p := peerOf(t, certs, security.Worker)
			return workerserver.Run(ctx, workerserver.Options{
				Coordinator: addr, Data: filepath.Join(dir, fmt.Sprint("worker-", i)),
				Lanes: 1 + i%2, MemoryBytes: workerserver.MemoryMin, Serve: p.serve, Dial: p.dial,
				BackOffMax: 100 * time.Millisecond,
			})
		})
	}
	c, err := client.Dial(addr, client.Options{Dial: peerOf(t, certs, security.Operator).dial})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	look(t, "all workers are there", func() bool {
		_, workers, err := c.List(t.Context())
		return err == nil && len(workers) == s.workers
	})
	return c
}

// start runs a process in a goroutine that ends with the test.
func start(t *testing.T, run func(ctx context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// look waits until is returns true.
func look(t *testing.T, what string, is func() bool) {
	t.Helper()
	ticker := time.NewTicker(lookInterval)
	defer ticker.Stop()
	for begun := time.Now(); time.Since(begun) < endWait; <-ticker.C {
		if is() {
			return
		}
	}
	t.Fatalf("after %v it is not so that %s", endWait, what)
}

func everything(b puzzle.Board) history.Want {
	return history.Want{GoalDistance: b.Puzzle.Layout().HasGoal}
}

// submit puts a board in the queue of a cluster.
func submit(t *testing.T, c *client.Client, run string, b puzzle.Board) {
	t.Helper()
	_, err := c.Submit(t.Context(), run, history.Spec{
		Family: b.Family, Name: b.Name, Metric: b.Metric, Text: b.Text, Partitions: clusterPartitions,
	}, everything(b))
	if err != nil {
		t.Fatal(err)
	}
}

// collect waits for a run, returns what it has found, and deletes it.
func collect(t *testing.T, c *client.Client, run string) outcome {
	t.Helper()
	look(t, run+" is over", func() bool {
		s, _, err := c.Get(t.Context(), run)
		if err != nil || s.State == client.Failed {
			t.Fatalf("%s: %s %v", run, s.Failure, err)
		}
		return s.State == client.Stopped
	})
	r, err := c.Open(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	s, err := engine.Summarize(t.Context(), r.Spec(), r.Space())
	if err != nil {
		t.Fatalf("%s: %v", run, err)
	}
	o := outcomeOf(s, r.History())
	if err := c.Delete(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	return o
}
