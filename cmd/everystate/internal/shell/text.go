package shell

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
)

// Confirm asks the user at the terminal whether a run may be deleted.
func Confirm(env *Env, cmd *cobra.Command, run string) error {
	if _, ok := env.In.Terminal(); !ok || !env.ErrTerm.Is() {
		return exit.Usagef(cmd, cmd.Name()+" removes everything in %s: confirm with --yes", run)
	}
	fmt.Fprintf(env.Err, "remove %s and everything in it? [y/N] ", run)
	answer, err := bufio.NewReader(env.In).ReadString('\n')
	if answer = strings.ToLower(strings.TrimSpace(answer)); err == nil && (answer == "y" || answer == "yes") {
		return nil
	}
	return exit.Errorf(exit.Incomplete, "%s was not removed", run)
}

// OrEmpty returns an empty list for nil, which JSON would write as null.
func OrEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// OneLine joins the lines of an error.
func OneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// Known returns nil for -1, which stands for an unknown distance.
func Known(distance int) *int {
	if distance < 0 {
		return nil
	}
	return &distance
}

// NumberOr formats a number, or returns otherwise if there is none.
func NumberOr(n *int, otherwise string) string {
	if n == nil {
		return otherwise
	}
	return fmt.Sprint(*n)
}

// TextOrNil returns nil for the empty text.
func TextOrNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
