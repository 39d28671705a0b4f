package runs

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/coordinator/history"
)

// KeepFlag is the flag --keep.
type KeepFlag struct {
	// Keep is which layers stay, nil without the flag.
	Keep *history.Keep
}

// Flag adds the flag to a command.
func (f *KeepFlag) Flag(cmd *cobra.Command) {
	cmd.Flags().Var(f, "keep", "layers that a new run keeps: `LAYERS` all, or frontier, which drops each layer that no later one needs, and depths to keep all the same, such as frontier,3,7 (default all)")
	shell.Complete(cmd, "keep", cobra.ShellCompDirectiveNoFileComp, keepWords)
}

// Refuse returns why a run that goes as far as want cannot be, or nil.
func (f *KeepFlag) Refuse(want history.Want) error {
	if f.Keep != nil && f.Keep.Frontier && want.GoalDistance {
		return exit.Errorf(exit.Usage, "--keep frontier cannot be combined with --goal-distance: goal distances need every layer")
	}
	return nil
}

// String returns the value as it was given.
func (f *KeepFlag) String() string {
	if f.Keep == nil {
		return ""
	}
	return f.Keep.String()
}

// Set parses the flag.
func (f *KeepFlag) Set(text string) error {
	word, rest, more := strings.Cut(text, ",")
	switch {
	case word == "all" && !more:
		f.Keep = &history.Keep{}
		return nil
	case word != "frontier":
		return errors.New("must be all, or frontier and the depths of layers to keep, such as frontier,3,7" + shell.Meant(word, keepWords()))
	}
	keep := history.Keep{Frontier: true}
	var named []uint32
	for more {
		word, rest, more = strings.Cut(rest, ",")
		depth, err := strconv.ParseUint(word, 10, 32)
		if err != nil || depth == math.MaxUint32 {
			return fmt.Errorf("%q is not the depth of a layer", word)
		}
		named = append(named, uint32(depth))
	}
	if len(named) > history.DepthsMax {
		return fmt.Errorf("names %d layers: at most %d", len(named), history.DepthsMax)
	}
	keep.Named = history.DepthsOf(named)
	f.Keep = &keep
	return nil
}

// Type returns the name of the value in help.
func (f *KeepFlag) Type() string { return "LAYERS" }

// keepWords returns the words that --keep may begin with.
func keepWords() []string { return []string{"all", "frontier"} }
