package exchange

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/history"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/worker"
)

// taker takes candidates as a worker does that is at one attempt, and keeps their tally.
type taker struct {
	everystatev1.UnimplementedExchangeServiceServer
	form  worker.Form
	shape store.Shape

	mu      sync.Mutex // guards the fields below
	at      *everystatev1.SendRequest
	took    worker.Tally
	all     []int64 // how much had been taken whenever all was said to have been sent
	joined  int     // blocks
	streams int
	answer  func(*everystatev1.SendResponse) // changes what is confirmed
	ends    bool                             // streams end after an attempt
	mute    bool                             // nothing is confirmed
}

func (k *taker) set(f func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	f()
}

// tally returns what has been taken, and by how many streams.
func (k *taker) tally() (worker.Tally, int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.took, k.streams
}

func (k *taker) Send(stream everystatev1.ExchangeService_SendServer) error {
	k.set(func() { k.streams++ })
	res := new(everystatev1.SendResponse)
	for {
		req, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := k.take(req, res); err != nil {
			return err
		}
		if !req.GetLast() {
			continue
		}
		k.mu.Lock()
		mute, ends := k.mute, k.ends
		if k.answer != nil {
			k.answer(res)
		}
		k.mu.Unlock()
		if mute {
			<-stream.Context().Done()
			return stream.Context().Err()
		}
		if err := stream.Send(res); err != nil || ends {
			return err
		}
		res = new(everystatev1.SendResponse)
	}
}

// take takes a message, and adds to what is to be confirmed of the attempt.
func (k *taker) take(req *everystatev1.SendRequest, res *everystatev1.SendResponse) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if req.GetEpoch() != 0 { // the first of the attempt
		if what := differs(req, k.at); what != "" {
			return status.Error(codes.FailedPrecondition, "another "+what)
		}
		res.Epoch = req.GetEpoch()
	}
	if res.GetEpoch() == 0 {
		return status.Error(codes.InvalidArgument, "the stream names no attempt")
	}
	for _, b := range req.GetBlocks() {
		recs, ok := k.shape.DecodeBlock(nil, b.GetBlock())
		if !ok {
			return status.Error(codes.InvalidArgument, "not a block")
		}
		k.took.Add(partition.ID(b.GetPartition()), recs, k.shape.Stride)
		res.Candidates += uint64(len(recs) / k.shape.Stride)
	}
	joined, _ := k.form.Joined()
	for _, b := range req.GetJoined() {
		recs, ok := joined.DecodeBlock(nil, b)
		if !ok {
			return status.Error(codes.InvalidArgument, "not a block")
		}
		k.joined++
		res.Candidates += uint64(len(recs))
		_ = k.form.Split(recs, func(part uint64, recs []uint64) error {
			k.took.Add(partition.ID(part), recs, k.shape.Stride)
			return nil
		})
	}
	if req.GetAll() {
		k.all = append(k.all, k.took.Records)
	}
	return nil
}

// differs returns what of the addresses of two attempts is not the same.
func differs(a, b *everystatev1.SendRequest) string {
	switch {
	case a.GetRun() != b.GetRun():
		return "run"
	case !bytes.Equal(a.GetRunIdentity(), b.GetRunIdentity()):
		return "identity"
	case a.GetSender() != b.GetSender():
		return "sender"
	case a.GetReceiver() != b.GetReceiver():
		return "receiver"
	case a.GetPhase() != b.GetPhase() || a.GetDepth() != b.GetDepth():
		return "layer"
	case a.GetEpoch() != b.GetEpoch():
		return "attempt"
	}
	return ""
}

// pair is a lane that sends, and the worker that takes.
type pair struct {
	t      *testing.T
	taker  *taker
	out    *Outbound
	scheme partition.Scheme
	at     Attempt
	value  uint64 // of the next candidate
}

func newPair(t *testing.T) *pair {
	t.Helper()
	scheme, err := partition.New(puzzle.Layout{KeyBits: 30, Moves: 4, Reversible: true}, 8)
	if err != nil {
		t.Fatal(err)
	}
	form := worker.FormOf(scheme, worker.FromSuccessors)
	p := &pair{t: t, taker: &taker{form: form, shape: form.Shape()}, scheme: scheme}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(grpc.WaitForHandlers(true))
	everystatev1.RegisterExchangeServiceServer(server, p.taker)
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	peers := NewPeers(new(atomic.Int64), []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())})
	p.out = NewOutbound(worker.NewChunks(0, scheme.Stride()), peers, new(Counts))
	t.Cleanup(func() {
		p.out.Close()
		peers.Close()
		server.Stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	p.at = Attempt{
		Run: "board", Identity: history.Identity{1, 2, 3}, Target: store.SegmentID{Phase: 1, Layer: 4, Epoch: 10}, Form: form,
		Self: "me", Names: []string{"me", "you"}, Address: []string{"", listener.Addr().String()}, Owner: make([]int, 8), Local: make([]*worker.Worker, 8),
	}
	for i := range p.at.Owner {
		p.at.Owner[i] = 1
	}
	p.expect(func(*everystatev1.SendRequest) {})
	return p
}

// expect makes the taker be at the attempt of the lane, but for a change.
func (p *pair) expect(change func(*everystatev1.SendRequest)) {
	at := &everystatev1.SendRequest{
		Run: p.at.Run, RunIdentity: wire.Identity(p.at.Identity), Epoch: uint64(p.at.Target.Epoch),
		Phase: wire.Phase(history.Phase(p.at.Target.Phase)), Depth: p.at.Target.Layer, Sender: "me", Receiver: "you",
	}
	change(at)
	p.taker.set(func() { p.taker.at = at })
}

// attempt sends so many candidates, each twice, in an attempt of its own.
func (p *pair) attempt(candidates int) error {
	p.t.Helper()
	ctx, cancel := context.WithCancel(p.t.Context())
	defer cancel()
	p.out.Begin(p.at)
	p.out.Open(ctx)
	chunks := make(map[partition.ID][]uint64)
	for range candidates {
		p.value++
		part, rec := p.scheme.RecordNarrow(p.value, puzzle.Move(p.value%4))
		chunks[part] = append(chunks[part], rec, rec)
		if len(chunks[part]) >= 60 {
			if err := p.out.Send(p.at.Target.Epoch, part, chunks[part]); err != nil {
				return err
			}
			delete(chunks, part)
		}
	}
	for _, part := range slices.Sorted(maps.Keys(chunks)) {
		if err := p.out.Send(p.at.Target.Epoch, part, chunks[part]); err != nil {
			return err
		}
	}
	return p.out.Finish()
}

// next goes on to the next attempt, and the taker with it.
func (p *pair) next() {
	p.at.Target.Epoch++
	p.at.Target.Layer++
	p.expect(func(*everystatev1.SendRequest) {})
}

// TestConservation sends much and little: the sums of both sides agree, and repetitions
// within a chunk count once on both.
func TestConservation(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	var sent worker.Tally
	for _, n := range []int{0, 1, 50, 200_000, 3} {
		if err := p.attempt(n); err != nil {
			t.Fatal(err)
		}
		of := p.out.Sent()
		if of[0] != (worker.Tally{}) || of[1].Records != int64(n) {
			t.Errorf("%d candidates: sent are %+v", n, of)
		}
		sent.Join(of[1])
		if took, _ := p.taker.tally(); took != sent {
			t.Errorf("%d candidates: sent %+v, taken %+v", n, sent, took)
		}
		p.next()
	}
}

// TestJoined sends chunks of eight partitions in a straight attempt: they share a block,
// and arrive in their partitions.
func TestJoined(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 100} {
		p := newPair(t)
		p.at.Roll = NewRoll(2, 0)
		p.at.Roll.Lanes(1)
		if err := p.attempt(n); err != nil {
			t.Fatal(err)
		}
		took, _ := p.taker.tally()
		if took != p.out.Sent()[1] || took.Records != int64(n) || p.taker.joined != min(n, 1) {
			t.Errorf("%d candidates: sent %+v, taken %+v, in %d blocks", n, p.out.Sent(), took, p.taker.joined)
		}
	}
}

// TestStreamsAreKept counts the streams of many attempts: one, and another only where one
// has ended or been refused. Nothing is sent twice.
func TestStreamsAreKept(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	var sent worker.Tally
	do := func(want int) {
		t.Helper()
		if err := p.attempt(20); err != nil {
			t.Fatal(err)
		}
		sent.Join(p.out.Sent()[1])
		if took, streams := p.taker.tally(); streams != want || took != sent {
			t.Errorf("%d streams, want %d; sent %+v, taken %+v", streams, want, sent, took)
		}
		p.next()
	}
	for range 5 {
		do(1)
	}
	p.taker.set(func() { p.taker.ends = true })
	do(1)
	do(2)
	p.taker.set(func() { p.taker.ends = false })
	do(3)
	do(3)
	p.at.Names[1] = "another" // at the same address
	p.expect(func(r *everystatev1.SendRequest) { r.Receiver = "another" })
	if err := p.attempt(20); err != nil {
		t.Fatal(err)
	}
	if _, streams := p.taker.tally(); streams != 4 {
		t.Errorf("a stream to one worker was used for another: %d streams", streams)
	}
}

// TestRefusedElsewhere sends candidates to a worker that is not at the attempt in one way
// or another: each stream names enough to be refused, first or kept. The error names the
// worker and the reason, and nothing is taken.
func TestRefusedElsewhere(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]func(*everystatev1.SendRequest){
		"run":      func(r *everystatev1.SendRequest) { r.Run = "other" },
		"identity": func(r *everystatev1.SendRequest) { r.RunIdentity = wire.Identity(history.Identity{9}) },
		"sender":   func(r *everystatev1.SendRequest) { r.Sender = "they" },
		"receiver": func(r *everystatev1.SendRequest) { r.Receiver = "they" },
		"layer":    func(r *everystatev1.SendRequest) { r.Depth++ },
		"attempt":  func(r *everystatev1.SendRequest) { r.Epoch++ },
	} {
		for _, kept := range []bool{false, true} {
			p := newPair(t)
			if kept {
				if err := p.attempt(10); err != nil {
					t.Fatal(err)
				}
				p.next()
			}
			before, _ := p.taker.tally()
			p.expect(change)
			err := p.attempt(10)
			refused := new(Error)
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), "you at 127.0.0.1") || !strings.Contains(err.Error(), "another "+what) || refused.Peer != "" {
				t.Errorf("another %s, kept %t: %v", what, kept, err)
			}
			if took, _ := p.taker.tally(); took != before {
				t.Errorf("another %s: %+v were taken", what, took)
			}
			p.next()
			if err := p.attempt(10); err != nil {
				t.Errorf("another %s: in the next attempt %v", what, err)
			}
		}
	}
}

// TestWrongConfirmation has the other side confirm what was not sent.
func TestWrongConfirmation(t *testing.T) {
	t.Parallel()
	for want, answer := range map[string]func(*everystatev1.SendResponse){
		"9 of 10 candidates arrived":          func(r *everystatev1.SendResponse) { r.Candidates-- },
		"epoch 9 was confirmed instead of 10": func(r *everystatev1.SendResponse) { r.Epoch-- },
	} {
		p := newPair(t)
		p.taker.set(func() { p.taker.answer = answer })
		if err := p.attempt(10); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		p.taker.set(func() { p.taker.answer = nil })
		p.next()
		if err := p.attempt(10); err != nil {
			t.Error(err)
		}
		if _, streams := p.taker.tally(); streams != 2 {
			t.Errorf("a stream that has confirmed something else is kept: %d streams", streams)
		}
	}
}

// TestGivenUp gives up an attempt that is not confirmed. Its stream breaks, and the next
// attempt has another.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	p.taker.set(func() { p.taker.mute = true })
	ctx, cancel := context.WithCancel(t.Context())
	p.out.Begin(p.at)
	p.out.Open(ctx)
	part, rec := p.scheme.RecordNarrow(5, 1)
	if err := p.out.Send(p.at.Target.Epoch, part, []uint64{rec}); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(20*time.Millisecond, cancel)
	if err := p.out.Finish(); status.Code(errors.Unwrap(err)) != codes.Canceled && !strings.Contains(err.Error(), "canceled") {
		t.Fatal(err)
	}
	p.taker.set(func() { p.taker.mute, p.taker.took = false, worker.Tally{} })
	p.next()
	if err := p.attempt(10); err != nil {
		t.Fatal(err)
	}
	if took, streams := p.taker.tally(); streams != 2 || took != p.out.Sent()[1] {
		t.Errorf("%d streams, taken %+v, sent %+v", streams, took, p.out.Sent()[1])
	}
}

// TestHalfOpen connects to something that accepts connections and says nothing. That ends
// after openWait, and the error names the worker as not reached.
func TestHalfOpen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newHalf(t)
		defer p.out.peers.Close()
		p.out.Begin(p.at)
		p.out.Open(t.Context())
		began := time.Now()
		part, rec := p.scheme.RecordNarrow(5, 1)
		err := p.out.Send(p.at.Target.Epoch, part, []uint64{rec})
		if err == nil {
			err = p.out.Finish()
		}
		unreached := new(Error)
		if !errors.As(err, &unreached) || unreached.Peer != "you" || !errors.Is(err, errNotReached) {
			t.Errorf("got %v", err)
		}
		if took := time.Since(began); took != openWait {
			t.Errorf("it took %v", took)
		}
	})
}

// newHalf returns a lane whose peer never says anything.
func newHalf(t *testing.T) *pair {
	t.Helper()
	scheme, err := partition.New(puzzle.Layout{KeyBits: 30, Moves: 4, Reversible: true}, 8)
	if err != nil {
		t.Fatal(err)
	}
	dial := func(context.Context, string) (net.Conn, error) {
		here, there := net.Pipe()
		go func() {
			_, _ = io.Copy(io.Discard, there) // until the other end is closed
		}()
		return here, nil
	}
	peers := NewPeers(new(atomic.Int64), []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithContextDialer(dial)})
	p := &pair{t: t, scheme: scheme, out: NewOutbound(worker.NewChunks(0, scheme.Stride()), peers, new(Counts))}
	p.at = Attempt{
		Run: "board", Target: store.SegmentID{Phase: 1, Layer: 4, Epoch: 10}, Form: worker.FormOf(scheme, worker.FromSuccessors), Self: "me",
		Names: []string{"me", "you"}, Address: []string{"", "passthrough:///you"}, Owner: []int{1, 1, 1, 1, 1, 1, 1, 1}, Local: make([]*worker.Worker, 8),
	}
	return p
}
