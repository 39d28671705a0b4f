package store

import (
	"os"
	"slices"
	"strings"
)

// Keeps reports whether a directory holds files of a database that this package made,
// whole or damaged. Other programs have directories of the same name.
func Keeps(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return slices.ContainsFunc([]string{"MANIFEST-", "OPTIONS-", "marker."}, func(start string) bool { return strings.HasPrefix(e.Name(), start) })
	})
}
