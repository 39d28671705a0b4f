package processor

import (
	"os"
	"runtime"
	"strconv"
	"strings"
)

// Machine returns a name that is the same for all processes on this machine since it was
// started, in containers too, and how many cores they share. The name is empty if there is
// none.
func Machine() (name string, cores int) {
	cores = runtime.NumCPU() // which may be some of them
	if online, err := os.ReadFile("/sys/devices/system/cpu/online"); err == nil {
		cores = max(cores, count(strings.TrimSpace(string(online))))
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", cores
	}
	return strings.TrimSpace(string(boot)), cores
}

// count returns how many numbers a list like 0-3,6 has, or 0 if it is none.
func count(list string) (n int) {
	for part := range strings.SplitSeq(list, ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		first, err1 := strconv.Atoi(from)
		last, err2 := strconv.Atoi(to)
		if err1 != nil || err2 != nil || last < first {
			return 0
		}
		n += last - first + 1
	}
	return n
}
