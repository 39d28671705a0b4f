package exchange

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/history"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/worker"
)

// openWait is how long connecting to the owner of a partition may take.
const openWait = 10 * time.Second

// Error reports that something did not arrive from another worker, or at one. The
// attempt is lost, but no worker is at fault.
type Error struct {
	Err  error
	Peer string // the worker that could not be reached, empty if it was something else
}

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errorf returns an Error that is about no worker in particular.
func Errorf(format string, args ...any) *Error { return &Error{Err: fmt.Errorf(format, args...)} }

// NotCarried returns the error for a failed call to another worker.
func NotCarried(name, address string, err error) error {
	e := Errorf("%s at %s: %w", name, address, err)
	if code := status.Code(err); code == codes.Unavailable || code == codes.DeadlineExceeded || errors.Is(err, errNotReached) {
		e.Peer = name
	}
	return e
}

// errNotReached reports that the owner of a partition was not reached within openWait.
var errNotReached = fmt.Errorf("not reached within %v", openWait)

// Counts is what has been sent, by all lanes of a worker.
type Counts struct {
	Candidates atomic.Int64 // generated here for partitions of other workers
	Sent       atomic.Int64 // of these, sent: repetitions within a chunk are sent once
	SentBytes  atomic.Int64 // of their blocks
	WireBytes  atomic.Int64 // of their messages, as sent
}

// Attempt is an attempt at a layer, as its candidates are addressed.
type Attempt struct {
	Run      string
	Identity history.Identity
	Target   store.SegmentID
	Form     worker.Form

	Self    string   // the name of this worker
	Names   []string // of all workers
	Address []string // of the others
	Owner   []int    // by partition, an index into Names

	// Local are the lanes of this worker, by partition; nil for those of other workers.
	Local []*worker.Worker

	// Roll is how the workers agree that everything has been sent. Without one they do
	// not, and candidates are not joined.
	Roll *Roll
}

// Outbound carries the candidates of one lane to the owners of their partitions. Only
// the lane's goroutine uses it.
type Outbound struct {
	chunks *worker.Chunks
	peers  *Peers
	counts *Counts
	sorter worker.Sorter

	at      Attempt
	sent    []worker.Tally
	streams []*stream // by owner, nil until there is something to send
	idle    map[peer]*stream
	spare   []byte // of an idle stream, for the next one's messages
	connect func(owner int) (*stream, error)
	guard   func(*stream)
}

// peer is a worker, where it is.
type peer struct{ name, address string }

// packBytes is the size at which packed blocks are sent. It makes the overhead of a
// message negligible, and little waits.
const packBytes = 64 << 10

// stream carries candidates to one owner, of one attempt after the other.
type stream struct {
	everystatev1.ExchangeService_SendClient
	cancel  context.CancelFunc
	release func() bool // undoes that the end of the attempt cancels the stream

	candidates uint64 // of the attempt, in messages sent and in the one being packed
	begun      bool   // a message of the attempt was sent
	old        bool   // it has carried another attempt

	// The message being packed, and the memory of its blocks. Once Send has returned, the
	// message has been encoded, and their memory is that of the next one.
	next *everystatev1.SendRequest
	pack []byte

	joined   []uint64     // small chunks that make the next joined block
	joinedTo partition.ID // the last partition among them
}

// joinBelow is the number of records from which a chunk makes a block of its own: what
// a block has besides records is then a hundredth of it.
const joinBelow = 1024

// NewOutbound returns the exchange of a lane that takes its chunks from a pool.
func NewOutbound(chunks *worker.Chunks, peers *Peers, counts *Counts) *Outbound {
	return &Outbound{chunks: chunks, peers: peers, counts: counts, idle: make(map[peer]*stream)}
}

// Begin prepares an attempt. Streams to workers that have no part in it are closed.
func (o *Outbound) Begin(at Attempt) {
	o.at = at
	o.streams = make([]*stream, len(at.Names))
	o.sent = make([]worker.Tally, len(at.Names))
	kept := make(map[peer]*stream, len(o.idle))
	for owner := range at.Names {
		to := o.peer(owner)
		if s := o.idle[to]; s != nil {
			kept[to] = s
			delete(o.idle, to)
		}
	}
	o.Close()
	o.idle = kept
}

// Close closes the streams that are kept between attempts.
func (o *Outbound) Close() {
	for _, s := range o.idle {
		s.cancel()
	}
	clear(o.idle)
}

func (o *Outbound) peer(owner int) peer { return peer{o.at.Names[owner], o.at.Address[owner]} }

// Open allows the attempt to use streams. Those that it uses break when ctx ends before
// Finish has returned.
func (o *Outbound) Open(ctx context.Context) {
	o.guard = func(s *stream) { s.release = context.AfterFunc(ctx, s.cancel) }
	o.connect = func(owner int) (*stream, error) {
		client, err := o.peers.exchange(o.at.Address[owner])
		if err != nil {
			return nil, err
		}
		kept, cancel := context.WithCancel(context.WithoutCancel(ctx))
		s := &stream{cancel: cancel}
		o.guard(s)
		late := time.AfterFunc(openWait, cancel)
		s.ExchangeService_SendClient, err = client.Send(kept, grpc.WaitForReady(true))
		if !late.Stop() {
			err = errNotReached
		}
		if err != nil {
			cancel()
			return nil, err
		}
		return s, nil
	}
}

// Sent returns what was sent in the attempt, by owner.
func (o *Outbound) Sent() []worker.Tally { return o.sent }

// Send implements worker.Exchange.
func (o *Outbound) Send(epoch uint32, part partition.ID, chunk []uint64) error {
	owner := o.at.Owner[part]
	if w := o.at.Local[part]; w != nil {
		o.sent[owner].Add(part, chunk, o.at.Form.Shape().Stride)
		return w.DeliverFrom(owner, epoch, part, chunk)
	}
	err := o.send(owner, part, chunk)
	o.chunks.Put(chunk)
	if err != nil {
		return o.notCarried(owner, err)
	}
	return nil
}

func (o *Outbound) notCarried(owner int, err error) error {
	return NotCarried(o.at.Names[owner], o.at.Address[owner], err)
}

func (o *Outbound) send(owner int, part partition.ID, chunk []uint64) error {
	shape := o.at.Form.Shape()
	s, err := o.stream(owner)
	if err != nil {
		return err
	}
	recs := o.sorter.Distinct(o.at.Form, chunk)
	n := len(recs) / shape.Stride
	o.sent[owner].Add(part, recs, shape.Stride)
	s.candidates += uint64(n)
	o.counts.Candidates.Add(int64(len(chunk) / shape.Stride))
	o.counts.Sent.Add(int64(n))
	if joined, can := o.at.Form.Joined(); can && o.at.Roll != nil && n < joinBelow {
		if len(s.joined) > 0 && (part <= s.joinedTo || len(s.joined)+n > store.BlockRecords) {
			s.join(joined)
		}
		s.joined, s.joinedTo = o.at.Form.Join(s.joined, part, recs), part
		return o.flushFull(owner)
	}
	for len(recs) > 0 {
		n := min(len(recs), o.at.Form.BlockRecords()*shape.Stride)
		s.add(shape, part, recs[:n])
		recs = recs[n:]
		if err := o.flushFull(owner); err != nil {
			return err
		}
	}
	return nil
}

// flushFull sends the packed message if it is large enough.
func (o *Outbound) flushFull(owner int) error {
	if len(o.streams[owner].pack) < packBytes {
		return nil
	}
	return o.flush(owner)
}

// stream returns the stream to an owner. The first message of the attempt, yet to be
// sent, names it.
func (o *Outbound) stream(owner int) (*stream, error) {
	if s := o.streams[owner]; s != nil {
		return s, nil
	}
	to := o.peer(owner)
	s := o.idle[to]
	if s != nil && s.Context().Err() == nil {
		delete(o.idle, to)
		s.old, s.begun, s.candidates = true, false, 0
		o.guard(s)
	} else {
		var err error
		if s, err = o.connect(owner); err != nil {
			return nil, err
		}
	}
	s.pack, o.spare = o.spare, nil
	id := o.at.Target
	s.next = &everystatev1.SendRequest{
		Run: o.at.Run, RunIdentity: wire.Identity(o.at.Identity), Epoch: uint64(id.Epoch),
		Phase: wire.Phase(history.Phase(id.Phase)), Depth: id.Layer, Sender: o.at.Self, Receiver: o.at.Names[owner],
		Straight: o.at.Roll != nil,
	}
	o.streams[owner] = s
	return s, nil
}

// add packs a block into the next message.
func (s *stream) add(shape store.Shape, part partition.ID, recs []uint64) {
	at := len(s.pack)
	s.pack = shape.AppendBlock(s.pack, recs)
	s.next.Blocks = append(s.next.Blocks, &everystatev1.PartitionBlock{
		Partition: uint32(part), Block: s.pack[at:len(s.pack):len(s.pack)],
	})
}

// join packs the joined records into the next message, as a block.
func (s *stream) join(shape store.Shape) {
	if len(s.joined) == 0 {
		return
	}
	at := len(s.pack)
	s.pack = shape.AppendBlock(s.pack, s.joined)
	s.next.Joined = append(s.next.Joined, s.pack[at:len(s.pack):len(s.pack)])
	s.joined = s.joined[:0]
}

// flush sends the packed message. A stream that was kept may have ended meanwhile: if
// that shows before it has taken anything of the attempt, another one takes its place.
func (o *Outbound) flush(owner int) error {
	s := o.streams[owner]
	joined, _ := o.at.Form.Joined()
	s.join(joined)
	err := s.Send(s.next)
	if errors.Is(err, io.EOF) && s.old && !s.begun {
		s.cancel()
		again, failed := o.connect(owner)
		if failed != nil {
			return failed
		}
		s.ExchangeService_SendClient, s.cancel, s.release, s.old = again.ExchangeService_SendClient, again.cancel, again.release, false
		err = s.Send(s.next)
	}
	if errors.Is(err, io.EOF) {
		err = s.refusal()
	}
	if err != nil {
		return err
	}
	o.counts.SentBytes.Add(int64(len(s.pack)))
	s.begun, s.pack = true, s.pack[:0]
	s.next = &everystatev1.SendRequest{Blocks: s.next.GetBlocks()[:0], Joined: s.next.GetJoined()[:0]}
	return nil
}

// refusal returns why the other side ended the stream.
func (s *stream) refusal() error {
	for {
		if _, err := s.Recv(); err != nil {
			return err
		}
	}
}

// Finish waits until everything sent in the attempt has been taken.
func (o *Outbound) Finish() error {
	if o.at.Roll == nil {
		return o.finish(false)
	}
	// If what all other lanes have sent was taken, the last messages of this one say so.
	last := o.at.Roll.lanes.Load() == 1
	if err := o.finish(last); err != nil || last || o.at.Roll.lanes.Add(-1) > 0 {
		return err
	}
	// Otherwise they finished at the same time, and it is said by messages of its own.
	clear(o.streams)
	return o.finish(true)
}

// finish ends the streams' part in the attempt. With all, it tells every other worker
// that everything has been sent.
func (o *Outbound) finish(all bool) error {
	for owner, name := range o.at.Names {
		if !all || name == o.at.Self {
			continue
		}
		if _, err := o.stream(owner); err != nil {
			return o.notCarried(owner, err)
		}
	}
	for owner, s := range o.streams {
		if s == nil {
			continue
		}
		s.next.Last, s.next.All = true, all
		if err := o.flush(owner); err != nil {
			return o.notCarried(owner, err)
		}
	}
	for owner, s := range o.streams {
		if s == nil {
			continue
		}
		if err := o.confirm(s); err != nil {
			return o.notCarried(owner, err)
		}
		if s.release() {
			o.idle[o.peer(owner)] = s
			o.spare, s.pack = s.pack, nil
		}
	}
	return nil
}

// confirm waits until the other side has taken what was sent.
func (o *Outbound) confirm(s *stream) error {
	res, err := s.Recv()
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("the stream ended too early")
	case err != nil:
		return err
	case res.GetEpoch() != uint64(o.at.Target.Epoch):
		return fmt.Errorf("epoch %d was confirmed instead of %d", res.GetEpoch(), o.at.Target.Epoch)
	case res.GetCandidates() != s.candidates:
		return fmt.Errorf("%d of %d candidates arrived", res.GetCandidates(), s.candidates)
	}
	return nil
}
