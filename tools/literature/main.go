// Command literature explores the large spaces of the literature, each with a
// process of `everystate explore` as people run it, and compares every layer with
// the records of testdata/truth.
//
//	go run ./tools/literature                  the table of docs/RESULTS.md
//	go run ./tools/literature -max 5000000     spaces of at most so many states
//	go run ./tools/literature -only hanoi      records whose name begins so
//
// States, layers, goals and the length of a solution must be those of the record,
// goal distances and the hardest states too where it knows them. Of merged states
// every layer must stand for as many as the layer of the full space has.
//
// Processes run one at a time, in the order of their states. Time and processor
// time, memory and disk are measured from outside. The exit code is 1 if a process
// fails or a number differs, after all other spaces have been explored, and 2 for
// bad usage. No time makes it fail. An interrupt ends it with the table so far.
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

// options says what is explored.
type options struct {
	statesMax int64    // 0: any number
	only      []string // what the names of records begin with; all if empty
	dir       string   // where the runs are made; empty for the machine's temporary directory
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
	flags.StringVar(&o.dir, "dir", "", "`directory` to make the runs in (default the machine's for temporary files)")
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
