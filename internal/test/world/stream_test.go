package world

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/emptypb"
)

// sendCandidates is the only call of a worker to another that changes anything there.
const sendCandidates = "/everystate.v1.ExchangeService/Send"

// carryStream draws what happens to the candidates that a process sends: those of an
// attempt that was given up come again, on a stream of their own, while the next attempt
// at the layer is made.
func (w *world) carryStream(p *process) grpc.StreamClientInterceptor {
	return func(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		s, err := open(ctx, desc, conn, method, opts...)
		if err != nil || ctx.Value(repeated{}) != nil || method != sendCandidates {
			return s, err
		}
		return &recorded{ClientStream: s, world: w, process: p, conn: conn}, nil
	}
}

// repeated marks the context of a stream that is sent again.
type repeated struct{}

// recorded remembers what is sent on a stream of candidates.
type recorded struct {
	grpc.ClientStream
	world   *world
	process *process
	conn    *grpc.ClientConn
}

// SendMsg sends the next message.
func (r *recorded) SendMsg(m any) error {
	req, ok := m.(proto.Message)
	if !ok {
		return r.ClientStream.SendMsg(m)
	}
	p, to := r.process, r.conn.Target()
	var before []proto.Message
	p.mu.Lock()
	if field(req, "epoch").Uint() != 0 { // it begins an attempt
		before, p.sent[to] = p.sent[to], nil
	}
	p.sent[to] = append(p.sent[to], proto.Clone(req))
	p.mu.Unlock()
	if len(before) > 0 && madeAgain(before[0], req) {
		n, dead := p.number("candidates to " + to)
		if !dead && r.world.dice.of("again", p.name, to, n).one(2) {
			r.world.counts("candidates of an attempt before, again")
			go sendAgain(r.conn, before)
		}
	}
	return r.ClientStream.SendMsg(m)
}

func field(m proto.Message, name protoreflect.Name) protoreflect.Value {
	r := m.ProtoReflect()
	return r.Get(r.Descriptor().Fields().ByName(name))
}

// madeAgain reports whether two messages begin attempts at one layer, the second the
// later one.
func madeAgain(first, second proto.Message) bool {
	return field(first, "epoch").Uint() < field(second, "epoch").Uint() &&
		field(first, "depth").Equal(field(second, "depth")) && field(first, "phase").Equal(field(second, "phase"))
}

// sendAgain sends all of an attempt again, whose answer nobody hears.
func sendAgain(conn *grpc.ClientConn, all []proto.Message) {
	ctx, cancel := context.WithTimeout(context.WithValue(context.Background(), repeated{}, true), time.Minute)
	defer cancel()
	s, err := conn.NewStream(ctx, &grpc.StreamDesc{StreamName: "Send", ClientStreams: true, ServerStreams: true}, sendCandidates)
	if err != nil {
		return
	}
	for _, req := range all {
		if s.SendMsg(req) != nil {
			return
		}
	}
	_ = s.CloseSend()
	_ = s.RecvMsg(new(emptypb.Empty))
}
