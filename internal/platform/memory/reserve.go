package memory

import (
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// reserved sets the runtime's memory limit, which is one for the whole process,
// while runs are being worked on. Runs may overlap and end in any order.
var reserved struct {
	sync.Mutex

	before int64 // the process's own limit, to be restored after the last run
	others int64 // bytes in use that no budget counts
	budget int64 // sum of the budgets of the runs in progress
	runs   int
}

// Reserve makes the runtime collect garbage before a run's budget is exceeded
// rather than after. The function that it returns must be called once.
func Reserve(budget int64) (restore func()) {
	m := &reserved
	m.Lock()
	defer m.Unlock()
	if m.runs == 0 {
		m.before, m.others = debug.SetMemoryLimit(-1), 0
	}
	// What the runs in progress hold is within their budgets.
	m.others = max(m.others, liveHeap()-m.budget)
	m.runs++
	m.budget += budget
	debug.SetMemoryLimit(min(m.before, m.others+m.budget))
	return func() {
		m.Lock()
		defer m.Unlock()
		m.runs--
		m.budget -= budget
		if m.runs == 0 {
			debug.SetMemoryLimit(m.before)
			return
		}
		debug.SetMemoryLimit(min(m.before, m.others+m.budget))
	}
}

// liveHeap returns how many bytes of the heap the last garbage collection has found
// to be in use, 0 before the first.
func liveHeap() int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
