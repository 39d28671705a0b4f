// Package player implements the command that plays a board in the terminal, and
// what its player asks of runs and solvers.
package player

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"charm.land/bubbletea/v2"
	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/boards"
	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/solve/check"
	"github.com/everystate/everystate/internal/solve/sokoban"
	"github.com/everystate/everystate/internal/terminal/paint"
	"github.com/everystate/everystate/internal/terminal/picture"
	"github.com/everystate/everystate/internal/terminal/play"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/blocks"
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/puzzle/puzzlescript"
	"github.com/everystate/everystate/puzzle/rushhour"
	"github.com/everystate/everystate/puzzle/tiles"
)

// player holds the flags of the command.
type player struct {
	boards.Choice
	run   string
	plain bool
}

// Command returns `everystate play`.
func Command(env *shell.Env) *cobra.Command {
	var f player
	cmd := &cobra.Command{
		Use:   "play FILE|RUN|SOLUTION [MOVES]",
		Short: "Play a board in the terminal, or step through a solution",
		Long: `Play shows a board in the terminal. Move pieces with the arrow keys; in Rush Hour and
sliding blocks, first select one by its letter. A game in PuzzleScript is played with
the arrow keys, x for action, z for undo and r for restart; one with random rules has
no hints. In other puzzles, choose a move from a list. h gives a hint, the next move
towards the nearest goal; u undoes a move; ? shows all keys; q quits.

With a RUN, play shows the depth of every state and, if the run has them, goal
distances, and hints come from the run. A FILE, which may be a board itself, uses the
run of that name in runs/, or the one that --run names; without a run, hints are
solved on the spot.

A SOLUTION is what solve --json and trace --json print, in a file or, as -, on
standard input; or give MOVES after the board, the moves themselves or a file of them.
n and p step through it, N and P by 25, g and G go to its ends, and space plays it.

If standard output is not a terminal, play prints a solution board by board, and for a
board it reads one move per line.`,
		Example: `  everystate play puzzles/rushhour/jam-93.txt
  everystate play jam-93
  everystate solve puzzles/rushhour/bird.txt --json > bird.json
  everystate play bird.json
  everystate play puzzles/sokoban/rooms.txt`,
		Args:              shell.Between(1, 2, "FILE|RUN|SOLUTION [MOVES]"),
		ValidArgsFunction: runs.CompleteName,
		RunE:              func(cmd *cobra.Command, args []string) error { return runPlay(env, cmd, &f, args) },
	}
	flags := cmd.Flags()
	f.Flags(flags, "for a FILE: ")
	flags.StringVar(&f.run, "run", "", "take depths and goal distances of a FILE or SOLUTION from `RUN`")
	flags.BoolVar(&f.plain, "plain", false, "read lines and print text, as without a terminal")
	return cmd
}

func runPlay(env *shell.Env, cmd *cobra.Command, f *player, args []string) error {
	if err := boards.KnownMetric(cmd, f.Metric, f.Module); err != nil {
		return err
	}
	table := &gameTable{env: env}
	err := table.lay(cmd, f, args)
	if err == nil {
		err = playGames(cmd.Context(), env, f, table.games)
	}
	return cmp.Or(err, table.close())
}

// playGames plays games in the way that suits the terminal.
func playGames(ctx context.Context, env *shell.Env, f *player, games []play.Game) error {
	in, keyboard := env.In.Terminal()
	if !f.plain && keyboard && env.OutTerm.Is() && os.Getenv("TERM") != "dumb" {
		return playScreen(ctx, env, in, play.New(ctx, env.Paint, games))
	}
	if len(games[0].Moves) > 0 {
		for i := range games {
			printGame(env, &games[i])
		}
		return nil
	}
	return playLines(env, play.New(ctx, paint.Paint{}, games), keyboard)
}

func playScreen(ctx context.Context, env *shell.Env, in *os.File, m *play.Model) error {
	_, err := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(env.OutTerm.File), tea.WithoutSignalHandler()).Run()
	if errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// playLines plays by lines of input.
func playLines(env *shell.Env, m *play.Model, prompt bool) error {
	m.Settle(m.Init())
	fmt.Fprintln(env.Out, m.Text())
	lines := bufio.NewScanner(env.In)
	for {
		if prompt {
			fmt.Fprint(env.Out, "> ")
		}
		if err := env.Out.Flush(); err != nil {
			return err
		}
		if !lines.Scan() {
			return lines.Err()
		}
		if m.Say(lines.Text()) {
			return nil
		}
		fmt.Fprintf(env.Out, "\n%s\n", m.Text())
	}
}

// printGame prints a solution board by board.
func printGame(env *shell.Env, g *play.Game) {
	state := g.Start
	states := [][]uint64{state}
	names := make([]string, 0, len(g.Moves))
	for _, move := range g.Moves {
		next := make([]uint64, len(state))
		if !g.Puzzle.Apply(next, state, move) {
			break
		}
		state = next
		states, names = append(states, next), append(names, g.Puzzle.FormatMove(move))
	}
	fmt.Fprintf(env.Out, "%s: %s\n\n", g.Name, quantity.Counted(int64(len(names)), "move"))
	boards := make([]string, 0, len(states))
	for _, s := range states {
		boards = append(boards, g.Puzzle.Draw(s))
	}
	runs.PrintPath(env, picture.Painter{Paint: env.Paint, Goal: picture.GoalSymbol(g.Text)}, boards, names)
}

// A gameTable holds the games to play and the runs that are open for them.
type gameTable struct {
	env   *shell.Env
	games []play.Game
	runs  []runs.View
}

func (t *gameTable) close() error {
	var err error
	for _, r := range t.runs {
		err = cmp.Or(err, r.Close())
	}
	return err
}

// lay adds the games that arguments ask for.
func (t *gameTable) lay(cmd *cobra.Command, f *player, args []string) error {
	env, ctx := t.env, cmd.Context()
	var given runs.View
	if f.run != "" {
		r, err := runs.Open(ctx, env, f.run)
		if err != nil {
			return err
		}
		t.runs, given = append(t.runs, r), r
	}
	if f.Module == "" && !runs.IsFile(args[0]) {
		switch {
		case f.Given():
			return exit.Usagef(cmd, "--metric, --notation, --level and --puzzle work only with a FILE: a run has its own")
		case given != nil:
			return exit.Usagef(cmd, "--run works only with a FILE or SOLUTION, and %s is a run", args[0])
		}
		r, err := runs.Open(ctx, env, args[0])
		if err != nil {
			return err
		}
		t.runs = append(t.runs, r)
		return t.add(r.Board(), r, args[1:], "")
	}
	if len(args) == 1 {
		text, solutions, err := readSolutions(env, args[0])
		switch {
		case err != nil:
			return err
		case len(solutions) > 0:
			return t.addSolutions(ctx, f, args[0], given, solutions)
		case args[0] == "-":
			args[0] = text // which has been read already
		}
	}
	jobs, err := f.JobsToPlay(env, cmd, args[:1], rand.Text())
	if err != nil {
		return err
	}
	if len(jobs) == 0 {
		return exit.Errorf(exit.Usage, "%s: no board in it", args[0])
	}
	if len(args) > 1 && len(jobs) != 1 {
		return exit.Errorf(exit.Usage, "%s: a solution is for one board, and there are %d here", args[0], len(jobs))
	}
	for _, j := range jobs {
		if err := t.addFile(ctx, &j.Board, j.Name, given, args[1:], ""); err != nil {
			return err
		}
	}
	return nil
}

// addFile adds a board with the run that knows it, if there is one.
func (t *gameTable) addFile(ctx context.Context, b *puzzle.Board, name string, given runs.View, rest []string, moves string) error {
	r := given
	dir := filepath.Join(runs.Dir, name)
	if r == nil && name != "" && engine.IsRun(dir) && len(t.runs) == 0 {
		if found, err := runs.Open(ctx, t.env, dir); err == nil {
			r = found
			t.runs = append(t.runs, r)
		}
	}
	if r != nil {
		known := r.Board()
		if known.Family != b.Family || known.Text != b.Text && (known.Family != sokoban.Family || given == nil) {
			if given != nil {
				return exit.Errorf(exit.Usage, "%s is a run of a different board than %s", r.Dir(), b.Name)
			}
			r = nil
		}
	}
	return t.add(*b, r, rest, moves)
}

// add adds a game: a board, the run that knows it if any, and its solution, as an
// argument or as text, if there is one.
func (t *gameTable) add(b puzzle.Board, r runs.View, rest []string, moves string) error {
	env := t.env
	game := play.Game{
		Name: b.Name, Family: b.Family, Metric: b.Metric, Text: b.Text, Puzzle: b.Puzzle,
		Arrows: slices.Contains([]string{rushhour.Family, sokoban.Family, tiles.Family, blocks.Family}, b.Family),
		Inputs: b.Family == puzzlescript.Family,
		Random: puzzlescript.IsRandom(b.Puzzle),
	}
	g := &guide{env: env, run: r, solved: b}
	if r != nil {
		if known := r.Board(); known.Metric == b.Metric && known.Text == b.Text {
			g.solved, game.Puzzle = known, known.Puzzle // they can be shared
		}
	}
	if b.Family == sokoban.Family && b.Metric != sokoban.Steps {
		var err error
		if game.Puzzle, err = inMetric(&b, sokoban.Steps); err != nil {
			return err
		}
		if b.Metric == sokoban.Backwards {
			if g.solved.Puzzle, err = inMetric(&b, sokoban.Pushes); err != nil {
				return err
			}
			g.solved.Metric = sokoban.Pushes
		}
	}
	game.Puzzle = puzzle.Unmerged(game.Puzzle)
	g.played = game.Puzzle
	if !game.Random {
		game.Guide = g
	}
	game.Start = game.Puzzle.Starts()[:game.Puzzle.Layout().Words()]
	if len(rest) > 0 {
		var err error
		if moves, err = boards.ReadSolution(env, rest[0]); err != nil {
			return err
		}
	}
	if strings.TrimSpace(moves) != "" {
		var err error
		if game.Moves, err = t.readSolution(g, &game, moves); err != nil {
			return err
		}
	}
	t.games = append(t.games, game)
	return nil
}

// inMetric reads a board in another metric.
func inMetric(b *puzzle.Board, metric string) (puzzle.Puzzle, error) {
	boards, err := families.Read([]byte(b.Text), puzzle.ReadOptions{Metric: metric})
	if err != nil {
		return nil, err
	}
	return boards[0].Puzzle, nil
}

// readSolution reads a solution, which the checker must accept.
func (t *gameTable) readSolution(g *guide, game *play.Game, text string) ([]puzzle.Move, error) {
	report, err := check.Text(&g.solved, text)
	if failure := new(puzzle.FailureError); errors.As(err, &failure) {
		return nil, fmt.Errorf("%s: %w", game.Name, err)
	}
	if err != nil {
		return nil, exit.Errorf(exit.Failed, "%s: not a solution: %v", game.Name, err)
	}
	p := g.solved.Puzzle
	if report.Metric != g.solved.Metric {
		p = game.Puzzle
	}
	if p == game.Puzzle {
		game.Start = report.Start
	}
	start, err := as(p, game.Puzzle, game.Start)
	if err != nil {
		return nil, err
	}
	moves, err := play.Named(p, start, report.Names)
	if err != nil || p == game.Puzzle {
		return moves, err
	}
	moves, _, err = play.Walk(game.Puzzle, game.Start, p, moves)
	return moves, err
}

// solutionJSON has the fields read from the solutions that commands print; docs/JSON.md
// describes them.
type solutionJSON struct {
	Name   string  `json:"name"`
	Metric string  `json:"metric"`
	Board  string  `json:"board"` // of solve
	Run    string  `json:"run"`   // of trace
	Moves  *string `json:"moves"`
}

// readSolutions reads one or more solutions in JSON from a file or standard input. If
// the text is anything else, it returns none and the text.
func readSolutions(env *shell.Env, arg string) (text string, solutions []solutionJSON, err error) {
	if info, fault := os.Stat(arg); arg != "-" && (fault != nil || info.IsDir()) {
		return arg, nil, nil //nolint:nilerr // the argument is the text itself
	}
	if text, err = boards.ReadSolution(env, arg); err != nil {
		return "", nil, err
	}
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return text, nil, nil
	}
	for dec := json.NewDecoder(strings.NewReader(text)); ; {
		var w solutionJSON
		err := dec.Decode(&w)
		switch {
		case errors.Is(err, io.EOF):
			return text, solutions, nil
		case err != nil:
			return "", nil, exit.Errorf(exit.Usage, "%s: neither a board nor what solve --json or trace --json prints: %v", arg, err)
		case w.Board == "" && w.Run == "":
			return "", nil, exit.Errorf(exit.Usage, "%s: this JSON has no board: play takes what solve --json and trace --json print", arg)
		}
		solutions = append(solutions, w)
	}
}

// addSolutions makes a game of every solution.
func (t *gameTable) addSolutions(ctx context.Context, f *player, arg string, given runs.View, solutions []solutionJSON) error {
	if f.Given() {
		return exit.Errorf(exit.Usage, "--metric, --notation, --level and --puzzle work only with a FILE: the solution %s has its own", arg)
	}
	for _, w := range solutions {
		if w.Moves == nil {
			w.Moves = new(string)
		}
		if w.Board == "" {
			r, err := runs.Open(ctx, t.env, w.Run)
			if err != nil {
				return err
			}
			t.runs = append(t.runs, r)
			if err := t.add(r.Board(), r, nil, *w.Moves); err != nil {
				return err
			}
			continue
		}
		found, err := families.Read([]byte(w.Board), puzzle.ReadOptions{Metric: w.Metric})
		if err != nil {
			return exit.Refused(boards.Placed(arg, err))
		}
		b := found[0]
		if b.Name == "" {
			b.Name = w.Name
		}
		if err := t.addFile(ctx, &b, boards.FileName(b.Name)+boards.MetricSuffix(b), given, nil, *w.Moves); err != nil {
			return err
		}
	}
	return nil
}
