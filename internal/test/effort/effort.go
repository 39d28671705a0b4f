// Package effort says how much a test run does. "go test ./..." has to take minutes, on two
// cores: of tests that repeat one thing on many inputs, or take long for what they show, it
// does a part. With EVERYSTATE_EFFORT=full, as in .ci/run, all of it is done. It must never be
// what a fast test depends on.
package effort

import (
	"os"
	"testing"
)

// Full reports whether everything is to be done. It is, too, with EVERYSTATE_THOROUGH set.
func Full() bool {
	return os.Getenv("EVERYSTATE_EFFORT") == "full" || os.Getenv("EVERYSTATE_THOROUGH") != ""
}

// Needed skips a test unless everything is to be done. why says what takes long.
func Needed(tb testing.TB, why string) {
	tb.Helper()
	if !Full() {
		tb.Skip(why + ": EVERYSTATE_EFFORT=full runs it")
	}
}

// Of returns all if everything is to be done, and part otherwise.
func Of(all, part int) int {
	if Full() {
		return all
	}
	return part
}
