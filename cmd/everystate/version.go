package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func versionCommand(env *app) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  everystate version",
		Args:    exactly(0, "nothing"),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(env.out, "everystate %s\n", version())
			return err
		},
	}
}

// What a release is stamped with, where the build does not know it by itself: a copy
// of the sources without their history. The linker sets them (-X main.stampVersion).
var stampVersion, stampCommit string

// built is what the build knows of itself.
type built struct {
	number, commit string // "" if unknown
	dirty          bool
}

func build() built {
	b := built{number: "(unknown)"}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.number = info.Main.Version
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				b.commit = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				b.dirty = true
			}
		}
	}
	if stampVersion != "" {
		b.number = stampVersion
	}
	if stampCommit != "" {
		b.commit, b.dirty = stampCommit, false
	}
	b.commit = b.commit[:min(len(b.commit), 12)]
	return b
}

// version returns what the build knows of itself, for people.
func version() string {
	b := build()
	text := b.number
	if b.commit != "" {
		text += ", commit " + b.commit
	}
	if b.dirty {
		text += " and changes"
	}
	return fmt.Sprintf("%s, %s %s/%s", text, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
