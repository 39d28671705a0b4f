package server

import (
	"fmt"
	"log/slog"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/history"
)

// doorman refuses calls that were meant for another worker, or for another run of the
// same name: an address that was mistyped, reassigned or translated may lead to a
// process that would accept them. It is safe for concurrent use.
type doorman struct {
	self  string // the worker's name
	stats *Stats
	log   *slog.Logger

	mu   sync.Mutex // guards the fields below
	last string
	told time.Time
}

// admit returns an error if a call is not meant for this worker.
func (d *doorman) admit(caller, meant string) error {
	if meant == d.self {
		return nil
	}
	return d.refuse(caller, fmt.Sprintf("this is worker %s, not the intended %.64q", d.self, meant))
}

// admitRun returns an error if a call is about another run than the one that has the
// name here. A run kept since before runs had identities passes as the same.
func (d *doorman) admitRun(caller, run string, meant, here history.Identity) error {
	if meant == here || !here.Known() {
		return nil
	}
	return d.refuse(caller, fmt.Sprintf("run %s here is %v, not the intended %v", run, here, meant))
}

// refuse counts a refused call and logs it, but not repeatedly.
func (d *doorman) refuse(caller, why string) error {
	d.stats.Misrouted.Add(1)
	text := fmt.Sprintf("%.64q calls: %s", caller, why)
	d.mu.Lock()
	tell := d.last != text || time.Since(d.told) > reminderInterval
	if tell {
		d.last, d.told = text, time.Now()
	}
	d.mu.Unlock()
	if tell {
		d.log.Warn("refusing a call meant for another worker; check the address that it was given", "caller", caller, "why", why)
	}
	return status.Error(codes.FailedPrecondition, why)
}
