package main

import (
	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/ask"
	"github.com/everystate/everystate/cmd/everystate/internal/boards"
	"github.com/everystate/everystate/cmd/everystate/internal/bucket"
	"github.com/everystate/everystate/cmd/everystate/internal/cluster"
	"github.com/everystate/everystate/cmd/everystate/internal/drawing"
	"github.com/everystate/everystate/cmd/everystate/internal/explore"
	"github.com/everystate/everystate/cmd/everystate/internal/export"
	"github.com/everystate/everystate/cmd/everystate/internal/plan"
	"github.com/everystate/everystate/cmd/everystate/internal/player"
	"github.com/everystate/everystate/cmd/everystate/internal/puzzles"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/cmd/everystate/internal/solving"
	"github.com/everystate/everystate/cmd/everystate/internal/sweep"
)

const rootHelp = `Everystate enumerates every state that a puzzle can reach, exactly, and answers
questions about the space: how many states there are at each depth, which are
hardest, and what the shortest paths are.

Results are kept in a run, a directory below runs/. Kill it any time and it resumes.`

const rootExample = `  everystate explore puzzles/rushhour/jam-93.txt
  everystate hardest jam-93
  everystate trace jam-93 --first-goal`

const rootCodes = `
Exit codes:
  0  complete: everything that was asked for is done
  1  failed: an error, a damaged run, or a board that is not what its file promised
  2  bad usage, or an input that cannot be read
  3  incomplete: stopped by a limit or a signal; the run can be resumed, or the
     board may still have a solution
  4  not found: the state is not reachable, or no goal is
  5  the puzzle's WebAssembly module is faulty
`

func rootCommand(env *shell.Env, prof *profile) *cobra.Command {
	root := &cobra.Command{
		Use:           "everystate",
		Short:         "Enumerate every state that a puzzle can reach",
		Long:          rootHelp,
		Example:       rootExample,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       env.Build.String(),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return shell.UnknownCommand(cmd, args[0])
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(*cobra.Command, []string) error {
			return prof.start()
		},
	}
	root.SetGlobalNormalizationFunc(shell.OneOrder)
	root.SetVersionTemplate("everystate {{.Version}}\n")
	root.SetUsageTemplate(root.UsageTemplate() + "{{if not .HasParent}}" + rootCodes + "{{end}}")
	root.SetFlagErrorFunc(shell.FlagError)
	prof.flags(root.PersistentFlags())
	env.Credentials.Flags(root.PersistentFlags())
	root.SetHelpCommand(shell.HelpCommand())
	for _, g := range groups(env) {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, c := range g.commands {
			c.GroupID = g.title
			root.AddCommand(c)
		}
	}
	root.SetHelpCommandGroupID(toolsGroup)
	root.SetCompletionCommandGroupID(toolsGroup)
	root.InitDefaultCompletionCmd()
	if completion, _, err := root.Find([]string{"completion"}); err == nil {
		shell.Groups(completion)
	}
	root.AddCommand(manCommand(env), shell.CredentialsTopic())
	completeValues(root)
	return root
}

// completeValues completes the values of flags that take one of a few. The lists are
// made when a shell asks, as every command passes here.
func completeValues(of *cobra.Command) {
	for name, list := range map[string]func() []string{
		"metric":    boards.MetricNames,
		"puzzle":    boards.FamilyNames,
		"notation":  boards.NotationNames,
		"algorithm": solving.AlgorithmNames,
		"heuristic": func() []string { return append(solving.HeuristicNames(), "none") },
		"form":      func() []string { return []string{"moves", "lurd", "rows"} },
	} {
		if of.Flags().Lookup(name) == nil {
			continue
		}
		directive := cobra.ShellCompDirectiveNoFileComp
		if name == "puzzle" {
			directive = cobra.ShellCompDirectiveDefault // or the file of a module
		}
		shell.CompleteWith(of, name, directive, list)
	}
	for _, c := range of.Commands() {
		completeValues(c)
	}
}

// A group is commands that the help shows together.
type group struct {
	title    string
	commands []*cobra.Command
}

// toolsGroup is the last group, which also lists help and completion.
const toolsGroup = "Tools"

// groups returns all commands shown in help.
func groups(env *shell.Env) []group {
	return []group{
		{"Explore", []*cobra.Command{
			explore.Command(env), plan.Command(env), explore.ResumeCommand(env), explore.ListCommand(env), explore.VerifyCommand(env), explore.RepairCommand(env),
			puzzles.Command(env),
		}},
		{"Ask", []*cobra.Command{
			ask.HardestCommand(env), ask.TraceCommand(env), ask.LayersCommand(env), ask.ShowCommand(env), export.Command(env),
		}},
		{"Solve, play and draw", []*cobra.Command{
			solving.Command(env), solving.CompareCommand(env), solving.CheckCommand(env), player.Command(env),
			drawing.Command(env), drawing.ReportCommand(env), cluster.ServeCommand(env),
		}},
		{"Sweep", []*cobra.Command{
			sweep.Command(env), sweep.DatabaseCommand(env), solving.GenerateCommand(env),
		}},
		{"Cluster and buckets", []*cobra.Command{
			cluster.CoordinatorCommand(env), cluster.WorkerCommand(env), cluster.SubmitCommand(env), cluster.RunsCommand(env),
			cluster.StatusCommand(env), cluster.WatchCommand(env), cluster.PauseCommand(env), cluster.CancelCommand(env),
			cluster.DeleteCommand(env), cluster.HealthCommand(env), cluster.CertsCommand(env),
			bucket.CheckpointCommand(env), bucket.CheckpointsCommand(env), bucket.RestoreCommand(env),
		}},
		{toolsGroup, []*cobra.Command{
			cluster.DoctorCommand(env), versionCommand(env),
		}},
	}
}
