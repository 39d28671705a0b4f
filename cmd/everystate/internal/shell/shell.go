// Package shell is what all commands share: the standard streams and their presentation,
// build information, credentials, and the parsing of arguments.
//
// It must know nothing of puzzles or runs. A value belongs to one call of the program,
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
	"github.com/everystate/everystate/internal/terminal/paint"
)

// Env is what the commands share: the streams, and how to write to them.
type Env struct {
	// Name is how to call the program, in suggested commands.
	Name string

	In  *Input
	Out *Output
	Err io.Writer

	Build       Build
	Credentials Credentials
	warned      []string // files that a warning was given for

	// Quiet means that nothing is shown while a command waits: --quiet was given.
	Quiet   bool
	showing *showing

	// JSONFaults means that errors are written as JSON: --json was given.
	JSONFaults bool

	// How the streams are presented.
	Paint            paint.Paint // of standard output
	OutTerm, ErrTerm Terminal
}

// To returns env with another output, which is not a terminal.
func (env *Env) To(o *Output) *Env {
	other := *env
	other.Out, other.OutTerm, other.Paint = o, Terminal{}, paint.New(false)
	return &other
}

// JSON writes a value as one line of JSON.
func (env *Env) JSON(v any) error {
	enc := json.NewEncoder(env.Out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// Output is where the answer goes: standard output, or a file. It remembers the first
// error, so a command may write without checking.
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

// Write writes p, unless an earlier write has failed.
func (o *Output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.buf.Write(p)
	o.err = err
	return n, err
}

// Flush flushes what was written, and returns the first error, worded so that it cannot
// be mistaken for an error of the run.
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

// TerminalOf returns the terminal of a stream, if it is one.
func TerminalOf(w io.Writer) Terminal {
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return Terminal{f}
	}
	return Terminal{}
}

// Is reports whether the stream is a terminal.
func (t Terminal) Is() bool { return t.File != nil }

// Redraws reports whether lines can be redrawn: not on a terminal that declares itself
// dumb.
func (t Terminal) Redraws() bool { return t.Is() && os.Getenv("TERM") != "dumb" }

// Paint returns the paint for the terminal. It honours https://no-color.org.
func (t Terminal) Paint() paint.Paint {
	return paint.New(t.Redraws() && os.Getenv("NO_COLOR") == "")
}

// Width returns how many characters fit on a line.
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

// ProgramName returns how the program was called, for commands that can be pasted. The
// temporary path of `go run` is not used, as it is gone afterwards.
func ProgramName(called string) string {
	switch {
	case strings.Contains(called, "go-build"):
		return "go run ./cmd/everystate"
	case filepath.Base(called) == called:
		return called
	}
	return Quote(called)
}

// Quote quotes an argument if a shell would split or interpret it.
func Quote(arg string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+=:,@%", r)
	}
	if arg != "" && strings.IndexFunc(arg, func(r rune) bool { return !plain(r) }) < 0 {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// Command returns a command line that can be pasted.
func (env *Env) Command(args ...string) string {
	line := env.Name
	for _, arg := range args {
		line += " " + Quote(arg)
	}
	return line
}

// WarnOfBucket warns that a bucket does not answer. On a terminal the display does so.
func (env *Env) WarnOfBucket(text string) {
	if !env.ErrTerm.Is() {
		fmt.Fprintf(env.Err, "everystate: %s\n", text)
	}
}
