package main

import (
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const rootHelp = `Everystate enumerates every state that a puzzle can reach, exactly, and answers
questions about the space: how many states there are at each depth, which are
hardest, and how to get from here to there.

What it finds out is kept in a run, a directory below runs/. A run can be killed
at any time and goes on where it was.`

const rootExample = `  everystate explore puzzles/rushhour/jam-93.txt
  everystate hardest jam-93
  everystate trace jam-93 --first-goal`

const rootCodes = `
Exit codes:
  0  complete: all that was asked for has been done
  1  failed: an error, a damaged run, or a board that is not what its file promised
  2  bad usage, or an input that cannot be read
  3  incomplete: stopped by a limit or a signal; the run can go on, or the board
     may still have a solution
  4  not found: the state is not reachable, or no goal is
  5  the module of a puzzle is at fault
`

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "everystate",
		Short:         "Enumerate every state that a puzzle can reach",
		Long:          rootHelp,
		Example:       rootExample,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version(),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return unknownCommand(cmd, args[0])
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(*cobra.Command, []string) error {
			return a.profile.start()
		},
	}
	root.SuggestionsMinimumDistance = 2
	root.SetVersionTemplate("everystate {{.Version}}\n")
	root.SetUsageTemplate(root.UsageTemplate() + "{{if not .HasParent}}" + rootCodes + "{{end}}")
	root.SetFlagErrorFunc(flagError)
	a.profile.flags(root.PersistentFlags())
	a.credentials.flags(root.PersistentFlags())
	root.AddCommand(
		a.exploreCommand(),
		a.planCommand(),
		a.resumeCommand(),
		a.hardestCommand(),
		a.traceCommand(),
		a.layersCommand(),
		a.showCommand(),
		a.drawCommand(),
		a.reportCommand(),
		a.solveCommand(),
		a.compareCommand(),
		a.checkCommand(),
		a.playCommand(),
		a.generateCommand(),
		a.dbCommand(),
		a.puzzlesCommand(),
		a.sweepCommand(),
		a.listCommand(),
		a.verifyCommand(),
		a.exportCommand(),
		a.checkpointCommand(),
		a.checkpointsCommand(),
		a.restoreCommand(),
		a.serveCommand(),
		a.coordinatorCommand(),
		a.workerCommand(),
		a.submitCommand(),
		a.runsCommand(),
		a.statusCommand(),
		a.watchCommand(),
		a.pauseCommand(),
		a.cancelCommand(),
		a.deleteCommand(),
		a.healthCommand(),
		a.doctorCommand(),
		a.manCommand(),
		a.certsCommand(),
		a.credentialsTopic(),
		a.versionCommand(),
	)
	return root
}

func flagError(cmd *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	if !errors.As(err, &value) {
		return usagef(cmd, "%v", err)
	}
	why := value.Unwrap().Error()
	if number := new(strconv.NumError); errors.As(err, &number) {
		why = "must be a number"
	}
	return usagef(cmd, "--%s %s: %s", value.GetFlag().Name, value.GetValue(), why)
}

func unknownCommand(root *cobra.Command, name string) error {
	var also string
	if near := root.SuggestionsFor(name); len(near) > 0 {
		also = "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return usagef(root, "there is no command %q%s", name, also)
}

// exactly checks the number of arguments; names says what they are.
func exactly(n int, names string) cobra.PositionalArgs { return between(n, n, names) }

// between checks that there are enough arguments and not too many.
func between(least, most int, names string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usagef(cmd, "%s needs %s", cmd.Name(), names)
		case len(args) > most:
			return usagef(cmd, "%s takes %s, and not %q as well", cmd.Name(), names, args[most])
		}
		return nil
	}
}
