// Command tiles is the sliding tiles as a WebAssembly module, to compare with the
// family that is built in. See docs/WASM.md.
package main

import (
	"github.com/everystate/everystate/puzzle/tiles"
	"github.com/everystate/everystate/sdk/go"
)

func init() { sdk.Serve(tiles.Read) }

func main() {}
