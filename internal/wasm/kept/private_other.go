//go:build !unix

package kept

import "os"

// private reports whether a path is a directory, not a link to one. The user's cache
// directory is nobody else's.
func private(dir string) bool {
	info, err := os.Lstat(dir)
	return err == nil && info.IsDir()
}
