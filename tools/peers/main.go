// Command peers runs the same state spaces through Everystate and through alternative
// tools, side by side.
//
//	go run ./tools/peers            the table of docs/lab/PEERS.md, in minutes
//	go run ./tools/peers -large     with a space of 239,500,800 states as well
//	go run ./tools/peers -boards puzzles/rushhour/walls.txt
//
// The tools are the model checkers Spin and Rumur as packaged by Debian, each in its
// fastest exact modes. Package models writes the boards for them. Every round runs
// each tool once on a board, so that other load on the machine affects all of them
// alike; the table has medians over the rounds, and a ratio is computed within each
// round.
//
// Wall time and memory are those of the process that explores; compiling a model is
// not included and has its own column. The counts come from a tool's output. A row
// whose count differs from Everystate's is an error.
//
// A tool that is not installed is skipped, with a note on how to install it. The exit
// code is 1 if a count is wrong or a tool fails, and 2 for bad usage. Running out of
// time or memory is a result, not a failure.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/everystate/everystate/tools/measure"
)

const (
	usualBoards = "puzzles/tiles/2x4.txt,puzzles/tiles/3x3.txt,puzzles/tiles/2x5.txt," +
		"puzzles/rushhour/jam-93.txt,puzzles/rushhour/deep-8x8.txt,puzzles/rushhour/large-8x8.txt"
	largeBoard = "puzzles/tiles/big-3x4.txt"
)

// options say what to measure.
type options struct {
	boards []string // files; the first board of each is used
	tools  []string // names; empty for all
	rounds int
	limit  time.Duration // per process
	dir    string        // where models and runs are stored; empty for the machine's temporary directory
}

func main() { measure.Main("peers", run) }

func run(ctx context.Context, args []string, out, notes io.Writer) (err error) {
	o, err := parse(args, notes)
	if err != nil {
		return err
	}
	machine, err := measure.ThisMachine(ctx)
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp(o.dir, "everystate-peers-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	c := comparison{options: o, machine: machine, scratch: scratch, notes: notes}
	if err := c.prepare(ctx); err != nil {
		return err
	}
	r := report{machine: machine, rounds: o.rounds, tools: c.tools}
	var failed error
	for _, file := range o.boards {
		b, err := c.board(ctx, file)
		if err != nil {
			failed = fmt.Errorf("%s: %w", file, err)
			break // the boards before it are still worth showing
		}
		r.boards = append(r.boards, b)
	}
	if len(r.boards) > 0 {
		_, err = io.WriteString(out, r.String())
	}
	return errors.Join(err, failed, r.errors())
}

func parse(args []string, errs io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	flags.SetOutput(errs)
	boards := flags.String("boards", usualBoards, "compare on the first boards of these `files`")
	only := flags.String("tools", "", "compare with these tools only, by `name` as in the table")
	large := flags.Bool("large", false, "compare on "+largeBoard+" as well: 239,500,800 states, many minutes and gigabytes per tool")
	flags.IntVar(&o.rounds, "n", 3, "rounds of every tool")
	flags.DurationVar(&o.limit, "limit", 20*time.Minute, "end a process that takes longer")
	flags.StringVar(&o.dir, "dir", "", "`directory` to make models and runs in (default: the system's temporary directory)")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return o, err
		}
		return o, measure.ErrUsage
	}
	if o.rounds < 1 || o.limit <= 0 || flags.NArg() > 0 {
		fmt.Fprintln(errs, "peers: -n must be 1 or more, -limit more than 0, and there are no arguments (see -help)")
		return o, measure.ErrUsage
	}
	o.boards = strings.Split(*boards, ",")
	if *large {
		o.boards = append(o.boards, largeBoard)
	}
	if *only != "" {
		o.tools = strings.Split(*only, ",")
	}
	for _, name := range o.tools {
		if !known(name) {
			fmt.Fprintf(errs, "peers: no tool %q: the tools are %s\n", name, strings.Join(names(), ", "))
			return o, measure.ErrUsage
		}
	}
	return o, nil
}
