// Command literature explores the large spaces of the literature, each with a process
// of `everystate explore` as people run it, and compares every layer with the records
// of testdata/truth.
//
//	go run ./tools/literature                  the table of docs/RESULTS.md
//	go run ./tools/literature -max 5000000     spaces of at most that many states
//	go run ./tools/literature -only hanoi      records whose names begin with hanoi
//	go run ./tools/literature -program FILE    with a program that was built before
//
// States, layers, goals and the length of a solution must equal the record's, and so
// must goal distances and the hardest states if it has them. With merged states,
// every layer must represent as many states as the layer of the full space has.
//
// Processes run one at a time, in order of their number of states. Time, processor
// time, memory and disk are measured from outside. The exit code is 1 if a process
// fails or a number differs, after all other spaces have been explored, and 2 for bad
// usage. No time, however long, makes it fail. An interrupt ends it with the table so
// far.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/everystate/everystate/tools/measure"
)

// options say what to explore.
type options struct {
	statesMax int64    // 0 for any number
	only      []string // prefixes of records' names; all if empty
	dir       string   // where runs are stored; empty for the machine's temporary directory
	program   string   // the program; empty to build it
}

func main() { measure.Main("literature", run) }

func run(ctx context.Context, args []string, out, errs io.Writer) error {
	o, err := parse(args, errs)
	if err != nil {
		return err
	}
	m, err := measure.ThisMachine(ctx)
	if err != nil {
		return err
	}
	rows, exploreErr := o.exploreAll(ctx, errs)
	_, err = io.WriteString(out, m.String()+"\n"+table(rows))
	return errors.Join(exploreErr, err)
}

func parse(args []string, errs io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("literature", flag.ContinueOnError)
	flags.SetOutput(errs)
	flags.Int64Var(&o.statesMax, "max", 0, "leave out spaces of more than `N` states; 0 leaves out none")
	only := flags.String("only", "", "explore only records whose names begin with one of these `names`, separated by commas")
	flags.StringVar(&o.dir, "dir", "", "`directory` to make the runs in (default: the system's temporary directory)")
	flags.StringVar(&o.program, "program", "", "the program `FILE` to measure (default: builds it)")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return o, err
		}
		return o, measure.ErrUsage
	}
	if o.statesMax < 0 || flags.NArg() > 0 {
		fmt.Fprintln(errs, "literature: -max must be 0 or more, and there are no arguments (see -help)")
		return o, measure.ErrUsage
	}
	if *only != "" {
		o.only = strings.Split(*only, ",")
	}
	return o, nil
}
