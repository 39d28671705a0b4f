package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
)

// TestBrokenInvariant asks about the state that ended a run, with one answer in all
// commands.
func TestBrokenInvariant(t *testing.T) {
	t.Parallel()
	file, dir := filepath.Join(t.TempDir(), "inv.m"), filepath.Join(t.TempDir(), "run")
	writeFile(t, file, "var a: 0..9;\nstartstate a := 0; end;\nrule \"up\" a < 9 ==> a := a + 1; end;\ngoal \"nine\" a = 9;\ninvariant \"low\" a < 5;\n")
	const fault = `line 5, column 1: invariant "low" does not hold, in the state a=5`
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"explore", file, "--goal", "nine", "--run", dir, "-q"}, exit.Failed, fault},
		{[]string{"resume", dir, "-q"}, exit.Failed, fault},
		{[]string{"solve", file, "--goal", "nine", "--puzzle", "murphi", "-q"}, exit.Failed, fault},
		{[]string{"verify", dir}, exit.Complete, "is sound"},
		{[]string{"show", dir, "a=5"}, exit.Complete, "no successors: " + fault},
		{[]string{"show", dir, "a=5", "--json"}, exit.Complete, `"successors":[],"failure":"line 5, `},
		{[]string{"show", dir, "a=4", "--json"}, exit.Complete, `"depth":5,"goal_distance":null}],"run"`},
		{[]string{"trace", dir, "a=5"}, exit.Complete, "up up up up up"},
		{[]string{"check", file, "up up up up up"}, exit.Failed, "all 5 moves are legal, but the last does not lead to a goal"},
		{[]string{"check", file, "up up up up up up up up up"}, exit.Failed, "move 6: " + fault},
	} {
		if r := call("", c.args...); r.code != c.code || !strings.Contains(r.out+r.errs, c.want) {
			t.Errorf("%q: %+v", c.args, r)
		}
	}
}
