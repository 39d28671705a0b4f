package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/test/truth"
	"github.com/everystate/everystate/internal/test/truth/found"
	"github.com/everystate/everystate/tools/measure"
)

const program = "github.com/everystate/everystate/cmd/everystate"

// A row is an explored space.
type row struct {
	space
	found engine.Summary

	seconds, cpuSeconds  float64 // wall and processor time of the process
	peakBytes, diskBytes int64   // greatest resident memory; allocated when it has ended
}

// A library is what all spaces share.
type library struct {
	binary, scratch string
	notes           io.Writer
}

// exploreAll builds the program and explores the chosen spaces. It returns those that
// agree even if others do not.
func (o *options) exploreAll(ctx context.Context, notes io.Writer) (rows []row, err error) {
	root, err := measure.Output(ctx, "go", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return nil, err
	}
	records, err := truth.ReadAll(root)
	if err != nil {
		return nil, err
	}
	wanted, err := o.spaces(records)
	if err != nil {
		return nil, err
	}
	scratch, err := os.MkdirTemp(o.dir, "everystate-literature-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	l := library{binary: o.program, scratch: scratch, notes: notes}
	if l.binary == "" {
		if l.binary, err = build(ctx, scratch); err != nil {
			return nil, err
		}
	}
	var errs []error
	for _, s := range wanted {
		r, err := l.explore(ctx, s)
		if err != nil {
			err = fmt.Errorf("%s: %w", s.name, err)
			fmt.Fprintln(notes, err)
			errs = append(errs, err)
		} else {
			rows = append(rows, r)
			fmt.Fprintf(notes, "%s: %s states as known, %s s\n", s.name, measure.Grouped(r.found.States), measure.Seconds(r.seconds))
		}
		if ctx.Err() != nil {
			break
		}
	}
	return rows, errors.Join(errs...)
}

// build builds the program in a directory and returns its path.
func build(ctx context.Context, dir string) (string, error) {
	binary := filepath.Join(dir, "everystate")
	_, err := measure.Output(ctx, "go", "build", "-ldflags=-s -w", "-o", binary, program)
	return binary, err
}

// explore explores a space, compares it and removes the run.
func (l *library) explore(ctx context.Context, s space) (r row, err error) {
	text, err := s.Text()
	if err != nil {
		return r, err
	}
	file, dir := filepath.Join(l.scratch, "board.txt"), filepath.Join(l.scratch, "run")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	args := []string{"explore", file, "--metric", s.Metric, "--run", dir, "--json", "--quiet"}
	if s.distances {
		args = append(args, "--goal-distance")
	}
	r.space = s
	began := time.Now()
	ended, err := l.call(ctx, &r.found, args...)
	r.seconds = time.Since(began).Seconds()
	if err != nil {
		return r, err
	}
	r.cpuSeconds = (ended.UserTime() + ended.SystemTime()).Seconds()
	r.peakBytes = measure.PeakBytes(ended)
	if r.diskBytes, err = measure.DiskBytes(dir); err != nil {
		return r, err
	}
	if err := found.Check(&s.Record, &r.found, s.distances); err != nil || s.Represented == nil {
		return r, err
	}
	return r, l.checkRepresented(ctx, &s, dir)
}

// checkRepresented compares the numbers of states that the merged states of each
// layer represent.
func (l *library) checkRepresented(ctx context.Context, s *space, dir string) error {
	var output struct {
		Layers []struct {
			Represented int64 `json:"represented_states"`
		} `json:"layers"`
	}
	if _, err := l.call(ctx, &output, "layers", dir, "--json"); err != nil {
		return err
	}
	var got []int64
	for _, layer := range output.Layers {
		got = append(got, layer.Represented)
	}
	if !slices.Equal(got, s.Represented) {
		return fmt.Errorf("the layers stand for %v, want %v", got, s.Represented)
	}
	return nil
}

// call runs the program to its end and decodes the object that it prints.
func (l *library) call(ctx context.Context, found any, args ...string) (*os.ProcessState, error) {
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, l.binary, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%q: %w\n%s", args, err, errs.String())
	}
	if err := json.Unmarshal(out.Bytes(), found); err != nil {
		return nil, fmt.Errorf("%q: %w", args, err)
	}
	return cmd.ProcessState, nil
}
