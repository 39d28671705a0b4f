package bucket

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"time"
)

// troubleAfter is how long a bucket may fail before somebody is told.
const troubleAfter = 3 * time.Second

// Patience is the memory of who keeps trying a bucket: why it fails, since when, and
// whether somebody was told. It is safe for concurrent use.
type Patience struct {
	// Tell is told the trouble if it lasts, and "" when it is over. It may be nil.
	Tell func(trouble string)

	mu      sync.Mutex // guards the fields below
	reached bool       // the bucket has answered before
	since   time.Time  // of the trouble, zero if there is none
	text    string     // of the trouble
	told    bool
}

// Try calls op until it succeeds, ctx ends, or it fails with what does not go
// away by itself.
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
		timer := time.NewTimer(RetryAfter(failures))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}

// passes reports whether an error may go away by itself. A host that had an
// address before has lost it with the network.
func (p *Patience) passes(err error) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	var dns *net.DNSError
	return Retryable(err) || p.reached && errors.As(err, &dns)
}

// Over notes that the bucket has done what it was asked.
func (p *Patience) Over() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.told && p.Tell != nil {
		p.Tell("")
	}
	p.reached, p.since, p.text, p.told = true, time.Time{}, "", false
}

// Note notes that the bucket has failed, and is tried again.
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
			p.Tell(p.text)
		}
	}
}

// Trouble returns in one line why the bucket is waited for, or nothing.
func (p *Patience) Trouble() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text
}
