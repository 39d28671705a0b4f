package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"runtime/debug"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/everystate/everystate/coordinator/cluster"
	"github.com/everystate/everystate/worker/node"
)

// serving holds the flags of the commands that listen.
type serving struct {
	listen, data string
	insecure     bool
}

func (s *serving) listenFlags(flags *pflag.FlagSet, listen, data string) {
	flags.StringVar(&s.listen, "listen", listen, "listen at `ADDR`, HOST:PORT")
	flags.StringVar(&s.data, "data", "", data)
	flags.BoolVar(&s.insecure, "insecure", false, "let other machines in without encryption and without asking who they are")
}

func (s *serving) check(cmd *cobra.Command) error {
	host, _, err := net.SplitHostPort(s.listen)
	switch {
	case s.data == "":
		return usagef(cmd, "%s needs --data DIR", cmd.Name())
	case err != nil:
		return usagef(cmd, "--listen %q: must be HOST:PORT", s.listen)
	case !s.insecure && !isLoopback(s.listen):
		if host == "" {
			host = "every address"
		}
		return usagef(cmd, "--listen %s: %s can be reached from other machines, and nothing would be encrypted: use 127.0.0.1, or allow it with --insecure", s.listen, host)
	}
	return nil
}

// newLog returns a log that writes one line an event.
func newLog(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, nil))
}

func (a *app) coordinatorCommand() *cobra.Command {
	var s serving
	cmd := &cobra.Command{
		Use:   "coordinator --data DIR",
		Short: "Serve workers and clients, and keep the journals of runs",
		Long: `Coordinator takes runs from submit and has workers explore them. It keeps a
journal of each run in DIR; started again with the same DIR it goes on where it
was. Ctrl-C ends it, and workers wait for it to come back.`,
		Example: `  everystate coordinator --listen 127.0.0.1:7000 --data /var/lib/everystate
  everystate worker --coordinator 127.0.0.1:7000 --data /data/worker-1 --memory 4G`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.coordinator(cmd, &s) },
	}
	s.listenFlags(cmd.Flags(), "127.0.0.1:7000", "keep the journals in `DIR`")
	return cmd
}

func (a *app) coordinator(cmd *cobra.Command, s *serving) error {
	if err := s.check(cmd); err != nil {
		return err
	}
	ctx := cmd.Context()
	var config net.ListenConfig
	lis, err := config.Listen(ctx, "tcp", s.listen)
	if err != nil {
		return failf(exitFailed, "%v", err)
	}
	log := newLog(a.err)
	log.Info("coordinator listens", "address", lis.Addr().String(), "data", s.data)
	err = cluster.Serve(ctx, lis, cluster.Options{Data: s.data, Log: log, Dial: plaintext()})
	if ctx.Err() != nil && (err == nil || errors.Is(err, context.Canceled)) {
		log.Info("coordinator stopped")
		return nil
	}
	return a.explain(s.data, err)
}

// workerFlags holds the flags of the command.
type workerFlags struct {
	serving
	at        coordinatorFlag
	memory    size
	advertise string
	lanes     int
}

func (a *app) workerCommand() *cobra.Command {
	var f workerFlags
	cmd := &cobra.Command{
		Use:   "worker --coordinator ADDR --data DIR --memory SIZE",
		Short: "Explore what a coordinator has to explore",
		Long: `Worker works on the runs of a coordinator, and keeps its share of their states in
DIR. The share goes with the directory: a worker that is started again with the
same DIR, here or on another machine, is the same worker.

At the first Ctrl-C or TERM the worker drains: it ends the layer under way and
leaves. The second ends it at once; the layer is then made again when it is back.`,
		Example: `  everystate worker --coordinator 127.0.0.1:7000 --data /data/worker-1 --memory 4G
  everystate worker --coordinator 10.0.0.1:7000 --data /data --memory 32G --listen 10.0.0.2:7001 --insecure`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.worker(cmd, &f) },
	}
	flags := cmd.Flags()
	f.at.flags(flags)
	f.listenFlags(flags, "127.0.0.1:0", "keep states in `DIR`")
	flags.Var(&f.memory, "memory", "memory budget `SIZE`, such as 512MiB, 2G or 300MB")
	flags.StringVar(&f.advertise, "advertise", "", "`ADDR`, HOST:PORT, at which the others reach this worker (default where it listens)")
	flags.IntVar(&f.lanes, "lanes", 0, "`N` pipelines side by side (default one a core)")
	return cmd
}

func (a *app) worker(cmd *cobra.Command, f *workerFlags) error {
	addr, err := f.at.address(cmd)
	if err != nil {
		return err
	}
	if err := f.check(cmd); err != nil {
		return err
	}
	switch {
	case f.memory <= 0:
		return usagef(cmd, "worker needs --memory SIZE")
	case f.advertise != "" && !isAddress(f.advertise):
		return usagef(cmd, "--advertise %q: must be HOST:PORT", f.advertise)
	case f.lanes < 0 || f.lanes == 0 && cmd.Flags().Changed("lanes"):
		return usagef(cmd, "--lanes %d: must be 1 or more", f.lanes)
	}
	opts := node.Options{
		Coordinator: addr, Data: f.data, Listen: f.listen, Advertise: f.advertise,
		Lanes: f.lanes, MemoryBytes: int64(f.memory), Dial: plaintext(), Log: newLog(a.err), Drain: cmd.Context().Done(),
	}
	if err := opts.Validate(); err != nil {
		return usagef(cmd, "%s", oneLine(err))
	}
	debug.SetMemoryLimit(opts.MemoryBytes)
	// The first signal drains: it must not end what it waits for. The second one
	// ends the process.
	ctx := cmd.Context()
	unsay := context.AfterFunc(ctx, func() {
		fmt.Fprintln(a.err, "draining: leaving when the layer under way is done; once more to end at once")
	})
	defer unsay()
	return a.explain(f.data, node.Run(context.WithoutCancel(ctx), opts))
}
