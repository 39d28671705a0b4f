// Package door refuses calls that reach the wrong worker. It must never let a call pass
// that is meant for another worker, or for another run of the same name.
package door

import (
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/history"
)

// reminder is how often the log repeats what has not changed.
const reminder = time.Minute

// Door refuses calls that were meant for another worker, or for another run of the
// same name: an address that was mistyped, reassigned or translated may lead to a
// process that would accept them. It is safe for concurrent use.
type Door struct {
	Self    string        // the worker's name
	Refused *atomic.Int64 // calls
	Log     *slog.Logger

	mu   sync.Mutex // guards the fields below
	last string
	told time.Time
}

// Admit returns an error if a call is not meant for this worker.
func (d *Door) Admit(caller, meant string) error {
	if meant == d.Self {
		return nil
	}
	return d.Refuse(caller, fmt.Sprintf("this is worker %s, not the intended %.64q", d.Self, meant))
}

// AdmitRun returns an error if a call is about another run than the one that has the
// name here. A run kept since before runs had identities passes as the same.
func (d *Door) AdmitRun(caller, run string, meant, here history.Identity) error {
	if meant == here || !here.Known() {
		return nil
	}
	return d.Refuse(caller, fmt.Sprintf("run %s here is %v, not the intended %v", run, here, meant))
}

// Refuse counts a refused call and logs it, but not repeatedly.
func (d *Door) Refuse(caller, why string) error {
	d.Refused.Add(1)
	text := fmt.Sprintf("%.64q calls: %s", caller, why)
	d.mu.Lock()
	tell := d.last != text || time.Since(d.told) > reminder
	if tell {
		d.last, d.told = text, time.Now()
	}
	d.mu.Unlock()
	if tell {
		d.Log.Warn("refusing a call meant for another worker; check the address that it was given", "caller", caller, "why", why)
	}
	return status.Error(codes.FailedPrecondition, why)
}
