package clustertest

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/client"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
)

// attack is what an abuser does until it is stopped. It comes from an address of its
// own, as if from another machine.
type attack struct {
	t      *testing.T
	ctx    context.Context //nolint:containedctx // the attack is nothing but what this ends
	stop   func()
	dialer net.Dialer
}

// newAttack returns an attack that has not begun, or skips the test where there
// is only one loopback address.
func newAttack(t *testing.T, from string) *attack {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var wait sync.WaitGroup
	a := &attack{t: t, ctx: ctx, dialer: net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}}
	a.stop = sync.OnceFunc(func() { cancel(); wait.Wait() })
	t.Cleanup(a.stop)
	lis, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(from, "0"))
	if err != nil {
		t.Skipf("there is no second loopback address: %v", err)
	}
	if err := lis.Close(); err != nil {
		t.Fatal(err)
	}
	return a
}

// raw opens connections that send some bytes and then stay open. open counts those that
// the other side has not closed.
func (a *attack) raw(addr string, n int, send []byte) (open func() int) {
	a.t.Helper()
	var conns []net.Conn
	for range n {
		c, err := a.dialer.DialContext(a.ctx, "tcp", addr)
		if err != nil {
			continue
		}
		context.AfterFunc(a.ctx, func() { _ = c.Close() })
		_, _ = c.Write(send) // it may have been closed
		conns = append(conns, c)
	}
	return func() int {
		n := 0
		for _, c := range conns {
			_ = c.SetReadDeadline(time.Now().Add(time.Millisecond))
			if _, err := io.Copy(io.Discard, c); errors.Is(err, os.ErrDeadlineExceeded) {
				n++
			}
		}
		return n
	}
}

// grpc returns a connection of the abuser.
func (a *attack) grpc(addr string) *grpc.ClientConn {
	a.t.Helper()
	conn, err := grpc.NewClient("passthrough:///"+addr,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, addr string) (net.Conn, error) {
			return a.dialer.DialContext(ctx, "tcp", addr)
		}))
	if err != nil {
		a.t.Fatal(err)
	}
	context.AfterFunc(a.ctx, func() { _ = conn.Close() })
	return conn
}

const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// frame is a frame of HTTP/2. It claims to have length bytes.
func frame(kind, flags byte, stream uint32, length int, payload []byte) []byte {
	b := []byte{byte(length >> 16), byte(length >> 8), byte(length), kind, flags}
	b = binary.BigEndian.AppendUint32(b, stream)
	return append(b, payload...)
}

// callHeaders returns the headers of a call, encoded by HPACK.
func callHeaders(method string) []byte {
	b := []byte{0x83, 0x86, 0x04, byte(len(method))}
	b = append(b, method...)
	b = append(b, 0x01, 1, 'x', 0x0f, 0x10, byte(len("application/grpc")))
	b = append(b, "application/grpc"...)
	return append(b, 0x00, 2, 't', 'e', 8, 't', 'r', 'a', 'i', 'l', 'e', 'r', 's')
}

// neverEnding returns the bytes of n calls, each of which announces a message of one MiB
// and sends one byte of it.
func neverEnding(method string, n int) []byte {
	b := append([]byte(preface), frame(4, 0, 0, 0, nil)...)
	h := callHeaders(method)
	for i := range n {
		id := uint32(2*i + 1)
		b = append(b, frame(1, 4, id, len(h), h)...)
		b = append(b, frame(0, 0, id, 6, []byte{0, 0, 0x10, 0, 0, 'x'})...)
	}
	return b
}

// TestAbuse explores a run while clients send the coordinator and a worker rubbish, too
// much, too slowly, or without end.
func TestAbuse(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	w := newWorld(t, "")
	a, slow, flood, idle := newAttack(t, "127.0.0.2"), newAttack(t, "127.0.0.3"), newAttack(t, "127.0.0.4"), newAttack(t, "127.0.0.5")
	b := boardOf(t, long)
	if _, err := b.digest(); err != nil {
		t.Fatal(err)
	}
	c := w.coordinator("c", nil)
	c.workers("w1", "w2")
	_, there, err := c.client.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	victim := there[0].Address
	before := heap()

	sync1 := everystatev1.SessionService_Synchronize_FullMethodName
	send := everystatev1.ExchangeService_Send_FullMethodName
	huge := frame(1, 4, 1, 1<<24-1, make([]byte, 100))
	for _, addr := range []string{c.addr, victim} {
		a.raw(addr, 20, nil)
		a.raw(addr, 20, []byte("\x16\x03\x01\xff\xff\x00\x01\x02 rubbish \x00\xff\xfe"))
		a.raw(addr, 20, []byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n"))
		a.raw(addr, 20, []byte(preface[:11]))
		a.raw(addr, 20, append([]byte(preface), frame(4, 0, 0, 0, nil)...))
		a.raw(addr, 20, append(append([]byte(preface), frame(4, 0, 0, 0, nil)...), frame(1, 4, 1, 100, []byte{0x83})...))
		a.raw(addr, 20, append(append([]byte(preface), frame(4, 0, 0, 0, nil)...), huge...))
	}
	slow.raw(c.addr, 20, neverEnding(sync1, 50))
	slow.raw(victim, 20, neverEnding(send, 50))
	a.streams(victim)
	c.hold()
	c.submit(run, b, everything())
	c.entries(run, 5)
	a.readers(c.addr, victim)
	a.lists(c.addr, victim)
	flood.flood(c.addr)
	openC, openW := idle.raw(c.addr, 1000, nil), idle.raw(victim, 1000, nil)

	// Whoever shares the address of half-open connections gets in all the same.
	for _, addr := range []string{c.addr, victim} {
		if _, err := healthpb.NewHealthClient(idle.grpc(addr)).Check(t.Context(), &healthpb.HealthCheckRequest{}); err != nil {
			t.Errorf("beside half-open connections: %v", err)
		}
	}

	s, _ := c.get(run)
	t.Logf("%d entries when everything was under way", s.Entries)
	c.exact(run, b)
	for who, open := range map[string]func() int{"the coordinator": openC, "the worker": openW} {
		w.until(who+" holds 512 connections of one address", func() bool { return open() <= 512 })
	}
	if !w.log.has("refusing connections: too many") {
		t.Error("nobody says that connections are refused")
	}
	held := heap() - before
	t.Logf("%d MiB more than before", held>>20)
	if held > 512<<20 {
		t.Errorf("the attack holds %d MiB", held>>20)
	}
	for _, over := range []*attack{a, slow, flood, idle} {
		over.stop()
	}

	// Afterwards there is room again.
	again := everystatev1.NewRunServiceClient(newAttack(t, "127.0.0.3").grpc(c.addr))
	w.until("the abuser is served again", func() bool {
		_, err := again.ListRuns(t.Context(), &everystatev1.ListRunsRequest{})
		return err == nil
	})
	for _, text := range []string{"panic", "worker lost"} {
		if w.log.has(text) {
			t.Errorf("the log says %q", text)
		}
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// streams sends a worker candidates that it must refuse, and streams that never end.
func (a *attack) streams(addr string) {
	a.t.Helper()
	exchange := everystatev1.NewExchangeServiceClient(a.grpc(addr))
	block := func(part uint32, n int) []*everystatev1.PartitionBlock {
		return []*everystatev1.PartitionBlock{{Partition: part, Block: make([]byte, n)}}
	}
	for _, m := range []*everystatev1.SendRequest{
		{},
		{Run: "other", Epoch: 1 << 20, Blocks: block(1, 10)},
		{Run: run, Epoch: 1<<64 - 1, Blocks: block(1<<32-1, 10)},
		{Run: strings.Repeat("x", 100_000), Blocks: block(1, 300_000)},
		{Run: run, Blocks: block(0, 3<<20)},
		{Run: run, Blocks: make([]*everystatev1.PartitionBlock, 200_000)},
	} {
		for i := range m.GetBlocks() {
			if m.Blocks[i] == nil {
				m.Blocks[i] = &everystatev1.PartitionBlock{}
			}
		}
		stream, err := exchange.Send(a.ctx)
		if err != nil {
			a.t.Fatal(err)
		}
		_ = stream.Send(m)
		_ = stream.CloseSend()
		res, err := stream.Recv()
		if err == nil {
			a.t.Errorf("%d candidates were taken of %.200v", res.GetCandidates(), m)
		}
	}
	for range 300 {
		if _, err := exchange.Send(a.ctx); err != nil {
			a.t.Fatal(err)
		}
	}
}

// readers ask for a lot and read nothing.
func (a *attack) readers(coordinator, victim string) {
	a.t.Helper()
	conn := a.grpc(coordinator)
	parts := make([]uint32, partitions)
	for p := range parts {
		parts[p] = uint32(p)
	}
	req := &everystatev1.ReadLayerRequest{Run: run, Phase: everystatev1.Phase_PHASE_FORWARD, Epoch: 1<<20 + 2, Partitions: parts}
	for range 20 {
		_, _ = everystatev1.NewRecordServiceClient(conn).ReadLayer(a.ctx, req)
		_, _ = everystatev1.NewRecordServiceClient(a.grpc(victim)).ReadLayer(a.ctx, req)
		_, _ = everystatev1.NewRunServiceClient(conn).GetJournal(a.ctx, &everystatev1.GetJournalRequest{Run: run})
	}
	stream, err := everystatev1.NewRunServiceClient(a.grpc(coordinator)).GetJournal(a.ctx, &everystatev1.GetJournalRequest{Run: run, Entries: 1<<64 - 1})
	if err == nil {
		_, err = stream.Recv()
	}
	if !errors.Is(err, io.EOF) {
		a.t.Errorf("a journal from far behind its end: %v", err)
	}
}

// lists sends requests with far too many elements.
func (a *attack) lists(coordinator, victim string) {
	a.t.Helper()
	session := everystatev1.NewSessionServiceClient(a.grpc(coordinator))
	for name, req := range map[string]*everystatev1.SynchronizeRequest{
		"kept runs":  {KeptRuns: make([]string, 400_000)},
		"partitions": {Report: &everystatev1.RunReport{Partitions: many[everystatev1.PartitionReport](400_000)}},
		"uploads":    {Uploaded: many[everystatev1.Upload](400_000)},
		"bytes":      {Uploaded: []*everystatev1.Upload{{Run: run, Bytes: 1 << 63}}},
		"failure":    {Report: &everystatev1.RunReport{Failure: strings.Repeat("x", 1<<20)}},
		"4 MiB":      {UploadTrouble: strings.Repeat("x", 4<<20)},
		"address":    {Address: strings.Repeat("x", 1000)},
		"name":       {Worker: "../../etc"},
	} {
		if req.GetWorker() == "" {
			req.Worker = "abuser"
		}
		if req.GetAddress() == "" {
			req.Address = "127.0.0.2:1"
		}
		_, err := session.Synchronize(a.ctx, req)
		if code := status.Code(err); code != codes.InvalidArgument && code != codes.ResourceExhausted {
			a.t.Errorf("%s: %v", name, err)
		}
	}
	_, err := everystatev1.NewRecordServiceClient(a.grpc(victim)).FindRecord(a.ctx, &everystatev1.FindRecordRequest{
		Part:   &everystatev1.LayerPart{Run: run, Phase: everystatev1.Phase_PHASE_FORWARD, Partition: 1<<32 - 1, Epoch: 1<<64 - 1},
		Record: make([]uint64, 50_000),
	})
	if code := status.Code(err); code != codes.InvalidArgument {
		a.t.Errorf("a record of 50,000 words: %v", err)
	}
	runs := everystatev1.NewRunServiceClient(a.grpc(coordinator))
	for _, text := range []string{strings.Repeat("x", 1<<20), strings.Repeat(".", 1<<20), strings.Repeat("\n", 1<<20), "\xff\x00"} {
		_, err := runs.SubmitRun(a.ctx, &everystatev1.SubmitRunRequest{Run: "abuse", Spec: &everystatev1.RunSpec{Text: text}})
		if err == nil {
			a.t.Error("rubbish was submitted")
		}
	}
}

func many[T any](n int) []*T {
	list := make([]*T, n)
	for i := range list {
		list[i] = new(T)
	}
	return list
}

// flood makes 10,000 calls in parallel, over and over.
func (a *attack) flood(coordinator string) {
	a.t.Helper()
	refused, answered := 0, 0
	var mu sync.Mutex
	var wait sync.WaitGroup
	for range 20 {
		runs := everystatev1.NewRunServiceClient(a.grpc(coordinator))
		for range 500 {
			wait.Go(func() {
				_, err := runs.ListRuns(a.ctx, &everystatev1.ListRunsRequest{})
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					answered++
				} else {
					refused++
				}
			})
		}
	}
	wait.Wait()
	a.t.Logf("of 10,000 calls %d were answered and %d refused", answered, refused)
	if answered == 0 {
		a.t.Error("no call was answered")
	}
}

// fakeWorker calls a coordinator as a worker that does no work.
func fakeWorker(t *testing.T, c *coordinator) (call func(req *everystatev1.SynchronizeRequest) (*everystatev1.SynchronizeResponse, error)) {
	t.Helper()
	conn, err := grpc.NewClient("passthrough:///"+c.addr, plaintext()...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	session := everystatev1.NewSessionServiceClient(conn)
	return func(req *everystatev1.SynchronizeRequest) (*everystatev1.SynchronizeResponse, error) {
		req.Address = "127.0.0.1:1"
		req.WireVersion = cmp.Or(req.GetWireVersion(), wire.Version)
		return session.Synchronize(t.Context(), req)
	}
}

// TestSameName starts a second process under the name of the first, as with a copied
// data directory. The second has the name; the first ends and says why, and never
// interferes again.
func TestSameName(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	c := w.coordinator("c", soonLost) // whose calls are answered soon
	first := c.workers("w1")[0]
	name := first.name()
	call := fakeWorker(t, c)
	res, err := call(&everystatev1.SynchronizeRequest{Worker: name, Incarnation: 2})
	if err != nil {
		t.Fatal(err)
	}
	w.until("the first process has ended", first.ended)
	if first.err == nil || !strings.Contains(first.err.Error(), "has the name "+name) || strings.Contains(first.err.Error(), "\n") {
		t.Errorf("it says %v", first.err)
	}
	first.err = nil
	if _, err = call(&everystatev1.SynchronizeRequest{Worker: name, Incarnation: 2, Order: res.GetOrder()}); err != nil {
		t.Errorf("the second: %v", err)
	}
	if _, err = call(&everystatev1.SynchronizeRequest{Worker: name, Incarnation: 3}); err != nil {
		t.Errorf("a third: %v", err)
	}
	if _, err = call(&everystatev1.SynchronizeRequest{Worker: name, Incarnation: 2}); status.Code(err) != codes.AlreadyExists {
		t.Errorf("who was overtaken came back: %v", err)
	}
}

// TestLiars has a worker report impossible counts. The run stops and names the worker;
// the next run proceeds.
func TestLiars(t *testing.T) {
	t.Parallel()
	for what, lie := range map[string]func(r *everystatev1.RunReport){
		"too many successors": func(r *everystatev1.RunReport) {
			r.Stage, r.Generated = everystatev1.Stage_STAGE_EXPANDED, 1<<63
		},
		"partitions of others": func(r *everystatev1.RunReport) {
			r.Stage, r.Partitions = everystatev1.Stage_STAGE_WRITTEN, []*everystatev1.PartitionReport{{Partition: 99, States: 1, Digest: make([]byte, 16)}}
		},
		"too many states": func(r *everystatev1.RunReport) {
			r.Stage, r.Partitions = everystatev1.Stage_STAGE_WRITTEN, many[everystatev1.PartitionReport](partitions)
			for i, p := range r.GetPartitions() {
				p.Partition, p.States, p.Digest = uint32(i), 1<<63-1, make([]byte, 16)
			}
		},
		"a digest of three bytes": func(r *everystatev1.RunReport) {
			r.Stage, r.Partitions = everystatev1.Stage_STAGE_WRITTEN, []*everystatev1.PartitionReport{{Digest: make([]byte, 3)}}
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "")
			c := w.coordinator("c", nil)
			call := fakeWorker(t, c)
			if _, err := call(&everystatev1.SynchronizeRequest{Worker: "liar", Incarnation: 1}); err != nil {
				t.Fatal(err)
			}
			b := boardOf(t, short)
			c.submit(run, b, everything())
			r := &everystatev1.RunReport{}
			lie(r)
			lied := r.GetStage()
			order, report := uint64(0), &everystatev1.RunReport{}
			w.until("the run has failed", func() bool {
				res, err := call(&everystatev1.SynchronizeRequest{Worker: "liar", Incarnation: 1, Order: order, Report: report})
				if err != nil {
					t.Fatal(err)
				}
				order = res.GetOrder()
				at := res.GetRun().GetAttempt()
				report = &everystatev1.RunReport{Run: run, RunIdentity: res.GetRun().GetRunIdentity(), Epoch: at.GetEpoch(), Stage: at.GetStage()}
				if at.GetStage() == lied {
					lie(report)
				}
				s, _ := c.get(run)
				return s.State == client.Failed
			})
			if s, _ := c.get(run); !strings.HasPrefix(s.Failure, "worker liar reports something impossible: ") {
				t.Errorf("it says %q", s.Failure)
			}
		})
	}
}

// TestManyNames has more workers call than are allowed.
func TestManyNames(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	w := newWorld(t, "")
	c := w.coordinator("c", nil)
	call := fakeWorker(t, c)
	last := codes.OK
	for i := 0; i < 6000 && last == codes.OK; i++ {
		_, err := call(&everystatev1.SynchronizeRequest{Worker: fmt.Sprint("w", i), Incarnation: 1})
		last = status.Code(err)
	}
	if last != codes.ResourceExhausted {
		t.Errorf("6000 workers came: %v", last)
	}
}
