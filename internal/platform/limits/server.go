package limits

import (
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"
)

// Connections is how many connections all callers of a process may have, and those of one
// address. A connection costs some 100 KiB: 200 MiB for all, 50 MiB for one address.
var Connections = Limit{All: 2048, OfOneCaller: 512}

const (
	headerBytesMax = 64 << 10

	// A caller is disconnected if it has not completed the HTTP/2 handshake by
	// connectionTimeout, or earlier if its address has many such connections, or has had
	// no call under way for idleMax.
	connectionTimeout = 10 * time.Second
	idleMax           = 5 * time.Minute

	// pingAllowed is how often callers may ping at most.
	pingAllowed = 5 * time.Second
)

// Bounds is what callers of a server may use.
type Bounds struct {
	MessageBytes int           // of a message
	Streams      uint32        // of one connection
	Calls        Limit         // at a time
	Decoding     int           // large messages that are decoded at a time, each of at most 64 MiB
	Ping         time.Duration // a connection on which nothing arrives for so long is pinged
}

// NewServer returns a server that bounds what callers on a listener may use, and that says
// that it is healthy and what services it has.
func NewServer(lis *Listener, b Bounds, codec encoding.CodecV2, more []grpc.ServerOption) *grpc.Server {
	server := grpc.NewServer(append([]grpc.ServerOption{
		grpc.MaxRecvMsgSize(b.MessageBytes),
		grpc.MaxHeaderListSize(headerBytesMax),
		grpc.MaxConcurrentStreams(b.Streams),
		grpc.ConnectionTimeout(connectionTimeout),
		grpc.WaitForHandlers(true), // they read what is closed afterwards
		grpc.InTapHandle(lis.Calls(b.Calls)),
		Decoding(codec, b.Decoding),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: b.Ping, MaxConnectionIdle: idleMax}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: pingAllowed, PermitWithoutStream: true}),
	}, more...)...)
	grpc_health_v1.RegisterHealthServer(server, health.NewServer())
	reflection.Register(server)
	return server
}
