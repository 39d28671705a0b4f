package core

import (
	"maps"
	"slices"
)

// Still finds a worker that stands still most of the time, by what the workers' processes
// say of themselves. Such a worker calls often enough to keep its lease, and holds up
// everybody else. A slow worker, which is always at work, does not stand still; nor is
// anything concluded if all do, as on a machine that has too much to do. The zero value
// has heard of no worker. It is owned by one goroutine.
type Still struct{ of map[string]*stillness }

type stillness struct {
	incarnation uint64
	since       Ticks // when the present window began
	stood       Ticks // in total then
	percent     int64 // in the last whole window, -1 if there was none
}

const (
	// stillPercent is how much of a window a worker must stand still, and livelyPercent
	// how much the others may at most.
	stillPercent  = 80
	livelyPercent = 30
)

// Call notes that a worker calls, whose process has stood still for that long in total.
// The share is taken over windows of at least the given length.
func (s *Still) Call(now, window Ticks, worker string, incarnation uint64, stood Ticks) {
	if s.of == nil {
		s.of = make(map[string]*stillness)
	}
	w := s.of[worker]
	switch {
	case w == nil || w.incarnation != incarnation || stood < w.stood:
		s.of[worker] = &stillness{incarnation: incarnation, since: now, stood: stood, percent: -1}
	case now-w.since >= window:
		w.percent = int64(100 * min(stood-w.stood, now-w.since) / (now - w.since))
		w.since, w.stood = now, stood
	}
}

// Percent returns how much of the time a worker stood still, by the last whole window.
func (s *Still) Percent(worker string) int64 {
	if w := s.of[worker]; w != nil {
		return max(0, w.percent)
	}
	return 0
}

// Stands reports whether a worker stands still most of the time.
func (s *Still) Stands(worker string) bool { return s.Percent(worker) >= stillPercent }

// Suspect returns the worker that stands still the most, if more than half of the others
// are lively.
func (s *Still) Suspect(present []string) (worker string, is bool) {
	lively := 0
	for _, name := range present {
		switch p := s.Percent(name); {
		case p >= stillPercent && (!is || p > s.Percent(worker)):
			worker, is = name, true
		case p <= livelyPercent:
			lively++
		}
	}
	return worker, is && 2*lively > len(present)-1
}

// Forget drops workers that are not to be kept.
func (s *Still) Forget(gone []string) {
	maps.DeleteFunc(s.of, func(name string, _ *stillness) bool { return slices.Contains(gone, name) })
}
