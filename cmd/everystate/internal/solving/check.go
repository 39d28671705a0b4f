package solving

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/boards"
	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/solve/check"
	"github.com/everystate/everystate/internal/solve/sokoban"
	"github.com/everystate/everystate/puzzle"
)

// checkJSON is described in docs/JSON.md.
type checkJSON struct {
	Puzzle string `json:"puzzle"`
	Name   string `json:"name"`
	Metric string `json:"metric"`
	Solved bool   `json:"solved"`
	Length int    `json:"length"`
	Pushes *int   `json:"pushes,omitempty"`
	Step   int    `json:"step,omitempty"`
	Fault  string `json:"fault,omitempty"`
}

// CheckCommand returns `everystate check`.
func CheckCommand(env *shell.Env) *cobra.Command {
	var choice boards.Choice
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check FILE SOLUTION",
		Short: "Check a solution of a board",
		Long: `Check replays a solution of the single board in FILE, move by move, and reports
whether every move is legal and the last one leads to a goal. It shares no code with
the search for solutions.

SOLUTION is a file, - for standard input, or the moves themselves, separated by
blanks. The file may be what solve or trace printed for the board, as text or JSON. A
Sokoban solution can also be player steps (LURD, capitals push) in any metric, or
pushes as rows, columns and directions, as solve --form rows prints them.`,
		Example: `  everystate check puzzles/rushhour/small-4x4.txt 'A+1 E+1 D+1 E+1 C-1 F-1 B-1 F-1 A+1'
  everystate check level.txt rrUUl
  everystate solve jam.txt --json | jq -r .moves | everystate check jam.txt -`,
		Args: shell.Exactly(2, "FILE SOLUTION"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runCheck(env, cmd, &choice, asJSON, args[0], args[1])
		},
	}
	choice.Flags(cmd.Flags(), "")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object (docs/JSON.md)")
	return cmd
}

func runCheck(env *shell.Env, cmd *cobra.Command, choice *boards.Choice, asJSON bool, file, solution string) error {
	if file == "-" && solution == "-" {
		return exit.Errorf(exit.Usage, "only one of FILE and SOLUTION can be standard input")
	}
	jobs, err := choice.Jobs(env, cmd, []string{file})
	if err != nil {
		return err
	}
	if len(jobs) != 1 {
		return exit.Errorf(exit.Usage, "%s: a solution is for one board, and there are %d here", file, len(jobs))
	}
	text, err := boards.ReadSolution(env, solution)
	if err != nil {
		return err
	}
	board := &jobs[0].Board
	if text, err = movesOf(text, board.Name); err != nil {
		return exit.Errorf(exit.Usage, "%s: %v", solution, err)
	}
	report, fault := check.Text(board, text)
	if failure := new(puzzle.FailureError); errors.As(fault, &failure) {
		return fmt.Errorf("%s: %w", board.Name, fault)
	}
	if asJSON {
		j := checkJSON{
			Puzzle: board.Family, Name: board.Name, Metric: report.Metric,
			Solved: fault == nil, Length: len(report.Names),
		}
		if report.Metric != board.Metric || board.Family == sokoban.Family && report.Pushes > 0 {
			j.Pushes = &report.Pushes
		}
		var f *check.SolutionError
		if errors.As(fault, &f) {
			j.Step, j.Fault = f.Step, f.What
		}
		if err := env.JSON(j); err != nil {
			return err
		}
		if fault != nil {
			return exit.Reported(exit.Failed)
		}
		return nil
	}
	if fault != nil {
		return exit.Errorf(exit.Failed, "%s: not a solution: %v", board.Name, fault)
	}
	moves := quantity.Counted(int64(len(report.Names)), "move")
	if report.Pushes > 0 {
		moves += ", " + countPushes(report.Pushes)
	}
	fmt.Fprintf(env.Out, "%s: a solution in %s\n", board.Name, moves)
	return nil
}

// movesOf returns the moves of a solution of the named board that solve or trace wrote,
// as JSON or as text, and any other text as it is.
func movesOf(text, board string) (string, error) {
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return movesOfText(text, board)
	}
	type solution struct {
		Name  string  `json:"name"`
		Moves *string `json:"moves"`
	}
	var answers []solution
	for in := json.NewDecoder(strings.NewReader(text)); ; {
		var a solution
		err := in.Decode(&a)
		if errors.Is(err, io.EOF) {
			break
		}
		if odd := new(json.UnmarshalTypeError); errors.As(err, &odd) && odd.Field != "" {
			return "", fmt.Errorf("not what solve --json prints: %q must be a string, not of type %s", odd.Field, odd.Value)
		}
		if err != nil {
			return "", fmt.Errorf("neither moves nor what solve --json prints: %w", err)
		}
		answers = append(answers, a)
	}
	at := slices.IndexFunc(answers, func(a solution) bool { return a.Name == board })
	if at < 0 && len(answers) > 1 {
		return "", fmt.Errorf("none of these %d answers is about %s", len(answers), board)
	}
	if moves := answers[max(0, at)].Moves; moves != nil {
		return *moves, nil
	}
	return "", errors.New("this JSON has no moves: solve --json prints them for a board that is solved")
}

// answer matches a line in which solve or trace tells people about a board: its name,
// whether moves are below, and the moves if they are in the same line.
var answer = regexp.MustCompile(`^(.*?): (?:(solved|from .*) in [0-9,]+ .*|no solution\b.*|not solved within .*|[0-9,]+ (?:move|push|step)[a-z]*(?: \([0-9,]+ [a-z]+\))?: (.*))$`)

// movesOfText is movesOf for what solve and trace print for people: the answer about the
// board, or the only one.
func movesOfText(text, board string) (string, error) {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	at, answers := -1, 0
	for i, line := range lines {
		found := answer.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		if answers++; at < 0 || found[1] == board && !strings.HasPrefix(lines[at], board+": ") {
			at = i
		}
	}
	switch {
	case answers == 0:
		return text, nil
	case answers > 1 && !strings.HasPrefix(lines[at], board+": "):
		return "", fmt.Errorf("none of these %d answers is about %s", answers, board)
	}
	found, rest := answer.FindStringSubmatch(lines[at]), lines[at+1:]
	switch below, moves := found[2] != "", found[3]; {
	case moves != "" || strings.HasSuffix(lines[at], ": "):
		return moves, nil
	case !below:
		return "", fmt.Errorf("this text has no moves: %s", lines[at])
	}
	if strings.Contains(lines[at], " in 0 ") || len(rest) == 0 {
		return "", nil
	}
	rest = rest[1:]
	if end := slices.IndexFunc(rest, func(l string) bool { return strings.TrimSpace(l) == "" }); end >= 0 {
		rest = rest[:end]
	}
	return strings.Join(rest, "\n"), nil
}
