package shell

import (
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
)

// FlagError explains what is wrong with a flag.
func FlagError(cmd *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	if !errors.As(err, &value) {
		// A flag behind a misspelt command is unknown, as there is no such command.
		if before := cmd.Flags().Args(); cmd.HasSubCommands() && len(before) > 0 {
			return UnknownCommand(cmd, before[0])
		}
		var unknown *pflag.NotExistError
		meant := ""
		switch {
		case !errors.As(err, &unknown):
		case unknown.GetSpecifiedShortnames() == "" && strings.Trim(unknown.GetSpecifiedName(), "abcdefghijklmnopqrstuvwxyz-") == "":
			var known []string
			cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
			meant = Meant("--"+unknown.GetSpecifiedName(), known)
			if meant == "" && cmd.HasSubCommands() {
				meant = "; the flags of a command follow its name"
			}
		case strings.Contains(cmd.Use, " "):
			meant = "; put -- before a board, state or file that begins with -"
		}
		return exit.Usagef(cmd, "%v%s", err, meant)
	}
	why := value.Unwrap().Error()
	if value.GetFlag().Value.Type() == "duration" {
		why = "must be a time with a unit, such as 90s or 10m"
	}
	if number := new(strconv.NumError); errors.As(err, &number) {
		why = "must be a whole number"
		switch value.GetFlag().Value.Type() {
		case "uint32", "uint64":
			why = "must be a whole number, 0 or more"
		case "bool":
			why = "must be true or false; the flag alone means true"
		case "float64":
			why = "must be a number"
		}
	}
	name := "--" + value.GetFlag().Name
	if short := value.GetFlag().Shorthand; short != "" {
		name = "-" + short // as the documents write it
	}
	return exit.Usagef(cmd, "%s %s: %s", name, value.GetValue(), why)
}

// OneOrder maps flag names whose words are in another order to the usual ones.
func OneOrder(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	switch name {
	case "nodes-max":
		name = "max-nodes"
	case "time-max":
		name = "max-time"
	}
	return pflag.NormalizedName(name)
}

// Groups makes cmd a command that only groups others.
func Groups(cmd *cobra.Command) {
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return UnknownCommand(cmd, args[0])
	}
	cmd.RunE = NeedsCommand
}

// NeedsCommand runs a command that only groups others: it fails and lists them.
func NeedsCommand(cmd *cobra.Command, _ []string) error {
	return exit.Usagef(cmd, "%s needs a command: %s", cmd.Name(), strings.Join(commandNames(cmd), ", "))
}

// commandNames lists the subcommands of a command.
func commandNames(of *cobra.Command) []string {
	var names []string
	for _, c := range of.Commands() {
		if c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// HelpCommand is `everystate help`, which fails if there is no such topic.
func HelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about any command",
		Long:  "Help prints the help of a command, or of a topic.",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			of, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return commandNames(of), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			of, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				if of == nil {
					of, rest = cmd.Root(), args
				}
				return UnknownCommand(of, rest[0])
			}
			of.InitDefaultHelpFlag()
			return of.Help()
		},
	}
}

// UnknownCommand returns the error about a command that does not exist; it suggests
// similar ones.
func UnknownCommand(root *cobra.Command, name string) error {
	return exit.Usagef(root, "there is no command %q%s", name, Meant(name, commandNames(root)))
}

// Exactly checks the number of arguments; names describes them.
func Exactly(n int, names string) cobra.PositionalArgs { return Between(n, n, names) }

// Between checks that there are enough arguments and not too many.
func Between(least, most int, names string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return exit.Usagef(cmd, "%s needs %s", cmd.Name(), names)
		case len(args) > 0 && most == 0:
			return exit.Usagef(cmd, "%s takes no arguments: %q is one too many", cmd.Name(), args[0])
		case len(args) > most:
			return exit.Usagef(cmd, "%s takes %s: %q is one argument too many", cmd.Name(), names, args[most])
		}
		return nil
	}
}
