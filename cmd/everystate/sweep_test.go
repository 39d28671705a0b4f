package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/database"
)

// sweepOf runs a sweep to its end and returns what it says.
func sweepOf(t *testing.T, args ...string) (s sweep.SweepJSON) {
	t.Helper()
	out := must(t, append([]string{"sweep"}, append(args, "--json", "--quiet")...)...)
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return s
}

func TestSweep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := sweepOf(t, "rushhour", "--size", "4x4", "--data", dir, "--top", "2")
	if !s.Complete || s.Puzzles != 32 || s.States+s.Passed != 9304 || s.Passed == 0 || s.Records != 32 || s.Data != dir ||
		len(s.Top) != 2 || s.Top[0].Board != "BBoFAAoFECCCEoDD" || s.Top[0].Distance != 7 || s.Top[0].States != 34 {
		t.Errorf("it says %+v", s)
	}
	// Everything visited has the same records.
	e := sweepOf(t, "rushhour", "--size", "4x4", "--data", t.TempDir(), "--exhaustive")
	if e.Clusters != 880 || e.States != 9304 || e.Passed != 0 || e.OfRecords != s.OfRecords || e.Digest == s.Digest || e.PuzzleStates != s.PuzzleStates {
		t.Errorf("exhaustive it says %+v, reduced %+v", e, s)
	}
	// Again it answers at once, and with other rules not at all.
	if again := sweepOf(t, "resume", dir); again.Digest != s.Digest || again.OfRecords != s.OfRecords || again.Units != s.Units {
		t.Errorf("again: %+v, before %+v", again, s)
	}
	r := call("", "sweep", "rushhour", "--size", "4x4", "--metric", "step", "--data", dir)
	if r.code != exit.Usage || !strings.Contains(r.errs, "is a sweep with different rules: it has metric: slide, not metric: step; name another directory with --data") {
		t.Errorf("exit %d: %s", r.code, r.errs)
	}
	if r := call("", "sweep", "resume", filepath.Join(dir, "none")); r.code != exit.Usage || !strings.Contains(r.errs, "no sweep database there") {
		t.Errorf("exit %d: %s", r.code, r.errs)
	}
	if r := call("", "hardest", dir); r.code != exit.Usage || !strings.Contains(r.errs, dir+" is a sweep, not a run: everystate db shows what it found") {
		t.Errorf("exit %d: %s", r.code, r.errs)
	}
	nowhere := filepath.Join(dir, "none", "x.json")
	if r := call("", "solve", "AA.B/...B/....", "-o", nowhere); r.code != exit.Usage || !strings.Contains(r.errs, "write "+nowhere+": there is no directory "+filepath.Dir(nowhere)) {
		t.Errorf("exit %d: %s", r.code, r.errs)
	}
	for _, test := range []struct {
		readOnly bool
		args     []string
		code     int
		want     string
	}{
		{false, []string{"sweep", "resume", dir}, exit.Failed, dir + ": a sweep or db grade is writing to it: try again when that has finished"},
		{false, []string{"db", "top", dir}, exit.Failed, dir + ": a sweep or db grade is writing to it: try again when that has finished"},
		{true, []string{"sweep", "resume", dir}, exit.Failed, dir + ": another command is reading it: try again when that has finished"},
		{true, []string{"db", "top", dir}, exit.Complete, "BBoFAAoFECCCEoDD"},
	} {
		db, err := database.Open(dir, database.Options{ReadOnly: test.readOnly})
		if err != nil {
			t.Fatal(err)
		}
		other := exec.CommandContext(t.Context(), os.Args[0], test.args...)
		other.Env = append(os.Environ(), beProgram+"=1")
		if said, err := other.CombinedOutput(); other.ProcessState.ExitCode() != test.code || !strings.Contains(string(said), test.want) {
			t.Errorf("%q beside a reader (%v): %v: %s", test.args, test.readOnly, err, said)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ args, want string }{
		{"--size 4x9", "--size 4x9: must be rows x columns, each from 3 to 8, as in 6x6"},
		{"--size 4", "--size 4: must be rows x columns, each from 3 to 8, as in 6x6"},
		{"--walls 2..1", "walls 2 to 1: must be 0 or more, the smaller number first"},
		{"--per-type q2=1", `--per-type q2=1: "q2=1": must be h or v, a length, = and a maximum, such as h3=2`},
		{"--sample 2/3", "--sample 2/3: must be 1/N, meaning one in N"},
		{"--min-distance -1", "everystate: --min-distance -1: must be 0 or more"},
		{"--metric leap", "--metric leap: must be slide or step"},
		{"--exit-row 7 --size 4x4", "exit row 7: a board of 4 rows has rows 0 to 3"},
	} {
		r := call("", append([]string{"sweep", "rushhour", "--data", filepath.Join(dir, "none")}, strings.Fields(test.args)...)...)
		if r.code != exit.Usage || !strings.Contains(r.errs, test.want) {
			t.Errorf("%s: exit %d: %s", test.args, r.code, r.errs)
		}
	}
}

// TestKilledSweepGoesOn kills a sweep several times, wherever it is, and has it
// gone on with by other numbers of workers: the database in the end is that of a
// sweep that was left in peace.
func TestKilledSweepGoesOn(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no signals")
	}
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, rules := range [][]string{
		{"rushhour", "--size", "5x5", "--metric", "step"},
		{"sokoban", emptyRoom(5), "--boxes", "4", "--sample", "1/8"},
	} {
		t.Run(rules[0], func(t *testing.T) {
			t.Parallel()
			killed(t, rules)
		})
	}
}

func killed(t *testing.T, rules []string) {
	t.Helper()
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole")
	want := sweepOf(t, append(rules, "--data", whole)...)
	killed := filepath.Join(dir, "killed")
	var last uint64
	for _, workers := range []string{"1", "3", "2"} {
		cmd := exec.CommandContext(t.Context(), os.Args[0],
			append(append([]string{"sweep"}, rules...), "--data", killed, "--workers", workers, "--quiet")...)
		cmd.Env = append(os.Environ(), beProgram+"=1")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		select { // wherever that is: any moment must do
		case <-time.After(400 * time.Millisecond):
		case <-t.Context().Done():
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		if db, err := database.Open(killed, database.Options{ReadOnly: true}); err == nil {
			units := db.Totals().Units
			if units < last {
				t.Errorf("%d units are left of %d", units, last)
			}
			last = units
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("killed three times, it had %d of %d units", last, want.Units)
	got := sweepOf(t, append(rules, "--data", killed)...)
	if got.Digest != want.Digest || got.Units != want.Units || got.Records != want.Records || got.Records == 0 {
		t.Errorf("killed and resumed: %+v, want %+v", got.Totals, want.Totals)
	}
	if a, b := contents(t, killed), contents(t, whole); a != b {
		t.Error("the records of the databases differ")
	}
}

// contents returns the boards of a database in the order of every index.
func contents(t *testing.T, dir string) string {
	t.Helper()
	db, err := database.Open(dir, database.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	var all strings.Builder
	for _, order := range []database.Order{database.ByID, database.ByDistance, database.ByStates, database.ByPieces, database.BySecond} {
		for r, err := range db.Records(order) {
			if err != nil {
				t.Fatal(err)
			}
			all.WriteString(r.Board)
			all.WriteByte('\n')
		}
	}
	return all.String()
}
