package engine

import (
	"github.com/everystate/everystate/internal/platform/memory"
	"github.com/everystate/everystate/worker"
)

// The bounds of Options.
const (
	WorkersMax = worker.LanesMax
	MemoryMin  = worker.MemoryMin // bytes
)

// memoryPerWorker is the most that a worker gets by default, in bytes. With more,
// layers stay in memory that would otherwise be spilled, but runs are no faster:
// fresh pages cost about as much as sorting and writing
// (docs/lab/PERFORMANCE.md).
const memoryPerWorker = 512 << 20

// memoryUnknown is the memory assumed for a machine that does not report it.
const memoryUnknown = 4 << 30

// DefaultMemory returns the default memory budget in bytes: what the workers can
// use, but at most a quarter of what the machine, or the control group, has.
func DefaultMemory(workers int) int64 {
	total, _ := memory.Limit("/")
	if total == 0 {
		total = memoryUnknown
	}
	return max(min(total/4, memoryPerWorker*int64(workers)), MemoryMin)
}
