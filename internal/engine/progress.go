package engine

import (
	"sync"
	"time"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/platform/memory"
)

// Progress is the progress of a run at one moment.
type Progress struct {
	Phase history.Phase
	// Depth is the depth of the layer in progress.
	Depth int
	// Layers holds the number of states of each committed layer of the phase.
	Layers []int64
	// Forward is Layers of the forward phase, whichever phase is in progress.
	Forward []int64
	// States is the number of states of the phase, including those just written.
	States int64
	// Frontier is the number of states to expand for the layer in progress;
	// Expanded is how many of them have been expanded.
	Frontier, Expanded int64
	// Generated is the number of successors generated so far in this session.
	Generated int64
	// Elapsed is the time since the session began.
	Elapsed time.Duration
	// MemoryBytes is the resident memory of the process, and DiskBytes the size
	// of the run on disk.
	MemoryBytes, DiskBytes int64
	// Fetched is how many of ToFetch states have come from the bucket while the
	// run catches up with it. ToFetch is 0 at other times.
	Fetched, ToFetch int64
	// Bucket is how far the bucket is behind, nil if none is being kept up to
	// date.
	Bucket *BucketProgress
}

// live is the progress that the driver publishes while it runs.
type live struct {
	mu       sync.Mutex // guards the fields below
	started  time.Time
	attempt  core.Attempt
	frontier int64 // states that the attempt expands
	layers   [history.Goal + 1][]int64
	states   [history.Goal + 1]int64
	lanes    []*lane
	expanded int64 // of all lanes, before the attempt
	written  int64
	toFetch  int64
	got      int64
	backup   *backup
}

// keep includes the bucket in the progress.
func (v *live) keep(b *backup) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.backup = b
}

// fetch notes how many states are being fetched; 0 ends the fetching.
func (v *live) fetch(states int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.toFetch, v.got = states, 0
}

// fetched notes how many states have arrived.
func (v *live) fetched(states int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.got = states
}

// start notes that a session begins now.
func (v *live) start() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.started = time.Now()
}

// reset starts from what was committed before the session.
func (v *live) reset(h *history.History) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.lanes = nil
	v.layers, v.states = [history.Goal + 1][]int64{}, [history.Goal + 1]int64{}
	for _, p := range []history.Phase{history.Forward, history.Goal} {
		for _, l := range h.Layers(p) {
			v.layers[p] = append(v.layers[p], l.States)
			v.states[p] += l.States
		}
	}
}

func (v *live) begin(a core.Attempt, frontier int64, lanes []*lane) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.lanes = lanes
	v.attempt, v.frontier = a, frontier
	v.expanded, v.written, _ = v.counts()
}

func (v *live) committed(l history.Layer) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.layers[l.Phase] = append(v.layers[l.Phase], l.States)
	v.states[l.Phase] += l.States
	v.expanded, v.written, _ = v.counts()
}

func (v *live) counts() (expanded, written, generated int64) {
	for _, l := range v.lanes {
		expanded += l.progress.Expanded.Load()
		written += l.progress.Written.Load()
		generated += l.progress.Generated.Load()
	}
	return expanded, written, generated
}

// Progress returns the progress of the run. It may be called from any goroutine
// while Explore runs.
func (r *Run) Progress() Progress {
	v := &r.live
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.lanes == nil {
		return Progress{Fetched: v.got, ToFetch: v.toFetch, Bucket: v.backup.progress()}
	}
	expanded, written, generated := v.counts()
	p := Progress{
		Phase:       v.attempt.Phase,
		Depth:       int(v.attempt.Depth),
		Layers:      append([]int64(nil), v.layers[v.attempt.Phase]...),
		Forward:     append([]int64(nil), v.layers[history.Forward]...),
		States:      v.states[v.attempt.Phase] + written - v.written,
		Expanded:    expanded - v.expanded,
		Generated:   generated,
		Frontier:    v.frontier,
		Elapsed:     time.Since(v.started),
		MemoryBytes: memory.Resident(),
		DiskBytes:   diskBytes(r),
		Bucket:      v.backup.progress(),
	}
	return p
}
