package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
)

// TestValuesOfFlags has the shell complete flags that take one of a few values, or a list
// of them, and misspells them.
func TestValuesOfFlags(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"compare --algorithms |":         "bfs\n",
		"compare --algorithms bfs,a|":    "bfs,astar\n",
		"draw --paper |":                 "letter\n",
		"generate --method |":            "climb\n",
		"generate --metric |":            "step\nslide\n:4",
		"sweep rushhour --mirrors |":     "apart\nmerged\n:4",
		"sweep sokoban --mirrors |":      "merged\n",
		"sweep blocks --metric |":        "move\n",
		"explore --store |":              "layers\ntable\nauto\n",
		"db top --by |":                  "walls\n",
		"puzzles show --as |":            "tws\nkpuzzle\nmoves\n",
		"worker --log-format |":          "text\njson\n",
		"export --format |":              "graphml\n",
		"solve --form |":                 "lurd\n",
		"sweep rushhour --metric |":      "slide\nstep\n:4",
		"solve --algorithm |":            "fess\n",
		"sweep rushhour --primary-row |": "alone\nshared\n",
		"explore --symmetry |":           "on\nstart\noff\n:4",
		"solve --level |":                "all\n:4",
		"draw " + filepath.FromSlash("../../puzzles/sokoban/rooms.txt") + " --level |": "\nall\n:4",
	} {
		before, typed, _ := strings.Cut(strings.TrimSuffix(args, "|"), ",")
		words := strings.Fields(before)
		if _, is := strings.CutSuffix(before, " "); is {
			words = append(words, "")
		} else {
			words[len(words)-1] += "," + typed
		}
		if out := must(t, append([]string{"__complete"}, words...)...); !strings.Contains(out, want) {
			t.Errorf("%s: %q, without %q", args, out, want)
		}
	}
	for args, want := range map[string]string{
		"sweep rushhour --mirrors mergd":    "must be apart or merged; did you mean merged?",
		"sweep sokoban '#' --mirrors mergd": "must be apart or merged; did you mean merged?",
		"generate rush-hour --method aneal": "must be one of anneal, climb, random; did you mean anneal?",
		"worker --log-format jsn":           "must be text or json; did you mean json?",
		"db top x --by sttes":               "did you mean states?",
		"explroe board.txt --max-states 3":  `there is no command "explroe"; did you mean explore?`,
		"sweep rushour --size 4x4":          `there is no command "rushour"; did you mean rushhour?`,
		"--json solve":                      "unknown flag: --json; the flags of a command follow its name",
		"solve board --puzzle cube":         "did you mean pocket-cube?",
		"solve board --puzzle 15":           "did you mean 15-puzzle?",
		"solve nosuch.slc":                  "nosuch.slc: no such file\n",
		"solve AA.B/...B --notation lettrs": "line, database, types or pairs; did you mean letters?",
		"solve AB/AB/.. --puzzle blocks":    "the board has no goal; docs/NOTATIONS.md describes how to state one",
		"compare AB/AB/.. --puzzle blocks":  "the board has no goal",

		"generate rush-hour --walls 99":           "--walls 99: must be from 0 to 36",
		"generate rush-hour --vehicles 99":        "--vehicles 99: must be from 0 to 59",
		"generate rush-hour --lengths 99":         "--lengths [99]: each must be from 1 to 15",
		"generate rush-hour --exit-row 9":         "--exit-row 9: rows are 0 to 5",
		"solve AA.B --max-time 1":                 "--max-time 1: must be a time with a unit, such as 90s or 10m",
		"compare #####/#@$.#/##### --algorithms=": "--algorithms is empty",

		"sweep rushhour --workers 2000":  "--workers 2000: must be from 1 to 1024",
		"solve AA.B --workers=-1":        "--workers -1: must be from 1 to 1024",
		"generate rush-hour --workers 0": "--workers 0: must be from 1 to 1024",
		"plan AA.B --lanes 2000":         "--lanes 2000: must be from 1 to 1024",
		"plan AA.B --memory 1K":          "a memory budget of 1.0 KiB is too small: must be at least 32.0 MiB",
		"doctor --memory 1K":             "a memory budget of 1.0 KiB is too small: must be at least 32.0 MiB",

		// Flags that would have no effect.
		"draw board --strip -o x.svg":                        "--strip works only with --path",
		"draw board --log -o x.svg":                          "--log works only with --layers",
		"generate rush-hour -o - --json":                     "both write to standard output",
		"sweep rushhour --family o --walls 1":                "--walls: the board of --family determines it",
		"sweep rushhour --size 4x4 --wait":                   "work only with --coordinator",
		"compare #####/#@$.#/##### --algorithms plan --json": "none of the algorithms plan works on these boards",
	} {
		if r := call("", strings.Fields(args)...); r.code != exit.Usage || !strings.Contains(r.errs, want) {
			t.Errorf("%s: exit %d, %s, without %q", args, r.code, r.errs, want)
		}
	}
}

// TestStandardInstance solves the first of the hundred standard instances of the
// 15-puzzle, whose goal has the hole first: with the usual goal there is no solution.
func TestStandardInstance(t *testing.T) {
	t.Parallel()
	const first = "14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3"
	r := call("", "solve", first)
	const hint = "it has one with the hole first: goal: 0 1 2 3 / 4 5 6 7 / 8 9 10 11 / 12 13 14 15"
	if r.code != exit.NotFound || !strings.Contains(r.out, hint) {
		t.Errorf("%+v", r)
	}
	if r := call("", "solve", first, "--goal", "0 1 2 3 / 4 5 6 7 / 8 9 10 11 / 12 13 14 15", "--max-nodes", "1"); r.code != exit.Incomplete {
		t.Errorf("%+v", r)
	}
	if r := call("", "solve", "1 2 3 4 5 6 8 7 0"); r.code != exit.NotFound || strings.Contains(r.out, "hole first") {
		t.Errorf("on 3x3 both goals are in one half: %+v", r)
	}
}
