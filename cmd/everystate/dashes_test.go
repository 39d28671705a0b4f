package main

import (
	"strings"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
)

// TestDashes gives boards and states that begin with a hyphen.
func TestDashes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, args := range [][]string{
		{"explore", "-AAB/--.B", "-q", "--run", dir + "/rows"},
		{"explore", "--run", dir + "/lines", "-q", "--AA\n--BB"},
		{"explore", "-q", "--run", dir + "/blank", "- 1 2 / 3 4 5 / 6 7 8"},
		{"explore", "--run=" + dir + "/slashes", "--AA / --BB", "-q"},
		{"explore", "-q", "--run", dir + "/burnt", "-1 -2 3"},
		{"explore", "-q", "--run", dir + "/told", "--", "-1 -2 3 4"},
		{"show", dir + "/blank", "- 1 2 / 3 4 5 / 6 7 8", "--json"},
		{"show", "--json", dir + "/burnt", "-1 -2 -3"},
	} {
		if r := call("", args...); r.code != exit.Complete {
			t.Errorf("%q: %+v", args, r)
		}
	}
	// The value of a flag is one whatever it begins with, and a flag is a flag.
	for wrong, want := range map[string]string{
		"explore\x00-q\x00--goal\x00-1 -2 3":     "explore needs FILE",
		"explore\x00-qA":                         "unknown shorthand flag: 'A' in -A; put -- before a board, state or file that begins with -",
		"explore\x00--AAB":                       "unknown flag: --AAB; put -- before",
		"explore\x00--quite":                     "unknown flag: --quite; did you mean --quiet? (",
		"explore\x00-q\x00--\x00-AAB / --.B / C": "row 3 has 1 cells",
	} {
		args := strings.Split(wrong, "\x00")
		if r := call("", args...); r.code != exit.Usage || !strings.Contains(r.errs, want) {
			t.Errorf("%q: %+v", args, r)
		}
	}
}
