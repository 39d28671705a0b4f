// Package paged enumerates spaces whose tables do not fit in memory (package table): a table is
// kept as pages on a Disk, and so are candidates that do not fit.
//
// It must find the same states, depths, links, counts and digests as a search in memory. It
// must never use files, journals or clocks: its caller provides the Disk.
package paged

import "github.com/everystate/everystate/internal/table"

// Disk keeps the pages of a search, and candidates that do not fit in memory.
type Disk interface {
	table.Pages

	// WritePage replaces a page. It is safe for concurrent use.
	WritePage(page int, words []uint64) error

	// Spill adds candidates to those of a Kind and a depth: for each range in turn, next
	// appends them to a buffer, as bytes. It is safe for concurrent use.
	Spill(kind Kind, depth uint32, next func(at int, b []byte) []byte) error

	// Spilled reports whether a range has such candidates, and EachSpilled calls f with
	// them, some at a time. It uses buf and returns it, perhaps grown.
	Spilled(kind Kind, depth uint32, at int) bool
	EachSpilled(kind Kind, depth uint32, at int, buf []byte, f func(candidates []byte)) ([]byte, error)

	// Drop says that no candidates are needed any more below a depth.
	Drop(below uint32) error
}

// Kind tells candidates that are spilled from one another.
type Kind uint8

const (
	// Candidates may be states of their layer.
	Candidates Kind = iota + 1
	// Found are the states of their layer.
	Found
)
