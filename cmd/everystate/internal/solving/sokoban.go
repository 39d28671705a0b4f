package solving

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/solve/sokoban"
)

// The forms in which a Sokoban solution is written.
const (
	formMoves = "moves"
	formLURD  = "lurd"
	formRows  = "rows"
)

const formHelp = "`FORM` of a Sokoban solution: moves; lurd, player steps with capitals for pushes; or rows, one push per line as row, column, direction"

func knownForm(cmd *cobra.Command, form string) error {
	forms := []string{formMoves, formLURD, formRows}
	if !slices.Contains(forms, form) {
		return exit.Usagef(cmd, "--form %q: must be %s%s", form, strings.Join(forms, ", "), shell.Meant(form, forms))
	}
	return nil
}

// stepsPerRow is the number of steps in a line.
const stepsPerRow = 70

// printWalk prints a solution in the form asked for.
func printWalk(env *shell.Env, s *sokoban.Solution, form string) {
	if form == formRows {
		fmt.Fprint(env.Out, s.Table())
		return
	}
	for row := range slices.Chunk([]byte(s.Moves), stepsPerRow) {
		fmt.Fprintln(env.Out, string(row))
	}
}
