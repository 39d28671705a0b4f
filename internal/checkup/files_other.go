//go:build !unix

package checkup

// FileLimit returns how many files this process may have open, 0 if unknown.
func FileLimit() uint64 { return 0 }
