package shell

import (
	"sync"

	"github.com/everystate/everystate/internal/terminal/display"
)

// showing is what is shown on standard error, one display at a time: the progress of a
// command, or what a call waits for.
type showing struct {
	mu      sync.Mutex // guards the fields below
	shown   *display.Display
	waiting *display.Display
}

// shows returns what is shown. The first call must come from the command's goroutine.
func (env *Env) shows() *showing {
	if env.showing == nil {
		env.showing = &showing{}
	}
	return env.showing
}

// Show starts the display that suits standard error.
func (env *Env) Show(quiet bool, view display.View) *display.Display {
	s := env.shows()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting != nil {
		s.waiting.Stop()
		s.waiting = nil
	}
	s.shown = env.start(quiet, view)
	return s.shown
}

func (env *Env) start(quiet bool, view display.View) *display.Display {
	switch {
	case quiet:
		return display.None()
	case env.ErrTerm.Redraws():
		return display.Terminal(env.Err, env.ErrTerm.Width, view)
	}
	return display.Lines(env.Err, view)
}

// Waits returns a function that shows what a call waits for, unless the command shows
// its progress, until stop is called. It may be called by several goroutines.
func (env *Env) Waits() func(view display.Waiting) (stop func()) {
	s := env.shows()
	return func(view display.Waiting) func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if env.Quiet || s.waiting != nil || s.shown.Shows() {
			return func() {}
		}
		d := env.start(false, view)
		s.waiting = d
		return func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.waiting == d {
				d.Stop()
				s.waiting = nil
			}
		}
	}
}
