// Command testcount reads the output of `go test -json` and summarises it.
//
//	go test -json ./... | testcount -record FILE   follow a run, and keep it
//	testcount FILE...                              sum up runs that were kept
//
// The first form prints what a person wants to see of a run while it goes on: a line
// for each package, and the output of what failed. Both end with a line
//
// Tests and subtests count alike. A test that ran in several of the files, such as
// again with the race detector, counts once: as failed if it failed in any of them,
// as skipped if it was skipped in all. A test that began and never ended counts as
// failed, and so does a package that failed although none of its tests did: it did
// not build, or its process died.
//
// The exit code is 0 whatever the tests did, as go test reports that itself (use
// pipefail), 1 if the input cannot be read or written, and 2 for bad usage.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

const (
	exitBroken   = 1
	exitBadUsage = 2
)

func main() {
	record := flag.String("record", "", "copy standard input to this `file`")
	flag.Parse()
	if *record != "" && flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "testcount: -record keeps standard input, so it takes no files")
		os.Exit(exitBadUsage)
	}
	if err := run(*record, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "testcount:", err)
		os.Exit(exitBroken)
	}
}

func run(record string, files []string) error {
	t := newTally()
	if len(files) == 0 {
		if err := follow(t, record); err != nil {
			return err
		}
	}
	for _, name := range files {
		if err := addFile(t, name); err != nil {
			return err
		}
	}
	fmt.Println(t.counts())
	return nil
}

func follow(t *tally, record string) error {
	if record == "" {
		return t.add(os.Stdin, os.Stdout)
	}
	kept, err := os.Create(record)
	if err != nil {
		return err
	}
	err = t.add(io.TeeReader(os.Stdin, kept), os.Stdout)
	return errors.Join(err, kept.Close())
}

func addFile(t *tally, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // Read only: nothing can be lost.
	return t.add(f, io.Discard)
}
