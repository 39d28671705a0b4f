package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/deletions"
	"github.com/everystate/everystate/coordinator/plans"
	"github.com/everystate/everystate/coordinator/relay"
	"github.com/everystate/everystate/coordinator/settings"
	"github.com/everystate/everystate/coordinator/specs"
	"github.com/everystate/everystate/internal/platform/limits"
	"github.com/everystate/everystate/proto/codec"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/store/bucket"
	"github.com/everystate/everystate/store/pace"
)

// Options configures a coordinator.
type Options = settings.Options

// pingInterval: a connection on which nothing arrives for so long is pinged.
const pingInterval = 30 * time.Second

// callersMay is what callers may use. A submitted run has a puzzle text of at most 1 MiB, and
// a worker's call has at most 900 KiB. A worker has a call, and at most 1,024 workers have
// partitions. A call costs its message: 2.1 GiB for all, 550 MiB for one address.
var callersMay = limits.Bounds{
	MessageBytes: specs.TextMax + 64<<10, Streams: 64, Calls: limits.Limit{All: 2048, OfOneCaller: 512},
	Decoding: 4, Ping: pingInterval,
}

// tick is how often leases are checked.
const tick = 200 * time.Millisecond

// Server is a coordinator.
type Server struct {
	opts    Options
	name    string // for people
	log     *slog.Logger
	clients *relay.Clients
	bucket  *bucket.Bucket
	started time.Time
	kick    chan struct{} // a run may be taken up
	plans   *plans.Plans  // of sweeps

	// spawn runs a function in the background; its context ends when the server does.
	spawn func(f func(ctx context.Context))
	wait  sync.WaitGroup // for all that spawn has started

	mu       sync.Mutex // guards the fields below
	runs     map[string]*run
	damaged  map[string]string // runs whose journals cannot be read, and why
	roster   *core.Roster      // the workers
	members  map[string]*member
	still    core.Still // who of them stands still
	deleted  *deletions.Deletions
	active   *run // the run being worked on
	stopping bool

	reread *pace.Pace // of the bucket

	lost, attemptsGivenUp, misrouted, unbalanced, damages, objectDamages int // since the start
}

// Serve runs a coordinator on a listener until ctx is cancelled.
func Serve(ctx context.Context, lis net.Listener, opts Options) (err error) {
	opts.EnsureDefaults()
	bounded := limits.Listen(lis, limits.Connections, func(caller string) {
		opts.Log.Warn("refusing connections: too many", "of", caller)
	})
	lock, err := store.LockDirOf(opts.FS, opts.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	s := newCoordinator(opts, name(lis))
	background, stopBackground := context.WithCancel(ctx)
	defer stopBackground()
	s.spawn = func(f func(ctx context.Context)) { s.wait.Go(func() { f(background) }) }
	defer func() { err = errors.Join(err, s.close()) }()
	if err := s.load(); err != nil {
		return err
	}

	defer (&meter{s}).register()()
	g := s.newServer(bounded)
	s.spawn(s.watch)
	if s.bucket != nil {
		s.spawn(s.importRuns)
		if opts.ScrubBytes > 0 {
			s.spawn(func(ctx context.Context) { readAgain(ctx, s) })
		}
		for _, run := range s.deleted.InBucket() {
			s.removeFromBucket(run, nil)
		}
	}
	served := make(chan error, 1)
	s.wait.Go(func() { served <- g.Serve(bounded) })
	select {
	case err = <-served:
		s.stop()
	case <-ctx.Done():
		s.stop()
		limits.Stop(g)
	}
	stopBackground()
	s.wait.Wait()
	return err
}

// newCoordinator returns a coordinator without runs or workers.
func newCoordinator(opts Options, name string) *Server {
	return &Server{
		opts:    opts,
		log:     opts.Log,
		clients: relay.NewClients(append([]grpc.DialOption{grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: pingInterval})}, opts.Dial...)...),
		bucket:  opts.Bucket,
		started: time.Now(),
		kick:    make(chan struct{}, 1),
		name:    name,
		plans:   plans.New(opts.Sweeps),
		reread:  pace.New(opts.ScrubBytes),
		runs:    make(map[string]*run),
		damaged: make(map[string]string),
		members: make(map[string]*member),
		roster: core.NewRoster(core.RosterOptions{
			LeaseTicks: core.Ticks(opts.LeaseMillis), SettleTicks: core.Ticks(opts.SettleMillis),
		}),
	}
}

// now returns the time in ticks.
func (s *Server) now() core.Ticks { return core.Ticks(time.Since(s.started).Milliseconds()) }

// newServer returns a server of all services.
func (s *Server) newServer(lis *limits.Listener) *grpc.Server {
	g := limits.NewServer(lis, callersMay, codec.New(), s.opts.Serve)
	everystatev1.RegisterSessionServiceServer(g, &sessionService{Server: s})
	everystatev1.RegisterRunServiceServer(g, &runService{Server: s})
	everystatev1.RegisterRecordServiceServer(g, &recordService{Server: s})
	everystatev1.RegisterSweepServiceServer(g, &sweepService{Server: s})
	everystatev1.RegisterProofServiceServer(g, &proofService{recordService: &recordService{Server: s}})
	return g
}

// name returns a name of this coordinator for people.
func name(lis net.Listener) string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	return fmt.Sprintf("at %s on %s, process %d", lis.Addr(), host, os.Getpid())
}

// stop answers all waiting calls.
func (s *Server) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopping = true
	for _, m := range s.members {
		m.wake()
	}
}

func (s *Server) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, r := range s.runs {
		errs = append(errs, r.store.Close())
	}
	errs = append(errs, s.clients.Close())
	return errors.Join(errs...)
}

// load opens the runs that are in the data directory.
func (s *Server) load() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	dir := filepath.Join(s.opts.Data, runsDir)
	if err := store.MakeDir(s.opts.FS, dir); err != nil {
		return fmt.Errorf("make %s: %w", dir, err)
	}
	var err error
	if s.deleted, err = deletions.Load(s.opts.FS, s.opts.Data, dir); err != nil {
		return err
	}
	names, err := s.opts.FS.List(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if is, err := s.opts.FS.Stat(filepath.Join(dir, name)); err == nil && !is.IsDir() {
			s.log.Warn("ignoring a file in the directory of runs", "file", filepath.Join(dir, name))
			continue
		}
		r, err := openRun(s, filepath.Join(dir, name))
		if errors.Is(err, errNotBegun) {
			continue // the process ended while making the run
		}
		if err != nil {
			if err := unreadable(s, name, err); err != nil {
				return err
			}
			continue
		}
		s.runs[r.name] = r
		s.startBackup(r)
	}
	s.activateNext()
	return nil
}

// watch checks leases, and logs whom a run waits for when it makes no progress.
func (s *Server) watch(ctx context.Context) {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.kick:
			s.mu.Lock()
			s.activateNext()
			s.mu.Unlock()
		case <-ticker.C:
			s.mu.Lock()
			s.expire()
			s.giveUp(s.active)
			s.repeatLost()
			lookAtBuckets(s)
			if s.active != nil {
				s.active.tickQueue()
			}
			if s.active != nil {
				s.active.job.tick()
			}
			s.activateNext()
			s.complain()
			s.mu.Unlock()
		}
	}
}
