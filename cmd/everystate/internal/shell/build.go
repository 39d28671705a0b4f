package shell

import (
	"fmt"
	"runtime"
)

// Build is what the build knows of itself.
type Build struct {
	Number, Commit string // "" if unknown
	Dirty          bool
}

// String writes what the build knows of itself for people.
func (b Build) String() string {
	text := b.Number
	if b.Commit != "" {
		text += ", commit " + b.Commit
	}
	if b.Dirty {
		text += " and changes"
	}
	return fmt.Sprintf("%s, %s %s/%s", text, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
