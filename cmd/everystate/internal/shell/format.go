package shell

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
)

// FormatOf returns the format to write in: the one that --format gives, else the one
// that the name of the file ends in, else the usual one, the first. A name that ends
// in something else is refused, as the file would not be what it is called.
func FormatOf(cmd *cobra.Command, given, file string, formats ...string) (string, error) {
	list := strings.Join(formats, ", ")
	if given != "" {
		if !slices.Contains(formats, given) {
			return "", exit.Usagef(cmd, "--format: there is no format %q: there are %s%s", given, list, Meant(given, formats))
		}
		return given, nil
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
		return "", exit.Usagef(cmd, "-o %s: there is no format %q: the name may end in %s%s", file, ending, list, otherwise)
	}
	return ending, nil
}
