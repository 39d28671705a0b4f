package world

import (
	"context"
	"net"
	"os"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/everystate/everystate/store/bucket"
	"github.com/everystate/everystate/store/bucket/cloudtest"
)

// open opens the bucket for a process.
func (w *world) open(p *process, url string) (*bucket.Bucket, error) {
	return bucket.Of(w.cloud.Client(func(op, key string) cloudtest.Fate { return w.fate(p, op, key) }), url)
}

func reset(op string) error {
	return &net.OpError{Op: op, Net: "tcp", Err: os.NewSyscallError(op, syscall.ECONNRESET)}
}

// fate draws what happens to a request of a process.
func (w *world) fate(p *process, op, key string) cloudtest.Fate {
	often, away, _ := w.trouble.get()
	n, dead := p.number(op + " " + key)
	d := w.dice.of("bucket", p.name, op, key, n)
	f := cloudtest.Fate{Late: d.duration(30 * time.Millisecond)}
	if w.slow != nil {
		f.Late += w.slow(op, key)
	}
	switch {
	case dead:
		f.Err = context.Canceled
	case away:
		f.Err = reset("read")
	case often > 0 && d.one(often):
		w.miss(&f, d, op)
	}
	return f
}

// miss makes something go wrong with a request.
func (w *world) miss(f *cloudtest.Fate, d *draw, op string) {
	switch kind := d.n(6); {
	case kind == 0:
		w.counts("bucket: request lost")
		f.Err = reset("write")
	case kind == 1:
		w.counts("bucket: answer lost")
		f.Lost = reset("read")
	case kind == 2 && op == cloudtest.Write:
		w.counts("bucket: written twice")
		f.Again = d.duration(20 * time.Second)
	case kind == 3 && op == cloudtest.List:
		w.counts("bucket: stale list")
		f.Stale = d.duration(time.Minute)
	case kind == 4:
		w.counts("bucket: very slow")
		f.Late = d.duration(time.Minute)
	default:
		w.counts("bucket: slow")
		f.Late = d.duration(5 * time.Second)
	}
}

// carry draws what happens to the calls of a process: the request is lost, the answer is
// lost although the call was made, or the call is made twice, the second time late,
// after others.
func (w *world) carry(p *process) grpc.UnaryClientInterceptor {
	return func(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		_, _, often := w.trouble.get()
		n, dead := p.number(method)
		d := w.dice.of("call", p.name, method, n)
		if often == 0 || dead || !d.one(often) {
			return invoke(ctx, method, req, reply, conn, opts...)
		}
		lost := status.Error(codes.Unavailable, "the simulated network has lost it")
		switch d.n(3) {
		case 0:
			w.counts("call: request lost")
			return lost
		case 1:
			w.counts("call: answer lost")
			if err := invoke(ctx, method, req, reply, conn, opts...); err != nil {
				return err
			}
			return lost
		default:
			w.counts("call: repeated late")
			late := d.duration(10 * time.Second)
			if err := invoke(ctx, method, req, reply, conn, opts...); err != nil {
				return err
			}
			w.repeat(p, late, method, req, reply, conn, invoke)
			return nil
		}
	}
}

// repeat makes a call again, and discards the answer.
func (w *world) repeat(p *process, late time.Duration, method string, req, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker) {
	ask, isMessage := req.(proto.Message)
	answer, alsoMessage := reply.(proto.Message)
	if !isMessage || !alsoMessage {
		return
	}
	ask, answer = proto.Clone(ask), answer.ProtoReflect().New().Interface()
	time.AfterFunc(late, func() {
		p.mu.Lock()
		dead := p.dead
		p.mu.Unlock()
		if dead {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), late)
		defer cancel()
		_ = invoke(ctx, method, ask, answer, conn)
	})
}
