package main

// A machine is what one worker runs on.
type machine struct {
	Cores     int     // lanes
	MemoryGB  float64 // the worker's budget
	NetGbit   float64 // each way; zero means unlimited
	DiskRead  float64 // MB/s; zero means unlimited
	DiskWrite float64 // MB/s; zero means unlimited
	DiskGB    float64
	BucketMB  float64 // MB/s that a machine uploads; zero means no bucket
	LatencyMS float64 // to the coordinator and back

	HourPrice   float64 // of the machine, with its disk
	BucketPrice float64 // per GB and month in the bucket
}

// usual is the machine of the page's tables. It is an assumption: a mid-range rented
// machine with a disk of its own; prices as of November 2026, rounded.
func usual() machine {
	return machine{
		Cores: 8, MemoryGB: 32, NetGbit: 10, DiskRead: 2000, DiskWrite: 1000, DiskGB: 1900,
		BucketMB: 400, LatencyMS: 0.5, HourPrice: 0.60, BucketPrice: 0.02,
	}
}

// thisMachine is the machine that the rates were measured on: two cores, no network,
// and a disk hidden by the system's page cache.
func thisMachine(lanes int, memoryGB float64) machine {
	return machine{Cores: lanes, MemoryGB: memoryGB, DiskGB: 100}
}

const (
	kB = 1e3
	mB = 1e6
	gB = 1e9
	tB = 1e12
)
