package client

import (
	"context"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/internal/security"
)

// refusedPause is how long to wait after a refused connection.
const refusedPause = 100 * time.Millisecond

// patience repeats calls whose connection is refused, until the coordinator has been
// reached or some time has passed since the client was made, and tells when a call
// waits.
type patience struct {
	until   time.Time
	waiting func(connected bool) (stop func())
}

func (o *Options) patience() []grpc.DialOption {
	p := &patience{until: time.Now().Add(o.Patience), waiting: o.Waiting}
	if p.waiting == nil {
		p.waiting = func(bool) func() { return func() {} }
	}
	return []grpc.DialOption{grpc.WithChainUnaryInterceptor(p.unary), grpc.WithChainStreamInterceptor(p.stream)}
}

func (p *patience) unary(ctx context.Context, method string, req, reply any, c *grpc.ClientConn, call grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	defer p.waiting(connected(c))()
	return p.repeat(ctx, c, func() error { return call(ctx, method, req, reply, c, opts...) })
}

func (p *patience) stream(ctx context.Context, desc *grpc.StreamDesc, c *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	defer p.waiting(connected(c))()
	var s grpc.ClientStream
	err := p.repeat(ctx, c, func() (err error) {
		s, err = open(ctx, desc, c, method, opts...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &waitingStream{ClientStream: s, waiting: p.waiting}, nil
}

// repeat repeats a call that has reached nobody, so it has had no effect.
func (p *patience) repeat(ctx context.Context, c *grpc.ClientConn, call func() error) error {
	for {
		err := call()
		if !refused(err) || !time.Now().Before(p.until) {
			return err
		}
		select {
		case <-time.After(refusedPause):
			c.ResetConnectBackoff()
		case <-ctx.Done():
			return err
		}
	}
}

// refused reports whether nobody listens at the address.
func refused(err error) bool {
	s := status.Convert(err)
	return s.Code() == codes.Unavailable && security.Unreached(s.Message()) && strings.Contains(s.Message(), "refused")
}

func connected(c *grpc.ClientConn) bool { return c.GetState() == connectivity.Ready }

// waitingStream tells when its next message is late.
type waitingStream struct {
	grpc.ClientStream
	waiting func(connected bool) (stop func())
}

func (s *waitingStream) RecvMsg(m any) error {
	defer s.waiting(true)()
	return s.ClientStream.RecvMsg(m)
}
