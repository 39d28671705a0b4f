// Package limits bounds what the callers of a gRPC server may take up together,
// whoever they are and whether or not they ever say anything: connections, and
// calls under way. Of both there are so many in all, and so many for one address,
// so that one machine that goes mad leaves room for the others.
//
// What is above a limit is refused at once, and nothing waits: a connection is
// closed, a call is answered with RESOURCE_EXHAUSTED before any of its message
// has been read. Everything here is safe for concurrent use.
package limits

import (
	"context"
	"net"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/tap"
)

// Limit is how many of something there may be at a time.
type Limit struct {
	All         int
	OfOneCaller int // of one network address, ports aside
}

// counter counts what is there, by caller.
type counter struct {
	limit Limit

	mu  sync.Mutex // guards the fields below
	all int
	of  map[string]int
}

func newCounter(l Limit) *counter { return &counter{limit: l, of: make(map[string]int)} }

// enter counts one more, unless there are too many.
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

// callerOf returns the part of an address that is a machine's.
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
		// The context ends with the call, however it ends.
		context.AfterFunc(ctx, func() { c.leave(caller) })
		return ctx, nil
	}
}

// listener closes connections above a limit.
type listener struct {
	net.Listener
	counter *counter
	refused func(caller string)
}

// Listen returns a listener that closes connections above a limit as soon as they
// are accepted. refused is told of it, at most once in sayInterval.
func Listen(lis net.Listener, l Limit, refused func(caller string)) net.Listener {
	var last time.Time // Accept is called by one goroutine
	return &listener{Listener: lis, counter: newCounter(l), refused: func(caller string) {
		if now := time.Now(); now.Sub(last) > sayInterval {
			last = now
			refused(caller)
		}
	}}
}

const sayInterval = time.Minute

// Accept returns the next connection that is within the limits.
func (l *listener) Accept() (net.Conn, error) {
	for {
		raw, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		caller := callerOf(raw.RemoteAddr())
		if l.counter.enter(caller) {
			return &conn{Conn: raw, leave: sync.OnceFunc(func() { l.counter.leave(caller) })}, nil
		}
		_ = raw.Close() // whoever it was gets no answer
		l.refused(caller)
	}
}

// conn is a connection that is counted.
type conn struct {
	net.Conn
	leave func()
}

func (c *conn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
