package drawing

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/report"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// TestReportOnTerminal has a report refused where nobody could read it.
func TestReportOnTerminal(t *testing.T) {
	t.Parallel()
	env := &shell.Env{OutTerm: shell.Terminal{File: os.Stdout}}
	cmd := ReportCommand(env)
	cmd.SetArgs([]string{"nothing"})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	if text, code := exit.Of(cmd.Execute()); code != exit.Usage || !strings.Contains(text, "HTML is not for a terminal") {
		t.Errorf("exit %d, %s", code, text)
	}
}

// TestReportProgress has the parts of a report told in order, up to the last board.
func TestReportProgress(t *testing.T) {
	t.Parallel()
	all, err := families.Read([]byte("E.BB\nECCC\nAA.F\nDD.F"), puzzle.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := engine.Create(filepath.Join(t.TempDir(), "r"), all[0], engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := r.Explore(t.Context(), history.Want{GoalDistance: true}); err != nil {
		t.Fatal(err)
	}
	var whats []string
	last := 0.0
	_, err = report.New(t.Context(), r, report.Options{Hardest: 1, Progress: func(what string, part float64) {
		if part < last || part >= 1 {
			t.Errorf("%s: %v after %v", what, part, last)
		}
		last, whats = part, append(whats, what)
	}})
	whats = slices.Compact(whats)
	want := []string{"counts", "the solution", "the state graph", "dead states", "the hardest boards", "hardest board 1 of 1"}
	if err != nil || !slices.Equal(whats, want) {
		t.Errorf("%q, %v", whats, err)
	}
}
