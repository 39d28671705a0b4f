// Package plans plans sweeps for a coordinator in the background, as a plan may take a
// minute. It must never keep its caller waiting, nor know which units are done.
package plans

import (
	"fmt"
	"sync"

	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/kinds"
)

// Plans plans sweeps, and keeps the last plan until it is taken: those of large sweeps take
// hundreds of megabytes. Any goroutine may call its methods.
type Plans struct {
	open func(rules string) (sweep.Enumeration, error)

	mu      sync.Mutex
	made    *Plan
	pending map[string]bool // rules that are being planned
}

// A Plan is a sweep that has been planned, or why it could not be.
type Plan struct {
	rules string
	e     sweep.Enumeration
	err   error
}

// New returns what plans sweeps with a function, which any goroutine may call; nil means
// that of package kinds.
func New(open func(rules string) (sweep.Enumeration, error)) *Plans {
	if open == nil {
		open = kinds.Open
	}
	return &Plans{open: open, pending: make(map[string]bool)}
}

// Open plans a sweep.
func (p *Plans) Open(rules string) (sweep.Enumeration, error) {
	e, err := p.open(rules)
	if err == nil {
		p.note(&Plan{rules: e.Rules(), e: e})
	}
	return e, err
}

// Take returns the plan of some rules, in canonical form. If there is none, it returns nil:
// the sweep is planned in the background, and then is called.
func (p *Plans) Take(rules string, then func()) *Plan {
	p.mu.Lock()
	defer p.mu.Unlock()
	if made := p.made; made != nil && made.rules == rules {
		p.made = nil
		return made
	}
	if !p.pending[rules] {
		p.pending[rules] = true
		go func() {
			e, err := p.open(rules)
			p.note(&Plan{rules, e, err})
			then()
		}()
	}
	return nil
}

func (p *Plans) note(made *Plan) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.made = made
	delete(p.pending, made.rules)
}

// Left returns the units that are not done, in the order in which they are to be handed
// out. It returns an error if the sweep could not be planned, or has another number of
// units.
func (p *Plan) Left(units int, done interface{ Done(unit int) bool }) (left []uint32, err error) {
	if p.err != nil {
		return nil, p.err
	}
	if n := p.e.Units(); n != units {
		return nil, fmt.Errorf("the sweep has %d units, but had %d when it was started, by a version of everystate that divides it differently", n, units)
	}
	for _, unit := range sweep.Plan(p.e, sweep.Part{}, done) {
		left = append(left, uint32(unit))
	}
	return left, nil
}
