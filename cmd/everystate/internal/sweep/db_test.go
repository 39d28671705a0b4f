package sweep

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/database"
	"github.com/everystate/everystate/internal/sweep/rushhour"
	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// swept sweeps square boards. 4x4 has 32 records, 5x5 has 1,730.
func swept(t *testing.T, side int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "swept")
	e, err := rushhour.New(rules.Rules{Size: rules.Square(side), ExitRow: -1, Reduced: true})
	if err != nil {
		t.Fatal(err)
	}
	db, err := database.Create(dir, e.Rules(), database.Options{Units: e.Units()})
	if err != nil {
		t.Fatal(err)
	}
	env := &shell.Env{Out: shell.NewOutput("out", new(bytes.Buffer)), Err: new(bytes.Buffer)}
	if err := SweepInto(t.Context(), env, &Sweeping{Workers: 1, Quiet: true}, e, db, dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestStopped stops what draws and exports records: it ends as db grade does, and leaves
// no file.
func TestStopped(t *testing.T) {
	t.Parallel()
	data, dir := swept(t, 4), t.TempDir()
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	file := filepath.Join(dir, "file")
	for _, args := range [][]string{
		{"draw", data, "--format", "svg", "-o", file},
		{"draw", data, "--format", "pdf", "--cards", "-n", "100", "-o", file},
		{"export", data, "--format", "pack", "-o", file},
		{"export", data, "--format", "pack", "-q", "-n", "12"},
	} {
		var errs bytes.Buffer
		env := &shell.Env{Name: "everystate", Out: shell.NewOutput("out", new(bytes.Buffer)), Err: &errs}
		cmd := DatabaseCommand(env)
		cmd.SilenceUsage, cmd.SilenceErrors = true, true
		cmd.SetArgs(args)
		text, code := exit.Of(cmd.ExecuteContext(stopped))
		want := "stopped after 0 of 12 records\n"
		if slices.Contains(args, "100") || !slices.Contains(args, "-n") && args[0] == "export" {
			want = "stopped after 0 of 32 records\n"
		}
		if code != exit.Incomplete || text != "" || errs.String() != want {
			t.Errorf("%q: exit %d, %q, %q", args, code, text, errs.String())
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
			t.Errorf("%q: %v leaves %v", args, err, entries)
		}
	}
}

// TestStoppedBetweenRecords stops after some record, or after the last, and tells how
// many are done.
func TestStoppedBetweenRecords(t *testing.T) {
	t.Parallel()
	data := swept(t, 4)
	d, err := openDatabase(data, data, database.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	for last, want := range map[int]string{3: "stopped after 3 of 5 records\n", 5: "stopped after 5 of 5 records\n", 0: ""} {
		ctx, cancel := context.WithCancel(t.Context())
		var errs bytes.Buffer
		env := &shell.Env{Err: &errs}
		s := selection{by: "distance", n: 5}
		s.flags(DatabaseCommand(env).Flags())
		view, seen := d.steps(env, "draw", "drawing "), 0
		n, err := d.each(ctx, env, true, view, &s, func(*sweep.Record) error {
			if seen++; seen == last {
				cancel()
			}
			return nil
		})
		cancel()
		if _, code := exit.Of(err); (code == exit.Incomplete) != (last > 0) || n != seen || errs.String() != want {
			t.Errorf("%d: %d of %d, exit %d, %q", last, n, seen, code, errs.String())
		}
		if line := `progress phase=draw percent=80 doing="4 of 5 records" run="` + data + `"`; last != 3 && view.Line() != line {
			t.Errorf("it shows %s, want %s", view.Line(), line)
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestStoppedGrading does not count before it has read the records.
func TestStoppedGrading(t *testing.T) {
	t.Parallel()
	data := swept(t, 5)
	d, err := openDatabase(data, data, database.Options{})
	if err != nil {
		t.Fatal(err)
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	var errs bytes.Buffer
	err = gradeAll(stopped, &shell.Env{Name: "everystate", Err: &errs}, &dbGrade{workers: 1, quiet: true}, d)
	if _, code := exit.Of(err); code != exit.Incomplete || errs.String() != "stopped; records that have measures keep them\ncontinue with: everystate db grade "+data+"\n" {
		t.Errorf("exit %d, %s", code, errs.String())
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
