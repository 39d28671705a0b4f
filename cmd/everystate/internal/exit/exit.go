// Package exit defines the exit codes of the program, and errors that carry one.
//
// It decides which exit code an error without one gets. It must never print.
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
	Complete   = 0 // everything asked for has been done
	Failed     = 1 // something went wrong: a machine error, a damaged run, a broken promise
	Usage      = 2 // wrong arguments, or an input that cannot be read
	Incomplete = 3 // stopped by a limit or a signal; can be resumed
	NotFound   = 4 // the state, or a path to a goal, does not exist
	Puzzle     = 5 // the puzzle's module broke the rules for modules
	Killed     = 130
)

// An Error is an error with its exit code.
type Error struct {
	Code int
	Text string // without the program's name; empty if everything has been said
	// hint is where to read more, printed on the same line; may be empty.
	hint string
	// Cause is the underlying error, nil if the text says it all.
	Cause error
	// Faults replace the text if there is more to say.
	Faults []Fault
}

// A Fault is one thing that is wrong.
type Fault struct {
	Text  string // for people, with the place before it
	What  string // without the place
	Where *Place // nil if there is none
}

// A Place is where in an input a fault is. A line or column of zero is unknown.
type Place struct {
	Input  string `json:"input"` // a file, "standard input", "argument" or "STATE"
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// Refused returns an error for inputs that cannot be read.
func Refused(faults ...Fault) error {
	var texts []string
	for _, f := range faults {
		texts = append(texts, f.Text)
	}
	return &Error{Code: Usage, Text: strings.Join(texts, "\n"), Faults: faults}
}

// FaultsOf returns the faults to report for an error, and the exit code.
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

// Errorf returns an error with an exit code.
func Errorf(code int, format string, args ...any) error {
	return &Error{Code: code, Text: fmt.Sprintf(format, args...)}
}

// Reported returns an error with an exit code and no text, for when everything has
// been said.
func Reported(code int) error {
	if code == Complete {
		return nil
	}
	return &Error{Code: code}
}

// Usagef returns an error in how a command was called.
func Usagef(cmd *cobra.Command, format string, args ...any) error {
	return &Error{
		Code: Usage,
		Text: fmt.Sprintf(format, args...),
		hint: cmd.CommandPath() + " --help",
	}
}

// Of returns the text to print for an error, which may be empty, and the exit
// code.
func Of(err error) (text string, code int) {
	if err == nil {
		return "", Complete
	}
	var exit *Error
	var failure *wasm.ModuleError
	switch {
	case errors.Is(err, syscall.EPIPE):
		// The reader of our output has closed it.
		return "", Complete
	case errors.As(err, &exit):
		if exit.hint != "" {
			return exit.Text + " (see `" + exit.hint + "`)", exit.Code
		}
		return exit.Text, exit.Code
	case errors.Is(err, context.Canceled):
		return "stopped", Incomplete
	case errors.As(err, &failure):
		return failure.Error(), Puzzle // where in the run it occurred is chance
	}
	return err.Error(), Failed
}

// Worse returns the worse of two exit codes, for a program that did several
// things.
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
