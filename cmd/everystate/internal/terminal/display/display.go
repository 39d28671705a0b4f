// Package display shows how far something has come while it runs: on a
// terminal as a few lines that are redrawn, elsewhere as one line now and then
// that a program can read.
//
// A Display owns one goroutine, from Start to Stop, and the stream while that
// runs.
package display

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// When something is shown. What is over sooner than the first time shows
// nothing at all.
const (
	terminalFirst    = 300 * time.Millisecond
	terminalInterval = 125 * time.Millisecond
	linesFirst       = 2 * time.Second
	linesInterval    = 10 * time.Second
)

// stopWait bounds how long Stop waits for a View that does not come back, which
// happens when the store below it has met a fatal error.
const stopWait = 500 * time.Millisecond

// A View is what is shown. It is called from the display's goroutine only.
type View interface {
	// Frame returns the lines to draw on a terminal so many characters wide.
	Frame(width int) []string
	// Line returns pairs key=value.
	Line() string
}

// Display shows a View until it is stopped.
type Display struct {
	stop chan struct{}
	done chan struct{}
}

// Terminal redraws the frame of a view on a terminal. width is asked each time.
func Terminal(w io.Writer, width func() int, view View) *Display {
	height := 0
	clean := func() string {
		if height == 0 {
			return ""
		}
		return fmt.Sprintf("\x1b[%dA\r\x1b[J", height)
	}
	return start(terminalFirst, terminalInterval,
		func() {
			frame := view.Frame(width())
			// One write a frame, or it flickers.
			text := clean() + strings.Join(frame, "\n") + "\n"
			height = len(frame)
			_, _ = io.WriteString(w, text) // a display that cannot be seen is not a failure
		},
		func() { _, _ = io.WriteString(w, clean()) })
}

// Lines writes a line of a view now and then.
func Lines(w io.Writer, view View) *Display {
	return start(linesFirst, linesInterval,
		func() { _, _ = fmt.Fprintln(w, view.Line()) }, // as above
		func() {})
}

// None shows nothing.
func None() *Display { return &Display{} }

func start(first, interval time.Duration, show, clean func()) *Display {
	d := &Display{stop: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(d.done)
		defer clean()
		timer := time.NewTimer(first)
		defer timer.Stop()
		for {
			select {
			case <-timer.C:
				show()
				timer.Reset(interval)
			case <-d.stop:
				return
			}
		}
	}()
	return d
}

// Stop removes what a terminal shows and ends the display.
func (d *Display) Stop() {
	if d.stop == nil {
		return
	}
	close(d.stop)
	timer := time.NewTimer(stopWait)
	defer timer.Stop()
	select {
	case <-d.done:
	case <-timer.C:
	}
}

// clip shortens a text to a width in characters.
func clip(text string, width int) string {
	if runes := []rune(text); len(runes) > width {
		return string(runes[:max(0, width)])
	}
	return text
}
