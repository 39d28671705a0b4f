// Command families is every family that is built in as one WebAssembly module, to
// compare modules with them.
package main

import (
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/puzzle/sdk/go"
)

func init() { sdk.Serve(families.Read) }

func main() {}
