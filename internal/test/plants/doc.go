// Package plants tests the simulation itself: it plants bugs in the code that ships,
// and the simulation has to find each of them.
//
// A plant replaces one piece of text in one file, as a plausible mistake would. Every
// test run checks that the text is still there, exactly once. To compile
// internal/test/world with one bug after the other (in an overlay, so that no file
// changes) and to fail for each bug that is not found, run
//
//	go test ./internal/test/plants -plants -v
//
// which takes about a minute for each bug.
//
// The package must never change a file of the repository. It has no code apart from
// the test, and nothing imports it.
package plants
