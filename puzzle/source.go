package puzzle

import "embed"

// Source is the source of this package, but for this file: what a module in Go that is
// built away from the repository compiles. It is never written to.
//
//go:embed board.go optional.go puzzle.go ranks.go
var Source embed.FS
