// Package check replays solutions. It knows no algorithm: it takes the displayed
// names of moves, makes the moves one after another with Apply, and checks that the
// last state is a goal. It must never call Successors or Undo, on which searches
// rely, nor read a file or print.
package check

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/blocks"
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/puzzle/sokoban"
)

// A SolutionError reports what is wrong with a solution.
type SolutionError struct {
	// Step counts moves from 1. It is 0 if no single move is at fault.
	Step int
	What string
}

func (f *SolutionError) Error() string {
	if f.Step == 0 {
		return f.What
	}
	return fmt.Sprintf("move %d: %s", f.Step, f.What)
}

// Names maps the names of a puzzle's moves to the moves.
type Names struct {
	puzzle puzzle.Puzzle
	moves  map[string][]puzzle.Move
	words  int // of the longest name
}

// NewNames lists the moves of a puzzle.
func NewNames(p puzzle.Puzzle) *Names {
	n := &Names{puzzle: p, moves: map[string][]puzzle.Move{}}
	for id := range p.Layout().Moves {
		move := puzzle.Move(id) // below MovesMax
		name := p.FormatMove(move)
		n.moves[name] = append(n.moves[name], move)
		n.words = max(n.words, len(strings.Fields(name)))
	}
	return n
}

// named returns the moves with a name, or with one that they had once.
func (n *Names) named(name string) []puzzle.Move {
	if ids := n.moves[name]; len(ids) > 0 {
		return ids
	}
	return n.moves[blocks.MoveName(name)]
}

// Split splits a text into names of moves, separated by blanks. Names of one letter
// need no blanks, as in "uurDDl". It ignores numbers that are not moves but count
// them, lines that start with ";", and commas between moves.
func (n *Names) Split(text string) ([]string, error) {
	var words, names []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(strings.TrimSpace(line), ";") {
			words = append(words, strings.Fields(line)...)
		}
	}
	for len(words) > 0 {
		if name, used := n.first(words); used > 0 {
			names, words = append(names, name), words[used:]
			continue
		}
		if name := push(words); len(n.named(name)) > 0 {
			names, words = append(names, name), words[3:]
			continue
		}
		word := words[0]
		words = words[1:]
		if letters := n.letters(word); letters != nil {
			names = append(names, letters...)
			continue
		}
		if strings.Trim(word, "0123456789.:") != "" {
			return nil, &SolutionError{len(names) + 1, fmt.Sprintf("%.40q is not a move of this puzzle: moves look like %s", word, n.example())}
		}
	}
	return names, nil
}

// first returns the longest name that the words begin with.
func (n *Names) first(words []string) (name string, used int) {
	for used = min(n.words, len(words)); used > 0; used-- {
		name = strings.Join(words[:used], " ")
		for _, name := range []string{name, strings.TrimRight(name, ",;")} {
			if len(n.named(name)) > 0 {
				return name, used
			}
		}
	}
	return "", 0
}

// push returns the name of the push that three words describe: row, column and
// direction.
func push(words []string) string {
	if len(words) < 3 {
		return ""
	}
	return words[0] + "," + words[1] + " " + words[2]
}

// letters splits a word into moves of one letter. A number before a letter repeats
// it.
func (n *Names) letters(word string) []string {
	const movesMax = 1 << 20
	var names []string
	count := 0
	for _, letter := range word {
		if letter >= '0' && letter <= '9' {
			count = min(10*count+int(letter-'0'), movesMax)
			continue
		}
		if len(n.moves[string(letter)]) == 0 || len(names)+count > movesMax {
			return nil
		}
		for range max(1, count) {
			names = append(names, string(letter))
		}
		count = 0
	}
	if count > 0 {
		return nil
	}
	return names
}

// example returns a name to show in a message.
func (n *Names) example() string { return n.puzzle.FormatMove(0) }

// Replay makes moves one after another from a state and returns the last state. If the
// puzzle fails at one of them, the error is no [SolutionError], but a [puzzle.FailureError].
func (n *Names) Replay(start []uint64, names []string) (end []uint64, err error) {
	if !n.puzzle.Valid(start) {
		return nil, &SolutionError{What: "the start is not a state of the puzzle"}
	}
	end = slices.Clone(start)
	for i, name := range names {
		next, err := n.step(end, name)
		if failure := puzzle.Err(n.puzzle); failure != nil {
			return nil, fmt.Errorf("move %d: %w", i+1, failure)
		}
		if err != nil {
			return nil, &SolutionError{i + 1, err.Error()}
		}
		end = next
	}
	return end, nil
}

// step makes the one legal move with a name.
func (n *Names) step(state []uint64, name string) ([]uint64, error) {
	ids := n.named(name)
	if len(ids) == 0 {
		return nil, fmt.Errorf("%.40q is not a move of this puzzle", name)
	}
	var next []uint64
	for _, id := range ids {
		to := make([]uint64, len(state))
		switch {
		case !n.puzzle.Apply(to, state, id):
		case next == nil:
			next = to
		case !slices.Equal(to, next):
			return nil, fmt.Errorf("%s is ambiguous here", name)
		}
	}
	switch {
	case next == nil:
		return nil, fmt.Errorf("%s is not legal there", name)
	case !n.puzzle.Valid(next):
		return nil, fmt.Errorf("%s leads to something that is not a state of the puzzle", name)
	}
	return next, nil
}

// Solves returns what is wrong with moves meant to lead from a state to a goal.
func (n *Names) Solves(start []uint64, names []string) error {
	end, err := n.Replay(start, names)
	if err != nil {
		return err
	}
	solved := n.isGoal(end)
	if err := puzzle.Err(n.puzzle); err != nil {
		return err
	}
	if !solved {
		what := fmt.Sprintf("all %d moves are legal, but the last does not lead to a goal", len(names))
		switch len(names) {
		case 0:
			what = "there are no moves, and the board is not solved"
		case 1:
			what = "the move is legal, but does not lead to a goal"
		}
		return &SolutionError{What: what}
	}
	return nil
}

func (n *Names) isGoal(state []uint64) bool {
	var mark [1]bool
	n.puzzle.Goals(state, mark[:])
	return mark[0]
}

// Report describes a valid solution.
type Report struct {
	Names  []string
	Metric string   // in which Names are counted
	Pushes int      // in Sokoban, if the moves are steps; else 0
	Start  []uint64 // the start that they lead from, in that metric
}

// Text checks a solution of a board, whoever wrote it. The error is a [SolutionError], or a
// [puzzle.FailureError] if the puzzle fails. A Sokoban solution may always
// be written as steps, with capitals for pushes.
func Text(b *puzzle.Board, text string) (Report, error) {
	r := Report{Metric: b.Metric}
	p := puzzle.Unmerged(b.Puzzle)
	if b.Family == sokoban.Family && isLURD(text) {
		const steps = "move"
		boards, err := families.Read([]byte(b.Text), puzzle.ReadOptions{Metric: steps})
		if err != nil || len(boards) != 1 {
			return r, &SolutionError{What: "player steps cannot be checked on this board"}
		}
		r.Metric, p = steps, puzzle.Unmerged(boards[0].Puzzle)
	}
	n := NewNames(p)
	names, err := n.Split(text)
	if err != nil {
		return r, err
	}
	r.Names = names
	if r.Metric != b.Metric || b.Family == sokoban.Family && isLURD(text) {
		for _, name := range names {
			if name == strings.ToUpper(name) {
				r.Pushes++
			}
		}
	}
	words, starts := p.Layout().Words(), p.Starts()
	for at := 0; at < len(starts); at += words {
		if err = n.Solves(starts[at:at+words], names); err == nil {
			r.Start = starts[at : at+words]
			return r, nil
		}
		if puzzle.Err(p) != nil {
			return r, err // whatever it answers from now on
		}
	}
	return r, err
}

// isLURD reports whether a text consists of steps alone.
func isLURD(text string) bool {
	seen := false
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		switch {
		case strings.ContainsRune("lurdLURD", r):
			seen = true
		case !strings.ContainsRune("0123456789 \t\r\n", r):
			return false
		}
	}
	return seen
}
