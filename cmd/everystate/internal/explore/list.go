package explore

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/terminal/table"
)

// ListCommand is `everystate list`.
func ListCommand(env *shell.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list [DIR]",
		Short: "List the runs in a directory",
		Long: `List lists the runs in a directory, runs/ by default, with their progress. For the
address of a coordinator it prints what runs prints.`,
		Example: `  everystate list
  everystate list /data/runs --json`,
		Args: shell.Between(0, 1, "[DIR]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := runs.Dir
			if len(args) > 0 {
				dir = args[0]
			}
			if runs.IsAddress(dir) {
				if info, err := os.Stat(dir); err != nil || !info.IsDir() {
					return runs.PrintAll(cmd.Context(), env, dir, asJSON)
				}
			}
			return runList(env, dir, len(args) == 0, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per run (docs/JSON.md)")
	return cmd
}

func runList(env *shell.Env, dir string, usual, asJSON bool) error {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return exit.Errorf(exit.Usage, "%s is a file, not a directory of runs", dir)
	}
	var all []engine.Status
	if !usual || len(runs.Names()) > 0 {
		var err error
		if all, err = engine.List(dir); err != nil {
			return exit.Errorf(exit.Usage, "%v", err)
		}
	}
	if len(all) == 0 && !asJSON {
		fmt.Fprintf(env.Out, "no runs in %s/ yet: %s\n", strings.TrimSuffix(dir, "/"), env.Command("explore", "FILE"))
		return nil
	}
	if asJSON {
		for _, s := range all {
			if err := env.JSON(s); err != nil {
				return err
			}
		}
		return nil
	}
	t := table.Table{Columns: []table.Column{
		{Title: "run", Left: true}, {Title: "puzzle", Left: true}, {Title: "metric", Left: true},
		{Title: "states"}, {Title: "depth"}, {Title: "size"}, {Title: "state", Left: true},
	}}
	for i := range all {
		s := &all[i]
		t.Add(filepath.Base(s.Run), s.Puzzle, s.Metric, quantity.Count(s.States), fmt.Sprint(s.Depth), quantity.Bytes(s.DiskBytes), stateOf(s))
	}
	t.Write(env.Out, env.Paint)
	return nil
}

// stateOf describes the state of a run in brief.
func stateOf(s *engine.Status) string {
	switch {
	case s.Problem != "":
		return "problem: " + strings.ReplaceAll(s.Problem, "\n", "; ")
	case s.Running:
		return "running"
	case s.Complete && s.GoalDistanceLayers != nil:
		return "complete, with goal distances"
	case s.Complete:
		return "complete"
	case s.Failure != "":
		return "failed: " + s.Failure
	}
	return fmt.Sprintf("stopped at depth %d", s.Depth)
}
