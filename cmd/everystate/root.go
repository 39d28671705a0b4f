package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/cmd/everystate/internal/solving"
	"github.com/everystate/everystate/cmd/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/draw"
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
  1  failed: an error, a damaged run, a board that is not what its file promised, or
     a wrong solution (check, play)
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
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := shell.CheckChoices(cmd); err != nil {
				return err
			}
			quiet := cmd.Flags().Lookup("quiet")
			env.Quiet = quiet != nil && quiet.Value.String() == "true"
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
		for _, of := range completion.Commands() {
			of.Args = shell.Exactly(0, "")
		}
	}
	root.AddCommand(manCommand(env), shell.CredentialsTopic())
	completeValues(root)
	return root
}

// completeValues completes the values of flags that take one of a few. The lists are
// made when a shell asks, as every command passes here.
func completeValues(of *cobra.Command) {
	of.LocalFlags().VisitAll(func(f *pflag.Flag) {
		const only = cobra.ShellCompDirectiveNoFileComp
		if values := shell.ChoicesOf(f); values != nil {
			shell.Complete(of, f.Name, only, func() []string { return values })
			return
		}
		switch f.Name {
		case "metric":
			shell.Complete(of, f.Name, only, boards.MetricNames)
		case "puzzle": // or the file of a module
			shell.Complete(of, f.Name, cobra.ShellCompDirectiveDefault, boards.FamilyNames)
		case "level":
			shell.CompleteFor(of, f.Name, boards.LevelNames)
		case "symmetry":
			shell.Complete(of, f.Name, only, boards.SymmetryNames)
		case "notation":
			shell.Complete(of, f.Name, only, boards.NotationNames)
		case "algorithm":
			shell.Complete(of, f.Name, only, solving.AlgorithmNames)
		case "algorithms":
			shell.CompleteList(of, f.Name, solving.AlgorithmNames)
		case "heuristic":
			shell.Complete(of, f.Name, only, func() []string { return append(solving.HeuristicNames(), "none") })
		case "paper":
			shell.Complete(of, f.Name, only, draw.PaperNames)
		case "pdb", "run":
			if f.Value.Type() == "string" { // a run to ask, not a directory to make
				shell.Complete(of, f.Name, cobra.ShellCompDirectiveDefault, runs.Names)
			}
		}
	})
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
