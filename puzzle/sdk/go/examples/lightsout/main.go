// Command lightsout is the puzzle of docs/PUZZLES.md as a WebAssembly module.
package main

import (
	"github.com/everystate/everystate/docs/lightsout"
	"github.com/everystate/everystate/puzzle/sdk/go"
)

func init() { sdk.Serve(lightsout.Read) } //nolint:gochecknoinits // a module is asked without main being called

func main() {}
