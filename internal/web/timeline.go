package web

import (
	"net/http"
	"time"

	"github.com/everystate/everystate/coordinator/history"
)

// Timeline is how a run went over time: columns of equal length, one row per moment.
type Timeline struct {
	Seconds []float64 `json:"seconds"` // spent exploring, since the run began
	// States counts the states found and, in the goal phase, once more those whose goal
	// distance is known.
	States []int64 `json:"states"`
	Memory []int64 `json:"memory_bytes"` // 0 where unknown
	Disk   []int64 `json:"disk_bytes"`
}

func (t *Timeline) add(seconds float64, states, memory, disk int64) {
	t.Seconds, t.States = append(t.Seconds, seconds), append(t.States, states)
	t.Memory, t.Disk = append(t.Memory, memory), append(t.Disk, disk)
}

// timelineOf returns what a history tells: a moment at the end of each layer, without
// the memory.
func timelineOf(h *history.History) *Timeline {
	t := &Timeline{}
	t.add(0, 0, 0, 0)
	var nanos, states, disk int64
	for _, p := range []history.Phase{history.Forward, history.Goal} {
		for _, l := range h.Layers(p) {
			nanos, states, disk = nanos+l.Nanos, states+l.States, disk+l.Bytes
			t.add(float64(nanos)/float64(time.Second), states, 0, disk)
		}
	}
	return t
}

// recorder extends a timeline while a run is explored. Memory is bounded: once there are
// momentsMax moments, every second one is dropped, and they are recorded half as often.
type recorder struct {
	Timeline

	began time.Time
	base  float64 // seconds before it began
	every time.Duration
	last  time.Time
}

const (
	momentsMax    = 600
	momentsEvery  = time.Second
	momentsGapMax = 10 // intervals, after which the run is taken not to have been explored
)

// newRecorder continues the timeline of a history.
func newRecorder(h *history.History) *recorder {
	r := &recorder{Timeline: *timelineOf(h), every: momentsEvery}
	r.base = r.Seconds[len(r.Seconds)-1]
	r.thin()
	return r
}

// record adds a moment, unless the last one was just now.
func (r *recorder) record(now time.Time, run *Run) {
	passed := now.Sub(r.last)
	switch {
	case r.began.IsZero():
		r.began = now
	case passed < r.every:
		return
	case r.every > 0 && passed > momentsGapMax*r.every:
		r.began = r.began.Add(passed - r.every) // it was not explored, or nobody looked
	}
	r.last = now
	r.add(r.base+now.Sub(r.began).Seconds(), run.States+run.GoalPhase, run.MemoryBytes, run.DiskBytes)
	r.thin()
}

func (r *recorder) thin() {
	for len(r.Seconds) > momentsMax {
		n := 0
		for i := 0; i < len(r.Seconds); i += 2 {
			r.Seconds[n], r.States[n], r.Memory[n], r.Disk[n] = r.Seconds[i], r.States[i], r.Memory[i], r.Disk[i]
			n++
		}
		r.Seconds, r.States, r.Memory, r.Disk = r.Seconds[:n], r.States[:n], r.Memory[:n], r.Disk[:n]
		r.every *= 2
	}
}

// copied returns the timeline so far, for use while more is recorded.
func (r *recorder) copied() *Timeline {
	return &Timeline{
		Seconds: append([]float64(nil), r.Seconds...), States: append([]int64(nil), r.States...),
		Memory: append([]int64(nil), r.Memory...), Disk: append([]int64(nil), r.Disk...),
	}
}

func (s *Server) timeline(r *http.Request, source Source) (any, error) {
	return source.Timeline(r.Context(), r.PathValue("run"))
}
