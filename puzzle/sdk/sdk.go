// Package sdk holds the files for building a puzzle module outside this repository:
// the SDKs for Go, C and Rust, and an example in each language.
//
// It must never contain rules of a puzzle, nor be linked into a module: package
// puzzle/sdk/go serves a module in Go.
package sdk

import "embed"

// Files are the files of this folder, by their paths in it. They must not be modified.
//
//go:embed go/doc.go go/exports.go go/examples/river/main.go
//go:embed c/everystate.h c/examples/river.c
//go:embed rust/everystate.rs rust/examples/river.rs
var Files embed.FS
