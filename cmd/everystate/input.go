package main

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/everystate/everystate/internal/wasm"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// inputBytesMax is more than any family reads; what is longer is refused by the
// family, which says how much it takes.
const inputBytesMax = 16<<20 + 1

// input is a text with boards.
type input struct {
	label string // what an error calls it
	base  string // what its runs are called if its boards have no names; empty if it has no name either
	text  []byte
}

// job is a board with the name of its run.
type job struct {
	board puzzle.Board
	label string
	name  string // a file name
}

// readJobs reads all boards of all arguments. The error tells of every argument
// that cannot be read, a line each.
func readJobs(env *app, args []string, read boardReader, opts puzzle.ReadOptions) ([]job, error) {
	var jobs []job
	var faults []string
	for _, arg := range args {
		in, boards, err := readArgument(env, arg, read, opts)
		if errors.As(err, new(*wasm.ModuleError)) {
			return nil, err // whatever the board is
		}
		if err != nil {
			faults = append(faults, placed(in.label, err))
			continue
		}
		for i, b := range boards {
			name := runName(in, b, i, len(boards))
			if b.Name == "" {
				b.Name = name
			}
			jobs = append(jobs, job{board: b, label: in.label, name: name + metricSuffix(b)})
		}
	}
	if len(faults) > 0 {
		return nil, failf(exitUsage, "%s", strings.Join(faults, nextFault))
	}
	tellApart(jobs)
	return jobs, nil
}

// readArgument reads a file, standard input for "-", or a board that stands on
// the command line itself.
func readArgument(env *app, arg string, read boardReader, opts puzzle.ReadOptions) (input, []puzzle.Board, error) {
	if arg == "-" {
		text, err := io.ReadAll(io.LimitReader(env.in, inputBytesMax))
		return parse(input{label: "standard input", text: text}, err, read, opts)
	}
	info, err := os.Stat(arg)
	switch {
	case err == nil && info.IsDir():
		return input{label: arg}, nil, errors.New("is a directory, not a file with boards")
	case err == nil:
		text, err := readFile(arg)
		base := strings.TrimSuffix(filepath.Base(arg), filepath.Ext(arg))
		return parse(input{label: arg, base: fileName(base), text: text}, err, read, opts)
	}
	in, boards, fault := parse(input{label: "argument", text: []byte(arg)}, nil, read, opts)
	if fault == nil || looksLikeBoard(arg) {
		return in, boards, fault
	}
	if looksLikePath(arg) {
		return input{label: arg}, nil, errors.New("no such file")
	}
	return input{label: arg}, nil, fmt.Errorf("no such file, and no board either: %w", fault)
}

func readFile(path string) (text []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return io.ReadAll(io.LimitReader(f, inputBytesMax))
}

func parse(in input, err error, read boardReader, opts puzzle.ReadOptions) (input, []puzzle.Board, error) {
	if err != nil {
		return in, nil, err
	}
	boards, err := read(in.text, opts)
	return in, boards, err
}

// looksLikeBoard tells a board from a file name. Levels of Sokoban begin with a wall.
func looksLikeBoard(arg string) bool {
	return strings.Contains(arg, "\n") || strings.HasPrefix(arg, "##") || strings.Contains(arg, " / ") || strings.HasPrefix(arg, "[(")
}

func looksLikePath(arg string) bool {
	return strings.ContainsAny(arg, `/\`) || slices.Contains([]string{".txt", ".sok", ".xsb"}, filepath.Ext(arg))
}

// placed puts an error of a family behind the name of its input, in the form
// that editors know: FILE:LINE:COLUMN: what.
func placed(label string, err error) string {
	var fault *puzzle.InputError
	var path *os.PathError
	switch {
	case errors.As(err, &path):
		return fmt.Sprintf("%s: %v", label, path.Err)
	case !errors.As(err, &fault) || fault.Error() != err.Error():
		return fmt.Sprintf("%s: %v", label, err)
	case fault.Line > 0 && fault.Column > 0:
		return fmt.Sprintf("%s:%d:%d: %s", label, fault.Line, fault.Column, fault.What)
	case fault.Line > 0:
		return fmt.Sprintf("%s:%d: %s", label, fault.Line, fault.What)
	}
	return fmt.Sprintf("%s: %s", label, fault.What)
}

// runName names the run of a board: after the board, else after its file, with
// its number if the file holds several.
func runName(in input, b puzzle.Board, i, boards int) string {
	if name := fileName(b.Name); name != "" {
		return name
	}
	base := in.base
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

// metricSuffix tells the runs of one board in several metrics apart.
func metricSuffix(b puzzle.Board) string {
	family, ok := families.ByName(b.Family)
	if ok && family.Metrics[0].Name == b.Metric {
		return ""
	}
	return "-" + fileName(b.Metric)
}

// tellApart gives boards that would share a run, though they are not the same,
// names of their own.
func tellApart(jobs []job) {
	type owner struct{ text, metric string }
	taken := make(map[string]owner)
	for i := range jobs {
		mine := owner{jobs[i].board.Text, jobs[i].board.Metric}
		name := jobs[i].name
		for n := 2; ; n++ {
			other, ok := taken[name]
			if !ok || other == mine {
				break
			}
			name = fmt.Sprintf("%s-%d", jobs[i].name, n)
		}
		taken[name] = mine
		jobs[i].name = name
	}
}

const fileNameBytesMax = 80

// fileName makes a name safe to be one of a file anywhere: small letters,
// digits, and single hyphens, dots and underscores between them.
func fileName(name string) string {
	var out strings.Builder
	gap := false
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
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
		if out.Len() >= fileNameBytesMax {
			break
		}
	}
	name = out.String()
	return strings.Trim(name[:min(len(name), fileNameBytesMax)], "._-")
}
