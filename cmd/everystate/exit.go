package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/internal/wasm"
)

// The exit codes. docs/CLI.md and `everystate --help` describe them.
const (
	exitComplete   = 0 // all that was asked for has been done
	exitFailed     = 1 // something went wrong: an error of the machine, a damaged run, a promise not kept
	exitUsage      = 2 // wrong arguments, or an input that cannot be read
	exitIncomplete = 3 // stopped, by a limit or a signal, and can go on
	exitNotFound   = 4 // the state, or a way to a goal, is not there
	exitPuzzle     = 5 // the puzzle's module does what it must not
	exitKilled     = 130
)

// An exitError is an error with its exit code.
type exitError struct {
	code int
	text string // without the name of the program; empty if all has been said
	// hint says on the same line where to read on, empty for nowhere.
	hint string
	// cause is what happened, nil if the text says it all.
	cause error
}

func (e *exitError) Error() string { return e.text }

func (e *exitError) Unwrap() error { return e.cause }

func failf(code int, format string, args ...any) error {
	return &exitError{code: code, text: fmt.Sprintf(format, args...)}
}

// said ends the program with a code when everything has been said.
func said(code int) error {
	if code == exitComplete {
		return nil
	}
	return &exitError{code: code}
}

// usagef is an error in how a command was called.
func usagef(cmd *cobra.Command, format string, args ...any) error {
	return &exitError{
		code: exitUsage,
		text: fmt.Sprintf(format, args...),
		hint: cmd.CommandPath() + " --help",
	}
}

// exitOf returns what to say about an error, nothing for the empty text, and the
// exit code.
func exitOf(err error) (text string, code int) {
	if err == nil {
		return "", exitComplete
	}
	var exit *exitError
	var failure *wasm.ModuleError
	switch {
	case errors.Is(err, syscall.EPIPE):
		// Whoever reads our output has enough of it.
		return "", exitComplete
	case errors.As(err, &exit):
		if exit.hint != "" {
			return exit.text + " (see `" + exit.hint + "`)", exit.code
		}
		return exit.text, exit.code
	case errors.Is(err, context.Canceled):
		return "stopped", exitIncomplete
	case errors.As(err, &failure):
		return failure.Error(), exitPuzzle // where in the run it was found is chance
	}
	return err.Error(), exitFailed
}

// worse returns the exit code of several things that were done, of which the
// program tells the worst.
func worse(a, b int) int {
	rank := func(code int) int {
		switch code {
		case exitComplete:
			return 0
		case exitNotFound:
			return 1
		case exitIncomplete:
			return 2
		case exitUsage:
			return 3
		case exitPuzzle:
			return 4
		}
		return 5
	}
	if rank(b) > rank(a) {
		return b
	}
	return a
}
