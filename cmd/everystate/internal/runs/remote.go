package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/terminal/display"
)

// CoordinatorVar is the environment variable with the default of --coordinator.
const CoordinatorVar = "EVERYSTATE_COORDINATOR"

// startWait is how long commands wait for a coordinator that may just be starting.
const startWait = 5 * time.Second

// Remote names a run on a coordinator.
type Remote struct{ Addr, Name string }

// String formats the name as RemoteName reads it.
func (r Remote) String() string { return r.Addr + "/" + r.Name }

// RemoteName parses HOST:PORT/NAME. A directory of that name takes precedence.
func RemoteName(arg string) (Remote, bool) {
	addr, name, ok := strings.Cut(arg, "/")
	if !ok || name == "" || strings.Contains(name, "/") || !IsAddress(addr) || engine.IsRun(arg) {
		return Remote{}, false
	}
	return Remote{addr, name}, true
}

// IsAddress reports whether a text is HOST:PORT.
func IsAddress(text string) bool {
	host, port, err := net.SplitHostPort(text)
	if err != nil || host == "" {
		return false
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0
}

// IsLoopback reports whether only this machine can reach a listener at HOST:PORT.
func IsLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// CoordinatorFlag holds the --coordinator flag.
type CoordinatorFlag struct{ Addr string }

// Flags adds the flag.
func (f *CoordinatorFlag) Flags(flags *pflag.FlagSet) {
	flags.StringVar(&f.Addr, "coordinator", "", "the coordinator's `ADDR`, HOST:PORT (default $"+CoordinatorVar+")")
}

// Address returns the coordinator's address.
func (f *CoordinatorFlag) Address(cmd *cobra.Command) (string, error) {
	addr, from := f.Addr, "--coordinator"
	if !cmd.Flags().Changed("coordinator") {
		addr, from = os.Getenv(CoordinatorVar), CoordinatorVar
	}
	switch {
	case addr == "" && from == CoordinatorVar:
		return "", exit.Usagef(cmd, "%s needs --coordinator HOST:PORT, or %s in the environment", cmd.Name(), CoordinatorVar)
	case !IsAddress(addr):
		return "", exit.Usagef(cmd, "%s %q: must be HOST:PORT", from, addr)
	}
	return addr, nil
}

// Run returns the run that an argument names: HOST:PORT/NAME, or NAME alone on
// the coordinator of the flag.
func (f *CoordinatorFlag) Run(cmd *cobra.Command, arg string) (Remote, error) {
	if at, ok := RemoteName(arg); ok {
		return at, nil
	}
	addr, err := f.Address(cmd)
	dir, local := Find(arg)
	switch {
	case local == nil && (err != nil || strings.Contains(arg, "/")):
		return Remote{}, exit.Usagef(cmd, "%s is a run in a directory of this machine, and %s is for runs on a coordinator, HOST:PORT/NAME%s", dir, cmd.Name(), instead(cmd.Name()))
	case strings.Contains(arg, "/"):
		return Remote{}, exit.Usagef(cmd, "%s is not a run on a coordinator: must be HOST:PORT/NAME", arg)
	}
	return Remote{addr, arg}, err
}

// instead returns a hint on how to do with a directory what a command does with a
// run on a coordinator.
func instead(command string) string {
	switch command {
	case "delete":
		return ": to delete it, remove the directory"
	case "status", "watch":
		return ": list shows the runs of this machine"
	}
	return ": stop it with Ctrl-C where it runs"
}

// Dial returns a client of a coordinator.
func Dial(env *shell.Env, addr string) (*client.Client, error) {
	opts, err := shell.DialOptions(env)
	if err != nil {
		return nil, err
	}
	waits := env.Waits()
	return client.Dial(addr, client.Options{Dial: opts, Patience: startWait, Waiting: func(connected bool) func() {
		if connected {
			return waits(display.Waiting("an answer from the coordinator at " + addr))
		}
		return waits(display.Waiting("the coordinator at " + addr))
	}})
}

// WithClient calls f with a client of a coordinator.
func WithClient(env *shell.Env, addr string, f func(c *client.Client) error) (err error) {
	c, err := Dial(env, addr)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, c.Close()) }()
	return f(c)
}

// RemoteRun is a run on a coordinator.
type RemoteRun struct {
	*client.Run
	at     Remote
	client *client.Client
}

// OpenRemote opens a run on a coordinator for queries.
func OpenRemote(ctx context.Context, env *shell.Env, at Remote) (*RemoteRun, error) {
	c, err := Dial(env, at.Addr)
	if err != nil {
		return nil, err
	}
	r, err := c.Open(ctx, at.Name)
	if err != nil {
		return nil, cmp.Or(RemoteError(err), c.Close())
	}
	return &RemoteRun{Run: r, at: at, client: c}, nil
}

// Dir returns the run's name on the command line.
func (r *RemoteRun) Dir() string { return r.at.String() }

// Summary returns what the run has found so far.
func (r *RemoteRun) Summary(ctx context.Context) (engine.Summary, error) {
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
func (r *RemoteRun) Close() error { return r.client.Close() }

// RemoteError adds the exit code to an error of a coordinator.
func RemoteError(err error) error {
	var fault *client.Error
	if !errors.As(err, &fault) {
		return err
	}
	code := exit.Failed
	if errors.Is(err, client.ErrNoRun) || errors.Is(err, client.ErrOtherPuzzle) || errors.Is(err, client.ErrRefused) ||
		errors.Is(err, client.ErrDenied) {
		code = exit.Usage
	}
	return &exit.Error{Code: code, Text: fmt.Sprint(fault), Cause: err}
}
