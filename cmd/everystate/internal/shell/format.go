package shell

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
)

// FormatFlag adds --format, which takes one of the formats, to cmd. The shell
// completes it. Otherwise, a phrase, says what is written without the flag; when it
// is empty that is what FormatOf does.
func FormatFlag(cmd *cobra.Command, format *string, otherwise string, formats ...string) {
	if otherwise == "" {
		otherwise = "by the extension of FILE, or " + formats[0]
	}
	last := len(formats) - 1
	cmd.Flags().StringVar(format, "format", "",
		"`FORMAT` "+strings.Join(formats[:last], ", ")+" or "+formats[last]+" (default: "+otherwise+")")
	Complete(cmd, "format", cobra.ShellCompDirectiveNoFileComp, formats...)
}

// Complete has the shell complete a flag, which cmd has, by the values that it takes.
func Complete(cmd *cobra.Command, flag string, directive cobra.ShellCompDirective, values ...string) {
	if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, directive)); err != nil {
		panic(err) // the flag is there, and nobody else completes it
	}
}

// FormatOf returns the format to write in: the one that --format gives, else the one
// that the name of the file ends in, else the usual one, the first. A name that ends
// in something else is refused, as the file would not be what it is called.
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

// KnownFormat refuses a value of --format that is none of the formats.
func KnownFormat(cmd *cobra.Command, given string, formats ...string) error {
	if slices.Contains(formats, given) {
		return nil
	}
	return exit.Usagef(cmd, "--format %s: must be one of %s%s", given, strings.Join(formats, ", "), Meant(given, formats))
}
