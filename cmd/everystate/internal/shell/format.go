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
	Choices(cmd.Flags(), "format", formats...)
}

// FormatOf returns the format to write: the one given by --format, else the one of the
// file name's extension, else the first. It refuses an unknown extension, as the file
// would not be what its name says.
func FormatOf(cmd *cobra.Command, given, file string, formats ...string) (string, error) {
	if given != "" {
		return given, nil // CheckChoices knows it
	}
	ending := strings.ToLower(strings.TrimPrefix(filepath.Ext(file), "."))
	switch {
	case ending == "": // and so /dev/stdout
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
