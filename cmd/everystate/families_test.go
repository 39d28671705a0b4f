package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/ask"
	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/puzzles"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// TestEveryFamily gives every command a board of every family, the least that is
// known, on one machine and on a cluster: the answers are the same.
func TestEveryFamily(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	addr := startCoordinator(t)
	startWorker(t, addr, t.TempDir())
	startWorker(t, addr, t.TempDir())
	for k, family := range families.All() {
		t.Run(family.Name, func(t *testing.T) {
			t.Parallel()
			text, b := leastBoard(t, &family)
			p := b.Puzzle
			start := strings.ReplaceAll(p.Format(p.Starts()[:p.Layout().Words()]), "\n", " / ")

			dir := t.TempDir()
			file, run, name := filepath.Join(dir, "board.txt"), filepath.Join(dir, "run"), family.Name+"-family"
			writeFile(t, file, text)
			flags := []string{file, "--metric", b.Metric, "--partitions", "8", "-q"}
			want, flagsOfResume := exit.Complete, []string{"--goal-distance"}
			if b.Expect.States > everyStatesMax {
				want, flagsOfResume = exit.Incomplete, []string{"--max-depth", "3"}
			}
			done := func(code int, args ...string) string {
				r := call("", args...)
				if r.code != code {
					t.Errorf("%q: exit %d, want %d: %s", args, r.code, code, r.errs)
				}
				return r.out
			}
			done(exit.Incomplete, append([]string{"explore", "--run", run, "--max-depth", "1"}, flags...)...)
			here := summaryOf(t, done(want, append([]string{"resume", run, "--json", "-q"}, flagsOfResume...)...))
			there := summaryOf(t, done(want, slices.Concat([]string{"submit", "--coordinator", addr, "--name", name, "--wait", "--json"}, flagsOfResume, flags)...))
			if here.Digest != there.Digest || want == exit.Complete && here.States != b.Expect.States {
				t.Errorf("%d states with digest %s, on a cluster %s; %d are known", here.States, here.Digest, there.Digest, b.Expect.States)
			}
			done(exit.Complete, "solve", file, "--metric", b.Metric)
			done(exit.Complete, "list", dir)
			if k%5 == 0 || os.Getenv("EVERYSTATE_THOROUGH") != "" {
				done(exit.Complete, "report", run, "-o", filepath.Join(dir, "run.html"))
			}
			for i, question := range slices.Concat(questions(start), [][]string{{"draw", "RUN"}, {"draw", "RUN", "--path"}, {"draw", "RUN", "--layers"}, {"export", "RUN", "--edges"}}) {
				switch {
				case question[0] == "hardest" && want == exit.Incomplete:
					continue // it would go on
				case i%5 != k%5 && os.Getenv("EVERYSTATE_THOROUGH") == "":
					continue // every question is put to a fifth of the families
				}
				got, local := inPlace(question, addr+"/"+name), inPlace(question, run)
				if got != local {
					t.Errorf("%q: exit %d on the cluster, %d here\n%s\n%s%s", question, got.code, local.code, difference(local.out, got.out), got.errs, local.errs)
				}
				if wrong := slices.Contains(question, "nonsense"); (local.code == exit.Complete) == wrong && want == exit.Complete {
					t.Errorf("%q: exit %d: %s", question, local.code, local.errs)
				}
			}
			if want == exit.Complete && !puzzle.GoesBack(p) {
				done(exit.Complete, "verify", run, "--complete", "-q")
			}
		})
	}
}

// TestPuzzles looks for every family where puzzles are listed.
func TestPuzzles(t *testing.T) {
	t.Parallel()
	list := must(t, "puzzles")
	lines := strings.Split(must(t, "puzzles", "--json"), "\n")
	for i, family := range families.All() {
		example := strings.Split(family.Formats[0].Example, "\n")
		for _, want := range []string{
			"\n" + family.Name + ": " + family.Summary + "\n" + "metrics    " + strings.Join(puzzles.MetricNames(&family), ", ") + "\n",
			"notations  " + family.Formats[0].Name, "\n  " + example[len(example)-1] + "\n",
		} {
			if !strings.Contains("\n"+list, want) {
				t.Errorf("%s is not listed with %q:\n%s", family.Name, want, list)
			}
		}
		var got puzzles.FamilyJSON
		if err := json.Unmarshal([]byte(lines[i]), &got); err != nil || !reflect.DeepEqual(got, puzzles.DescribeFamily(&family)) {
			t.Errorf("line %d is %s, %v", i+1, lines[i], err)
		}
		if out := must(t, "puzzles", "show", family.Name); !strings.HasPrefix(out, family.Name+": "+family.Summary+"\n") {
			t.Errorf("%s is explained by\n%s", family.Name, out)
		}
		if r := call("", "puzzles", "show", "chess"); !strings.Contains(r.errs, family.Name) {
			t.Errorf("%s is not among %s", family.Name, r.errs)
		}
	}
	if n := len(families.All()); len(lines) != n+1 || strings.Count(list, "\nnotations  ") != n {
		t.Errorf("%d lines in JSON for %d families", len(lines), n)
	}
}

// everyStatesMax is the largest space that is explored to its end.
const everyStatesMax = 300_000

// leastBoard returns the smallest space of a family that is known and has a goal, as a
// file and as the board in it, which promises its size.
func leastBoard(t *testing.T, family *families.Family) (text string, board puzzle.Board) {
	t.Helper()
	const statesMin = 50
	for _, r := range readTruths(t, family) {
		if !r.Whole() || r.SolutionLength == nil || *r.Reachable < statesMin || text != "" && *r.Reachable >= board.Expect.States {
			continue
		}
		of, err := r.Text()
		if err != nil {
			t.Fatal(err)
		}
		boards, err := families.Read([]byte(of), puzzle.ReadOptions{Metric: r.Metric})
		if err != nil {
			t.Fatal(err)
		}
		text, board = of, boards[0]
		board.Expect.States = *r.Reachable
	}
	if text == "" {
		t.Fatal("no space of the family is known")
	}
	return text, board
}

// TestPrune compares a level with what is left of it, and asks for what is not there.
func TestPrune(t *testing.T) {
	t.Parallel()
	const level = "#######\n#. #  #\n#  $ ##\n#  $@#\n#.  #\n#####"
	runs := t.TempDir()
	look := func(name string, flags ...string) (s engine.Summary) {
		return summaryOf(t, must(t, append([]string{"explore", level, "--json", "-q", "--run", filepath.Join(runs, name)}, flags...)...))
	}
	whole, pruned := look("whole", "--goal-distance"), look("pruned", "--goal-distance", "--prune")
	if whole.PrunedMoves != nil || pruned.PrunedMoves == nil || *pruned.PrunedMoves == 0 || pruned.States >= whole.States ||
		pruned.GoalStates != whole.GoalStates || !slices.Equal(pruned.GoalDistanceLayers, whole.GoalDistanceLayers) {
		t.Errorf("pruned %+v\nwhole %+v", pruned, whole)
	}
	if out := must(t, "resume", filepath.Join(runs, "pruned"), "-q"); !strings.Contains(out, "moves pruned: no goal can be reached after them") {
		t.Errorf("the report is\n%s", out)
	}
	var layers ask.LayersJSON
	if err := json.Unmarshal([]byte(must(t, "layers", filepath.Join(runs, "pruned"), "--json")), &layers); err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	for _, l := range layers.Layers {
		if l.Pruned == nil {
			t.Fatalf("layer %d does not say how many moves it leaves out", l.Depth)
		}
		sum += *l.Pruned
	}
	if sum != *pruned.PrunedMoves {
		t.Errorf("the layers leave out %d moves, the run %d", sum, *pruned.PrunedMoves)
	}
	// Nothing to leave out is said as well.
	if none := summaryOf(t, must(t, "explore", "#####\n#@$.#\n#####", "--prune", "--json", "-q", "--run", filepath.Join(runs, "none"))); none.PrunedMoves == nil || *none.PrunedMoves != 0 {
		t.Errorf("%+v", none)
	}
	must(t, "verify", filepath.Join(runs, "pruned"))
	if s, same := look("back", "--from-goals"), look("metric", "--metric", "backward-push"); s.Metric != "backward-push" || s.Digest != same.Digest {
		t.Errorf("from the goals: %+v", s)
	}
	for want, args := range map[string][]string{
		"the puzzle tiles has no pruning rules":              {"2 1 / 3 0", "--prune"},
		"the puzzle tiles cannot be explored from its goals": {"2 1 / 3 0", "--from-goals"},
		"--from-goals has a metric of its own":               {level, "--from-goals", "--metric", "move"},
		"--prune and --from-goals work only with b":          {level, "--prune", "--puzzle", moduleFile(t, "jugs")},
	} {
		if r := call("", append([]string{"explore"}, args...)...); r.code != exit.Usage || !strings.Contains(r.errs, want) {
			t.Errorf("%q: exit %d, %s", args, r.code, r.errs)
		}
	}
}
