package shell

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
)

// FormatFlag adds --format, which takes one of the formats, to cmd, with shell
// completion. otherwise is a phrase that says what is written without the flag; empty,
// it describes FormatOf.
func FormatFlag(cmd *cobra.Command, format *string, otherwise string, formats ...string) {
	if otherwise == "" {
		otherwise = "by the extension of FILE, or " + formats[0]
	}
	last := len(formats) - 1
	cmd.Flags().StringVar(format, "format", "",
		"`FORMAT` "+strings.Join(formats[:last], ", ")+" or "+formats[last]+" (default: "+otherwise+")")
	Complete(cmd, "format", cobra.ShellCompDirectiveNoFileComp, formats...)
}

// Complete completes the values of a flag of cmd in the shell.
func Complete(cmd *cobra.Command, flag string, directive cobra.ShellCompDirective, values ...string) {
	CompleteWith(cmd, flag, directive, func() []string { return values })
}

// CompleteWith is Complete with a list that is made when the shell asks for it.
func CompleteWith(cmd *cobra.Command, flag string, directive cobra.ShellCompDirective, values func() []string) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return values(), directive
	})
	if err != nil {
		panic(err) // the flag exists, and is completed only here
	}
}

// FormatOf returns the format to write: the one given by --format, else the one of the
// file name's extension, else the first. It refuses an unknown extension, as the file
// would not be what its name says.
func FormatOf(cmd *cobra.Command, given, file string, formats ...string) (string, error) {
	if given != "" {
		return given, KnownFormat(cmd, given, formats...)
	}
	ending := strings.ToLower(strings.TrimPrefix(filepath.Ext(file), "."))
	switch {
	case ending == "" || strings.HasPrefix(file, "/dev/"):
		return formats[0], nil
	case !slices.Contains(formats, ending):
		otherwise := ", or say which with --format"
		if cmd.Flags().Lookup("format") == nil {
			otherwise = ""
		}
		return "", exit.Usagef(cmd, "-o %s: there is no format %q: the name may end in %s%s%s", file, ending, strings.Join(formats, ", "), otherwise, Meant(ending, formats))
	}
	return ending, nil
}

// KnownFormat refuses a value of --format that is not one of the formats.
func KnownFormat(cmd *cobra.Command, given string, formats ...string) error {
	if slices.Contains(formats, given) {
		return nil
	}
	return exit.Usagef(cmd, "--format %s: must be one of %s%s", given, strings.Join(formats, ", "), Meant(given, formats))
}
