package processor

import (
	"runtime"
	"testing"
)

// TestTimesGoOn works until the thread's time has gone on, which the process's does too.
func TestTimesGoOn(t *testing.T) {
	t.Parallel()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	thread, process := Thread(), Process()
	for Thread() == thread {
	}
	if Process() <= process {
		t.Errorf("the thread used %v, the process %v", Thread()-thread, Process()-process)
	}
}
