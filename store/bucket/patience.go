package bucket

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"time"
)

// troubleAfter is how long a bucket may fail before Tell is called.
const troubleAfter = 3 * time.Second

// Patience is the state of retrying a bucket: why it fails, since when, and whether Tell
// was called. It is safe for concurrent use.
type Patience struct {
	// Tell is called with the error if it lasts, and with nil when it is over. It may be
	// nil.
	Tell func(trouble error)

	mu      sync.Mutex // guards the fields below
	reached bool       // the bucket has answered before
	since   time.Time  // when the bucket began to fail, zero if it works
	text    string     // the last error
	told    bool
}

// Try calls op until it succeeds, ctx ends, or it fails with an error that will not
// pass.
func (p *Patience) Try(ctx context.Context, op func() error) error {
	for failures := 1; ; failures++ {
		err := op()
		switch {
		case err == nil:
			p.Over()
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !p.passes(err):
			return err
		}
		p.Note(err)
		if err := Wait(ctx, failures); err != nil {
			return err
		}
	}
}

// passes reports whether an error may pass by itself. If a host cannot be resolved that
// could be before, the network is down.
func (p *Patience) passes(err error) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	var dns *net.DNSError
	return Retryable(err) || p.reached && errors.As(err, &dns)
}

// Over notes that the bucket has done what it was asked to do.
func (p *Patience) Over() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.told && p.Tell != nil {
		p.Tell(nil)
	}
	p.reached, p.since, p.text, p.told = true, time.Time{}, "", false
}

// Note notes that the bucket has failed and will be tried again.
func (p *Patience) Note(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.since.IsZero() {
		p.since = now
	}
	p.text = strings.Join(strings.Fields(err.Error()), " ")
	if !p.told && now.Sub(p.since) >= troubleAfter {
		p.told = true
		if p.Tell != nil {
			p.Tell(err)
		}
	}
}

// Trouble returns in one line why the bucket fails, or "".
func (p *Patience) Trouble() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text
}

// PatienceTelling returns a Patience that reports trouble to tell as a sentence, if tell is
// not nil.
func PatienceTelling(tell func(text string)) *Patience {
	if tell == nil {
		return &Patience{}
	}
	return &Patience{Tell: func(trouble error) {
		if trouble == nil {
			tell("the bucket is reachable again")
			return
		}
		tell("waiting for the bucket: " + strings.Join(strings.Fields(trouble.Error()), " "))
	}}
}
