package limits

import (
	"context"
	"fmt"
	"io"
	"net"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
)

func TestCalls(t *testing.T) {
	t.Parallel()
	enter := Calls(Limit{All: 3, OfOneCaller: 2})
	call := func(from string, port int) (end func(), err error) {
		ctx, cancel := context.WithCancel(t.Context())
		ctx = peer.NewContext(ctx, &peer.Peer{Addr: &net.TCPAddr{IP: net.ParseIP(from), Port: port}})
		left := make(chan struct{})
		ctx, err = enter(ctx, nil)
		// Registered behind the one that counts; both run in goroutines of their own.
		context.AfterFunc(ctx, func() { close(left) })
		return func() { cancel(); <-left }, err
	}
	refused := func(from string) bool {
		end, err := call(from, 9)
		end()
		if err != nil && status.Code(err) != codes.ResourceExhausted {
			t.Fatal(err)
		}
		return err != nil
	}
	endA, _ := call("10.0.0.1", 1)
	endB, _ := call("10.0.0.1", 2)
	if !refused("10.0.0.1") || refused("10.0.0.2") {
		t.Error("two calls of one caller of two")
	}
	endC, err := call("fe80::1", 3)
	for err != nil { // until the call that ended is no longer counted
		endC()
		endC, err = call("fe80::1", 3)
	}
	if !refused("10.0.0.2") {
		t.Error("three calls of three")
	}
	endA()
	endB()
	endC()
	for refused("10.0.0.1") { // until what ended is counted
	}
}

func TestListen(t *testing.T) {
	t.Parallel()
	raw, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	said := 0
	lis := Listen(raw, Limit{All: 5, OfOneCaller: 2}, func(string) { said++ })
	accepted, ended := make(chan net.Conn, 10), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			c, err := lis.Accept()
			if err != nil {
				return
			}
			accepted <- c
		}
	}()
	dial := func() net.Conn {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", raw.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	admit := func() net.Conn {
		dial()
		c := <-accepted
		lis.asked(c.RemoteAddr().String())
		return c
	}
	first := admit()
	admit()
	for range 2 {
		if _, err := dial().Read(make([]byte, 1)); err == nil {
			t.Error("a third connection was not closed")
		}
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	_ = first.Close() // counts once
	c := dial()
	if _, err := io.WriteString(c, "x"); err != nil {
		t.Fatal(err)
	}
	<-accepted
	if err := lis.Close(); err != nil {
		t.Fatal(err)
	}
	<-ended
	if said != 1 {
		t.Errorf("said %d times", said)
	}
}

// TestHalfOpen opens connections that ask for nothing, from one address and then from
// several. Those that have asked for something stay, and there is always room for more.
func TestHalfOpen(t *testing.T) {
	t.Parallel()
	lis := Listen(&scripted{}, Limit{All: 10, OfOneCaller: 6}, func(string) {})
	open := make(map[*conn]bool)
	accept := func() *conn {
		t.Helper()
		c, err := lis.Accept()
		if err != nil {
			t.Fatal(err)
		}
		open[c.(*conn)] = true
		return c.(*conn)
	}
	count := func() (n int) {
		for c := range open {
			if !c.Conn.(*end).closed {
				n++
			}
		}
		return n
	}
	script := lis.Listener.(*scripted)
	asked := make(map[string]*conn)
	for i := range 3 {
		script.from = "10.0.0.1"
		c := accept()
		asked[c.addr] = c
		lis.asked(c.addr)
		for range 20 {
			script.from = "10.0.0.1"
			accept()
		}
		if n := count(); n != i+1+3 {
			t.Errorf("%d connections of one address, %d of which have asked", n, i+1)
		}
	}
	for i := range 30 {
		script.from = fmt.Sprintf("10.0.1.%d", i)
		if c := accept(); c.Conn.(*end).closed {
			t.Error("a new connection was closed")
		}
	}
	if n := count(); n != 3+5 {
		t.Errorf("%d connections of all, 3 of which have asked", n)
	}
	for _, c := range asked {
		if c.Conn.(*end).closed {
			t.Error("a connection that has asked for something was closed")
		}
	}
}

// scripted has connections from an address, on which nothing ever arrives.
type scripted struct {
	net.Listener
	from string
	port int
}

func (s *scripted) Accept() (net.Conn, error) {
	s.port++
	return &end{from: &net.TCPAddr{IP: net.ParseIP(s.from), Port: s.port}}, nil
}

type end struct {
	net.Conn
	from   net.Addr
	closed bool
}

func (e *end) RemoteAddr() net.Addr { return e.from }

func (e *end) Close() error {
	e.closed = true
	return nil
}
