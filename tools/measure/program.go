package measure

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

// The exit codes of a measuring program.
const (
	exitFailed   = 1
	exitBadUsage = 2
)

// ErrUsage reports bad usage. The details have already been printed.
var ErrUsage = errors.New("bad usage")

// Main runs a program with its arguments until it ends or is interrupted, prints its
// error, and ends the process.
func Main(name string, run func(ctx context.Context, args []string, out, errs io.Writer) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.Is(err, ErrUsage):
		os.Exit(exitBadUsage)
	default:
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(exitFailed)
	}
}
