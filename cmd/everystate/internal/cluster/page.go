package cluster

import (
	"cmp"
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/boards"
	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/security"
	"github.com/everystate/everystate/internal/sweep/browse"
	"github.com/everystate/everystate/internal/web"
	"github.com/everystate/everystate/puzzle"
)

// serve holds the flags of the command.
type serve struct {
	runs.Effort

	listen   string
	readOnly bool
	insecure bool
}

// ServeCommand is `everystate serve`.
func ServeCommand(env *shell.Env) *cobra.Command {
	var s serve
	cmd := &cobra.Command{
		Use:   "serve [RUN...]",
		Short: "Show runs in the browser",
		Long: `Serve serves a web page of runs: their progress, pictures of their states, paths
between states, and the whole space as a graph. Paste or drop a board on the page to
start a run. Without RUN it shows all runs in runs/; with HOST:PORT, those of a
coordinator.

The page loads nothing from other machines, and only this machine can open it, unless
--listen names another address and --insecure allows it. Callers are not
authenticated, so add --read-only then. Ctrl-C stops the server and its explorations;
resume continues them.`,
		Example: `  everystate serve
  everystate serve jam-93 --read-only
  everystate serve 10.0.0.1:7000 --listen 127.0.0.1:8080`,
		Args:              shell.Between(0, 1<<20, "[RUN...]"),
		ValidArgsFunction: runs.CompleteName,
		RunE:              func(cmd *cobra.Command, args []string) error { return serveRuns(env, cmd, &s, args) },
	}
	flags := cmd.Flags()
	flags.StringVar(&s.listen, "listen", "127.0.0.1:8000", "listen at `ADDR`, HOST:PORT; port 0 means any")
	flags.BoolVar(&s.readOnly, "read-only", false, "show runs, and allow no changes")
	flags.BoolVar(&s.insecure, "insecure", false, "accept other machines without encryption and without authentication")
	s.Flags(flags)
	return cmd
}

func serveRuns(env *shell.Env, cmd *cobra.Command, s *serve, args []string) (err error) {
	if _, _, err := net.SplitHostPort(s.listen); err != nil {
		return exit.Usagef(cmd, "--listen %q: must be HOST:PORT", s.listen)
	}
	if !s.insecure && !runs.IsLoopback(s.listen) {
		return exit.Usagef(cmd, "--listen %s is reachable from other machines, and callers are not authenticated: use 127.0.0.1, or allow it with --insecure", s.listen)
	}
	opts, err := s.Options(cmd, 0)
	if err != nil {
		return err
	}
	if len(args) == 1 && runs.IsAddress(args[0]) {
		c, err := runs.Dial(env, args[0])
		if err != nil {
			return err
		}
		defer func() { err = cmp.Or(err, c.Close()) }()
		return servePage(cmd.Context(), env, s, web.NewCluster(c, pageRunName), nil)
	}
	source, err := localSource(opts, args)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, source.Close()) }()
	return servePage(cmd.Context(), env, s, source, browse.New(runs.SweepsDir))
}

// pageRunName returns the name of the run of a pasted board.
func pageRunName(b puzzle.Board) string {
	return boards.RunName(boards.Input{}, b, 0, 1) + boards.MetricSuffix(b)
}

// localSource returns the runs of this machine.
func localSource(opts engine.Options, args []string) (*web.Local, error) {
	var dirs []string
	for _, arg := range args {
		dir, err := runs.Find(arg)
		if err != nil {
			return nil, err
		}
		dirs = append(dirs, dir)
	}
	return web.NewLocal(web.LocalOptions{
		Dirs: dirs, Dir: runs.Dir, Run: opts, Name: pageRunName,
	}), nil
}

func servePage(ctx context.Context, env *shell.Env, s *serve, source web.Source, sweeps *browse.Shelf) error {
	var config net.ListenConfig
	lis, err := config.Listen(ctx, "tcp", s.listen)
	if err != nil {
		return cannotListen("--listen", s.listen, err)
	}
	server, err := web.New(web.Options{
		Source: source, Sweeps: sweeps, ReadOnly: s.readOnly, Listen: lis.Addr().String(), Version: env.Build.String(), Log: slog.New(slog.NewTextHandler(env.Err, nil)),
	})
	if err != nil {
		return cmp.Or(err, lis.Close())
	}
	fmt.Fprintf(env.Err, "the page is at http://%s/ (Ctrl-C stops it)\n", lis.Addr())
	return server.Serve(ctx, lis)
}

// cannotListen explains why the address of a flag cannot be listened at, and what to do
// if another process uses it.
func cannotListen(flag, addr string, err error) error {
	if !errors.Is(err, syscall.EADDRINUSE) {
		return exit.Errorf(exit.Failed, "%s %s: %v", flag, addr, err)
	}
	host, _, _ := net.SplitHostPort(addr) // it was listened at, so it is valid
	return exit.Errorf(exit.Failed, "%s %s: another program is serving there already: use that one, or choose another port (%s %s takes a free one)",
		flag, addr, flag, net.JoinHostPort(host, "0"))
}

// coordinatorPage is the page of a coordinator, which calls the coordinator like any
// client.
type coordinatorPage struct {
	server *web.Server
	lis    net.Listener
	close  func() error
}

// newCoordinatorPage listens at the address of --http. at is the coordinator's address.
func newCoordinatorPage(ctx context.Context, f *coordinatorFlags, at net.Addr, base web.Options) (*coordinatorPage, error) {
	addr := selfAddress(at)
	o, err := f.selfOptions()
	if err != nil {
		return nil, err
	}
	dial := func(token string) (*web.Cluster, error) {
		own := o
		own.Token = token
		opts, err := security.Dial(own)
		if err != nil {
			return nil, err
		}
		c, err := client.Dial(addr, client.Options{Dial: opts})
		if err != nil {
			return nil, err
		}
		return web.NewCluster(c, pageRunName), nil
	}
	page := &coordinatorPage{}
	if f.tokenFile != "" {
		callers := &pageCallers{dial: dial, known: make(map[string]*web.Cluster)}
		base.ForToken, page.close = callers.source, callers.close
	} else {
		source, err := dial("")
		if err != nil {
			return nil, err
		}
		base.Source, page.close = source, source.Close
	}
	var config net.ListenConfig
	if page.lis, err = config.Listen(ctx, "tcp", f.http); err != nil {
		return nil, cmp.Or(cannotListen("--http", f.http, err), page.close())
	}
	base.Listen = page.lis.Addr().String()
	if page.server, err = web.New(base); err != nil {
		return nil, cmp.Or(err, page.lis.Close(), page.close())
	}
	return page, nil
}

// serve serves the page until ctx is cancelled.
func (p *coordinatorPage) serve(ctx context.Context) error {
	return cmp.Or(p.server.Serve(ctx, p.lis), p.close())
}

// pageCallers holds a client for each token that the coordinator knows.
type pageCallers struct {
	dial func(token string) (*web.Cluster, error)

	mu    sync.Mutex // guards known
	known map[string]*web.Cluster
}

// source returns the runs as the bearer of a token sees them. The coordinator checks the
// token at every call; it is checked here once, so that invalid tokens leave no client
// behind.
func (c *pageCallers) source(token string) (web.Source, error) {
	c.mu.Lock()
	s := c.known[token]
	c.mu.Unlock()
	if s != nil {
		return s, nil
	}
	s, err := c.dial(token)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", web.ErrDenied, err)
	}
	const askTime = 5 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	if _, err := s.Runs(ctx); err != nil {
		return nil, cmp.Or(err, s.Close())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if other := c.known[token]; other != nil {
		return other, s.Close()
	}
	c.known[token] = s
	return s, nil
}

func (c *pageCallers) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var err error
	for _, s := range c.known {
		err = cmp.Or(err, s.Close())
	}
	return err
}

// selfAddress returns the address of a listener on its own machine.
func selfAddress(at net.Addr) string {
	host, port, err := net.SplitHostPort(at.String())
	if ip := net.ParseIP(host); err == nil && ip.IsUnspecified() {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return at.String()
}

// selfOptions returns how a coordinator's page calls the coordinator.
func (f *coordinatorFlags) selfOptions() (security.ClientOptions, error) {
	o := security.ClientOptions{Insecure: true} // the connection does not leave the machine
	if f.cert == "" {
		return o, nil
	}
	o.Insecure = false
	o.CAFile = cmp.Or(f.workerCA, f.callerCA, security.SystemCA)
	body, err := os.ReadFile(f.cert)
	if err != nil {
		return o, exit.Errorf(exit.Usage, "%v", err)
	}
	block, _ := pem.Decode(body)
	if block == nil {
		return o, exit.Errorf(exit.Usage, "%s: no certificate in it", f.cert)
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	switch {
	case err != nil:
		return o, exit.Errorf(exit.Usage, "%s: %v", f.cert, err)
	case len(cert.DNSNames) > 0:
		o.ServerName = cert.DNSNames[0]
	case len(cert.IPAddresses) > 0:
		o.ServerName = cert.IPAddresses[0].String()
	}
	return o, nil
}

// checkHTTP checks --http.
func (f *coordinatorFlags) checkHTTP(cmd *cobra.Command) error {
	_, _, err := net.SplitHostPort(f.http)
	switch {
	case f.http == "":
		return nil
	case err != nil:
		return exit.Usagef(cmd, "--http %q: must be HOST:PORT", f.http)
	case !f.insecure && !runs.IsLoopback(f.http):
		return exit.Usagef(cmd, "--http %s is reachable from other machines, and is not encrypted: use 127.0.0.1, or allow it with --insecure", f.http)
	case f.callerCA != "" && f.tokenFile == "":
		return exit.Usagef(cmd, "--http ADDR also needs --token-file FILE: browsers show no client certificate")
	}
	return nil
}

// withPage serves a page while main runs, and ends both when one ends.
func withPage(ctx context.Context, page *coordinatorPage, main func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		defer cancel()
		done <- page.serve(ctx)
	}()
	err := main(ctx)
	cancel()
	if pageErr := <-done; err == nil || errors.Is(err, context.Canceled) {
		return cmp.Or(pageErr, err)
	}
	return err
}
