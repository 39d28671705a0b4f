package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/export"
	"github.com/everystate/everystate/puzzle"
)

// parquetRow is a row as the library reads it.
type parquetRow struct {
	Depth        int32   `parquet:"depth"`
	GoalDistance *int32  `parquet:"goal_distance"`
	Key          uint64  `parquet:"key"`
	MoveID       *int32  `parquet:"move_id"`
	Move         *string `parquet:"move"`
	Goal         bool    `parquet:"goal"`
	Partition    int32   `parquet:"partition"`
	State        string  `parquet:"state"`
	Predecessor  *string `parquet:"predecessor"`
}

func readParquet(t *testing.T, body []byte) (*parquet.File, []parquetRow) {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	rows := make([]parquetRow, f.NumRows())
	r := parquet.NewGenericReader[parquetRow](f)
	if n, err := r.Read(rows); n != len(rows) || err != nil && !errors.Is(err, io.EOF) {
		t.Fatalf("%d of %d rows: %v", n, len(rows), err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return f, rows
}

// openRun opens the run in a directory for questions.
func openRun(t *testing.T, dir string) *engine.Run {
	t.Helper()
	r, err := engine.Open(dir, engine.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func orNothing[T any](value *T, text func(T) string) string {
	if value == nil {
		return ""
	}
	return text(*value)
}

// A Parquet file has the rows of the CSV file in the same order, and says what
// puzzle it is of.
func TestExportParquet(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	for _, distances := range []bool{false, true} {
		args := []string{"explore", puzzleFile(t, "small-5x5.txt"), "--run", dir, "--json", "--quiet"}
		if distances {
			args = append(args, "--goal-distance")
		}
		must(t, args...)
		file := filepath.Join(t.TempDir(), "states.parquet")
		must(t, "export", dir, "-o", file, "--text")
		body := readFileText(t, file)
		if again := must(t, "export", dir, "--format", "parquet", "--text"); again != body {
			t.Error("two exports are not the same")
		}
		f, rows := readParquet(t, []byte(body))
		csv := strings.Split(strings.TrimSpace(must(t, "export", dir)), "\n")[1:]
		if len(csv) != len(rows) {
			t.Fatalf("%d rows, CSV has %d", len(rows), len(csv))
		}
		board := must(t, "export", dir, "--format", "parquet") // without text
		if _, plain := readParquet(t, []byte(board)); len(plain) != len(rows) || plain[0].State != "" || plain[1].Predecessor != nil {
			t.Errorf("without --text: %d rows, %+v", len(plain), plain[0])
		}
		r := openRun(t, dir)
		p := r.Board().Puzzle
		for i, row := range rows {
			key, err := p.Parse(row.State)
			if err != nil || key[0] != row.Key {
				t.Fatalf("row %d: the text is of %x, the key is %x: %v", i, key, row.Key, err)
			}
			rec := make([]uint64, r.Space().Scheme.Stride())
			if part := r.Space().Scheme.Record(rec, key, 0); int32(part) != row.Partition {
				t.Errorf("row %d: partition %d, want %d", i, row.Partition, part)
			}
			goal := []bool{false}
			if p.Goals(key, goal); goal[0] != row.Goal {
				t.Errorf("row %d: goal is %t", i, row.Goal)
			}
			predecessor := ""
			if row.MoveID != nil {
				before := make([]uint64, 1)
				if !p.Undo(before, key, puzzle.Move(*row.MoveID)) || p.FormatMove(puzzle.Move(*row.MoveID)) != *row.Move {
					t.Fatalf("row %d: move %d is not %q", i, *row.MoveID, *row.Move)
				}
				predecessor = strings.ReplaceAll(p.Format(before), "\n", " / ")
			}
			if got := orNothing(row.Predecessor, strings.Clone); got != predecessor || (row.Predecessor == nil) != (row.Depth == 0) {
				t.Fatalf("row %d: the predecessor is %q, want %q", i, got, predecessor)
			}
			got := strings.Join([]string{
				row.State, strconv.Itoa(int(row.Depth)), predecessor,
				orNothing(row.Move, func(s string) string { return s }),
				orNothing(row.GoalDistance, func(d int32) string { return strconv.Itoa(int(d)) }),
			}, ",")
			if got != csv[i] || (row.MoveID == nil) != (row.Depth == 0) {
				t.Fatalf("row %d is %s, want %s", i, got, csv[i])
			}
		}
		summary, err := r.Summary(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for key, want := range map[string]string{
			"everystate.puzzle": r.Board().Text, "everystate.metric": "step", "everystate.digest": summary.Digest,
			"everystate.version": build().String(), "everystate.states": "151", "everystate.complete": "true",
			"everystate.goal_distances": strconv.FormatBool(distances),
		} {
			if got, ok := f.Lookup(key); !ok || got != want {
				t.Errorf("%s is %q, want %q", key, got, want)
			}
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

// An export that is stopped, or finds the disk full, leaves no file and says so
// in one line.
func TestExportLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	must(t, "explore", puzzleFile(t, "jam-93.txt"), "--run", dir, "--json", "--quiet", "--goal-distance")
	r := openRun(t, dir)
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, format := range []string{"csv", "jsonl", "parquet"} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		out := t.TempDir()
		file := filepath.Join(out, "states."+format)
		o := export.Options{Format: format, Scratch: out}
		err := shell.WriteWhole(file, func(out *shell.Output) error { return export.Write(ctx, r, o, out) })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s, stopped: %v", format, err)
		}
		full := shell.NewOutput(file, fullDisk{})
		err = cmp.Or(export.Write(t.Context(), r, o, full), full.Flush())
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s, full disk: %v", format, err)
		}
		if text, code := exit.Of(full.Flush()); code != exit.Failed || strings.Contains(text, "\n") || !strings.Contains(text, "no space left") {
			t.Errorf("%s, full disk: exit %d: %s", format, code, text)
		}
		if entries, err := os.ReadDir(out); err != nil || len(entries) > 0 {
			t.Errorf("%s: something was left behind: %v, %v", format, entries, err)
		}
	}
}

// fullDisk is a file on a disk that is full.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "somewhere", Err: syscall.ENOSPC}
}

func TestExportUsage(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	must(t, "explore", puzzleFile(t, "small-4x4.txt"), "--run", dir, "--json", "--quiet")
	for _, args := range [][]string{{"--format", "xml"}, {"--format", "csv", "--text"}, {"--text"}} {
		if r := call("", append([]string{"export", dir}, args...)...); r.code != exit.Usage || strings.Count(r.errs, "\n") != 1 {
			t.Errorf("%v: exit %d: %s", args, r.code, r.errs)
		}
	}
}
