package engine

import (
	"fmt"

	"github.com/everystate/everystate/internal/platform/memory"
)

// MemoryMin is the least memory budget.
const MemoryMin = 32 << 20

// memoryPerWorker is the most that a worker gets if no budget is asked for. With
// more, layers are held that would else be spilled, and runs are no faster: fresh
// pages cost about what sorting and writing costs (docs/lab/PERFORMANCE.md).
const memoryPerWorker = 512 << 20

// memoryUnknown is what a machine is taken to have that does not say.
const memoryUnknown = 4 << 30

// DefaultMemory returns the memory budget if none is asked for: what so many
// workers can use, but at most a quarter of what the machine, or the control
// group, has.
func DefaultMemory(workers int) int64 {
	total, _ := memory.Limit("/")
	if total == 0 {
		total = memoryUnknown
	}
	return max(min(total/4, memoryPerWorker*int64(workers)), MemoryMin)
}

// checkMemory says what is wrong with a budget.
func checkMemory(bytes int64) error {
	if bytes < MemoryMin {
		return fmt.Errorf("a memory budget of %d MiB is too small: must be at least %d MiB", bytes>>20, int64(MemoryMin)>>20)
	}
	return nil
}
