package testmain

import (
	"os"
	"runtime/debug"

	"github.com/everystate/everystate/internal/platform/memory"
)

// generous lets the garbage collector wait longer, until restore is called: tests hold
// little and throw away much. GOGC in the environment decides instead.
func generous() (restore func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	percent := debug.SetGCPercent(300)
	release := memory.Reserve(4 << 30) // a run of a test may have a small budget
	return func() {
		release()
		debug.SetGCPercent(percent)
	}
}
