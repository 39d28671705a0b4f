// Command everystate enumerates every state that a puzzle can reach, and
// answers questions about the space.
//
// The package only wires: a group of commands is a package below internal, in the
// file that has its name; what people see is made by those in internal/terminal, and
// everything else belongs to the packages that are wired here.
package main

import (
	"os"
)

func main() {
	os.Exit(run(os.Args, os.Stdin, os.Stdout, os.Stderr))
}
