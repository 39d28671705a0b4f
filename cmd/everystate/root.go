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

func rootCommand(env *app) *cobra.Command {
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
			return env.profile.start()
		},
	}
	root.SuggestionsMinimumDistance = 2
	root.SetVersionTemplate("everystate {{.Version}}\n")
	root.SetUsageTemplate(root.UsageTemplate() + "{{if not .HasParent}}" + rootCodes + "{{end}}")
	root.SetFlagErrorFunc(flagError)
	env.profile.flags(root.PersistentFlags())
	env.credentials.flags(root.PersistentFlags())
	root.AddCommand(
		exploreCommand(env),
		planCommand(env),
		resumeCommand(env),
		hardestCommand(env),
		traceCommand(env),
		layersCommand(env),
		showCommand(env),
		drawCommand(env),
		reportCommand(env),
		solveCommand(env),
		compareCommand(env),
		checkCommand(env),
		playCommand(env),
		generateCommand(env),
		dbCommand(env),
		puzzlesCommand(env),
		sweepCommand(env),
		listCommand(env),
		verifyCommand(env),
		exportCommand(env),
		checkpointCommand(env),
		checkpointsCommand(env),
		restoreCommand(env),
		serveCommand(env),
		coordinatorCommand(env),
		workerCommand(env),
		submitCommand(env),
		runsCommand(env),
		statusCommand(env),
		watchCommand(env),
		pauseCommand(env),
		cancelCommand(env),
		deleteCommand(env),
		healthCommand(env),
		doctorCommand(env),
		manCommand(env),
		certsCommand(env),
		credentialsTopic(),
		versionCommand(env),
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
