package shell

import (
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
)

// FlagError puts what is wrong with a flag into words.
func FlagError(cmd *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	if !errors.As(err, &value) {
		return exit.Usagef(cmd, "%v", err)
	}
	why := value.Unwrap().Error()
	if number := new(strconv.NumError); errors.As(err, &number) {
		why = "must be a number"
	}
	return exit.Usagef(cmd, "--%s %s: %s", value.GetFlag().Name, value.GetValue(), why)
}

// UnknownCommand says that there is no such command, and which are near.
func UnknownCommand(root *cobra.Command, name string) error {
	var also string
	if near := root.SuggestionsFor(name); len(near) > 0 {
		also = "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return exit.Usagef(root, "there is no command %q%s", name, also)
}

// Exactly checks the number of arguments; names says what they are.
func Exactly(n int, names string) cobra.PositionalArgs { return Between(n, n, names) }

// Between checks that there are enough arguments and not too many.
func Between(least, most int, names string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return exit.Usagef(cmd, "%s needs %s", cmd.Name(), names)
		case len(args) > most:
			return exit.Usagef(cmd, "%s takes %s: %q is one argument too many", cmd.Name(), names, args[most])
		}
		return nil
	}
}
