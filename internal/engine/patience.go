package engine

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/everystate/everystate/store/bucket"
)

// troubleAfter is how long a bucket may fail before somebody is told.
const troubleAfter = 3 * time.Second

// patience tries operations on a bucket until they succeed or will never do. It
// is safe for concurrent use.
type patience struct {
	tell func(text string) // says what is the trouble, and that it is over

	mu      sync.Mutex // guards the fields below
	reached bool       // the bucket has answered before
	since   time.Time  // of the trouble, zero if there is none
	text    string     // of the trouble
	told    bool
}

// try calls op until it succeeds, ctx ends, or it fails with what does not go
// away by itself.
func (p *patience) try(ctx context.Context, op func() error) error {
	for failures := 1; ; failures++ {
		err := op()
		switch {
		case err == nil:
			p.over()
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !p.passes(err):
			return err
		}
		p.note(err)
		timer := time.NewTimer(bucket.RetryAfter(failures))
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
func (p *patience) passes(err error) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	var dns *net.DNSError
	return bucket.Retryable(err) || p.reached && errors.As(err, &dns)
}

func (p *patience) over() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.told {
		p.say("the bucket is reachable again")
	}
	p.reached, p.since, p.text, p.told = true, time.Time{}, "", false
}

func (p *patience) note(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.since.IsZero() {
		p.since = now
	}
	p.text = oneLine(err)
	if !p.told && now.Sub(p.since) >= troubleAfter {
		p.told = true
		p.say("waiting for the bucket: " + p.text)
	}
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

func (p *patience) say(text string) {
	if p.tell != nil {
		p.tell(text)
	}
}

// trouble returns why the bucket is waited for, or nothing.
func (p *patience) trouble() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text
}
