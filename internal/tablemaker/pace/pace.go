// Package pace decides when to write a table again: seldom enough that writing takes only a
// fraction of the time, and often enough that a kill usually costs only seconds.
//
// It must never use files.
package pace

import "time"

const (
	interval = 2 * time.Second
	within   = 5 * time.Second // within a layer
	times    = 10              // as long as writing took
)

// Pace is when a table was written last, and how long that took. It is not safe for
// concurrent use, but for Due and DueWithin.
type Pace struct {
	fixed time.Duration
	last  time.Time
	took  time.Duration
	began time.Time // the layer being made
}

// New returns the pace of a table of so many bytes that begins now. A fixed interval, unless
// it is 0, is for tests. How long writing takes is guessed: a table of many gigabytes is not
// written two seconds after its run began.
func New(bytes int64, fixed time.Duration) *Pace {
	return &Pace{fixed: fixed, last: time.Now(), took: time.Duration(bytes)} // 1 GB/s
}

// Begin says that a layer is about to be made.
func (p *Pace) Begin() { p.began = time.Now() }

// Wrote says that the table has been written, since a moment.
func (p *Pace) Wrote(since time.Time) {
	p.last = time.Now()
	p.took = p.last.Sub(since)
}

// Due reports whether it is time to write the table again.
func (p *Pace) Due() bool { return p.since(p.last, interval) }

// DueWithin reports whether it is time to write a table of which a layer is being made.
func (p *Pace) DueWithin() bool {
	last := p.last
	if p.began.After(last) {
		last = p.began
	}
	return p.since(last, within)
}

// Little reports whether so little has been made of a layer that it is not worth writing a
// whole table.
func (p *Pace) Little() bool { return p.fixed == 0 && time.Since(p.began) < within }

func (p *Pace) since(last time.Time, least time.Duration) bool {
	wait := p.fixed
	if wait == 0 {
		wait = max(least, times*p.took)
	}
	return time.Since(last) >= wait
}
