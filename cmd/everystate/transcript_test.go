package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
)

var update = flag.Bool("update", false, "rewrite the transcripts in testdata")

// TestTranscripts runs the commands of each transcript in a new directory and
// compares what they say. A line "$ ..." is a command, what follows its output:
// standard output as it is, standard error behind "! ", the exit code, unless
// it is 0, in brackets. What differs from run to run is masked.
//
//nolint:paralleltest // Each transcript has a working directory of its own.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.transcript")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d transcripts: %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".transcript")
		t.Run(name, func(t *testing.T) {
			path, err := filepath.Abs(file)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			boards, err := filepath.Abs("testdata/boards")
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir(t.TempDir())
			if err := os.CopyFS(".", os.DirFS(boards)); err != nil {
				t.Fatal(err)
			}
			got := replay(t, string(want))
			if got == string(want) {
				return
			}
			if *update {
				writeFile(t, path, got)
				return
			}
			t.Errorf("%s: says something else (go test -update rewrites it)\n%s", file, difference(string(want), got))
		})
	}
}

// replay runs the commands of a transcript and returns the transcript that they
// make.
func replay(t *testing.T, transcript string) string {
	t.Helper()
	return replayWith(transcript, func(line string) result { return call("", words(line)...) })
}

// replayWith is replay with another way to run a command.
func replayWith(transcript string, run func(line string) result) string {
	var out strings.Builder
	comment := "" // lines with # right above a command; others are walls of a board
	for line := range strings.Lines(transcript) {
		command, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			if comment += line; !strings.HasPrefix(line, "# ") {
				comment = ""
			}
			continue
		}
		out.WriteString(comment)
		comment = ""
		r := run(strings.TrimSuffix(command, "\n"))
		fmt.Fprintf(&out, "$ %s%s", command, mask(r.out))
		for line := range strings.Lines(mask(r.errs)) {
			out.WriteString("! " + line)
		}
		if r.code != exit.Complete {
			fmt.Fprintf(&out, "[%d]\n", r.code)
		}
		out.WriteString("\n")
	}
	return out.String()
}

// checkScript compares a transcript with what its commands say.
func checkScript(t *testing.T, path string, run func(line string) result) {
	t.Helper()
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got := replayWith(string(want), run)
	switch {
	case got == string(want):
	case *update:
		writeFile(t, path, got)
	default:
		t.Errorf("%s: says something else (go test -update rewrites it)\n%s", path, difference(string(want), got))
	}
}

// words splits a command at blanks outside single quotes; \n is a new line.
func words(command string) []string {
	var all []string
	quoted, open := false, false
	for _, r := range command {
		switch {
		case r == '\'':
			quoted = !quoted
			if quoted && !open {
				all, open = append(all, ""), true
			}
		case r == ' ' && !quoted:
			open = false
		default:
			if !open {
				all, open = append(all, ""), true
			}
			all[len(all)-1] += string(r)
		}
	}
	for i := range all {
		all[i] = strings.ReplaceAll(all[i], `\n`, "\n")
	}
	return all
}

// mask replaces what differs from run to run and from machine to machine, and the
// list of all puzzles, which TestPuzzles looks at.
func mask(text string) string {
	for _, m := range []struct{ pattern, with string }{
		{`"(seconds|states_per_second)":[-+.e0-9]+`, `"$1":0`},
		{`"(peak_memory_bytes|disk_bytes)":[0-9]+`, `"$1":0`},
		{`"changed":"[^"]*"`, `"changed":""`},
		{`(?m)^(time|memory|disk) {6,}.*`, `$1 (masked)`},
		{` +[0-9.,]+ (KiB|MiB|bytes)`, ` SIZE`},
		{` +size  `, ` size  `},
		{` +([0-9]+ min )?[0-9]+(\.[0-9]+)? s\b`, ` 0.000 s`},
		{`(the puzzles are) [a-z, -]+`, `$1 ALL`},
		{`(?m)^everystate .*go1.*$`, `everystate VERSION`},
	} {
		text = regexp.MustCompile(m.pattern).ReplaceAllString(text, m.with)
	}
	return text
}

// difference shows the first lines that are not the same.
func difference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := 0; i < len(w) && i < len(g); i++ {
		if w[i] != g[i] {
			const around = 8
			return fmt.Sprintf("line %d\nwant\n%s\ngot\n%s", i+1,
				strings.Join(w[i:min(i+around, len(w))], "\n"), strings.Join(g[i:min(i+around, len(g))], "\n"))
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}
