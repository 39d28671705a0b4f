// Package exit has the exit codes of the program, and errors that carry one.
//
// It decides which code an error has that says none, and prints nothing.
package exit

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/internal/wasm"
)

// The exit codes. docs/CLI.md and `everystate --help` describe them.
const (
	Complete   = 0 // all that was asked for has been done
	Failed     = 1 // something went wrong: an error of the machine, a damaged run, a promise not kept
	Usage      = 2 // wrong arguments, or an input that cannot be read
	Incomplete = 3 // stopped, by a limit or a signal, and can go on
	NotFound   = 4 // the state, or a way to a goal, is not there
	Puzzle     = 5 // the puzzle's module does what it must not
	Killed     = 130
)

// An Error is an error with its exit code.
type Error struct {
	Code int
	Text string // without the name of the program; empty if all has been said
	// hint says on the same line where to read on, empty for nowhere.
	hint string
	// cause is what happened, nil if the text says it all.
	Cause error
	// Faults are what is told instead of the text if there is more to say of it.
	Faults []Fault
}

// A Fault is one thing that is wrong.
type Fault struct {
	Text  string // for people, with the place before it
	What  string // without the place
	Where *Place // nil if there is none
}

// A Place is where in an input a fault is. A line or column of zero is not known.
type Place struct {
	Input  string `json:"input"` // a file, "standard input", "argument" or "STATE"
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// Refused makes an error of inputs that cannot be read.
func Refused(faults ...Fault) error {
	var texts []string
	for _, f := range faults {
		texts = append(texts, f.Text)
	}
	return &Error{Code: Usage, Text: strings.Join(texts, "\n"), Faults: faults}
}

// FaultsOf returns what to say about an error, thing by thing, and the exit code.
func FaultsOf(err error) ([]Fault, int) {
	text, code := Of(err)
	var e *Error
	switch {
	case errors.As(err, &e) && len(e.Faults) > 0:
		return e.Faults, code
	case text == "":
		return nil, code
	}
	return []Fault{{Text: text, What: text}}, code
}

// Error returns the text.
func (e *Error) Error() string { return e.Text }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Errorf makes an error with an exit code.
func Errorf(code int, format string, args ...any) error {
	return &Error{Code: code, Text: fmt.Sprintf(format, args...)}
}

// Said ends the program with a code when everything has been said.
func Said(code int) error {
	if code == Complete {
		return nil
	}
	return &Error{Code: code}
}

// Usagef is an error in how a command was called.
func Usagef(cmd *cobra.Command, format string, args ...any) error {
	return &Error{
		Code: Usage,
		Text: fmt.Sprintf(format, args...),
		hint: cmd.CommandPath() + " --help",
	}
}

// Of returns what to say about an error, nothing for the empty text, and the
// exit code.
func Of(err error) (text string, code int) {
	if err == nil {
		return "", Complete
	}
	var exit *Error
	var failure *wasm.ModuleError
	switch {
	case errors.Is(err, syscall.EPIPE):
		// Whoever reads our output has enough of it.
		return "", Complete
	case errors.As(err, &exit):
		if exit.hint != "" {
			return exit.Text + " (see `" + exit.hint + "`)", exit.Code
		}
		return exit.Text, exit.Code
	case errors.Is(err, context.Canceled):
		return "stopped", Incomplete
	case errors.As(err, &failure):
		return failure.Error(), Puzzle // where in the run it was found is chance
	}
	return err.Error(), Failed
}

// Worse returns the exit code of several things that were done, of which the
// program tells the worst.
func Worse(a, b int) int {
	rank := func(code int) int {
		switch code {
		case Complete:
			return 0
		case NotFound:
			return 1
		case Incomplete:
			return 2
		case Usage:
			return 3
		case Puzzle:
			return 4
		}
		return 5
	}
	if rank(b) > rank(a) {
		return b
	}
	return a
}
