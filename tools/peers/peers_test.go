package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/everystate/everystate/tools/measure"
	"github.com/everystate/everystate/tools/peers/models"
)

var update = flag.Bool("update", false, "rewrite the files in testdata")

// TestReport has results whose every number can be computed in the head.
func TestReport(t *testing.T) {
	t.Parallel()
	spin, rumur := comparedWith()[0], comparedWith()[len(comparedWith())-1]
	samples := func(seconds float64, peak, disk int64) []sample {
		var all []sample
		for _, load := range []float64{1, 3, 1.5} {
			all = append(all, sample{seconds * load, peak, disk})
		}
		return all
	}
	r := report{
		machine: measure.Machine{CPU: "Abacus", Cores: 2, MemoryBytes: 3 << 30, System: "linux/amd64", Go: "go1.26", Commit: "abc", Date: time.Unix(0, 0).UTC()},
		rounds:  3,
		tools:   []*toolThere{{spin, "Spin 1"}, {rumur, "Rumur 2"}},
		boards: []*boardResult{
			{name: "first", states: 2_000_000, rows: []*row{
				{tool: everystate2, samples: samples(1, 40<<20, 8<<20)},
				{tool: spin.name, build: 1.25, samples: samples(2, 80<<20, 0)},
				{tool: rumur.name, build: 0.5, samples: samples(0.5, 20<<20, 0)},
			}},
			{name: "second", states: 1000, rows: []*row{
				{tool: everystate2, samples: samples(1, 40<<20, 4096)},
				{tool: spin.name, err: fmt.Errorf("%w in 1s", errUnfinished)},
				{tool: rumur.name, err: errors.New("it found 999 states, but Everystate found 1000")},
			}},
		},
	}
	golden := filepath.Join("testdata", "report.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(r.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.String(); got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if err := r.errors(); err == nil || strings.Contains(err.Error(), spin.name) || !strings.Contains(err.Error(), "999") {
		t.Errorf("got %v, want the wrong count alone", err)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	spin, rumur := comparedWith()[0].kind, comparedWith()[len(comparedWith())-1].kind
	for _, c := range []struct {
		kind   *kind
		out    string
		states int64
		right  bool
	}{
		{spin, "State-vector 20 byte, depth reached 186, errors: 0\n      360 states, stored\n", 360, true},
		{spin, "State-vector 20 byte, depth reached 186, errors: 0\n      360 states, stored\n", 361, false},
		{spin, "State-vector 20 byte, depth reached 186, errors: 1\n      360 states, stored\n", 360, false},
		{spin, "errors: 0\n2.395008e+08 states, stored\n", 239_500_800, true},
		{spin, "errors: 0\n2.395008e+08 states, stored\n", 239_500_900, false},
		{spin, "", 1, false},
		{rumur, "\tNo error found.\n\n\t360 states, 840 rules fired in 0s.\n", 360, true},
		{rumur, "\tNo error found.\n\n\t360 states, 840 rules fired in 0s.\n", 840, false},
		{rumur, "\t360 states, 840 rules fired in 0s.\n", 360, false},
	} {
		if err := c.kind.check(c.out, c.states); (err == nil) != c.right {
			t.Errorf("%q with %d states: %v", c.out, c.states, err)
		}
	}
	short := "error: max search depth too small\nerrors: 0\n 360 states, stored\n"
	if err := spin.check(short, 360); !errors.Is(err, errUnfinished) {
		t.Errorf("a search that was cut: %v", err)
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	o, err := parse([]string{"-boards", "a,b", "-large", "-tools", "rumur,spin"}, io.Discard)
	if err != nil || strings.Join(o.boards, " ") != "a b "+largeBoard || strings.Join(o.tools, " ") != "rumur spin" {
		t.Errorf("%+v, %v", o, err)
	}
	for _, args := range [][]string{{"-n", "0"}, {"-limit", "0s"}, {"-tools", "abacus"}, {"board"}} {
		if _, err := parse(args, io.Discard); !errors.Is(err, measure.ErrUsage) {
			t.Errorf("%q: %v", args, err)
		}
	}
	if _, err := parse([]string{"-help"}, io.Discard); !errors.Is(err, flag.ErrHelp) {
		t.Error(err)
	}
}

// TestTools runs every tool that is there on a board that takes moments.
func TestTools(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("compiles models")
	}
	for _, tool := range comparedWith() {
		if name := tool.kind.missing(); name != "" {
			t.Skipf("there is no %s: %s", name, tool.kind.install)
		}
	}
	var out, notes bytes.Buffer
	dir := t.TempDir()
	err := run(t.Context(), []string{"-boards", "puzzles/tiles/2x3.txt", "-n", "1", "-dir", dir}, &out, &notes)
	if err != nil {
		t.Fatalf("%v\n%s", err, notes.String())
	}
	for _, name := range names() {
		if n := strings.Count(out.String(), "  "+name+" "); n != 1 {
			t.Errorf("%s has %d rows:\n%s", name, n, out.String())
		}
	}
	if strings.Contains(out.String(), "unfinished") {
		t.Error(out.String())
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestWrongCount has a tool explore another board than Everystate did.
func TestWrongCount(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("compiles models")
	}
	tool := comparedWith()[len(comparedWith())-1]
	if name := tool.kind.missing(); name != "" {
		t.Skipf("there is no %s: %s", name, tool.kind.install)
	}
	c := comparison{options: options{limit: time.Minute, dir: t.TempDir()}, machine: measure.Machine{MemoryBytes: 4 << 30}, scratch: t.TempDir()}
	model, err := models.ReadTiles("1 2 3\n4 5 0")
	if err != nil {
		t.Fatal(err)
	}
	there, b := &toolThere{tool: tool}, &boardResult{name: "tiles", states: 361}
	if _, err := c.compile(t.Context(), there, b, model); err != nil {
		t.Fatal(err)
	}
	if err := c.check(t.Context(), there, b, &row{}); err == nil || !strings.Contains(err.Error(), "360") || errors.Is(err, errUnfinished) {
		t.Errorf("got %v, want a wrong count", err)
	}
}
