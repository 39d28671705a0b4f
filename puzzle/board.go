package puzzle

import (
	"fmt"
	"strconv"
	"strings"
)

// A Board is a puzzle together with what its file states about it.
type Board struct {
	Puzzle Puzzle

	// Family is the name of the family, for example "rush-hour".
	Family string

	// Name is the board's name from its header or its title, or empty.
	Name string

	// Metric defines what counts as one move. It is always the metric's main name.
	Metric string

	// Text is the board in its family's own canonical notation with all
	// header lines it needs: parsed again with no options, it gives a puzzle
	// with the same keys, moves and starts.
	Text string

	// Above is the number of lines of the file above the body of Text, in families whose
	// failures name a line: it is that of the file. It is 0 in others.
	Above int

	// Note describes the board in one line for people and says what the reader assumed
	// ("goal vehicle A, exit right in row 3; 13 vehicles on 6x6").
	Note string

	// Warning tells people what may be unexpected in how the board was read. It is
	// usually empty.
	Warning string

	// Expect holds what the file states about the space.
	Expect Expect

	// Fault says why a level that the options do not ask for cannot be read, so that it
	// keeps its number. It is nil in all boards that families.Read returns.
	Fault *InputError
}

// Warn adds to the warning of the board.
func (b *Board) Warn(text string) {
	if b.Warning != "" {
		b.Warning += "; "
	}
	b.Warning += text
}

// Expect is what a database line or a header states. Unknown numbers are -1.
type Expect struct {
	SolutionLength int
	States         int64
}

// ExpectNothing returns the Expect of a board whose file states nothing.
func ExpectNothing() Expect { return Expect{SolutionLength: -1, States: -1} }

// ReadOptions controls how a text is read.
type ReadOptions struct {
	// Metric overrides the metric of the file. Empty means the file's, or the
	// family's default.
	Metric string

	// Notation forces a notation. Empty means that the reader recognises it.
	Notation string

	// Moves lists the only moves allowed, as in "U,F,R2", for families whose texts
	// define the moves. Empty means all.
	Moves string

	// Prune leaves out moves after which no goal can be reached, as far as the family
	// can tell. Only some families support it.
	Prune bool

	// FromGoals explores from the goals by undoing moves. It is a metric of the
	// families that support it.
	FromGoals bool

	// Level chooses one of several levels or boards of a text: its number from 1,
	// or its name. Empty means the file's choice, or all; "all" means all.
	Level string

	// Added is the number of lines before a text that its author did not write. A
	// puzzle that fails counts lines without them. It is negative if the text lacks
	// lines that the author's file had before it.
	Added int

	// Seed seeds the random choices of a game that has some. Empty refuses such games,
	// which can be played but not explored: a move from a state may lead to another
	// one each time.
	Seed string
}

// AllLevels is the ReadOptions.Level that overrides the choice of a file.
const AllLevels = "all"

// OneLevel reports whether the options ask for one level.
func (o ReadOptions) OneLevel() bool {
	want := strings.TrimSpace(o.Level)
	return want != "" && !strings.EqualFold(want, AllLevels)
}

// LevelIndex returns the index of the level that the options ask for among levels with the
// given names, some of which may be empty, or -1 if they ask for all. A prefix of a
// name is enough if no other name has it; case is ignored.
func (o ReadOptions) LevelIndex(names []string) (int, *InputError) {
	if !o.OneLevel() {
		return -1, nil
	}
	want := strings.TrimSpace(o.Level)
	if n, err := strconv.Atoi(want); err == nil && n >= 1 && n <= len(names) {
		return n - 1, nil
	}
	found := -1
	for i, name := range names {
		switch {
		case strings.EqualFold(name, want):
			return i, nil
		case len(name) < len(want) || !strings.EqualFold(name[:len(want)], want):
		case found >= 0:
			return 0, &InputError{What: fmt.Sprintf("level %.40q could be level %d (%.40s) or level %d (%.40s)", want, found+1, names[found], i+1, name)}
		default:
			found = i
		}
	}
	if found >= 0 {
		return found, nil
	}
	return 0, &InputError{What: fmt.Sprintf("there is no level %.40q: %s", want, listLevels(names))}
}

// listLevels lists the levels, up to a limit.
func listLevels(names []string) string {
	const most = 12
	if len(names) == 1 && names[0] == "" {
		return "there is one"
	}
	var list []string
	for i, name := range names {
		if i == most {
			list = append(list, "...")
			break
		}
		if name == "" {
			list = append(list, strconv.Itoa(i+1))
		} else {
			list = append(list, fmt.Sprintf("%d (%.40s)", i+1, name))
		}
	}
	return fmt.Sprintf("there are %d: %s", len(names), strings.Join(list, ", "))
}

// InputError reports what is wrong with a puzzle's text, and where.
type InputError struct {
	// Line and Column count from 1; 0 means that the fault has no position. Columns
	// count bytes.
	Line, Column int

	// What describes the fault and what would be right, in one line.
	What string
}

func (e *InputError) Error() string {
	switch {
	case e.Line > 0 && e.Column > 0:
		return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.What)
	case e.Line > 0:
		return fmt.Sprintf("line %d: %s", e.Line, e.What)
	}
	return e.What
}

// BetweenRows separates the rows of a state in a text of one line: in JSON, tables,
// cards and arguments.
const BetweenRows = " / "

// OneLine joins the rows of a state by BetweenRows.
func OneLine(state string) string { return strings.ReplaceAll(state, "\n", BetweenRows) }
