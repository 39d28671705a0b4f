package runs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/frontier"
	"github.com/everystate/everystate/internal/terminal/picture"
	"github.com/everystate/everystate/internal/wasm"
	"github.com/everystate/everystate/puzzle"
)

// Drawings draws states for people, with the names that moves use.
func Drawings(r View, keys [][]uint64) []string {
	list := make([]string, 0, len(keys))
	for _, key := range keys {
		list = append(list, r.Board().Puzzle.Draw(key))
	}
	return list
}

// Text formats a state in one line.
func Text(r View, key []uint64) string { return puzzle.OneLine(r.Board().Puzzle.Format(key)) }

// Texts formats states, each in one line.
func Texts(r View, keys [][]uint64) []string {
	list := make([]string, 0, len(keys))
	for _, key := range keys {
		list = append(list, Text(r, key))
	}
	return list
}

// movesPerRow makes rows that begin with 1, 11, 21, ...
const movesPerRow = 10

// PrintNames prints moves in rows.
func PrintNames(env *shell.Env, names []string) {
	width := 0
	for _, n := range names {
		width = max(width, len(n))
	}
	digits := len(fmt.Sprint(len(names)))
	first := 1
	for row := range slices.Chunk(names, movesPerRow) {
		line := env.Paint.Faint(fmt.Sprintf("%*d", digits, first)) + " "
		for _, n := range row {
			line += fmt.Sprintf(" %-*s", width, n)
		}
		fmt.Fprintln(env.Out, strings.TrimRight(line, " "))
		first += len(row)
	}
}

// NotFound returns an error that something is not in a space or, if the run is
// not complete, not yet.
func NotFound(env *shell.Env, r View, never, notYet string) error {
	if r.Space().Complete() {
		return exit.Errorf(exit.NotFound, "%s: %s", NameOf(r), never)
	}
	where, more := ", where the run stopped", More(env, r)
	if goesOn(r) {
		where = " so far"
	}
	layers := len(r.History().Layers(history.Forward))
	if layers == 0 {
		return exit.Errorf(exit.Incomplete, "%s: there are no states yet: %s", NameOf(r), more)
	}
	return exit.Errorf(exit.Incomplete, "%s: %s to depth %d%s: %s", NameOf(r), notYet, layers-1, where, more)
}

// More returns the command that leads to more of a run that is not complete: it continues
// the run with these flags, or waits for it if it goes on by itself. If the puzzle has failed,
// More returns the failure, and what to do about it.
func More(env *shell.Env, r View, flags ...string) string {
	switch why := failureOf(r); {
	case why != "":
		return mend(why)
	case goesOn(r):
		return env.Command("watch", r.Dir())
	}
	return env.Command(append([]string{"resume", r.Dir()}, flags...)...)
}

// failureOf returns how the puzzle of a run has failed, empty if it has not. Of a run on a
// coordinator it is unknown whether the puzzle failed or a worker.
func failureOf(r View) string {
	if kept, ok := r.(*engine.Run); ok {
		return kept.Failure()
	}
	return ""
}

// mend adds to the failure of a puzzle what to do about it. To resume the run does not help.
func mend(failure string) string {
	what := "rules"
	if wasm.Told(failure) {
		what = "module"
	}
	return failure + "; it would fail again if resumed: correct the " + what + ", then explore the puzzle in a new run"
}

// goesOn reports whether a coordinator goes on with a run.
func goesOn(r View) bool {
	remote, ok := r.(*RemoteRun)
	if !ok {
		return false
	}
	runs, _, err := remote.client.List(context.Background())
	at := slices.IndexFunc(runs, func(s client.Status) bool { return s.Run == remote.at.Name })
	if err != nil || at < 0 {
		return false
	}
	return slices.Contains([]client.State{client.Queued, client.Running, client.Waiting}, runs[at].State)
}

// NoDistances returns the error that a run has no goal distances, and how it gets them.
func NoDistances(env *shell.Env, r View) error {
	if r.History().Keep().Frontier {
		return exit.Errorf(exit.Usage, "%s: %v", r.Dir(), frontier.ErrNoDistances)
	}
	return exit.Errorf(exit.Incomplete, "%s has no goal distances yet: %s", r.Dir(), env.Command("resume", r.Dir(), "--goal-distance"))
}

// PrintPath prints the boards of a path, and the moves that lead from each to
// the next.
func PrintPath(env *shell.Env, pen picture.Painter, boards, names []string) {
	pics := make([]picture.Picture, 0, len(boards))
	for i, text := range boards {
		pic := pen.Draw(text)
		pic.Title = "start"
		if i > 0 {
			pic = pen.DrawMove(boards[i-1], text)
			pic.Title = fmt.Sprintf("%d. %s", i, names[i-1])
		}
		pics = append(pics, pic)
	}
	fmt.Fprintln(env.Out, strings.Join(picture.Beside(pics, env.OutTerm.Width()), "\n"))
}
