package pulse

import (
	"testing"
	"time"
)

// TestBeat: only beats that come late by half a second or more count.
func TestBeat(t *testing.T) {
	t.Parallel()
	var p Pulse
	at := time.Unix(0, 0)
	for _, after := range []int{100, 590, 100, 1080, 100, 10_100} {
		at = p.beat(at, at.Add(time.Duration(after)*time.Millisecond))
	}
	if got, want := p.Stood(), 10_980*time.Millisecond; got != want {
		t.Errorf("stood still for %v, want %v", got, want)
	}
}
