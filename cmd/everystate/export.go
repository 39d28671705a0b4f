package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/internal/query"
)

// export holds the flags of the command.
type export struct {
	format, out string
	text, edges bool
}

// exportFormats are the values of --format and what writes them.
var exportFormats = map[string]func(ctx context.Context, r runView, f *export, w io.Writer) error{
	"csv":     exportCSV,
	"jsonl":   exportJSON,
	"parquet": exportParquet,
}

func exportCommand(env *app) *cobra.Command {
	var f export
	cmd := &cobra.Command{
		Use:   "export RUN",
		Short: "Write all states as a table",
		Long: `Export writes a row for every state: the state (its rows joined by " / "), its
depth, its predecessor, the move that leads from there, and its goal distance.
Predecessor and move are empty for a start, the goal distance where there is no
way to a goal or distances are not known; in JSON Lines they are null.

Parquet is for large spaces: a row has the depth, the goal distance, the key of
the state as a number, the move that leads to it, whether it is a goal, and its
partition; with --text the state as well (docs/FORMAT.md#parquet).

With --edges there is a row for every transition instead: the state, the move and
the state that it leads to. dot (Graphviz), graphml (Gephi, NetworkX, igraph) and
aut (Aldebaran, for CADP and mCRL2) are graphs and always have them, of a run that
is not complete those of the states that have been expanded.

Rows come in order of depth, the same in every format and every time.`,
		Example: `  everystate export jam-93 --format csv -o jam-93.csv
  everystate export jam-93 --format jsonl | jq -r 'select(.goal_distance == 0).state'
  everystate export jam-93 -o jam-93.parquet --text
  everystate export jam-93 --edges -o moves.parquet
  everystate export small-5x5 -o small-5x5.graphml`,
		Args:              exactly(1, "RUN"),
		ValidArgsFunction: completeRun,
		RunE:              func(cmd *cobra.Command, args []string) error { return runExport(env, cmd, &f, args[0]) },
	}
	cmd.Flags().StringVar(&f.format, "format", "", "`FORMAT` csv, jsonl, parquet, dot, graphml or aut (default what the name of FILE ends in, else csv)")
	cmd.Flags().StringVarP(&f.out, "output", "o", "", "write to `FILE`, which appears when it is whole (default standard output)")
	cmd.Flags().BoolVar(&f.edges, "edges", false, "a row for every transition rather than every state")
	cmd.Flags().BoolVar(&f.text, "text", false, "parquet: add a column with the state's text")
	return cmd
}

func runExport(env *app, cmd *cobra.Command, f *export, arg string) error {
	if f.format == "" {
		f.format = "csv"
		if ending := strings.TrimPrefix(filepath.Ext(f.out), "."); edgeFormats[ending] != nil {
			f.format = ending
		}
	}
	write := edgeFormats[f.format]
	if states := exportFormats[f.format]; states != nil && !f.edges {
		write = states
	}
	switch {
	case write == nil:
		return usagef(cmd, "--format: there is no format %q: there are csv, jsonl, parquet, dot, graphml and aut", f.format)
	case f.text && f.edges:
		return usagef(cmd, "--text is for states: the transitions have their keys, csv and jsonl their texts")
	case f.text && f.format != "parquet":
		return usagef(cmd, "--text is for parquet: %s does without", f.format)
	case f.format == "parquet" && f.toOutput() && env.outTerm.is():
		return usagef(cmd, "parquet is nothing for a terminal: name a file with -o FILE")
	}
	return ask(cmd.Context(), env, arg, func(r runView) error {
		to := func(o *output) error {
			err := write(cmd.Context(), r, f, o)
			return cmp.Or(o.flush(), err) // an error of the output comes back from both
		}
		var err error
		if f.toOutput() {
			err = to(env.out)
		} else {
			err = writeWhole(f.out, to)
		}
		if err == nil && !r.Space().Complete() {
			err = failf(exitIncomplete, "%s is not complete, these are the states so far: %s", r.Dir(), env.command("resume", r.Dir()))
		}
		return err
	})
}

// toOutput reports whether the rows go to standard output.
func (f *export) toOutput() bool { return f.out == "" || f.out == "-" }

// tableOptions returns how a table with so many rows a batch is made.
func (f *export) tableOptions(rows int) query.TableOptions {
	return query.TableOptions{Rows: rows, Scratch: func() (query.Scratch, error) { return newScratch(f) }}
}

// scratch is a temporary file that is gone when it is closed.
type scratch struct{ *os.File }

// newScratch makes a scratch file on the disk that the rows are written to.
func newScratch(f *export) (query.Scratch, error) {
	dir := ""
	if !f.toOutput() {
		dir = filepath.Dir(f.out)
		if info, err := os.Stat(f.out); err == nil && !info.Mode().IsRegular() {
			dir = "" // a pipe or a device
		}
	}
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
		err = failf(exitFailed, "write a temporary file in %s: %v", filepath.Dir(s.Name()), file.Err)
	}
	return n, err
}

// Close removes the file.
func (s scratch) Close() error {
	return cmp.Or(s.File.Close(), os.Remove(s.Name()))
}

// writeWhole writes a file under another name first, so that whoever sees it
// sees all of it. It follows links, and writes straight into what is no regular
// file, such as a pipe or a device.
func writeWhole(path string, write func(*output) error) (err error) {
	failed := func(err error) error {
		why := err
		// The other name would only confuse.
		var file *os.PathError
		var link *os.LinkError
		switch {
		case errors.As(err, &file):
			why = file.Err
		case errors.As(err, &link):
			why = link.Err
		}
		return &exitError{code: exitFailed, text: fmt.Sprintf("write %s: %v", path, why), cause: err}
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return failed(err)
		}
		if err := write(newOutput(path, f)); err != nil {
			_ = f.Close() // the first error is the one to tell
			return err
		}
		if err := f.Close(); err != nil {
			return failed(err)
		}
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return failed(err)
	}
	defer func() {
		if err != nil {
			// Nothing is there that was not there before.
			_ = os.Remove(f.Name()) // the first error is the one to tell
		}
	}()
	if err := write(newOutput(path, f)); err != nil {
		_ = f.Close() // as above
		return err
	}
	const readable = 0o644
	if err := errors.Join(f.Chmod(readable), f.Sync(), f.Close()); err != nil {
		return failed(err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return failed(err)
	}
	return nil
}
