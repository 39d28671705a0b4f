//go:build unix

package checkup

import "syscall"

// FileLimit returns how many files this process may have open, 0 if unknown.
func FileLimit() uint64 {
	var r syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r); err != nil {
		return 0
	}
	return uint64(r.Cur) //nolint:unconvert // it is signed on some systems
}
