package local

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/everystate/everystate/internal/memory"
)

// MemoryMin is the least memory budget.
const MemoryMin = 32 << 20

// memoryPerWorker is the most that a worker gets if no budget is asked for. With
// more, layers are held that would else be spilled, and runs are no faster: fresh
// pages cost about what sorting and writing costs (docs/PERFORMANCE.md).
const memoryPerWorker = 512 << 20

// DefaultMemory returns the memory budget if none is asked for: what so many
// workers can use, but at most a quarter of what the machine, or the control
// group, has.
func DefaultMemory(workers int) int64 {
	total := int64(4 << 30)
	if known := memory.Total(); known > 0 {
		total = known
	}
	if text, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil {
			total = min(total, limit)
		}
	}
	return max(min(total/4, memoryPerWorker*int64(workers)), MemoryMin)
}

// checkMemory says what is wrong with a budget.
func checkMemory(bytes int64) error {
	if bytes < MemoryMin {
		return fmt.Errorf("memory of %d MiB is too little: at least %d MiB", bytes>>20, int64(MemoryMin)>>20)
	}
	return nil
}
