// Package display shows progress: on a terminal as a few lines that are
// redrawn, elsewhere as an occasional line that programs can read.
//
// A Display owns one goroutine, until Stop, and the stream while that runs.
package display

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// When progress is shown, first and then again. What ends before the first time
// shows nothing.
const (
	terminalFirst    = 300 * time.Millisecond
	terminalInterval = 125 * time.Millisecond
	linesFirst       = 2 * time.Second
	linesInterval    = 10 * time.Second
	waitingFirst     = time.Second
)

// stopWait bounds how long Stop waits for a View that does not return, which
// happens after a fatal error of the store below it.
const stopWait = 500 * time.Millisecond

// A View is what a Display shows. It is called only from the display's
// goroutine.
type View interface {
	// Frame returns the lines to draw on a terminal width characters wide.
	Frame(width int) []string
	// Line returns the progress as key=value pairs in one line.
	Line() string
}

// Display shows a View until it is stopped.
type Display struct {
	stop chan struct{}
	done chan struct{}
}

// Terminal redraws the frame of a view on a terminal. It calls width before
// each frame.
func Terminal(w io.Writer, width func() int, view View) *Display {
	var drawn []string
	clean := func() string {
		if len(drawn) == 0 {
			return ""
		}
		return fmt.Sprintf("\x1b[%dA\r\x1b[J", rows(drawn, width()))
	}
	return start(firstOf(view, terminalFirst), terminalInterval,
		func() {
			frame := view.Frame(width())
			// One write per frame, to avoid flicker.
			text := clean() + strings.Join(frame, "\n") + "\n"
			drawn = frame
			_, _ = io.WriteString(w, text) // a display that cannot be seen is not a failure
		},
		func() { _, _ = io.WriteString(w, clean()) })
}

// rows counts the rows that lines take on a terminal, which wraps them if it has become
// narrower since they were written.
func rows(lines []string, width int) int {
	n := 0
	for _, line := range lines {
		visible := utf8.RuneCountInString(escapes.ReplaceAllString(line, ""))
		n += max(1, (visible+width-1)/max(1, width))
	}
	return n
}

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// Lines writes a line of a view every linesInterval.
func Lines(w io.Writer, view View) *Display {
	return start(firstOf(view, linesFirst), linesInterval,
		func() { _, _ = fmt.Fprintln(w, view.Line()) }, // as above
		func() {})
}

// firstOf returns when to show a view first; usual holds for most.
func firstOf(view View, usual time.Duration) time.Duration {
	if _, ok := view.(Waiting); ok {
		return waitingFirst
	}
	return usual
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

// Shows reports whether something is shown, or will be.
func (d *Display) Shows() bool {
	if d == nil || d.stop == nil {
		return false
	}
	select {
	case <-d.stop:
		return false
	default:
		return true
	}
}

// Stop ends the display and removes it from a terminal.
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

// Clip shortens a text to a width in characters.
func Clip(text string, width int) string {
	if runes := []rune(text); len(runes) > width {
		return string(runes[:max(0, width)])
	}
	return text
}
