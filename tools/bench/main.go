// Command bench measures the program as people run it: whole processes of
// `everystate explore` on boards that come with it, in several modes.
//
//	go run ./tools/bench            the table of docs/lab/PERFORMANCE.md, in minutes
//	go run ./tools/bench -huge      spaces of 58,882,055 to 239,500,800 states
//	go run ./tools/bench -json      one JSON object
//	go run ./tools/bench -explore=false    clusters only
//
// A mode is a memory budget, a number of workers, and whether goal distances are
// wanted. Every round runs each mode once, so that other load on the machine affects
// all of them alike; the table shows medians over the rounds. A ratio is computed
// within each round, and its median shown.
//
// As much as possible is measured from outside: wall time from the start of the
// process to its end, memory as accounted by the kernel, disk as allocated when the
// process has ended. The counts come from the program's own output, which must be the
// same in every mode, down to the digest.
//
// Then every round runs each board in one process and, right after it, on a cluster:
// a coordinator and two workers, processes of the same binary that communicate over
// loopback and share the lanes and the memory of the one process. Its time is that of
// `everystate submit --wait`, with the workers already there.
//
// The exit code is 1 if a process fails or two modes disagree, and 2 for bad usage.
// No time, however long, makes it fail.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/everystate/everystate/tools/measure"
)

// options say what to measure.
type options struct {
	boards []string // names below puzzles or puzzles/rushhour, without .txt
	few    bool     // few modes
	rounds int
	dir    string // where runs are stored; empty for the machine's temporary directory
	json   bool

	explore, cluster bool // what is measured
}

const (
	usualBoards = "jam-93,deep-8x8,large-8x8"
	hugeBoards  = "huge-8x8,tiles/big-3x4,peg/english-centre"
)

func main() { measure.Main("bench", run) }

func run(ctx context.Context, args []string, out, errs io.Writer) error {
	o, err := parse(args, errs)
	if err != nil {
		return err
	}
	m, err := measure.ThisMachine(ctx)
	if err != nil {
		return err
	}
	b := bench{options: o, notes: errs}
	results, clusters, err := b.measure(ctx)
	if err != nil {
		return err
	}
	r := report{Machine: m, Rounds: o.rounds, Results: results, Ratios: ratios(results), Clusters: clusters}
	if o.json {
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		err = enc.Encode(r)
	} else {
		_, err = io.WriteString(out, r.String())
	}
	return errors.Join(err, disagreement(results))
}

func parse(args []string, errs io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(errs)
	boards := flags.String("boards", usualBoards, "measure these boards, by `name` below puzzles or puzzles/rushhour")
	huge := flags.Bool("huge", false, "measure the largest spaces instead, in four modes: "+hugeBoards+"; many minutes, and 600 MB of disk")
	flags.IntVar(&o.rounds, "n", 3, "rounds of every mode")
	flags.StringVar(&o.dir, "dir", "", "`directory` to make the runs in (default: the system's temporary directory)")
	flags.BoolVar(&o.few, "few", false, "four modes only")
	flags.BoolVar(&o.json, "json", false, "print one JSON object, times in seconds and sizes in bytes")
	flags.BoolVar(&o.explore, "explore", true, "measure every mode of one process")
	flags.BoolVar(&o.cluster, "cluster", true, "compare a cluster with one process")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return o, err
		}
		return o, measure.ErrUsage
	}
	if o.rounds < 1 || flags.NArg() > 0 {
		fmt.Fprintln(errs, "bench: -n must be 1 or more, and there are no arguments (see -help)")
		return o, measure.ErrUsage
	}
	o.boards = strings.Split(*boards, ",")
	if *huge {
		o.boards, o.few = strings.Split(hugeBoards, ","), true
	}
	return o, nil
}
