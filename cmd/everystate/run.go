package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
)

// run runs the program and returns its exit code.
func run(args []string, in io.Reader, out, errs io.Writer) (code int) {
	env := &shell.Env{Err: errs, JSONFaults: shell.WantsFaultsAsJSON(args[1:])}
	defer func() {
		if v := recover(); v != nil {
			code = env.Report(exit.Errorf(exit.Failed, "internal error: %v (a bug in everystate, not in your input; EVERYSTATE_DEBUG=1 shows where)", v))
			if os.Getenv("EVERYSTATE_DEBUG") == "1" {
				fmt.Fprintf(errs, "%s", debug.Stack())
			}
		}
	}()
	env.Name, env.Build = shell.ProgramName(args[0]), build()
	env.Out = shell.NewOutput("standard output", out)
	env.OutTerm, env.ErrTerm = shell.TerminalOf(out), shell.TerminalOf(errs)
	env.Paint = env.OutTerm.Paint()
	ctx, stop := withSignals(context.Background())
	defer stop()
	env.In = shell.NewInput(ctx, in)

	var prof profile
	root := rootCommand(env, &prof)
	root.SetArgs(shell.KeepDashed(root, args[1:]))
	root.SetIn(env.In)
	root.SetOut(env.Out)
	root.SetErr(errs)
	err := root.ExecuteContext(ctx)
	return env.Report(cmp.Or(err, prof.stop(), env.Out.Flush()))
}

// withSignals returns a context that the first interrupt cancels. The second one
// ends the program.
func withSignals(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signal.Notify(signals, syscall.SIGHUP) // The terminal is gone: stop in order all the same.
	}
	done := make(chan struct{})
	go func() {
		select {
		case <-signals:
			cancel()
		case <-done:
			return
		}
		select {
		case <-signals:
			os.Exit(exit.Killed)
		case <-done:
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel()
	}
}
