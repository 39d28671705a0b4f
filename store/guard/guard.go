// Package guard lets a program return from calls of Pebble when Pebble meets a fatal
// error, such as a full disk under its log: on its own, Pebble then ends the process,
// panics on a goroutine of its own, or retries forever.
//
// Pebble is given [Guard.FS], [Guard.Logger] and a [Scheduler], and reports background errors to
// [Guard.Park]; all calls of Pebble go through [Guard.Do] or [Call]. After the first
// fatal error the handle is dead: Pebble's goroutines that meet an error are parked for
// good, every call returns the fatal error, and the directory is as after a crash. The
// process must then end, or drop the handle and open the directory again.
//
// The package must never know what is stored.
package guard

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

// A Guard guards one open Pebble store. Its methods may be called from any goroutine.
type Guard struct {
	name   string
	failed chan struct{}
	once   sync.Once

	mu    sync.Mutex // guards fatal
	fatal error
}

// New returns a guard. Its fatal error begins with name.
func New(name string) *Guard { return &Guard{name: name, failed: make(chan struct{})} }

// Failed returns a channel that is closed after a fatal error.
func (g *Guard) Failed() <-chan struct{} { return g.failed }

// Err returns the fatal error, or nil.
func (g *Guard) Err() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.fatal
}

// Fail records a fatal error. Later ones are ignored.
func (g *Guard) Fail(err error) {
	g.once.Do(func() {
		g.mu.Lock()
		g.fatal = fmt.Errorf("%s: %w", g.name, err)
		g.mu.Unlock()
		close(g.failed)
	})
}

// Park records a fatal error and does not return. It is for callbacks that Pebble makes
// on a goroutine of its own, possibly with locks held, and after which it would retry.
func (g *Guard) Park(err error) {
	g.Fail(err)
	select {}
}

// Do runs f, which calls Pebble, and returns even if a fatal error parks the goroutine
// that runs f.
func (g *Guard) Do(f func() error) error {
	_, err := Call(g, func() (struct{}, error) { return struct{}{}, f() })
	return err
}

// Call is like Do for calls that return a value.
func Call[T any](g *Guard, f func() (T, error)) (T, error) {
	select {
	case <-g.failed: // a call begun now might still seem to succeed
		var none T
		return none, g.Err()
	default:
	}
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		growStack()
		value, err := f()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-g.failed:
		var none T
		return none, g.Err()
	}
}

// growStack makes room for a call of Pebble on the stack of a new goroutine while there
// is next to nothing on it to move. Growing in three steps below Pebble's calls costs
// more than writing a small batch does.
//
//go:noinline
func growStack() {
	var room [8 << 10]byte
	runtime.KeepAlive(&room)
}

// Scheduler returns the scheduler of compactions to give to Pebble. The one that Pebble
// makes on its own asks ten times a second whether a compaction waits, and would go on
// asking, for a lock that a parked goroutine holds, when the handle is dead. This one asks
// when a compaction has ended and when Pebble wants another, as it does after each flush;
// only tests would do without the rest, says its name, which is for stores that fall behind
// with many compactions.
func Scheduler() pebble.CompactionScheduler {
	return pebble.NewConcurrencyLimitSchedulerWithNoPeriodicGrantingForTest()
}

// Logger returns the logger for Pebble. It drops everything but fatal errors.
func (g *Guard) Logger() pebble.Logger { return logger{g} }

type logger struct{ guard *Guard }

func (logger) Infof(string, ...any)  {}
func (logger) Errorf(string, ...any) {}

// Fatalf must not return, and may be called from any goroutine with locks held: it
// records the error and parks the goroutine for good.
func (l logger) Fatalf(format string, args ...any) {
	l.guard.Park(fatalError(format, args))
}

func fatalError(format string, args []any) error {
	for _, a := range args {
		if err, ok := a.(error); ok {
			return fmt.Errorf("cannot write: %w", err)
		}
	}
	return fmt.Errorf(format, args...)
}
