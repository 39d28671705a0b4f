// Package sdk has the files with which a puzzle module is built away from this
// repository: the SDKs for Go, C and Rust, and an example in each language.
//
// It must never hold rules of a puzzle itself, nor be linked into a module: a module in
// Go is served by package puzzle/sdk/go.
package sdk

import "embed"

// Files are the files of this folder, by their paths in it. They are never written to.
//
//go:embed go/doc.go go/exports.go go/examples/river/main.go
//go:embed c/everystate.h c/examples/river.c
//go:embed rust/everystate.rs rust/examples/river.rs
var Files embed.FS
