// Package plants holds bugs that the simulation of what ships has to find, as a test:
// a simulation that finds nothing is worth what it would have found.
//
// Each is a piece of text in a file of what ships, with what a mistake would make of
// it. The test sees to it that the text is still there;
//
//	go test ./internal/test/plants -plants -v
//
// compiles internal/test/world with one bug after the other, by an overlay that leaves
// the files alone, and fails for each that is not found. That takes a minute for each.
//
// The package must never change a file of the repository. It has no code of its own
// and nothing imports it.
package plants
