package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  everystate version",
		Args:    exactly(0, "nothing"),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(a.out, "everystate %s\n", version())
			return err
		},
	}
}

// version returns what the build knows of itself.
func version() string {
	number, commit, dirty := "(unknown)", "", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		number = info.Main.Version
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision" && len(s.Value) >= 12:
				commit = ", commit " + s.Value[:12]
			case s.Key == "vcs.modified" && s.Value == "true":
				dirty = " and changes"
			}
		}
	}
	return fmt.Sprintf("%s%s%s, %s %s/%s", number, commit, dirty, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
