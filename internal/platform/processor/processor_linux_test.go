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
