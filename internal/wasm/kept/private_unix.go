//go:build unix

package kept

import (
	"os"
	"syscall"
)

// private reports whether a path is a directory, not a link to one, that is this user's
// and that nobody else can write to.
func private(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || info.Mode().Perm()&0o022 != 0 {
		return false
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	return ok && int64(owner.Uid) == int64(os.Geteuid())
}
