package shell

import (
	"context"
	"io"
	"os"

	"golang.org/x/term"
)

// Input is standard input. A read that waits ends when the context does, with the
// context's error, so an interrupt need not wait for a line or the end of a pipe.
type Input struct {
	ctx context.Context //nolint:containedctx // It is that of the whole call of the program.
	in  io.Reader
}

// NewInput returns the input of a program that ctx stops.
func NewInput(ctx context.Context, in io.Reader) *Input {
	return &Input{ctx: ctx, in: in}
}

// Terminal returns the terminal that the input is, if it is one.
func (i *Input) Terminal() (*os.File, bool) {
	f, ok := i.in.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}

// Read implements io.Reader.
func (i *Input) Read(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	type read struct {
		text []byte
		err  error
	}
	done := make(chan read, 1)
	go func() {
		const most = 32 << 10
		text := make([]byte, min(len(p), most))
		n, err := i.in.Read(text)
		done <- read{text[:n], err}
	}()
	select {
	case r := <-done:
		return copy(p, r.text), r.err
	case <-i.ctx.Done():
		return 0, i.ctx.Err() // What the read still brings is nobody's.
	}
}
