package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"

	"github.com/everystate/everystate/internal/platform/limits"
	"github.com/everystate/everystate/internal/tablemaker"
	"github.com/everystate/everystate/proto/codec"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/store/bucket"
	"github.com/everystate/everystate/store/pace"
	"github.com/everystate/everystate/worker"
	"github.com/everystate/everystate/worker/door"
	"github.com/everystate/everystate/worker/exchange"
	workername "github.com/everystate/everystate/worker/identity"
	"github.com/everystate/everystate/worker/module"
	"github.com/everystate/everystate/worker/prove"
	"github.com/everystate/everystate/worker/pulse"
	"github.com/everystate/everystate/worker/units"
	"github.com/everystate/everystate/worker/upload"
)

const (
	// answerBytesMax bounds what others answer: the largest answer is an order of at
	// most 3.5 MiB. requestBytesMax bounds what they request or send: candidates.
	answerBytesMax  = 4 << 20
	requestBytesMax = 512 << 10

	// pingInterval: a connection to a worker or the coordinator on which nothing arrives
	// for so long is pinged. The system would notice a dead one only after a quarter of an
	// hour.
	pingInterval = 10 * time.Second

	// connectMax bounds the time between two attempts to connect.
	connectMax = 3 * time.Second
)

// callersMay is what callers may use. Every worker has a connection, and a call for each of
// its lanes, of which there are at most 1,024. A call costs its message: 8 GiB for all, 1 GiB
// for one address. Messages are passed on as fast as they can be kept, so only callers that
// hold back the last byte reach these totals.
var callersMay = limits.Bounds{
	MessageBytes: requestBytesMax, Streams: 1100, Calls: limits.Limit{All: 16384, OfOneCaller: 2048},
	Decoding: 2 * runtime.GOMAXPROCS(0), Ping: pingInterval,
}

// Run works for the coordinator until ctx ends or the worker has drained, neither of
// which is an error, or until the disk fails. It waits for all its goroutines.
func Run(ctx context.Context, opts Options) (err error) {
	opts.ensureDefaults()
	if err := opts.validate(); err != nil {
		return err
	}
	lock, err := store.LockDirOf(opts.FS, opts.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	name, err := workername.Of(opts.FS, opts.Data, opts.Random)
	if err != nil {
		return fmt.Errorf("the worker's name: %w", err)
	}
	listener := opts.Listener
	if listener == nil {
		var lc net.ListenConfig
		if listener, err = lc.Listen(ctx, "tcp", opts.Listen); err != nil {
			return fmt.Errorf("listen: %w", err)
		}
	}
	if opts.Advertise == "" {
		opts.Advertise = listener.Addr().String()
	}
	opts.Log = opts.Log.With("worker", name)
	opts.Log.Info("worker starts", "address", opts.Advertise, "coordinator", opts.Coordinator, "lanes", opts.Lanes)
	return run(ctx, opts, name, listener)
}

// run works with what Run has prepared. It closes the listener.
func run(ctx context.Context, opts Options, name string, listener net.Listener) (err error) {
	b := worker.Divide(opts.MemoryBytes, opts.Lanes, 1)
	stores := newStores(filepath.Join(opts.Data, "runs"), store.Options{
		FS:            opts.FS,
		CacheBytes:    b.CacheBytes,
		MemTableBytes: b.MemTableBytes,
	})
	defer func() { err = errors.Join(err, stores.close()) }()
	stores.tableBytes, stores.tableWorkers = tablemaker.WorkerShare(opts.MemoryBytes), opts.Lanes
	stores.mender.Log, stores.mender.Pace = opts.Log, pace.New(opts.ScrubBytes)
	meter, unregister := newMeter(&opts, name, stores)
	defer unregister()
	dial := dialOptions(opts.Dial)
	peers := exchange.NewPeers(&opts.Stats.WireBytes, dial)
	defer peers.Close()
	proofs := exchange.NewPeers(new(atomic.Int64), dial) // apart from peers, which closes those that no attempt needs
	defer proofs.Close()
	conn, err := grpc.NewClient(opts.Coordinator, dial...)
	if err != nil {
		return errors.Join(fmt.Errorf("coordinator %s: %w", opts.Coordinator, err), listener.Close())
	}
	defer func() { err = errors.Join(err, conn.Close()) }()

	sessions := everystatev1.NewSessionServiceClient(conn)
	stores.module = func(run string, size uint32) ([]byte, error) { return module.Fetch(sessions, run, size) }

	buckets := bucket.NewPool(opts.Buckets)
	defer func() { err = errors.Join(err, buckets.Close()) }()
	uploads := upload.New((&uploader{self: name, stores: stores, buckets: buckets}).perform, &opts.Stats.Uploaded, opts.Log)
	wait := func(failures int) time.Duration { return exchange.BackOff(failures, opts.BackOffMax, opts.Random) }
	e := &engine{
		removed: make(map[string]dropped),
		desk:    newDesk(name), stores: stores, peers: peers, buckets: buckets, stats: opts.Stats, meter: meter, log: opts.Log,
		lanesMax: opts.Lanes, memoryBytes: opts.MemoryBytes, gatherStates: opts.GatherStates,
		door: &door.Door{Self: name, Refused: &opts.Stats.Misrouted, Log: opts.Log}, wait: wait,
	}
	stores.found = func() { tell(e.desk.achieved) }
	bounded := limits.Listen(listener, limits.Connections, func(caller string) {
		opts.Log.Warn("refusing connections: too many", "of", caller)
	})
	server := newServer(opts, e, newProver(opts, e, proofs), bounded)
	served := make(chan error, 1)
	go func() { served <- server.Serve(bounded) }()

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var background sync.WaitGroup
	background.Go(func() { e.loop(ctx) })
	background.Go(func() { uploads.Loop(ctx, func() { tell(e.desk.achieved) }) })
	incarnation := opts.Random()
	sweeps := &units.Sweeper{
		Client: everystatev1.NewSweepServiceClient(conn), Worker: name, Incarnation: incarnation, Lanes: opts.Lanes,
		Open: opts.Sweeps, Log: opts.Log, Wait: wait,
	}
	background.Go(func() { sweeps.Loop(ctx) })
	watchOver(ctx, &background, &opts, stores)
	s := &session{
		client: sessions, desk: e.desk, coordinator: opts.Coordinator,
		stores: stores, address: opts.Advertise, incarnation: incarnation, drain: opts.Drain, broken: e.brokenBy,
		backOffMax: opts.BackOffMax, random: opts.Random, log: opts.Log, uploads: uploads, weight: opts.Weight,
		lanes: uint32(opts.Lanes), machine: opts.Machine, cores: uint32(opts.Cores), tables: uint64(stores.tableBytes), data: opts.Data,
		stats: opts.Stats, stood: opts.Stood,
	}
	err = s.loop(ctx)

	// First no new work is begun, then no more calls are taken; the stores are closed
	// when nobody uses them.
	cancel()
	background.Wait()
	limits.Stop(server)
	opts.Stats.log(opts.Log)
	if serr := <-served; serr != nil && !errors.Is(serr, grpc.ErrServerStopped) {
		err = errors.Join(err, fmt.Errorf("serve: %w", serr))
	}
	return err
}

// watchOver measures whether the process stands still, and looks for damage.
func watchOver(ctx context.Context, background *sync.WaitGroup, opts *Options, stores *stores) {
	if opts.Stood == nil {
		beats := new(pulse.Pulse)
		opts.Stood = beats.Stood
		background.Go(func() { beats.Loop(ctx) })
	}
	if opts.ScrubBytes > 0 {
		background.Go(func() {
			stores.mender.Loop(ctx, opts.ScrubEvery, stores.noteDamage)
		})
	}
}

// brokenBy returns errBroken if the process has to be restarted.
func (e *engine) brokenBy() error {
	if e.broken.Load() {
		return errBroken
	}
	return nil
}

// errBroken reports that the process cannot continue with the stores it has open.
var errBroken = errors.New("the store of a run failed; see the run's failure")

func dialOptions(more []grpc.DialOption) []grpc.DialOption {
	wait := backoff.DefaultConfig
	wait.MaxDelay = connectMax
	return append([]grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: wait, MinConnectTimeout: connectMax}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(answerBytesMax), grpc.ForceCodecV2(codec.New())),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: pingInterval}),
		grpc.WithDisableServiceConfig(),
	}, more...)
}

func newServer(opts Options, e *engine, prover *prove.Prover, lis *limits.Listener) *grpc.Server {
	server := limits.NewServer(lis, callersMay, codec.New(), opts.Serve)
	everystatev1.RegisterExchangeServiceServer(server, &exchangeServer{receiver: &e.receiver, door: e.door})
	everystatev1.RegisterRecordServiceServer(server, &recordServer{stores: e.stores, door: e.door, log: opts.Log})
	everystatev1.RegisterProofServiceServer(server, prover)
	return server
}
