package main

import (
	"strings"
	"testing"
)

func TestTally(t *testing.T) {
	t.Parallel()
	const (
		runA    = `{"Action":"run","Package":"p","Test":"A"}`
		passA   = `{"Action":"pass","Package":"p","Test":"A"}`
		failA   = `{"Action":"fail","Package":"p","Test":"A"}`
		skipA   = `{"Action":"skip","Package":"p","Test":"A"}`
		passSub = `{"Action":"pass","Package":"p","Test":"A/one"}`
		outA    = `{"Action":"output","Package":"p","Test":"A","Output":"said by A\n"}`
		outP    = `{"Action":"output","Package":"p","Output":"said by p\n"}`
		passP   = `{"Action":"pass","Package":"p","Elapsed":1.5}`
		failP   = `{"Action":"fail","Package":"p"}`
		skipP   = `{"Action":"skip","Package":"p"}`
		build   = `{"ImportPath":"p","Action":"build-output","Output":"p.go:1: wrong\n"}`
		noBuild = `{"Action":"fail","Package":"p","FailedBuild":"p"}`
	)
	for _, test := range []struct {
		name string
		runs [][]string
		want counts
		show string // of the last run; "" is not compared
	}{
		{"nothing", [][]string{{}}, counts{}, ""},
		{"pass", [][]string{{runA, outA, passA, passP}}, counts{passed: 1}, "ok    p  1.50s\n"},
		{"fail", [][]string{{runA, outA, failA, failP}}, counts{failed: 1}, "said by A\nFAIL  p  0.00s\n"},
		{"subtest", [][]string{{passSub, passA, passP}}, counts{passed: 2}, ""},
		{"no test files", [][]string{{outP, skipP}}, counts{}, ""},
		{
			"does not build",
			[][]string{{build, noBuild}},
			counts{failed: 1},
			"p.go:1: wrong\nFAIL  p  0.00s\n",
		},
		{"process died between tests", [][]string{{runA, passA, outP, failP}}, counts{passed: 1, failed: 1}, "said by p\nFAIL  p  0.00s\n"},
		{"process died in a test", [][]string{{runA, outA, failP}}, counts{failed: 1}, "said by A\np: A did not finish\nFAIL  p  0.00s\n"},
		{"run was cut off", [][]string{{runA}}, counts{failed: 1}, "p: A did not finish\n"},
		{"plain text of the go command", [][]string{{"go: no module"}}, counts{}, "go: no module\n"},
		{"twice", [][]string{{passA, passP}, {passA, passP}}, counts{passed: 1}, ""},
		{"failed once", [][]string{{failA, failP}, {passA, passP}}, counts{failed: 1}, ""},
		{"skipped once", [][]string{{passA, passP}, {skipA, passP}}, counts{passed: 1}, ""},
		{"skipped always", [][]string{{skipA, passP}, {skipA, passP}}, counts{skipped: 1}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			all := newTally()
			var show strings.Builder
			for _, run := range test.runs {
				show.Reset()
				var in strings.Builder
				for _, line := range run {
					in.WriteString(line + "\n")
				}
				if err := all.add(strings.NewReader(in.String()), &show); err != nil {
					t.Fatal(err)
				}
			}
			if got := all.counts(); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
			if test.show != "" && show.String() != test.show {
				t.Errorf("shown %q, want %q", show.String(), test.show)
			}
		})
	}
}

func TestCountsLine(t *testing.T) {
	t.Parallel()
	const want = "3 passed, 2 failed, 1 skipped"
	if got := (counts{3, 2, 1}).String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
