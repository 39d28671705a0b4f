package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/sweep"
)

// TestParts has the parts of sweeps add up to the whole, as summaries and as databases.
func TestParts(t *testing.T) {
	t.Parallel()
	for _, rules := range [][]string{
		{"rushhour", "--size", "4x4", "--walls", "0..1"},
		{"rushhour", "--size", "5x5", "--walls", "1", "--sample", "1/40"},
		{"sokoban", emptyRoom(4), "--boxes", "3"},
	} {
		t.Run(strings.Join(rules[:1], " "), func(t *testing.T) {
			t.Parallel()
			parts(t, rules)
		})
	}
}

func parts(t *testing.T, rules []string) {
	t.Helper()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	want := sweepOf(t, append(rules, "--data", at("whole"))...)
	var files, databases []string
	for k := 1; k <= 3; k++ {
		database, file := at(fmt.Sprint(k)), at(fmt.Sprintf("%d.json", k))
		part := append([]string{"sweep"}, append(rules, "--part", fmt.Sprintf("%d/3", k), "--data", database, "--json", "-q")...)
		summary := must(t, part...)
		if err := os.WriteFile(file, []byte(summary), 0o600); err != nil {
			t.Fatal(err)
		}
		files, databases = append(files, file), append(databases, database)
	}
	same := func(what, out string) {
		var got sweep.SweepJSON
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err)
		}
		if !got.Complete || got.Digest != want.Digest || got.OfRecords != want.OfRecords || got.UnitsAll != want.UnitsAll || !reflect.DeepEqual(got.Totals, want.Totals) {
			t.Errorf("%s: %+v, want %+v", what, got, want)
		}
	}
	same("sum", must(t, append([]string{"sweep", "sum", "--json"}, files...)...))
	same("merged", must(t, append([]string{"db", "merge", at("merged"), "--json"}, databases...)...))
	if a, b := contents(t, at("merged")), contents(t, at("whole")); a != b {
		t.Error("the records of the merged database differ")
	}
	hardestOf(t, at("whole"))
	hardestOf(t, at("2"), "--part", "2/3")
	some := call("", append([]string{"sweep", "sum"}, files[:2]...)...)
	if some.code != exit.Incomplete || !strings.Contains(some.errs, "not the whole sweep: 2 of 3 parts are there (1-2/3)") {
		t.Errorf("exit %d: %s", some.code, some.errs)
	}
	if r := call("", "sweep", "sum", files[0], files[0]); r.code != exit.Usage || !strings.Contains(r.errs, "part 1/3 is there twice") {
		t.Errorf("exit %d: %s", r.code, r.errs)
	}
	if r := call("", "db", "merge", at("some"), databases[0]); want.UnitsAll > 3 && (r.code != exit.Incomplete || !strings.Contains(r.errs, "is not complete: it has")) {
		t.Errorf("exit %d: %s", r.code, r.errs)
	}
}

// hardestOf holds that a sweep's hardest puzzles are in the order of its database.
func hardestOf(t *testing.T, data string, part ...string) {
	t.Helper()
	lines := linesOf(call("", "db", "filter", data, "--json").out)
	for i, r := range sweepOf(t, append([]string{"resume", data, "--top", "1000"}, part...)...).Top {
		if !strings.Contains(lines[i], `"board":"`+r.Board+`"`) {
			t.Errorf("%s: record %d is %s, want %s", data, i, lines[i], r.Board)
			return
		}
	}
}

// TestPartsOfDifferentSweeps are refused, but for those of versions that left out
// different boards: of these only what does not depend on that adds up.
func TestPartsOfDifferentSweeps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write := func(name string, args ...string) string {
		out := must(t, append([]string{"sweep", "rushhour", "--size", "4x4", "--data", at(name), "--json", "-q"}, args...)...)
		if err := os.WriteFile(at(name+".json"), []byte(out), 0o600); err != nil {
			t.Fatal(err)
		}
		return at(name + ".json")
	}
	one, two := write("one", "--part", "1/2"), write("two", "--part", "2/2", "--exhaustive")
	whole := sweepOf(t, "rushhour", "--size", "4x4", "--data", at("whole"))
	var sum sweep.SweepJSON
	if err := json.Unmarshal([]byte(must(t, "sweep", "sum", one, two, "--json")), &sum); err != nil {
		t.Fatal(err)
	}
	if sum.OfRecords != whole.OfRecords || sum.Puzzles != whole.Puzzles || sum.PuzzleStates != whole.PuzzleStates || sum.Digest != "" || sum.States != 0 {
		t.Errorf("%+v", sum)
	}
	step := write("step", "--part", "2/2", "--metric", "step")
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"sweep", "sum", one, step}, "is a sweep with different rules: it has metric: step, not metric: slide"},
		{[]string{"db", "merge", at("one"), at("step")}, "is a sweep with different rules"},
		{[]string{"sweep", "sum", at("none.json")}, "none.json: no such file"},
		{[]string{"sweep", "sum", puzzleFile(t, "small-5x5.txt")}, "small-5x5.txt: must be the summary of a part, as sweep --part K/N --json prints it"},
		{[]string{"sweep", "rushhour", "--size", "4x4", "--part", "3/2"}, "--part 3/2: there is no part 3 of 2"},
		{[]string{"sweep", "rushhour", "--size", "4x4", "--part", "1/2", "--coordinator", "127.0.0.1:1"}, "leave out --part"},
	} {
		if r := call("", test.args...); r.code != exit.Usage || !strings.Contains(r.errs, test.want) {
			t.Errorf("%v: exit %d: %s", test.args, r.code, r.errs)
		}
	}
}
