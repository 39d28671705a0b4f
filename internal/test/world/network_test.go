package world

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// network carries bytes between the processes of a world. Like TCP, it loses, repeats
// and reorders nothing while a connection lives; connections are late, stall in one
// direction or both, break, or break for one side only.
//
// Nothing that it does depends on which goroutine came first: whatever is drawn is a
// function of the seed, the connection and a counter of its own.
type network struct {
	dice dice

	mu        sync.Mutex // guards everything below, and all connections
	listeners map[string]*listener
	links     []link
	blocked   map[route]bool
	latency   time.Duration // the longest delay of bytes when nothing is wrong
	slow      time.Duration // the longest additional delay
	dials     map[route]int
	bytes     int64 // in total
}

// link is both directions of a connection.
type link struct {
	there, back *half
	powerless   string // the machine that has forgotten it, if one has
}

func (l link) live() bool { return l.there.live() || l.back.live() }

// route is a direction between two machines.
type route struct{ from, to string }

func newNetwork(d dice, latency time.Duration) *network {
	return &network{
		dice: d, latency: latency, listeners: make(map[string]*listener), blocked: make(map[route]bool), dials: make(map[route]int),
	}
}

// connectAgain is the time between two attempts to connect where nothing arrives.
const connectAgain = time.Second

// stack is the network as one process sees it.
type stack struct {
	net  *network
	host string

	// Guarded by net.mu.
	dead      bool
	conns     map[*conn]bool
	listeners []*listener
}

func (n *network) stack(host string) *stack {
	return &stack{net: n, host: host, conns: make(map[*conn]bool)}
}

func netError(op string, err error) error {
	return &net.OpError{Op: op, Net: "tcp", Err: os.NewSyscallError(op, err)}
}

// dial connects to an address.
func (s *stack) dial(ctx context.Context, addr string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	n := s.net
	there, back := route{s.host, host}, route{host, s.host}
	n.mu.Lock()
	n.dials[there]++
	number := n.dials[there]
	n.mu.Unlock()
	wait := n.dice.of("dial", s.host, addr, number).duration(n.latency)
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(wait):
		}
		n.mu.Lock()
		if !n.blocked[there] && !n.blocked[back] || s.dead {
			break
		}
		n.mu.Unlock()
		wait = connectAgain
	}
	defer n.mu.Unlock()
	l := n.listeners[addr]
	if s.dead || l == nil {
		return nil, netError("dial", syscall.ECONNREFUSED)
	}
	local := address(net.JoinHostPort(s.host, strconv.Itoa(20_000+number%40_000)))
	name := fmt.Sprintf("%s>%s#%d", s.host, addr, number)
	a, b := newHalf(n, there, name), newHalf(n, back, name+"'")
	a.other, b.other = b, a
	n.links = append(slices.DeleteFunc(n.links, func(l link) bool { return !l.live() }), link{there: a, back: b})
	near := &conn{stack: s, in: b, out: a, local: local, remote: address(addr)}
	far := &conn{stack: l.stack, in: a, out: b, local: address(addr), remote: local}
	s.conns[near], l.stack.conns[far] = true, true
	l.waiting = append(l.waiting, far)
	l.came.Broadcast()
	return near, nil
}

// listen serves an address of the process's machine.
func (s *stack) listen(port int) (*listener, error) {
	n := s.net
	n.mu.Lock()
	defer n.mu.Unlock()
	addr := net.JoinHostPort(s.host, strconv.Itoa(port))
	if s.dead || n.listeners[addr] != nil {
		return nil, netError("listen", syscall.EADDRINUSE)
	}
	l := &listener{stack: s, addr: address(addr), came: sync.NewCond(&n.mu)}
	n.listeners[addr] = l
	s.listeners = append(s.listeners, l)
	n.forgets(s.host)
	return l, nil
}

// forgets makes a machine that is back reset the connections that it no longer knows.
func (n *network) forgets(host string) {
	for _, l := range n.links {
		if l.powerless == host {
			for _, h := range []*half{l.there, l.back} {
				h.swallow = false
				h.fail(syscall.ECONNRESET)
			}
		}
	}
}

// cut takes a process off the network. The other sides are told, as by the operating
// system that survives it, or hear nothing any more, as after a power failure.
func (s *stack) cut(told bool) {
	n := s.net
	n.mu.Lock()
	defer n.mu.Unlock()
	s.dead = true
	for _, l := range s.listeners {
		l.close()
	}
	for c := range s.conns {
		if told {
			c.in.fail(syscall.ECONNRESET)
			c.out.fail(syscall.ECONNRESET)
			continue
		}
		c.in.swallow, c.out.swallow = true, true
		for i, l := range n.links {
			if l.there == c.out || l.back == c.out {
				n.links[i].powerless = s.host
			}
		}
		c.in.fail(syscall.ECONNRESET) // its own side is not to wait
	}
	clear(s.conns)
}

// address is a machine and a port.
type address string

func (a address) Network() string { return "tcp" }
func (a address) String() string  { return string(a) }

type listener struct {
	stack *stack
	addr  address
	came  *sync.Cond

	waiting []*conn
	closed  bool
}

func (l *listener) Addr() net.Addr { return l.addr }

func (l *listener) Accept() (net.Conn, error) {
	n := l.stack.net
	n.mu.Lock()
	defer n.mu.Unlock()
	for len(l.waiting) == 0 && !l.closed {
		l.came.Wait()
	}
	if l.closed {
		return nil, net.ErrClosed
	}
	c := l.waiting[0]
	l.waiting = l.waiting[1:]
	return c, nil
}

func (l *listener) Close() error {
	n := l.stack.net
	n.mu.Lock()
	defer n.mu.Unlock()
	l.close()
	return nil
}

func (l *listener) close() {
	n := l.stack.net
	if l.closed {
		return
	}
	l.closed = true
	delete(n.listeners, string(l.addr))
	for _, c := range l.waiting {
		c.out.fail(syscall.ECONNRESET)
		c.in.fail(syscall.ECONNRESET)
	}
	l.came.Broadcast()
}

// conn is one end of a connection.
type conn struct {
	stack         *stack
	in, out       *half
	local, remote address
	closed        bool
}

func (c *conn) LocalAddr() net.Addr  { return c.local }
func (c *conn) RemoteAddr() net.Addr { return c.remote }

func (c *conn) Read(p []byte) (int, error) { return c.in.read(p) }

func (c *conn) Write(p []byte) (int, error) {
	n := c.stack.net
	n.mu.Lock()
	defer n.mu.Unlock()
	if c.closed {
		return 0, net.ErrClosed
	}
	return c.out.write(p)
}

func (c *conn) Close() error {
	n := c.stack.net
	n.mu.Lock()
	defer n.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	delete(c.stack.conns, c)
	c.in.fail(net.ErrClosed)
	c.out.end()
	return nil
}

func (c *conn) SetDeadline(t time.Time) error { return c.SetReadDeadline(t) }

// SetWriteDeadline does nothing: nobody waits for room.
func (c *conn) SetWriteDeadline(time.Time) error { return nil }

func (c *conn) SetReadDeadline(t time.Time) error {
	n := c.stack.net
	n.mu.Lock()
	defer n.mu.Unlock()
	c.in.deadline = t
	if c.in.alarm != nil {
		c.in.alarm.Stop()
	}
	if !t.IsZero() {
		c.in.alarm = time.AfterFunc(time.Until(t), func() {
			n.mu.Lock()
			defer n.mu.Unlock()
			c.in.came.Broadcast()
		})
	}
	c.in.came.Broadcast()
	return nil
}

// half is one direction of a connection. The network's mutex guards it.
type half struct {
	net   *network
	route route
	name  string
	came  *sync.Cond

	sent    int // segments, ever
	last    time.Time
	under   []segment // way
	arrived []byte
	ended   bool  // after what is under way
	err     error // at once, whatever has arrived
	swallow bool  // nothing that is written arrives any more
	timer   *time.Timer
	other   *half

	deadline time.Time
	alarm    *time.Timer
}

type segment struct {
	at   time.Time
	data []byte // nil for the end
}

func newHalf(n *network, r route, name string) *half {
	return &half{net: n, route: r, name: name, came: sync.NewCond(&n.mu)}
}

func (h *half) live() bool { return h.err == nil && !h.ended }

func (h *half) read(p []byte) (int, error) {
	n := h.net
	n.mu.Lock()
	defer n.mu.Unlock()
	for {
		switch {
		case h.err != nil:
			if errors.Is(h.err, net.ErrClosed) {
				return 0, h.err
			}
			return 0, netError("read", h.err)
		case len(h.arrived) > 0:
			k := copy(p, h.arrived)
			h.arrived = h.arrived[k:]
			return k, nil
		case h.ended:
			return 0, io.EOF
		case !h.deadline.IsZero() && !time.Now().Before(h.deadline):
			return 0, os.ErrDeadlineExceeded
		}
		h.came.Wait()
	}
}

func (h *half) write(p []byte) (int, error) {
	switch {
	case h.swallow:
		h.unheard()
		return len(p), nil
	case errors.Is(h.err, net.ErrClosed) && h.other.live():
		return len(p), nil // that the other side has closed it is not known here yet
	case h.err != nil:
		return 0, netError("write", syscall.EPIPE)
	}
	h.net.bytes += int64(len(p))
	h.post(append([]byte{}, p...))
	return len(p), nil
}

// giveUpAfter is how long a system resends bytes that are not acknowledged: Linux with
// the default tcp_retries2.
const giveUpAfter = 15 * time.Minute

// unheard tells the sender, much later, that nobody has heard it.
func (h *half) unheard() {
	if h.timer == nil {
		h.timer = time.AfterFunc(giveUpAfter, func() {
			h.net.mu.Lock()
			defer h.net.mu.Unlock()
			h.swallow = false
			h.fail(syscall.ETIMEDOUT)
			h.other.fail(syscall.ETIMEDOUT)
		})
	}
}

// post sends bytes, or the end.
func (h *half) post(data []byte) {
	if h.swallow {
		return
	}
	h.sent++
	d := h.net.dice.of("late", h.name, h.sent)
	late := d.duration(h.net.latency)
	if h.net.slow > 0 {
		late += d.duration(h.net.slow)
	}
	at := time.Now().Add(late)
	if !at.After(h.last) {
		at = h.last.Add(1)
	}
	h.last = at
	h.under = append(h.under, segment{at, data})
	time.AfterFunc(time.Until(at), func() {
		h.net.mu.Lock()
		defer h.net.mu.Unlock()
		h.pump()
	})
}

// pump delivers what has been under way for long enough.
func (h *half) pump() {
	if h.err != nil || h.net.blocked[h.route] {
		return
	}
	for len(h.under) > 0 && !h.under[0].at.After(time.Now()) {
		s := h.under[0]
		h.under = h.under[1:]
		if s.data == nil {
			h.ended = true
		}
		h.arrived = append(h.arrived, s.data...)
	}
	h.came.Broadcast()
}

func (h *half) end() {
	if h.err == nil {
		h.post(nil)
	}
}

func (h *half) fail(err error) {
	if h.err == nil {
		h.err = err
		h.under, h.arrived = nil, nil
		h.came.Broadcast()
	}
}

// block stops a route until it is opened.
func (n *network) block(r route) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.blocked[r] = true
}

// open delivers what was held back.
func (n *network) open(r route) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.blocked, r)
	for _, l := range n.links {
		l.there.pump()
		l.back.pump()
	}
}

// delay makes bytes take longer from now on.
func (n *network) delay(most time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.slow = most
}

// A breach is what happens to a connection.
type breach int

const (
	broken   breach = iota // both sides are told
	halfOpen               // one side is told, the other hears nothing any more
	mute                   // nobody is told
)

// breaks breaks a connection that lives, the i-th modulo how many there are, and
// returns which.
func (n *network) breaks(i uint64, how breach) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	var live []link
	for _, l := range n.links {
		if l.live() {
			live = append(live, l)
		}
	}
	if len(live) == 0 {
		return ""
	}
	l := live[i%uint64(len(live))]
	switch how {
	case broken:
		l.there.fail(syscall.ECONNRESET)
		l.back.fail(syscall.ECONNRESET)
	case halfOpen:
		l.there.swallow, l.back.swallow = true, true
		l.back.fail(syscall.ECONNRESET) // who has dialled is told
	case mute:
		l.there.swallow, l.back.swallow = true, true
	}
	return l.there.name
}
