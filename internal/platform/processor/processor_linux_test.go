package processor

import (
	"runtime"
	"testing"
	"time"
)

// TestTimesGoOn works until the thread's time has gone on, which the process's does too,
// if not always by the same microseconds.
func TestTimesGoOn(t *testing.T) {
	t.Parallel()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	thread, process := Thread(), Process()
	for Thread() < thread+time.Millisecond {
	}
	if Process() <= process {
		t.Errorf("the thread used %v, the process %v", Thread()-thread, Process()-process)
	}
}

// TestMachine finds the machine, as every process on it does, and counts its cores.
func TestMachine(t *testing.T) {
	t.Parallel()
	name, cores := Machine()
	again, _ := Machine()
	if name != again || len(name) > 64 || name != "" && cores < runtime.NumCPU() {
		t.Errorf("%q, then %q, with %d cores", name, again, cores)
	}
	for list, want := range map[string]int{"0": 1, "0-3": 4, "0-3,6,8-9": 7, "": 0, "3-0": 0, "0-x": 0} {
		if n := count(list); n != want {
			t.Errorf("%q: %d cores", list, n)
		}
	}
}
