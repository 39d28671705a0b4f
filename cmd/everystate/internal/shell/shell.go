// Package shell is what all commands share: the streams of the process and how they
// look to people, what the program knows of its build, credentials, and the values
// and numbers of arguments.
//
// It knows nothing of puzzles or runs. A value belongs to one call of the program,
// whose commands run one at a time.
package shell

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/terminal/display"
	"github.com/everystate/everystate/cmd/everystate/internal/terminal/paint"
)

// Env is what the commands share: the streams, and how to write on them.
type Env struct {
	// name is how to call the program in the commands that it suggests.
	Name string

	In  io.Reader
	Out *Output
	Err io.Writer

	Build       Build
	Credentials Credentials
	warned      []string // files of which a warning has been given

	// JSONFaults has what is wrong told as JSON: --json was given.
	JSONFaults bool

	// How the streams look to people.
	Paint            paint.Paint // of standard output
	OutTerm, ErrTerm Terminal
}

// To returns the streams with another output, which is not a terminal.
func (env *Env) To(o *Output) *Env {
	other := *env
	other.Out, other.OutTerm, other.Paint = o, Terminal{}, paint.New(false)
	return &other
}

// JSON writes a value as one line.
func (env *Env) JSON(v any) error {
	enc := json.NewEncoder(env.Out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// Output is where the answer goes: standard output, or a file. It remembers the
// first error, so that a command may write without looking.
type Output struct {
	name string
	buf  *bufio.Writer
	err  error
}

const outputBufferBytes = 64 << 10

// NewOutput makes an output; errors call it name.
func NewOutput(name string, w io.Writer) *Output {
	return &Output{name: name, buf: bufio.NewWriterSize(w, outputBufferBytes)}
}

// Write writes, unless that has failed before.
func (o *Output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.buf.Write(p)
	o.err = err
	return n, err
}

// Flush hands over what was written, and returns the first error. It is not to
// be mistaken for one of the run that the answer is about.
func (o *Output) Flush() error {
	if o.err == nil {
		o.err = o.buf.Flush()
	}
	if o.err == nil {
		return nil
	}
	why := o.err
	var path *os.PathError
	if errors.As(why, &path) {
		why = path.Err
	}
	return &exit.Error{Code: exit.Failed, Text: fmt.Sprintf("write %s: %v", o.name, why), Cause: o.err}
}

// Terminal is a stream that may be a terminal.
type Terminal struct{ File *os.File } // nil if it is not

// TerminalOf returns the terminal that a stream is, if it is one.
func TerminalOf(w io.Writer) Terminal {
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return Terminal{f}
	}
	return Terminal{}
}

// Is reports whether the stream is a terminal.
func (t Terminal) Is() bool { return t.File != nil }

// Redraws reports whether lines that are there can be drawn again: not on a terminal
// that says that it is dumb.
func (t Terminal) Redraws() bool { return t.Is() && os.Getenv("TERM") != "dumb" }

// Paint honours https://no-color.org.
func (t Terminal) Paint() paint.Paint {
	return paint.New(t.Redraws() && os.Getenv("NO_COLOR") == "")
}

// Width returns how many characters fit a line.
func (t Terminal) Width() int {
	const usual = 80
	if !t.Is() {
		return usual
	}
	if w, _, err := term.GetSize(int(t.File.Fd())); err == nil && w > 0 {
		return w
	}
	return usual
}

// ProgramName returns how the program was called, for commands that can be
// pasted. `go run` builds it somewhere that is gone afterwards.
func ProgramName(called string) string {
	switch {
	case strings.Contains(called, "go-build"):
		return "go run ./cmd/everystate"
	case filepath.Base(called) == called:
		return called
	}
	return Quote(called)
}

// Quote puts an argument in quotes if a shell would take it apart.
func Quote(arg string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+=:,@%", r)
	}
	if arg != "" && strings.IndexFunc(arg, func(r rune) bool { return !plain(r) }) < 0 {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// Command writes a command line that can be pasted.
func (env *Env) Command(args ...string) string {
	line := env.Name
	for _, arg := range args {
		line += " " + Quote(arg)
	}
	return line
}

// WarnOfBucket tells people of a bucket that does not answer. On a terminal the
// display does.
func (env *Env) WarnOfBucket(text string) {
	if !env.ErrTerm.Is() {
		fmt.Fprintf(env.Err, "everystate: %s\n", text)
	}
}

// Show starts the display that fits standard error.
func (env *Env) Show(quiet bool, view display.View) *display.Display {
	switch {
	case quiet:
		return display.None()
	case env.ErrTerm.Redraws():
		return display.Terminal(env.Err, env.ErrTerm.Width, view)
	}
	return display.Lines(env.Err, view)
}
