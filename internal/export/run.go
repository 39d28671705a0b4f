// Package export writes the states or the transitions of a run for other programs: as
// CSV, JSON Lines, Parquet, DOT, GraphML or in the Aldebaran format.
//
// Rows are in the order of query.Table, the same in every format and every time. The
// package must never hold more than a bounded number of rows, nor write anywhere
// except to the given writer and a scratch file.
package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/puzzle"
)

// A Run is a run to export.
type Run interface {
	// Dir returns the name of the run.
	Dir() string
	Board() puzzle.Board
	History() *history.History
	Space() *query.Space
	Summary(ctx context.Context) (engine.Summary, error)
}

// Options defines what of a run is written, and how.
type Options struct {
	// Format is one of Formats.
	Format string
	// Edges writes the transitions instead of the states.
	Edges bool
	// Text adds the texts of states to a Parquet table, which omits them otherwise.
	Text bool
	// Scratch is the directory of temporary files, empty for the system's.
	Scratch string
	// Written, if not nil, is called now and then with the number of states whose rows
	// have been written.
	Written func(states int64)
	// Version is the program version that a Parquet file names as its writer.
	Version string
}

// UnsuitedError reports a run that a format cannot hold.
type UnsuitedError struct{ text string }

// Error says why, and which formats can hold it.
func (e *UnsuitedError) Error() string { return e.text }

func unsuited(format string, args ...any) error {
	return &UnsuitedError{fmt.Sprintf(format, args...)}
}

// Write writes the states or transitions of a run, always in the same order. It
// returns an *UnsuitedError if the format cannot hold the run.
func Write(ctx context.Context, r Run, o Options, w io.Writer) error {
	if err := query.Whole(r.Space()); err != nil {
		return err
	}
	for _, f := range formats() {
		switch {
		case f.name != o.Format:
			continue
		case o.Edges || f.states == nil:
			return f.edges(ctx, r, &o, w)
		}
		return f.states(ctx, r, &o, w)
	}
	return fmt.Errorf("there is no format %q", o.Format)
}

// tableOptions returns the options of a table with the given rows per batch.
func (o *Options) tableOptions(rows int) query.TableOptions {
	return query.TableOptions{Rows: rows, Written: o.Written, Scratch: func() (query.Scratch, error) { return newScratch(o.Scratch) }}
}

// scratch is a temporary file that is removed when closed.
type scratch struct{ *os.File }

// newScratch creates a scratch file in a directory, by default the system's.
func newScratch(dir string) (query.Scratch, error) {
	file, err := os.CreateTemp(dir, ".everystate-export-*")
	if err != nil {
		return nil, err
	}
	return scratch{file}, nil
}

// WriteAt names the disk in the error if it is full.
func (s scratch) WriteAt(p []byte, at int64) (int, error) {
	n, err := s.File.WriteAt(p, at)
	var file *os.PathError
	if errors.As(err, &file) {
		err = fmt.Errorf("write a temporary file in %s: %w", filepath.Dir(s.Name()), file.Err)
	}
	return n, err
}

// Close removes the file.
func (s scratch) Close() error {
	return cmp.Or(s.File.Close(), os.Remove(s.Name()))
}
