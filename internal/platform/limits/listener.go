package limits

import (
	"context"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/tap"
)

// Listener closes connections above a limit.
type Listener struct {
	net.Listener
	counter *counter
	refused func(caller string)
	last    time.Time // when refused was called; Accept is called by one goroutine
	limit   Limit

	mu    sync.Mutex // guards the field below
	young []*conn    // that have not asked for anything, the oldest first
}

// Listen returns a listener that closes connections above a limit as soon as they are
// accepted. It calls refused for them, at most once per sayInterval. Somebody must tell
// it which connections have asked for something: Calls for gRPC, Requests for HTTP.
func Listen(lis net.Listener, l Limit, refused func(caller string)) *Listener {
	return &Listener{Listener: lis, counter: newCounter(l), limit: l, refused: refused}
}

const sayInterval = time.Minute

// Accept returns the next connection that is within the limits.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		raw, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c := &conn{Conn: raw, caller: callerOf(raw.RemoteAddr()), addr: raw.RemoteAddr().String(), of: l}
		if old := l.outgrown(c.caller); old != nil {
			_ = old.Close() // it has nothing to lose
			l.say(old.caller)
		}
		if l.counter.enter(c.caller) {
			l.mu.Lock()
			l.young = append(l.young, c)
			l.mu.Unlock()
			return c, nil
		}
		_ = raw.Close() // the caller gets no answer
		l.say(c.caller)
	}
}

// say calls refused, unless it was called a short time ago.
func (l *Listener) say(caller string) {
	if now := time.Now(); now.Sub(l.last) > sayInterval {
		l.last = now
		l.refused(caller)
	}
}

// outgrown returns the connection that has to make room for one of a caller: the oldest
// of that caller, or of the caller that has most of those that have asked for nothing.
func (l *Listener) outgrown(caller string) *conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	of := make(map[string]int)
	most := caller
	for _, c := range l.young {
		if of[c.caller]++; of[c.caller] > of[most] {
			most = c.caller
		}
	}
	switch {
	case 2*of[caller] >= l.limit.OfOneCaller:
	case 2*len(l.young) >= l.limit.All:
		caller = most
	default:
		return nil
	}
	if i := slices.IndexFunc(l.young, func(c *conn) bool { return c.caller == caller }); i >= 0 {
		return l.young[i]
	}
	return nil
}

// asked notes that the connection from an address has asked for something.
func (l *Listener) asked(addr string) { l.grown(func(c *conn) bool { return c.addr == addr }) }

// grown takes a connection off those that have not asked for anything.
func (l *Listener) grown(is func(*conn) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.IndexFunc(l.young, is); i >= 0 {
		l.young = slices.Delete(l.young, i, i+1)
	}
}

// Calls returns a handle for grpc.InTapHandle that refuses calls above a limit, and
// notes which connections make calls.
func (l *Listener) Calls(limit Limit) tap.ServerInHandle {
	enter := Calls(limit)
	return func(ctx context.Context, info *tap.Info) (context.Context, error) {
		if p, ok := peer.FromContext(ctx); ok {
			l.asked(p.Addr.String())
		}
		return enter(ctx, info)
	}
}

// Requests returns a handler that notes which connections make requests.
func (l *Listener) Requests(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.asked(r.RemoteAddr)
		h.ServeHTTP(w, r)
	})
}

// conn is a counted connection.
type conn struct {
	net.Conn
	caller string
	addr   string // with its port
	of     *Listener
	once   sync.Once
}

func (c *conn) Close() error {
	c.once.Do(func() {
		c.of.counter.leave(c.caller)
		c.of.grown(func(other *conn) bool { return other == c })
	})
	return c.Conn.Close()
}
