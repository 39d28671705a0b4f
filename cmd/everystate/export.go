package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/query"
)

// export holds the flags of the command.
type export struct{ format, out string }

func (a *app) exportCommand() *cobra.Command {
	var f export
	cmd := &cobra.Command{
		Use:   "export RUN",
		Short: "Write all states as a table",
		Long: `Export writes a row for every state: the state (its rows joined by " / "), its
depth, its predecessor, the move that leads from there, and its goal distance.
Predecessor and move are empty for a start, the goal distance where there is no
way to a goal or distances are not known; in JSON Lines they are null.`,
		Example: `  everystate export jam-93 --format csv -o jam-93.csv
  everystate export jam-93 --format jsonl | jq -r 'select(.goal_distance == 0).state'`,
		Args:              exactly(1, "RUN"),
		ValidArgsFunction: completeRun,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.export(cmd, &f, args[0]) },
	}
	cmd.Flags().StringVar(&f.format, "format", "", "`FORMAT` csv or jsonl (default what the name of FILE ends in, else csv)")
	cmd.Flags().StringVarP(&f.out, "output", "o", "", "write to `FILE`, which appears when it is whole (default standard output)")
	return cmd
}

func (a *app) export(cmd *cobra.Command, f *export, arg string) error {
	if f.format == "" {
		f.format = "csv"
		if strings.HasSuffix(f.out, ".jsonl") {
			f.format = "jsonl"
		}
	}
	if f.format != "csv" && f.format != "jsonl" {
		return usagef(cmd, "--format: there is no format %q: there are csv and jsonl", f.format)
	}
	return a.ask(cmd.Context(), arg, func(r runView) error {
		write := func(o *output) error {
			err := writeRows(cmd.Context(), r, f.format, o)
			return firstError(o.flush(), err) // an error of the output comes back from both
		}
		var err error
		if f.out == "" || f.out == "-" {
			err = write(a.out)
		} else {
			err = writeWhole(f.out, write)
		}
		if err == nil && !r.Space().Complete() {
			err = failf(exitIncomplete, "%s is not complete, these are the states so far: %s", r.Dir(), a.command("resume", r.Dir()))
		}
		return err
	})
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

// row is a line of the export. Empty texts and -1 stand for what is not there.
type row struct {
	state              string
	depth              int
	predecessor, move  string
	goalDistance       int
	start, hasDistance bool
}

func writeRows(ctx context.Context, r runView, format string, w io.Writer) error {
	appendRow := appendCSV
	if format == "jsonl" {
		appendRow = appendJSON
	} else if _, err := io.WriteString(w, "state,depth,predecessor,move,goal_distance\n"); err != nil {
		return err
	}
	puzzle := r.Board().Puzzle
	var line []byte
	return r.Space().Rows(ctx, func(q query.Row) error {
		out := row{
			state: oneLineBoard(puzzle.Format(q.State)), depth: q.Depth,
			goalDistance: q.GoalDistance, hasDistance: q.GoalDistance >= 0, start: q.Predecessor == nil,
		}
		if !out.start {
			out.predecessor = oneLineBoard(puzzle.Format(q.Predecessor))
			out.move = puzzle.FormatMove(q.Move)
		}
		line = appendRow(line[:0], &out)
		_, err := w.Write(line)
		return err
	})
}

func oneLineBoard(text string) string { return strings.ReplaceAll(text, "\n", " / ") }

func appendCSV(line []byte, r *row) []byte {
	line = append(appendCSVText(line, r.state), ',')
	line = append(strconv.AppendInt(line, int64(r.depth), 10), ',')
	line = append(appendCSVText(line, r.predecessor), ',')
	line = append(appendCSVText(line, r.move), ',')
	if r.hasDistance {
		line = strconv.AppendInt(line, int64(r.goalDistance), 10)
	}
	return append(line, '\n')
}

// appendCSVText quotes a field if RFC 4180 asks for it.
func appendCSVText(line []byte, text string) []byte {
	if !strings.ContainsAny(text, ",\"\r\n") {
		return append(line, text...)
	}
	line = append(line, '"')
	line = append(line, strings.ReplaceAll(text, `"`, `""`)...)
	return append(line, '"')
}

func appendJSON(line []byte, r *row) []byte {
	line = appendJSONText(append(line, `{"state":`...), r.state)
	line = strconv.AppendInt(append(line, `,"depth":`...), int64(r.depth), 10)
	if r.start {
		line = append(line, `,"predecessor":null,"move":null`...)
	} else {
		line = appendJSONText(append(line, `,"predecessor":`...), r.predecessor)
		line = appendJSONText(append(line, `,"move":`...), r.move)
	}
	line = append(line, `,"goal_distance":`...)
	if r.hasDistance {
		line = strconv.AppendInt(line, int64(r.goalDistance), 10)
	} else {
		line = append(line, "null"...)
	}
	return append(line, "}\n"...)
}

func appendJSONText(line []byte, text string) []byte {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(fmt.Sprintf("%q cannot be quoted: %v", text, err)) // any string can
	}
	return append(line, quoted...)
}
