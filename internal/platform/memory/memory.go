// Package memory reports how much memory this process holds, and how much it may
// take: what the machine has or its control group allows; Reserve keeps the garbage
// collector to the budgets of the runs in progress. Without Linux's /proc, it
// reports what the runtime has obtained from the system, and no limit. The answers
// are for budgets and for people: nothing stored may depend on them. Everything here
// is safe for concurrent use.
package memory

import (
	"os"
	"runtime"
	"strconv"
	"strings"
)

// Resident returns the memory that this process holds, in bytes.
func Resident() int64 {
	if kib := procValue("/proc/self/status", "VmRSS:"); kib > 0 {
		return kib << 10
	}
	return held()
}

// Peak returns the most memory that this process has held, in bytes.
func Peak() int64 {
	if kib := procValue("/proc/self/status", "VmHWM:"); kib > 0 {
		return kib << 10
	}
	return held()
}

func held() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys - m.HeapReleased)
}

// procValue returns the number after a name in a file of /proc, or 0.
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
