package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
)

// coordinatorVar is where --coordinator comes from if it is not given.
const coordinatorVar = "EVERYSTATE_COORDINATOR"

// remote names a run on a coordinator.
type remote struct{ addr, name string }

func (r remote) String() string { return r.addr + "/" + r.name }

// remoteName reads HOST:PORT/NAME. A directory of that name goes first.
func remoteName(arg string) (remote, bool) {
	addr, name, ok := strings.Cut(arg, "/")
	if !ok || name == "" || strings.Contains(name, "/") || !isAddress(addr) || isRun(arg) {
		return remote{}, false
	}
	return remote{addr, name}, true
}

// isAddress reports whether a text is HOST:PORT.
func isAddress(text string) bool {
	host, port, err := net.SplitHostPort(text)
	if err != nil || host == "" {
		return false
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0
}

// isLoopback reports whether only this machine can reach a listener at HOST:PORT.
func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// coordinatorFlag says where the coordinator is.
type coordinatorFlag struct{ addr string }

func (f *coordinatorFlag) flags(flags *pflag.FlagSet) {
	flags.StringVar(&f.addr, "coordinator", "", "the coordinator's `ADDR`, HOST:PORT (default $"+coordinatorVar+")")
}

// address returns the coordinator's address.
func (f *coordinatorFlag) address(cmd *cobra.Command) (string, error) {
	addr, from := f.addr, "--coordinator"
	if !cmd.Flags().Changed("coordinator") {
		addr, from = os.Getenv(coordinatorVar), coordinatorVar
	}
	switch {
	case addr == "" && from == coordinatorVar:
		return "", usagef(cmd, "%s needs --coordinator HOST:PORT, or %s in the environment", cmd.Name(), coordinatorVar)
	case !isAddress(addr):
		return "", usagef(cmd, "%s %q: must be HOST:PORT", from, addr)
	}
	return addr, nil
}

// run returns the run that an argument names: HOST:PORT/NAME, or NAME alone on
// the coordinator of the flag.
func (f *coordinatorFlag) run(cmd *cobra.Command, arg string) (remote, error) {
	if at, ok := remoteName(arg); ok {
		return at, nil
	}
	if strings.Contains(arg, "/") {
		return remote{}, usagef(cmd, "%s is no run on a coordinator: HOST:PORT/NAME", arg)
	}
	addr, err := f.address(cmd)
	return remote{addr, arg}, err
}

func dial(env *app, addr string) (*client.Client, error) {
	opts, err := dialOptions(env)
	if err != nil {
		return nil, err
	}
	return client.Dial(addr, client.Options{Dial: opts})
}

// withClient calls f with a client of a coordinator.
func withClient(env *app, addr string, f func(c *client.Client) error) (err error) {
	c, err := dial(env, addr)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, c.Close()) }()
	return f(c)
}

// remoteRun is a run on a coordinator.
type remoteRun struct {
	*client.Run
	at     remote
	client *client.Client
	// release ends the watch over the context under which the run was opened.
	release func() bool
}

// openRemote opens a run on a coordinator for questions. They end when ctx does.
func openRemote(ctx context.Context, env *app, at remote) (*remoteRun, error) {
	c, err := dial(env, at.addr)
	if err != nil {
		return nil, err
	}
	r, err := c.Open(ctx, at.name)
	if err != nil {
		return nil, cmp.Or(remoteError(err), c.Close())
	}
	return &remoteRun{
		Run: r, at: at, client: c,
		// Records are read without a context.
		release: context.AfterFunc(ctx, func() {
			_ = c.Close() // Close says it again
		}),
	}, nil
}

// Dir returns what the run is called on the command line.
func (r *remoteRun) Dir() string { return r.at.String() }

// Summary returns what the run has found out so far.
func (r *remoteRun) Summary(ctx context.Context) (engine.Summary, error) {
	s, err := engine.Summarize(ctx, r.Spec(), r.Space())
	s.Run = r.Dir()
	for _, p := range []history.Phase{history.Forward, history.Goal} {
		s.DiskBytes += bytesOf(r.History().Layers(p))
	}
	return s, err
}

func bytesOf(layers []history.Layer) int64 {
	var n int64
	for _, l := range layers {
		n += l.Bytes
	}
	return n
}

// Close closes the connection.
func (r *remoteRun) Close() error {
	if !r.release() {
		return nil // it is closed already
	}
	return r.client.Close()
}

// remoteError gives the error of a coordinator its exit code.
func remoteError(err error) error {
	var fault *client.Error
	if !errors.As(err, &fault) {
		return err
	}
	code := exitFailed
	if errors.Is(err, client.ErrNoRun) || errors.Is(err, client.ErrOtherPuzzle) || errors.Is(err, client.ErrRefused) ||
		errors.Is(err, client.ErrDenied) {
		code = exitUsage
	}
	return &exitError{code: code, text: fmt.Sprint(fault), cause: err}
}
