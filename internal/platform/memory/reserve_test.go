package memory

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// Runs that overlap have room for both, and leave the process's own limit behind,
// whichever ends first.
func TestReserve(t *testing.T) { //nolint:paralleltest // the limit is the whole process's
	own := debug.SetMemoryLimit(-1)
	limit := func() int64 { return debug.SetMemoryLimit(-1) }
	const small, large = 32 << 20, 64 << 20
	first := Reserve(small)
	alone := limit()
	if alone < small || alone >= own {
		t.Fatalf("limit of a run alone: %d, the process has %d", alone, own)
	}
	second := Reserve(large)
	if got := limit(); got != alone+large {
		t.Errorf("limit of both: %d, want %d", got, alone+large)
	}
	first()
	if got := limit(); got != alone-small+large {
		t.Errorf("limit of the second: %d, want %d", got, alone-small+large)
	}
	second()
	if got := limit(); got != own {
		t.Errorf("limit after both: %d, want %d", got, own)
	}
	debug.SetMemoryLimit(small / 2)
	defer debug.SetMemoryLimit(own)
	restore := Reserve(small)
	if got := limit(); got != small/2 {
		t.Errorf("limit above the process's own: %d", got)
	}
	restore()
}

// What a process has come to hold beside a run in progress is not taken from the budget
// of the next.
func TestReserveBesides(t *testing.T) { //nolint:paralleltest // the limit is the whole process's
	const small, large = 1 << 20, 64 << 20
	first := Reserve(small)
	defer first()
	held := make([]byte, large)
	runtime.GC()
	second := Reserve(small)
	defer second()
	if got := debug.SetMemoryLimit(-1); got < large+small {
		t.Errorf("a limit of %d bytes with %d in use and runs that may take %d", got, len(held), 2*small)
	}
	runtime.KeepAlive(held)
}
