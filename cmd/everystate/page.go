package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/local"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/web"
)

// serve holds the flags of the command.
type serve struct {
	engine

	listen   string
	readOnly bool
	insecure bool
}

func (a *app) serveCommand() *cobra.Command {
	var s serve
	cmd := &cobra.Command{
		Use:   "serve [RUN...]",
		Short: "Show runs on a page in the browser",
		Long: `Serve shows runs on a page: how far they are, their states as pictures, the way
from here to there, and the whole space as a graph. New runs are made there of
boards that are pasted or dropped. Without RUN it shows all of runs/; of HOST:PORT
it shows those of a coordinator.

The page needs no other machine. Only this machine can open it, unless --listen
says otherwise and --insecure allows it: nobody is asked who they are, so that
--read-only is wise then. Ctrl-C stops it, and what is being explored; that goes
on with resume.`,
		Example: `  everystate serve
  everystate serve jam-93 --read-only
  everystate serve 10.0.0.1:7000 --listen 127.0.0.1:8080`,
		Args:              between(0, 1<<20, "[RUN...]"),
		ValidArgsFunction: completeRun,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.serve(cmd, &s, args) },
	}
	flags := cmd.Flags()
	flags.StringVar(&s.listen, "listen", "127.0.0.1:8000", "listen at `ADDR`, HOST:PORT; port 0 means any")
	flags.BoolVar(&s.readOnly, "read-only", false, "show runs, and let nobody change anything")
	flags.BoolVar(&s.insecure, "insecure", false, "let other machines in without encryption, and without asking who they are")
	s.engine.flags(flags)
	return cmd
}

func (a *app) serve(cmd *cobra.Command, s *serve, args []string) (err error) {
	if _, _, err := net.SplitHostPort(s.listen); err != nil {
		return usagef(cmd, "--listen %q: must be HOST:PORT", s.listen)
	}
	if !s.insecure && !isLoopback(s.listen) {
		return usagef(cmd, "--listen %s can be reached from other machines, and nobody would be asked who they are: use 127.0.0.1, or allow it with --insecure", s.listen)
	}
	opts, err := s.engine.options(cmd, 0)
	if err != nil {
		return err
	}
	source, err := a.localSource(opts, args)
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, source.Close()) }()
	return a.servePage(cmd.Context(), s, source)
}

// localSource returns the runs of this machine.
func (a *app) localSource(opts local.Options, args []string) (*web.Local, error) {
	var dirs []string
	for _, arg := range args {
		dir, err := findRun(arg)
		if err != nil {
			return nil, err
		}
		dirs = append(dirs, dir)
	}
	return web.NewLocal(web.LocalOptions{
		Dirs: dirs, Dir: runsDir, Run: opts,
		Name: func(b puzzle.Board) string {
			return filepath.Base(runName(input{}, b, 0, 1)) + metricSuffix(b)
		},
	}), nil
}

func (a *app) servePage(ctx context.Context, s *serve, source web.Source) error {
	var config net.ListenConfig
	lis, err := config.Listen(ctx, "tcp", s.listen)
	if err != nil {
		return failf(exitFailed, "%v", err)
	}
	server, err := web.New(web.Options{
		Source: source, ReadOnly: s.readOnly, Listen: lis.Addr().String(), Version: version(), Log: newLog(os.Stderr),
	})
	if err != nil {
		return firstError(err, lis.Close())
	}
	fmt.Fprintf(a.err, "the page is at http://%s/ (Ctrl-C stops it)\n", lis.Addr())
	return server.Serve(ctx, lis)
}
