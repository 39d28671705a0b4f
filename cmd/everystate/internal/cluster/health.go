package cluster

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/security"
	"github.com/everystate/everystate/internal/terminal/display"
)

// HealthJSON is described in docs/JSON.md.
type HealthJSON struct {
	Address string `json:"address"`
	Serving bool   `json:"serving"`
	Problem string `json:"problem,omitempty"`
}

// HealthCommand is `everystate health`.
func HealthCommand(env *shell.Env) *cobra.Command {
	var timeout time.Duration
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "health ADDR",
		Short: "Check whether a coordinator or a worker is serving",
		Long: `Health asks the process at ADDR, HOST:PORT, over gRPC whether it is serving, prints
the answer, and exits with 0 if it is and 1 otherwise. It needs no token, but --tls-ca
if connections are encrypted and --tls-cert if the process demands a certificate.
Containers use it as their health check.`,
		Example: `  everystate health 127.0.0.1:7000
  everystate health 10.0.0.2:7001 --tls-ca ca.crt --timeout 1s`,
		Args: shell.Exactly(1, "ADDR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !runs.IsAddress(args[0]) {
				return exit.Usagef(cmd, "%q: must be HOST:PORT", args[0])
			}
			if timeout <= 0 {
				return exit.Usagef(cmd, "--timeout %v: must be more than 0", timeout)
			}
			return health(cmd.Context(), env, args[0], timeout, asJSON)
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", 3*time.Second, "wait at most `TIME` for an answer")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object (docs/JSON.md)")
	return cmd
}

func health(ctx context.Context, env *shell.Env, addr string, timeout time.Duration, asJSON bool) error {
	err := checkHealth(ctx, env, addr, timeout)
	switch text, code := exit.Of(err); {
	case !asJSON && err == nil:
		fmt.Fprintln(env.Out, "serving")
	case asJSON && (err == nil || code == exit.Failed):
		if err := env.JSON(HealthJSON{Address: addr, Serving: err == nil, Problem: text}); err != nil {
			return err
		}
		return exit.Reported(code)
	}
	return err
}

// checkHealth returns why a process is not serving, or nil.
func checkHealth(ctx context.Context, env *shell.Env, addr string, timeout time.Duration) (err error) {
	opts, err := shell.DialOptions(env)
	if err != nil {
		return err
	}
	conn, err := grpc.NewClient(addr, opts...)
	if err != nil {
		return exit.Errorf(exit.Failed, "%s: %v", addr, err)
	}
	defer func() { err = cmp.Or(err, conn.Close()) }()
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	defer env.Waits()(display.Waiting("an answer from " + addr))()
	res, err := healthv1.NewHealthClient(conn).Check(ctx, &healthv1.HealthCheckRequest{})
	if err != nil {
		if status.Code(err) == codes.DeadlineExceeded {
			return exit.Errorf(exit.Failed, "%s did not answer within %v: check the address, or wait longer with --timeout", addr, timeout)
		}
		why := status.Convert(err).Message()
		if security.Unreached(why) {
			if why, _ = security.Why(why); why == "" {
				return exit.Errorf(exit.Failed, "%s does not answer", addr)
			}
		}
		return exit.Errorf(exit.Failed, "%s does not answer: %s", addr, why)
	}
	if res.GetStatus() != healthv1.HealthCheckResponse_SERVING {
		return exit.Errorf(exit.Failed, "%s is not serving: %v", addr, res.GetStatus())
	}
	return nil
}
