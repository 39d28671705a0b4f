package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// event is a line of `go test -json`, with the fields used here. `go doc test2json`
// and `go help buildjson` describe all of it.
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
	Elapsed float64 // seconds
}

// id names a test, or with an empty test the package itself.
type id struct{ pkg, test string }

// Outcomes in order of precedence, when a test has several.
type outcome uint8

const (
	skipped outcome = iota + 1
	passed
	failed
)

// counts is the sum of a tally.
type counts struct{ passed, failed, skipped int }

func (c counts) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", c.passed, c.failed, c.skipped)
}

// A tally collects the outcomes of any number of runs, one after another.
type tally struct {
	outcomes map[id]outcome
}

func newTally() *tally { return &tally{outcomes: make(map[id]outcome)} }

func (t *tally) counts() counts {
	var c counts
	for _, o := range t.outcomes {
		switch o {
		case passed:
			c.passed++
		case failed:
			c.failed++
		case skipped:
			c.skipped++
		}
	}
	return c
}

func (t *tally) set(i id, o outcome) { t.outcomes[i] = max(t.outcomes[i], o) }

// A follower reads one run into a tally. It holds output back until its test has
// ended, and shows it only if the test failed.
type follower struct {
	tally   *tally
	show    io.Writer
	running map[id]bool
	output  map[id]*strings.Builder
	broken  map[string]bool // packages with a failed test
}

// add reads one run and writes to show what a person wants to see of it.
func (t *tally) add(r io.Reader, show io.Writer) error {
	f := &follower{
		tally:   t,
		show:    show,
		running: make(map[id]bool),
		output:  make(map[id]*strings.Builder),
		broken:  make(map[string]bool),
	}
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			if err := f.line(line); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return f.abandoned(func(id) bool { return true })
		case err != nil:
			return fmt.Errorf("read test events: %w", err)
		}
	}
}

func (f *follower) line(line []byte) error {
	var e event
	if json.Unmarshal(line, &e) != nil || e.Action == "" {
		// The go command reports some of its own failures as plain text.
		_, err := f.show.Write(line)
		return err
	}
	i := id{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		return f.print(e.Output)
	case "run":
		f.running[i] = true
	case "output":
		f.keep(i, e.Output)
	case "pass":
		return f.end(i, passed, e)
	case "skip":
		return f.end(i, skipped, e)
	case "fail":
		return f.end(i, failed, e)
	}
	return nil
}

// end handles the end of a test or a package.
func (f *follower) end(i id, o outcome, e event) error {
	output := f.output[i]
	delete(f.output, i)
	delete(f.running, i)
	if i.test == "" {
		return f.endPackage(i.pkg, o, e, output)
	}
	f.tally.set(i, o)
	if o != failed {
		return nil
	}
	f.broken[i.pkg] = true
	return f.printAll(output)
}

func (f *follower) endPackage(pkg string, o outcome, e event, output *strings.Builder) error {
	if err := f.abandoned(func(i id) bool { return i.pkg == pkg }); err != nil {
		return err
	}
	if o != failed {
		if o == skipped { // no test files
			return nil
		}
		return f.print(fmt.Sprintf("ok    %s  %.2fs\n", pkg, e.Elapsed))
	}
	if !f.broken[pkg] {
		f.tally.set(id{pkg: pkg}, failed)
	}
	if err := f.printAll(output); err != nil {
		return err
	}
	return f.print(fmt.Sprintf("FAIL  %s  %.2fs\n", pkg, e.Elapsed))
}

// abandoned fails the running tests that match: their package ended first.
func (f *follower) abandoned(match func(id) bool) error {
	var errs []error
	for i := range f.running {
		if !match(i) {
			continue
		}
		delete(f.running, i)
		f.tally.set(i, failed)
		f.broken[i.pkg] = true
		errs = append(errs, f.printAll(f.output[i]),
			f.print(fmt.Sprintf("%s: %s did not finish\n", i.pkg, i.test)))
		delete(f.output, i)
	}
	return errors.Join(errs...)
}

func (f *follower) keep(i id, output string) {
	if f.output[i] == nil {
		f.output[i] = new(strings.Builder)
	}
	f.output[i].WriteString(output)
}

func (f *follower) printAll(output *strings.Builder) error {
	if output == nil {
		return nil
	}
	return f.print(output.String())
}

func (f *follower) print(text string) error {
	_, err := io.WriteString(f.show, text)
	return err
}
