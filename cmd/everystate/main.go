// Command everystate enumerates every state that a puzzle can reach and answers
// questions about the space.
//
// The package must only wire. Each group of commands is a package below internal,
// each command in the file of its name. The packages in internal/terminal make what
// people see; everything else belongs to the packages wired here.
package main

import (
	"os"

	"github.com/everystate/everystate/internal/wasm/kept"
)

func main() {
	kept.InUserCache()
	os.Exit(run(os.Args, os.Stdin, os.Stdout, os.Stderr))
}
