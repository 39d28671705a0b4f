package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/shell"
)

func versionCommand(env *shell.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Example: `  everystate version
  everystate version --json`,
		Args: shell.Exactly(0, "nothing"),
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				b := env.Build
				return env.JSON(versionJSON{b.Number, shell.TextOrNil(b.Commit), b.Dirty, runtime.Version(), runtime.GOOS, runtime.GOARCH})
			}
			_, err := fmt.Fprintf(env.Out, "everystate %s\n", env.Build)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object (docs/JSON.md)")
	return cmd
}

// versionJSON is described in docs/JSON.md.
type versionJSON struct {
	Version string  `json:"version"`
	Commit  *string `json:"commit"`
	Changed bool    `json:"changed"`
	Go      string  `json:"go"`
	OS      string  `json:"os"`
	Arch    string  `json:"arch"`
}

// stampVersion and stampCommit identify a release built from a copy of the sources
// without their history. The linker sets them (-X main.stampVersion).
var stampVersion, stampCommit string

// build returns the version and commit of the build.
func build() shell.Build {
	b := shell.Build{Number: "(unknown)"}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.Number = info.Main.Version
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				b.Commit = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				b.Dirty = true
			}
		}
	}
	if stampVersion != "" {
		b.Number = stampVersion
	}
	if stampCommit != "" {
		b.Commit, b.Dirty = stampCommit, false
	}
	b.Commit = b.Commit[:min(len(b.Commit), 12)]
	return b
}
