package shell

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
)

// choices is the annotation of a flag that takes one of a few values.
const choices = "everystate_choices"

// Choices declares the values that a flag takes. The shell completes them, and
// CheckChoices refuses others.
func Choices(flags *pflag.FlagSet, flag string, values ...string) {
	if err := flags.SetAnnotation(flag, choices, values); err != nil {
		panic(err) // the flag exists
	}
}

// ChoicesOf returns what Choices declared for a flag, nil if nothing.
func ChoicesOf(f *pflag.Flag) []string { return f.Annotations[choices] }

// CheckChoices refuses a value that is not among the Choices of its flag.
func CheckChoices(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if values := ChoicesOf(f); values != nil && err == nil {
			err = oneOf(cmd, f.Name, f.Value.String(), values)
		}
	})
	return err
}

func oneOf(cmd *cobra.Command, flag, given string, values []string) error {
	if slices.Contains(values, given) {
		return nil
	}
	must := "one of " + strings.Join(values, ", ")
	if len(values) == 2 {
		must = values[0] + " or " + values[1]
	}
	return exit.Usagef(cmd, "--%s %s: must be %s%s", flag, given, must, Meant(given, values))
}

// Complete completes the values of a flag of cmd in the shell. The list is made when the
// shell asks for it.
func Complete(cmd *cobra.Command, flag string, directive cobra.ShellCompDirective, values func() []string) {
	completeFlag(cmd, flag, func([]string, string) ([]string, cobra.ShellCompDirective) { return values(), directive })
}

// CompleteFor is Complete for a flag whose values depend on the arguments.
func CompleteFor(cmd *cobra.Command, flag string, values func(args []string) []string) {
	completeFlag(cmd, flag, func(args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return values(args), cobra.ShellCompDirectiveNoFileComp
	})
}

// CompleteList is Complete for a flag that takes several values, separated by commas.
func CompleteList(cmd *cobra.Command, flag string, values func() []string) {
	completeFlag(cmd, flag, func(_ []string, typed string) ([]string, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndexByte(typed, ',')+1]
		var all []string
		for _, v := range values() {
			if !slices.Contains(strings.Split(before, ","), v) {
				all = append(all, before+v)
			}
		}
		return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
}

func completeFlag(cmd *cobra.Command, flag string, complete func(args []string, typed string) ([]string, cobra.ShellCompDirective)) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return complete(args, typed)
	})
	if err != nil {
		panic(err) // the flag exists, and is completed only here
	}
}
