package main

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/test/effort"
	"github.com/everystate/everystate/internal/test/truth"
	"github.com/everystate/everystate/tools/measure"
)

func TestParse(t *testing.T) {
	t.Parallel()
	o, err := parse([]string{"-max", "7", "-only", "a,b"}, io.Discard)
	if err != nil || o.statesMax != 7 || strings.Join(o.only, " ") != "a b" {
		t.Errorf("%+v, %v", o, err)
	}
	for _, args := range [][]string{{"-max", "-1"}, {"board"}, {"-nonsense"}} {
		if _, err := parse(args, io.Discard); !errors.Is(err, measure.ErrUsage) {
			t.Errorf("%q: %v", args, err)
		}
	}
	if _, err := parse([]string{"-help"}, io.Discard); !errors.Is(err, flag.ErrHelp) {
		t.Error(err)
	}
}

// TestSpaces checks that every space has a record, and what is left out.
func TestSpaces(t *testing.T) {
	t.Parallel()
	records, err := truth.ReadAll("../..")
	if err != nil {
		t.Fatal(err)
	}
	all, err := (&options{}).spaces(records)
	if err != nil || len(all) != len(chosen)+1 || all[len(all)-1].name != "tiles-3x4-solved/tile" {
		t.Errorf("%d spaces, %v", len(all), err)
	}
	some, err := (&options{statesMax: 30_000_000, only: []string{"peg", "cube2-solved/h"}}).spaces(records)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range some {
		names = append(names, s.name+": "+s.compared())
	}
	want := "peg-rect5x5-22/jump: layers; cube2-solved/htm: layers, distances; peg-english-centre/jump, merged: layers, represented"
	if got := strings.Join(names, "; "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, err := (&options{}).spaces(records[:1]); err == nil {
		t.Error("records that are missing were passed over")
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	got := table([]row{{
		space: space{name: "a", known: "b"}, found: engine.Summary{States: 1234, Layers: []int64{1, 1233}, Digest: "d"},
		seconds: 1.5, cpuSeconds: 0.25, peakBytes: 3 << 20, diskBytes: 1 << 19,
	}})
	want := "puzzle  states  layers  equal are  to those of  seconds  cpu s  peak MiB  disk MiB  digest\n" +
		"a        1,234       2     layers            b     1.50  0.250         3       0.5       d\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestExplore explores a space of moments, and has the program disagree with what
// is known of it and of merged states.
func TestExplore(t *testing.T) {
	t.Parallel()
	effort.Needed(t, "builds the program")
	dir := t.TempDir()
	binary, err := build(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	var out, notes bytes.Buffer
	if err := run(t.Context(), []string{"-only", "klotski", "-dir", t.TempDir(), "-program", binary}, &out, &notes); err != nil {
		t.Fatalf("%v\n%s", err, notes.String())
	}
	if strings.Count(out.String(), "25,955") != 3 || !strings.Contains(out.String(), "layers, distances") {
		t.Errorf("%s", out.String())
	}

	l := library{binary: binary, scratch: dir, notes: io.Discard}
	states, moves := int64(1), 1
	for want, r := range map[string]truth.Record{
		"2 states, want 1": {Format: "tiles", Metric: "tile", Input: "1 0", Reachable: &states},
		"stand for [0 0]":  {Format: "peg", Metric: "jump", Input: "oo.", SolutionLength: &moves, Represented: []int64{1, 2}},
		"bad board":        {Format: "tiles", Metric: "tile", Input: "1 1"},
	} {
		_, err := l.explore(t.Context(), space{Record: r})
		if err == nil || want != "bad board" && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if left, err := os.ReadDir(filepath.Join(dir, "run")); err == nil {
		t.Errorf("left behind: %v", left)
	}
}
