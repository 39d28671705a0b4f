// Command tiles is sliding tiles as a WebAssembly module, for comparison with the
// built-in family. See docs/WASM.md.
package main

import (
	"github.com/everystate/everystate/puzzle/sdk/go"
	"github.com/everystate/everystate/puzzle/tiles"
)

func init() { sdk.Serve(tiles.Read) } //nolint:gochecknoinits // a module is asked without main being called

func main() {}
