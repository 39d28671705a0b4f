package shell

import (
	"fmt"
	"runtime"
)

// Build describes the build of the program.
type Build struct {
	Number, Commit string // "" if unknown
	Dirty          bool
}

// String describes the build for people.
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
