//go:build unix

package measure

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// PeakBytes returns the greatest resident memory of a process that has ended. On
// Linux a child starts with the peak of its parent, so a peak below the few MiB of
// this program cannot be seen.
func PeakBytes(p *os.ProcessState) int64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return usage.Maxrss
	}
	return usage.Maxrss << 10
}

// CPUTime returns the processor time that this process has taken.
func CPUTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// DiskBytes returns the disk space allocated to the files below dir, as du does.
func DiskBytes(dir string) (int64, error) {
	const blockBytes = 512 // the unit of st_blocks, whatever the disk's is
	total := int64(0)
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); ok {
			total += int64(stat.Blocks) * blockBytes //nolint:unconvert // Blocks has other types elsewhere.
		}
		return nil
	})
	return total, err
}
