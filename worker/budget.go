package worker

import (
	"fmt"

	"github.com/everystate/everystate/internal/quantity"
)

// LanesMax is the greatest number of workers side by side in a process.
const LanesMax = 1024

// MemoryMin is the smallest memory budget of a process, in bytes.
const MemoryMin = 32 << 20

// CheckMemory returns an error if a memory budget is too small.
func CheckMemory(bytes int64) error {
	if bytes < MemoryMin {
		return fmt.Errorf("a memory budget of %s is too small: must be at least %s", quantity.Bytes(bytes), quantity.Bytes(MemoryMin))
	}
	return nil
}

// A Budget divides the memory of a process with one store and some workers. All
// fields are in bytes.
type Budget struct {
	CacheBytes    int64 // Pebble's block cache
	MemTableBytes int64 // Pebble's small writes
	ChunkBytes    int64 // a chunk of candidates
	InboxBytes    int64 // candidates that have arrived, per worker
	LayerBytes    int64 // blocks of the last layers, per worker
}

// Divide divides a number of bytes between Pebble and the workers. The rest is for
// sorting and for the runtime.
func Divide(bytes int64, workers, partitions int) Budget {
	share := bytes * 3 / 4 / int64(workers)
	return Budget{
		CacheBytes:    clamp(bytes/32, 1<<20, 64<<20),
		MemTableBytes: clamp(bytes/64, 512<<10, 2<<20),
		// Every worker fills a chunk for every partition, and the last ones lie
		// half empty in the inboxes.
		ChunkBytes: clamp(share/8/int64(partitions), 2<<10, 32<<10),
		InboxBytes: share / 2,
		LayerBytes: share / 4,
	}
}

func clamp(v, lo, hi int64) int64 { return min(max(v, lo), hi) }
