// Package sdk makes a WebAssembly module of a puzzle written in Go, for
// `everystate explore --puzzle`. A module is a main package for the target wasip1 that
// serves a puzzle when it is initialised:
//
//	func init() { sdk.Serve(mypuzzle.Read) }
//
//	func main() {}
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o mine.wasm .
//
// It must never be linked into the program that runs modules: it is the module's side
// of docs/WASM.md.
package sdk

import "github.com/everystate/everystate/puzzle"

// Read reads all boards of a text, as the families of package puzzle do. A module
// accepts only texts with one board.
type Read func(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, error)

// read is set by Serve, before the host calls the module.
var read Read //nolint:gochecknoglobals,unused // a module has one puzzle, and its exports no receiver; unused only where there are no exports

// Serve makes the module serve the puzzles that r reads.
func Serve(r Read) { read = r }
