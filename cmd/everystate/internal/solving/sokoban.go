package solving

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/internal/solve/check"
	"github.com/everystate/everystate/internal/solve/sokoban"
	"github.com/everystate/everystate/puzzle"
	puzzles "github.com/everystate/everystate/puzzle/sokoban"
)

// Metrics of Sokoban: that in which it is played, that in which it is solved, and
// the one whose runs begin at solved states.
const (
	SokobanSteps  = "move"
	SokobanPushes = "push"
	Backwards     = "backward-push"
)

// The forms in which a solution of Sokoban is written.
const (
	formMoves = "moves"
	formLURD  = "lurd"
	formRows  = "rows"
)

const formHelp = "`FORM` of a Sokoban solution: moves; lurd, the player's steps with capitals for pushes; or rows, a push a line as row, column, direction"

func knownForm(cmd *cobra.Command, form string) error {
	forms := []string{formMoves, formLURD, formRows}
	if !slices.Contains(forms, form) {
		return exit.Usagef(cmd, "--form %q: must be %s", form, strings.Join(forms, ", "))
	}
	return nil
}

// walked fills in the player's way between the pushes of a solution, and has it
// checked. Other families have none.
func walked(board *puzzle.Board, r *solve.Result) (*sokoban.Solution, error) {
	if board.Family != puzzles.Family || board.Metric == "backward-push" {
		return nil, nil //nolint:nilnil // No solution of this kind is no fault.
	}
	level, err := sokoban.NewLevel(board.Puzzle, r.Start)
	if err != nil {
		return nil, err
	}
	s, err := level.Solution(r.Moves)
	if err != nil {
		return nil, err
	}
	if pushes, err := sokoban.Check(level.Drawing(), s.Moves); err != nil || pushes != len(s.Pushes) {
		return nil, fmt.Errorf("the player's way has %d pushes for %d: %w", pushes, len(s.Pushes), err)
	}
	if _, err := check.Text(board, s.Moves); err != nil && s.Moves != "" && slices.Equal(r.Start, board.Puzzle.Starts()) {
		return nil, err
	}
	return &s, nil
}

// stepsPerRow is how many steps stand in a line.
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
