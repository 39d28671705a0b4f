// Command families is all built-in families as one WebAssembly module, for comparing
// modules with them.
package main

import (
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/puzzle/sdk/go"
)

func init() { sdk.Serve(families.Read) }

func main() {}
