package solving

import (
	"fmt"
	"slices"

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
