// Package export writes the states of a run, or its transitions, for other programs:
// as CSV, JSON Lines, Parquet, DOT, GraphML or in the Aldebaran format.
//
// Rows come in the order of query.Table, the same in every format and every time. It
// holds a bounded number of rows, never a whole space, and writes to what it is given.
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

// An Run is what is exported.
type Run interface {
	// Dir returns what the run is called.
	Dir() string
	Board() puzzle.Board
	History() *history.History
	Space() *query.Space
	Summary(ctx context.Context) (engine.Summary, error)
}

// Options says what is written of a run, and how.
type Options struct {
	// Format is one of Formats.
	Format string
	// Edges asks for the transitions rather than the states.
	Edges bool
	// Text adds the texts of states to a Parquet table, whose rows have none.
	Text bool
	// Scratch is the directory of temporary files, empty for the system's.
	Scratch string
	// Version is what wrote the file, as it says.
	Version string
}

// UnsuitedError tells of a run that a format cannot hold.
type UnsuitedError struct{ text string }

// Error says why, and which formats can.
func (e *UnsuitedError) Error() string { return e.text }

func unsuited(format string, args ...any) error {
	return &UnsuitedError{fmt.Sprintf(format, args...)}
}

// Write writes the states of a run, or its transitions, in an order that is always
// the same. It fails with an UnsuitedError if the format cannot hold the run.
func Write(ctx context.Context, r Run, o Options, w io.Writer) error {
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

// tableOptions returns how a table with so many rows a batch is made.
func (o *Options) tableOptions(rows int) query.TableOptions {
	return query.TableOptions{Rows: rows, Scratch: func() (query.Scratch, error) { return newScratch(o.Scratch) }}
}

// scratch is a temporary file that is gone when it is closed.
type scratch struct{ *os.File }

// newScratch makes a scratch file in a directory, that of the system if it is empty.
func newScratch(dir string) (query.Scratch, error) {
	file, err := os.CreateTemp(dir, ".everystate-export-*")
	if err != nil {
		return nil, err
	}
	return scratch{file}, nil
}

// WriteAt says of which disk it is that there is no more room.
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
