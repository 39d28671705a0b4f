package puzzle

import "embed"

// Source holds the source of this package except this file, for compiling a Go module
// outside the repository. It must not be modified.
//
//go:embed board.go fold.go optional.go puzzle.go ranks.go symmetric.go
var Source embed.FS
