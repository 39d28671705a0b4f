package local

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/everystate/everystate/internal/hostmemory"
)

// MemoryMin is the least memory budget.
const MemoryMin = 32 << 20

// memoryPerWorker is the most that a worker gets if no budget is asked for. With
// more, layers are held that would else be spilled, and runs are no faster: fresh
// pages cost about what sorting and writing costs (docs/PERFORMANCE.md).
const memoryPerWorker = 512 << 20

// memoryUnknown is what a machine is taken to have that does not say.
const memoryUnknown = 4 << 30

// DefaultMemory returns the memory budget if none is asked for: what so many
// workers can use, but at most a quarter of what the machine, or the control
// group, has.
func DefaultMemory(workers int) int64 {
	total, _ := hostmemory.Limit("/")
	if total == 0 {
		total = memoryUnknown
	}
	return max(min(total/4, memoryPerWorker*int64(workers)), MemoryMin)
}

// peakMemory returns the greatest resident memory of this process so far, in
// bytes, or what the runtime has got from the system where that is not known.
func peakMemory() int64 {
	if kib := procValue("/proc/self/status", "VmHWM:"); kib > 0 {
		return kib << 10
	}
	return heldMemory()
}

func residentMemory() int64 {
	if kib := procValue("/proc/self/status", "VmRSS:"); kib > 0 {
		return kib << 10
	}
	return heldMemory()
}

func heldMemory() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys - m.HeapReleased)
}

// procValue returns the number behind a name in a file of Linux's /proc, or 0.
func procValue(file, name string) int64 {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	_, rest, ok := strings.Cut(string(text), name)
	if !ok {
		return 0
	}
	field := strings.Fields(rest)
	if len(field) == 0 {
		return 0
	}
	n, err := strconv.ParseInt(field[0], 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// checkMemory says what is wrong with a budget.
func checkMemory(bytes int64) error {
	if bytes < MemoryMin {
		return fmt.Errorf("memory of %d MiB is too little: at least %d MiB", bytes>>20, int64(MemoryMin)>>20)
	}
	return nil
}
