package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"

	"golang.org/x/term"

	"github.com/everystate/everystate/cmd/everystate/internal/paint"
)

// app is what the commands share: the streams, and how to write on them.
type app struct {
	// name is how to call the program in the commands that it suggests.
	name string

	in  io.Reader
	out *output
	err io.Writer

	profile     profile
	credentials credentialFlags
	warned      []string // files of which a warning has been given

	// How the streams look to people.
	paint            paint.Paint // of standard output
	outTerm, errTerm terminal
}

// run is the program.
func run(args []string, in io.Reader, out, errs io.Writer) (code int) {
	defer func() {
		if v := recover(); v != nil {
			code = exitFailed
			fmt.Fprintf(errs, "everystate: internal error: %v (a fault in the program, not in your input; EVERYSTATE_DEBUG=1 shows where)\n", v)
			if os.Getenv("EVERYSTATE_DEBUG") == "1" {
				fmt.Fprintf(errs, "%s", debug.Stack())
			}
		}
	}()
	env := &app{
		name:    programName(args[0]),
		in:      in,
		out:     newOutput("standard output", out),
		err:     errs,
		outTerm: terminalOf(out),
		errTerm: terminalOf(errs),
	}
	env.paint = env.outTerm.paint()
	ctx, stop := withSignals(context.Background())
	defer stop()

	root := rootCommand(env)
	root.SetArgs(args[1:])
	root.SetIn(in)
	root.SetOut(env.out)
	root.SetErr(errs)
	err := root.ExecuteContext(ctx)
	err = cmp.Or(err, env.profile.stop(), env.out.flush())
	text, code := exitOf(err)
	if text != "" {
		env.complain(text)
	}
	return code
}

// nextFault stands between faults that are reported together.
const nextFault = "\x00"

// complain writes one line on standard error for each fault, whatever the text.
func (env *app) complain(text string) {
	for fault := range strings.SplitSeq(text, nextFault) {
		fmt.Fprintf(env.err, "everystate: %s\n", strings.ReplaceAll(fault, "\n", "; "))
	}
}

// json writes a value as one line.
func (env *app) json(v any) error {
	enc := json.NewEncoder(env.out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// withSignals cancels the context at the first interrupt and ends the program at
// the second one.
func withSignals(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
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
			os.Exit(exitKilled)
		case <-done:
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel()
	}
}

// output is where the answer goes: standard output, or a file. It remembers the
// first error, so that a command may write without looking.
type output struct {
	name string
	buf  *bufio.Writer
	err  error
}

const outputBufferBytes = 64 << 10

func newOutput(name string, w io.Writer) *output {
	return &output{name: name, buf: bufio.NewWriterSize(w, outputBufferBytes)}
}

func (o *output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.buf.Write(p)
	o.err = err
	return n, err
}

// flush hands over what was written, and returns the first error. It is not to
// be mistaken for one of the run that the answer is about.
func (o *output) flush() error {
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
	return &exitError{code: exitFailed, text: fmt.Sprintf("write %s: %v", o.name, why), cause: o.err}
}

// terminal is a stream that may be a terminal.
type terminal struct{ file *os.File } // nil if it is not

func terminalOf(w io.Writer) terminal {
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return terminal{f}
	}
	return terminal{}
}

func (t terminal) is() bool { return t.file != nil }

// paint honours https://no-color.org.
func (t terminal) paint() paint.Paint {
	return paint.New(t.is() && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb")
}

// width returns how many characters fit a line.
func (t terminal) width() int {
	const usual = 80
	if !t.is() {
		return usual
	}
	if w, _, err := term.GetSize(int(t.file.Fd())); err == nil && w > 0 {
		return w
	}
	return usual
}

// programName returns how the program was called, for commands that can be
// pasted. `go run` builds it somewhere that is gone afterwards.
func programName(called string) string {
	switch {
	case strings.Contains(called, "go-build"):
		return "go run ./cmd/everystate"
	case filepath.Base(called) == called:
		return called
	}
	return quote(called)
}

// quote puts an argument in quotes if a shell would take it apart.
func quote(arg string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+=:,@%", r)
	}
	if arg != "" && strings.IndexFunc(arg, func(r rune) bool { return !plain(r) }) < 0 {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// command writes a command line that can be pasted.
func (env *app) command(args ...string) string {
	line := env.name
	for _, arg := range args {
		line += " " + quote(arg)
	}
	return line
}
