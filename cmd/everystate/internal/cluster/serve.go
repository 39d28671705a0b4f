// Package cluster has the commands that run a coordinator, a worker or a web page, those
// that call a coordinator, and those that prepare a machine for it.
package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	coordinatorserver "github.com/everystate/everystate/coordinator/server"
	"github.com/everystate/everystate/coordinator/settings"
	"github.com/everystate/everystate/internal/platform/processor"
	"github.com/everystate/everystate/internal/security"
	"github.com/everystate/everystate/internal/web"
	workerserver "github.com/everystate/everystate/worker/server"
)

func (s *serving) check(cmd *cobra.Command) error {
	if err := s.observing.check(cmd); err != nil {
		return err
	}
	host, _, err := net.SplitHostPort(s.listen)
	switch {
	case s.data == "":
		return exit.Usagef(cmd, "%s needs --data DIR", cmd.Name())
	case err != nil:
		return exit.Usagef(cmd, "--listen %q: must be HOST:PORT", s.listen)
	case (s.cert == "") != (s.key == ""):
		return exit.Usagef(cmd, "--tls-cert FILE and --tls-key FILE go together")
	case s.callerCA != "" && s.cert == "":
		return exit.Usagef(cmd, "%s FILE needs --tls-cert FILE and --tls-key FILE", s.callerFlag)
	case s.insecure || runs.IsLoopback(s.listen):
		return nil
	}
	if host == "" {
		host = "every address"
	}
	// The system's authorities vouch for servers, not for callers.
	asks := s.callerCA != "" && s.callerCA != security.SystemCA || s.tokenFile != ""
	switch {
	case s.cert == "" && !asks:
		return exit.Usagef(cmd, "--listen %s: %s is reachable from other machines: give --tls-cert, --tls-key and %s, use 127.0.0.1, or allow it with --insecure", s.listen, host, s.callerFlag)
	case s.cert == "":
		return exit.Usagef(cmd, "--listen %s: %s is reachable from other machines, and tokens would not be encrypted: give --tls-cert and --tls-key, use 127.0.0.1, or allow it with --insecure", s.listen, host)
	case !asks:
		return exit.Usagef(cmd, "--listen %s: %s is reachable from other machines, and callers are not authenticated: give %s or --token-file, use 127.0.0.1, or allow it with --insecure", s.listen, host, s.callerFlag)
	}
	return nil
}

// CoordinatorCommand is `everystate coordinator`.
func CoordinatorCommand(env *shell.Env) *cobra.Command {
	f := coordinatorFlags{serving: serving{callerFlag: "--client-ca"}}
	s := &f.serving
	cmd := &cobra.Command{
		Use:   "coordinator --data DIR",
		Short: "Coordinate workers, accept runs and keep their journals",
		Long: `Coordinator accepts runs from submit and distributes them over workers. It keeps a
journal of each run in DIR; started again with the same DIR, it continues where it
left off. Ctrl-C stops it, and workers wait for it to come back.

With --bucket, each layer of a run is also kept in a bucket, so runs survive the loss
of a worker's disk, or of all machines. Another coordinator with the same bucket finds
the runs there; it continues those that are resumed, or with --adopt all unfinished
ones. If two coordinators work on the same run, the later one wins and the other
stops (docs/CLUSTER.md).

With --client-ca callers need a certificate, with --token-file a token, and with both
either one (docs/SECURITY.md). Without, only this machine can connect.`,
		Example: `  everystate coordinator --listen 127.0.0.1:7000 --data /var/lib/everystate
  everystate worker --coordinator 127.0.0.1:7000 --data /data/worker-1 --memory 4G
  everystate coordinator --data /data --bucket 's3://states?region=eu-central-1'
  everystate coordinator --listen 10.0.0.1:7000 --data /data --tls-cert coordinator.crt --tls-key coordinator.key --client-ca ca.crt`,
		Args: shell.Exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runCoordinator(env, cmd, &f) },
	}
	s.listenFlags(cmd.Flags(), "127.0.0.1:7000", "keep the journals in `DIR`")
	s.observeFlags(cmd.Flags())
	s.securityFlags(cmd.Flags(), "show the certificate in `FILE`, to callers and to workers", "accept callers with a token in `FILE`, which has a role and a token per line")
	cmd.Flags().StringVar(&s.callerCA, "client-ca", "", "accept callers whose certificate an authority in `FILE` signed")
	cmd.Flags().StringVar(&f.bucket, "bucket", "", "also keep runs in the bucket at `URL`: file:///DIR or s3://BUCKET/PREFIX")
	cmd.Flags().BoolVar(&f.adopt, "adopt", false, "resume the bucket's unfinished runs automatically")
	cmd.Flags().DurationVar(&f.lease, "lease", 10*time.Second, "consider a worker lost if it has not called for `TIME`")
	f.scrub = settings.ScrubBytes
	cmd.Flags().Var(&f.scrub, "scrub", "read the objects in the bucket again at `SIZE` per second, to find damage; 0 for never")
	cmd.Flags().StringVar(&f.http, "http", "", "serve the page at `ADDR`, HOST:PORT")
	cmd.Flags().BoolVar(&f.httpReadOnly, "http-read-only", false, "allow no changes on the page")
	cmd.Flags().StringVar(&f.workerCA, "tls-ca", "", "trust workers that `FILE` vouches for (default that of --client-ca, else \"system\")")
	return cmd
}

// coordinatorFlags holds the flags of the command.
type coordinatorFlags struct {
	serving
	workerCA string
	bucket   string
	adopt    bool
	lease    time.Duration
	scrub    shell.Size

	http         string
	httpReadOnly bool
}

// shortestLease is the least lease: workers call three times in one.
const shortestLease = 500 * time.Millisecond

func (f *coordinatorFlags) check(cmd *cobra.Command) error {
	if err := f.serving.check(cmd); err != nil {
		return err
	}
	if err := f.checkHTTP(cmd); err != nil {
		return err
	}
	switch {
	case f.workerCA != "" && f.cert == "":
		return exit.Usagef(cmd, "--tls-ca FILE needs --tls-cert FILE and --tls-key FILE")
	case f.adopt && f.bucket == "":
		return exit.Usagef(cmd, "--adopt needs --bucket URL")
	case f.lease < shortestLease || f.lease > time.Hour:
		return exit.Usagef(cmd, "--lease %v: must be from %v to %v", f.lease, shortestLease, time.Hour)
	}
	return nil
}

// accepted calls first before it accepts the first connection: when the coordinator has
// read its data and serves.
type accepted struct {
	net.Listener
	first func()
}

func (a *accepted) Accept() (net.Conn, error) {
	a.first()
	return a.Listener.Accept()
}

func runCoordinator(env *shell.Env, cmd *cobra.Command, f *coordinatorFlags) (err error) {
	if err := f.check(cmd); err != nil {
		return err
	}
	s := &f.serving
	log := s.newLog(env.Err)
	srv, err := s.newServer(log)
	if err != nil {
		return err
	}
	dial, err := s.workerDial(f.workerCA, log)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	observed, err := s.observe(ctx, "everystate-coordinator", env.Build, log)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, observed.stop()) }()
	opts := coordinatorserver.Options{
		Data: s.data, Log: log, Metrics: observed.registerer(), Traces: observed.traces,
		Serve: append(srv.Options(), observed.serve...), Dial: append(dial, observed.dial...),
		Adopt: f.adopt, LeaseMillis: int(f.lease.Milliseconds()), ScrubBytes: cmp.Or(int64(f.scrub), -1),
	}
	if f.bucket != "" {
		if opts.Bucket, err = runs.OpenBucket(cmd, f.bucket); err != nil {
			return err
		}
		defer func() { err = cmp.Or(err, opts.Bucket.Close()) }()
	}
	var config net.ListenConfig
	lis, err := config.Listen(ctx, "tcp", s.listen)
	if err != nil {
		return cannotListen("--listen", s.listen, err)
	}
	if err := observed.open(ctx, &s.observing, func() error { return nil }, log); err != nil {
		return cmp.Or(err, lis.Close())
	}
	var page *coordinatorPage
	accepting := &accepted{Listener: lis, first: sync.OnceFunc(func() {
		log.Info("coordinator listens", "address", lis.Addr().String(), "data", s.data, "tls", srv.Encrypts(), "callers", s.callers())
		if page != nil {
			log.Info("the page is served", "address", page.lis.Addr().String())
		}
	})}
	run := func(ctx context.Context) error { return coordinatorserver.Serve(ctx, accepting, opts) }
	if f.http == "" {
		err = run(ctx)
	} else {
		page, err = newCoordinatorPage(ctx, f, lis.Addr(), web.Options{ReadOnly: f.httpReadOnly, Version: env.Build.String(), Log: log})
		if err != nil {
			return cmp.Or(err, lis.Close())
		}
		err = withPage(ctx, page, run)
	}
	if ctx.Err() != nil && (err == nil || errors.Is(err, context.Canceled)) {
		log.Info("coordinator stopped")
		return nil
	}
	return runs.Explain(env, s.data, err)
}

// workerCAFlag vouches for those that a worker calls and those that call it.
const workerCAFlag = "--tls-ca"

// workerFlags holds the flags of the command.
type workerFlags struct {
	serving
	at        runs.CoordinatorFlag
	memory    shell.Size
	scrub     shell.Size
	advertise string
	machine   string
	lanes     int
	weight    uint32
}

// WorkerCommand is `everystate worker`.
func WorkerCommand(env *shell.Env) *cobra.Command {
	f := workerFlags{serving: serving{callerFlag: workerCAFlag}}
	cmd := &cobra.Command{
		Use:   "worker --coordinator ADDR --data DIR --memory SIZE",
		Short: "Work on the runs of a coordinator",
		Long: `Worker works on the runs of a coordinator and keeps its partitions of their states
in DIR. The directory is the worker's identity: a worker restarted with the same
DIR, here or on another machine, is the same worker.

On the first Ctrl-C or TERM the worker drains: it finishes the layer in progress and
leaves. On the second it stops at once, and the layer is repeated when it is back.

A worker is both client and server, and --tls-ca, --tls-cert and --tls-key serve for
both (docs/SECURITY.md), as do the environment variables (help credentials).`,
		Example: `  everystate worker --coordinator 127.0.0.1:7000 --data /data/worker-1 --memory 4G
  everystate worker --coordinator 10.0.0.1:7000 --data /data --memory 32G --listen 10.0.0.2:7001 --tls-ca ca.crt --tls-cert worker.crt --tls-key worker.key`,
		Args: shell.Exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runWorker(env, cmd, &f) },
	}
	flags := cmd.Flags()
	f.at.Flags(flags)
	f.listenFlags(flags, "127.0.0.1:0", "keep states in `DIR`")
	f.observeFlags(flags)
	f.securityFlags(flags, "show the certificate in `FILE`", "send the worker's token from `FILE`, and accept callers with a token in it")
	flags.StringVar(&f.callerCA, "tls-ca", "", "trust a coordinator and workers whose certificate an authority in `FILE` signed")
	flags.Var(&f.memory, "memory", "memory budget, a `SIZE` such as 512MiB, 2G or 300MB")
	flags.StringVar(&f.advertise, "advertise", "", "`ADDR`, HOST:PORT, at which others reach this worker (default: where it listens)")
	f.scrub = workerserver.ScrubBytes
	flags.Var(&f.scrub, "scrub", "read what is kept again at `SIZE` per second, to find damage; 0 for never")
	flags.Uint32Var(&f.weight, "weight", 0, "relative share of partitions, a weight `N` (default: its memory in MiB)")
	runs.WorkersVar(flags, &f.lanes, "lanes", "`N` parallel pipelines (default: one per core)")
	flags.StringVar(&f.machine, "machine", "", "share cores with other workers of the machine `NAME` (default: those on this one)")
	return cmd
}

// fromEnvironment sets flags that are not given from the environment.
func (f *workerFlags) fromEnvironment(flags *pflag.FlagSet) {
	for _, from := range []struct {
		flag, environment string
		value             *string
	}{
		{"tls-ca", shell.CAVar, &f.callerCA},
		{"tls-cert", shell.CertVar, &f.cert},
		{"tls-key", shell.KeyVar, &f.key},
		{"token-file", shell.TokenFileVar, &f.tokenFile},
	} {
		if !flags.Changed(from.flag) {
			*from.value = os.Getenv(from.environment)
		}
	}
}

func runWorker(env *shell.Env, cmd *cobra.Command, f *workerFlags) (err error) {
	addr, err := f.at.Address(cmd)
	if err != nil {
		return err
	}
	f.fromEnvironment(cmd.Flags())
	if f.data == "" && f.memory <= 0 {
		return exit.Usagef(cmd, "worker needs --data DIR and --memory SIZE")
	}
	if err := f.check(cmd); err != nil {
		return err
	}
	switch {
	case f.cert != "" && f.callerCA == "":
		return exit.Usagef(cmd, "a worker with --tls-cert FILE also needs --tls-ca FILE")
	case f.memory <= 0:
		return exit.Usagef(cmd, "worker needs --memory SIZE")
	case f.advertise != "" && !runs.IsAddress(f.advertise):
		return exit.Usagef(cmd, "--advertise %q: must be HOST:PORT", f.advertise)
	case f.weight == 0 && cmd.Flags().Changed("weight"):
		return exit.Usagef(cmd, "--weight 0: must be 1 or more")
	}
	log := f.newLog(env.Err)
	srv, err := f.newServer(log)
	if err != nil {
		return err
	}
	dial, err := f.clusterDial(log)
	if err != nil {
		return err
	}
	observed, err := f.observe(cmd.Context(), "everystate-worker", env.Build, log)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, observed.stop()) }()
	machine, cores := processor.Machine()
	machine = cmp.Or(f.machine, machine)
	opts := workerserver.Options{
		Coordinator: addr, Data: f.data, Listen: f.listen, Advertise: f.advertise,
		Lanes: f.lanes, Machine: machine, Cores: cores, MemoryBytes: int64(f.memory), Weight: f.weight, Log: log, Drain: cmd.Context().Done(), ScrubBytes: cmp.Or(int64(f.scrub), -1),
		Dial: append(dial, observed.dial...), Serve: append(srv.Options(), observed.serve...),
		Metrics: observed.registerer(), Traces: observed.traces, Stats: new(workerserver.Stats),
		Version: env.Build.String(),
	}
	if err := opts.Validate(); err != nil {
		return exit.Usagef(cmd, "%s", shell.OneLine(err))
	}
	if err := observed.open(cmd.Context(), &f.observing, opts.Stats.Healthy, log); err != nil {
		return err
	}
	debug.SetMemoryLimit(opts.MemoryBytes)
	// The first signal drains: it must not cancel the work that it waits for. The second
	// ends the process.
	ctx := cmd.Context()
	unsay := context.AfterFunc(ctx, func() {
		fmt.Fprintln(env.Err, "draining: leaving after the layer in progress; repeat to stop at once")
	})
	defer unsay()
	err = workerserver.Run(context.WithoutCancel(ctx), opts)
	if errors.Is(err, workerserver.ErrRefused) {
		return &exit.Error{Code: exit.Usage, Text: err.Error(), Cause: err}
	}
	return runs.Explain(env, f.data, err)
}
