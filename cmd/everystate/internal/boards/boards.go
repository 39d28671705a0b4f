// Package boards reads the boards that arguments name: files, standard input, texts, and
// modules with rules of their own.
//
// It must never read runs.
package boards

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/wasm"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/store/naming"
)

// ReadSolution reads a solution: a file, standard input for "-", or the argument itself,
// if it consists of moves. The error names the argument.
func ReadSolution(env *shell.Env, arg string) (string, error) {
	text, err := []byte(arg), error(nil)
	if arg == "-" {
		text, err = io.ReadAll(io.LimitReader(env.In, inputBytesMax))
	} else if info, missing := os.Stat(arg); missing == nil && !info.IsDir() {
		text, err = readFile(arg)
	} else if looksLikePath(arg) && !strings.Contains(arg, " ") {
		err = errors.New("no such file")
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		err = exit.Errorf(exit.Usage, "%s: %v", arg, err)
	}
	return string(text), err
}

// inputBytesMax is more than any family reads; the family refuses longer input and says
// how much it accepts.
const inputBytesMax = 16<<20 + 1

// Input is a text with boards.
type Input struct {
	Label string // its name in errors
	Base  string // the name of its runs if its boards have none; empty if it has no name either
	text  []byte
}

// Job is a board with the name of its run.
type Job struct {
	Board puzzle.Board
	Label string
	Name  string // a file name
}

// Read reads all boards of all arguments. The error has one line for each argument that
// cannot be read.
func Read(env *shell.Env, args []string, read Reader, opts puzzle.ReadOptions) ([]Job, error) {
	var jobs []Job
	var faults []exit.Fault
	for _, arg := range args {
		in, boards, err := ReadArgument(env, arg, read, opts)
		if errors.As(err, new(*wasm.ModuleError)) || errors.Is(err, context.Canceled) {
			return nil, err // the error does not depend on the board
		}
		if err != nil {
			faults = append(faults, Placed(in.Label, err))
			continue
		}
		warn(env, in.Label, boards)
		whole := in.whole(boards, read, opts)
		for i, b := range boards {
			at := i
			if len(whole) > 0 {
				at = placeOf(&b, whole, opts.Level)
			}
			name := RunName(in, b, at, max(len(boards), len(whole)))
			if b.Name == "" {
				b.Name = name
			}
			jobs = append(jobs, Job{Board: b, Label: in.Label, Name: name + MetricSuffix(b)})
		}
	}
	if len(faults) > 0 {
		return nil, exit.Refused(faults...)
	}
	nameApart(jobs)
	return jobs, nil
}

// whole returns all boards of an input of which --level chose some: their numbers name
// those without a name. It returns none if no number is needed.
func (in *Input) whole(chosen []puzzle.Board, read Reader, opts puzzle.ReadOptions) []puzzle.Board {
	unnamed := func(b puzzle.Board) bool { return FileName(b.Name) == "" }
	if opts.Level == "" || opts.Level == puzzle.AllLevels || in.Base == "" || !slices.ContainsFunc(chosen, unnamed) {
		return nil
	}
	opts.Level = puzzle.AllLevels
	all, err := read(in.text, opts)
	if err != nil {
		return nil // a board that was not asked for must not matter
	}
	return all
}

// placeOf returns where a board is among all boards of its input: at the number that
// --level gives, if it is one, or else where its like is first.
func placeOf(b *puzzle.Board, all []puzzle.Board, level string) int {
	same := func(other puzzle.Board) bool { return other.Text == b.Text }
	if n, err := strconv.Atoi(level); err == nil && n >= 1 && n <= len(all) && same(all[n-1]) {
		return n - 1
	}
	return max(0, slices.IndexFunc(all, same))
}

// warn prints the warnings from reading boards, only the first few of a file of many.
func warn(env *shell.Env, label string, boards []puzzle.Board) {
	const most = 3
	told := 0
	for _, b := range boards {
		switch {
		case b.Warning == "":
		case told == most:
			env.Complain(label + ": further warnings are not shown")
			return
		default:
			what := b.Warning
			if b.Name != "" {
				what = b.Name + ": " + what
			}
			env.Warn(exit.Fault{Text: label + ": " + what, What: what, Where: &exit.Place{Input: label}})
			told++
		}
	}
}

// ReadArgument reads a file, standard input for "-", or a board given as the argument
// itself.
func ReadArgument(env *shell.Env, arg string, read Reader, opts puzzle.ReadOptions) (Input, []puzzle.Board, error) {
	if arg == "-" {
		text, err := io.ReadAll(io.LimitReader(env.In, inputBytesMax))
		return Parse(Input{Label: "standard input", text: text}, err, read, opts)
	}
	info, err := os.Stat(arg)
	switch {
	case err == nil && info.IsDir():
		return Input{Label: arg}, nil, errors.New("is a directory, not a file of boards")
	case err == nil:
		text, err := readFile(arg)
		base := strings.TrimSuffix(filepath.Base(arg), filepath.Ext(arg))
		return Parse(Input{Label: arg, Base: FileName(base), text: text}, err, read, opts)
	}
	in, boards, fault := Parse(Input{Label: "argument", text: []byte(arg)}, nil, read, opts)
	ofFlag := errors.As(fault, new(*families.OptionError)) // whatever the argument is
	switch {
	case ofFlag && LooksLikeBoard(arg):
		return Input{}, nil, fault
	case fault == nil || LooksLikeBoard(arg):
		return in, boards, fault
	}
	if looksLikePath(arg) && !looksLikeRows(arg) || aWord.MatchString(arg) && aNameLetter.MatchString(arg) {
		return Input{Label: arg}, nil, errors.New("no such file")
	}
	switch {
	case ofFlag:
		return Input{}, nil, fault
	case errors.As(fault, new(moduleError)):
	case arg == "":
		return Input{Label: "FILE"}, nil, errors.New("empty argument: must be a file, a board, or - for standard input")
	case aToken.MatchString(arg) && !isSquare(len(arg)):
		return Input{Label: arg}, nil, errors.New(`no such file, and not a board: a board has slashes between rows, as in "AA.B / ...B", or spaces between moves, as in "R U2 F'"`)
	}
	return Input{Label: arg}, nil, fmt.Errorf("no such file, and not a board: %w", fault)
}

// A word with a lower-case letter other than those of boards, o and x, is a name. A token has
// neither rows nor moves.
var (
	aWord       = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]+$`)
	aNameLetter = regexp.MustCompile(`[a-np-wyz]`)
	aToken      = regexp.MustCompile(`^[^\s/\\]+$`)
)

// isSquare reports whether a board of that many cells may be one line, as databases of Rush
// Hour have it.
func isSquare(cells int) bool {
	const least = 4
	for n := least; n*n <= cells; n++ {
		if n*n == cells {
			return true
		}
	}
	return false
}

func readFile(path string) (text []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return io.ReadAll(io.LimitReader(f, inputBytesMax))
}

// Parse reads the boards of an input, or returns err if reading the input failed with
// it.
func Parse(in Input, err error, read Reader, opts puzzle.ReadOptions) (Input, []puzzle.Board, error) {
	if err != nil {
		return in, nil, err
	}
	boards, err := read(in.text, opts)
	return in, boards, err
}

// LooksLikeBoard distinguishes a board from a file name. Levels of Sokoban begin with a
// wall.
func LooksLikeBoard(arg string) bool {
	return strings.Contains(arg, "\n") || strings.HasPrefix(arg, "##") || strings.Contains(arg, " / ") || strings.HasPrefix(arg, "[(")
}

// looksLikeRows reports whether an argument is rows of equal length separated by
// slashes.
func looksLikeRows(arg string) bool {
	rows := strings.Split(arg, "/")
	for _, row := range rows {
		if len(row) < 2 || len(row) != len(rows[0]) {
			return false
		}
	}
	return len(rows) > 1
}

func looksLikePath(arg string) bool {
	return strings.ContainsAny(arg, `/\`) || slices.Contains([]string{".txt", ".sok", ".xsb", ".slc", ".tws", ".def", ".json"}, filepath.Ext(arg))
}

// Placed prefixes an error of a family with the name of its input, in the form that
// editors know: FILE:LINE:COLUMN: what. Without a label the fault is a flag's.
func Placed(label string, err error) exit.Fault {
	var fault *puzzle.InputError
	var path *os.PathError
	at := exit.Place{Input: label}
	what := err.Error()
	switch {
	case errors.As(err, &path):
		what = path.Err.Error()
	case errors.As(err, &fault) && fault.Error() == err.Error():
		what = fault.What
		at.Line = max(0, fault.Line)
		if at.Line > 0 {
			at.Column = max(0, fault.Column)
		}
	}
	if label == "" {
		return exit.Fault{Text: what, What: what}
	}
	place := label
	for _, n := range []int{at.Line, at.Column} {
		if n > 0 {
			place += ":" + strconv.Itoa(n)
		}
	}
	return exit.Fault{Text: place + ": " + what, What: what, Where: &at}
}

// RunName names the run of a board: after the board, else after its file, with the
// board's number if the file holds several.
func RunName(in Input, b puzzle.Board, i, boards int) string {
	if name := FileName(b.Name); name != "" {
		return name
	}
	base := in.Base
	if base == "" {
		h := fnv.New32a()
		_, _ = h.Write([]byte(b.Text)) // a hash has no errors
		return fmt.Sprintf("board-%08x", h.Sum32())
	}
	if boards == 1 {
		return base
	}
	return fmt.Sprintf("%s-%0*d", base, len(fmt.Sprint(boards)), i+1)
}

// MetricSuffix distinguishes the runs of one board in several metrics.
func MetricSuffix(b puzzle.Board) string {
	family, ok := families.ByName(b.Family)
	if ok && family.Metrics[0].Name == b.Metric {
		return ""
	}
	return "-" + FileName(b.Metric)
}

// nameApart gives different boards that would share a run distinct names.
func nameApart(jobs []Job) {
	type owner struct{ text, metric string }
	taken := make(map[string]owner)
	for i := range jobs {
		mine := owner{jobs[i].Board.Text, jobs[i].Board.Metric}
		name := jobs[i].Name
		for n := 2; ; n++ {
			other, ok := taken[name]
			if !ok || other == mine {
				break
			}
			name = fmt.Sprintf("%s-%d", jobs[i].Name, n)
		}
		taken[name] = mine
		jobs[i].Name = name
	}
}

// FileNameBytesMax bounds what FileName returns.
const FileNameBytesMax = 80

// FileName makes a name safe as a file name anywhere: lower-case letters and digits of
// any script, with single hyphens, dots and underscores between them.
func FileName(name string) string {
	var out strings.Builder
	gap := false
	for _, r := range norm.NFC.String(strings.ToLower(name)) {
		if out.Len()+len("-")+utf8.RuneLen(r) > FileNameBytesMax {
			break
		}
		switch {
		case naming.IsLetter(r):
			if gap && out.Len() > 0 {
				out.WriteByte('-')
			}
			gap = false
			out.WriteRune(r)
		case (r == '.' || r == '_') && !gap && out.Len() > 0:
			out.WriteRune(r)
		default:
			gap = true
		}
	}
	return strings.Trim(out.String(), "._-")
}
