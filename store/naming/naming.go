// Package naming defines valid names of runs and workers. The names are parts of
// paths and of the names of objects in buckets: a valid name is a single path
// element on every system, without special meaning.
package naming

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// RunBytesMax bounds the name of a run.
	RunBytesMax = 128
	// WorkerBytesMax bounds the name of a worker.
	WorkerBytesMax = 64
)

// CheckRun returns an error if a run may not have this name: names consist of 1
// to RunBytesMax bytes of letters and digits of any script, '-', '_' and '.', and
// do not begin with a dot.
func CheckRun(name string) error {
	switch {
	case name == "":
		return errors.New("a run needs a name")
	case len(name) > RunBytesMax:
		return fmt.Errorf("run %q: the name is longer than %d bytes", strings.ToValidUTF8(name[:16], "")+"…", RunBytesMax)
	case name[0] == '.':
		return fmt.Errorf("run %q: the name begins with a dot", name)
	case !utf8.ValidString(name), strings.ContainsFunc(name, func(c rune) bool { return !IsLetter(c) && !strings.ContainsRune("-_.", c) }):
		return fmt.Errorf("run %q: the name may only have letters, digits, '-', '_' and '.'", name)
	}
	return nil
}

// IsLetter reports whether a character is a letter or a digit of any script, or a
// mark that belongs to the letter before it.
func IsLetter(c rune) bool {
	return c != utf8.RuneError && (unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c))
}

// IsRun reports whether a run may have this name.
func IsRun(name string) bool { return CheckRun(name) == nil }

// IsWorker reports whether a worker may have this name: letters, digits and '-',
// at least one and at most WorkerBytesMax.
func IsWorker(name string) bool {
	return name != "" && len(name) <= WorkerBytesMax && only(name, "-")
}

// only reports whether a text consists of ASCII letters, digits and the
// characters of others.
func only(text, others string) bool {
	for i := range len(text) {
		c := text[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && strings.IndexByte(others, c) < 0 {
			return false
		}
	}
	return true
}
