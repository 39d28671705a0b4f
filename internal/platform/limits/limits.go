// Package limits bounds what the callers of a server may use together, whoever
// they are and whether or not they ever send anything: connections and concurrent
// calls. Both have a limit in total and one per address, so that a single misbehaving
// machine leaves room for the others.
//
// Whatever exceeds a limit is refused at once, and nothing waits: a connection is
// closed, a call is answered with RESOURCE_EXHAUSTED before any of its message is
// read. A connection that has not asked for anything yet may be half open, and its caller
// gone or hostile: such connections may take up no more than half of each limit, and make
// room for later ones, the oldest first. Everything here is safe for concurrent use.
package limits

import (
	"context"
	"net"
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/tap"
)

// Limit is how many of something may exist at a time.
type Limit struct {
	All         int
	OfOneCaller int // per network address, ignoring ports
}

// counter counts per caller.
type counter struct {
	limit Limit

	mu  sync.Mutex // guards the fields below
	all int
	of  map[string]int
}

func newCounter(l Limit) *counter { return &counter{limit: l, of: make(map[string]int)} }

// enter counts one more, unless that exceeds a limit.
func (c *counter) enter(caller string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all >= c.limit.All || c.of[caller] >= c.limit.OfOneCaller {
		return false
	}
	c.all++
	c.of[caller]++
	return true
}

func (c *counter) leave(caller string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all--
	if c.of[caller]--; c.of[caller] == 0 {
		delete(c.of, caller)
	}
}

// callerOf returns the machine's part of an address.
func callerOf(a net.Addr) string {
	if a == nil {
		return ""
	}
	host, _, err := net.SplitHostPort(a.String())
	if err != nil {
		return a.String()
	}
	return host
}

// Calls returns a handle for grpc.InTapHandle that refuses calls above a limit.
func Calls(l Limit) tap.ServerInHandle {
	c := newCounter(l)
	return func(ctx context.Context, _ *tap.Info) (context.Context, error) {
		caller := ""
		if p, ok := peer.FromContext(ctx); ok {
			caller = callerOf(p.Addr)
		}
		if !c.enter(caller) {
			return ctx, status.Error(codes.ResourceExhausted, "too many calls in progress; try again later")
		}
		// The context ends with the call, however that ends.
		context.AfterFunc(ctx, func() { c.leave(caller) })
		return ctx, nil
	}
}
