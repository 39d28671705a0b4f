package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
	for _, family := range families.All() {
		t.Run(family.Name, func(t *testing.T) {
			t.Parallel()
			text, b := leastBoard(t, &family)
			p := b.Puzzle
			start := strings.ReplaceAll(p.Format(p.Starts()[:p.Layout().Words()]), "\n", " / ")

			dir := t.TempDir()
			file, run, name := filepath.Join(dir, "board.txt"), filepath.Join(dir, "run"), family.Name+"-family"
			writeFile(t, file, text)
			flags := []string{file, "--metric", b.Metric, "--partitions", "8", "-q"}
			want, goOn := exitComplete, []string{"--goal-distance"}
			if b.Expect.States > everyStatesMax {
				want, goOn = exitIncomplete, []string{"--max-depth", "3"}
			}
			done := func(code int, args ...string) string {
				r := call("", args...)
				if r.code != code {
					t.Errorf("%q: exit %d, want %d: %s", args, r.code, code, r.errs)
				}
				return r.out
			}
			done(exitIncomplete, append([]string{"explore", "--run", run, "--max-depth", "1"}, flags...)...)
			here := summaryOf(t, done(want, append([]string{"resume", run, "--json", "-q"}, goOn...)...))
			there := summaryOf(t, done(want, slices.Concat([]string{"submit", "--coordinator", addr, "--name", name, "--wait", "--json"}, goOn, flags)...))
			if here.Digest != there.Digest || want == exitComplete && here.States != b.Expect.States {
				t.Errorf("%d states with digest %s, on a cluster %s; %d are known", here.States, here.Digest, there.Digest, b.Expect.States)
			}
			done(exitComplete, "solve", file, "--metric", b.Metric)
			done(exitComplete, "list", dir)
			done(exitComplete, "report", run, "-o", filepath.Join(dir, "run.html"))
			for _, question := range slices.Concat(questions(start), [][]string{{"draw", "RUN"}, {"draw", "RUN", "--path"}, {"draw", "RUN", "--layers"}, {"export", "RUN", "--edges"}}) {
				if want == exitIncomplete && question[0] == "hardest" {
					continue // it would go on
				}
				got, local := inPlace(question, addr+"/"+name), inPlace(question, run)
				if got != local {
					t.Errorf("%q: exit %d on the cluster, %d here\n%s\n%s%s", question, got.code, local.code, difference(local.out, got.out), got.errs, local.errs)
				}
				if wrong := slices.Contains(question, "nonsense"); (local.code == exitComplete) == wrong && want == exitComplete {
					t.Errorf("%q: exit %d: %s", question, local.code, local.errs)
				}
			}
		})
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
