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
	"strings"
	"time"

	"github.com/everystate/everystate/tools/measure"
)

const program = "github.com/everystate/everystate/cmd/everystate"

// A sample is what one process used.
type sample struct {
	Seconds   float64 `json:"seconds"`    // wall time of the process
	PeakBytes int64   `json:"peak_bytes"` // greatest resident memory
	DiskBytes int64   `json:"disk_bytes"` // allocated to the run when the process has ended
}

// outcome is the part of the program's output that must not depend on the mode.
type outcome struct {
	States    int64  `json:"states"`
	Generated int64  `json:"generated"`
	Digest    string `json:"digest"`
}

// A result is a board in a mode.
type result struct {
	Board string `json:"board"`
	mode
	outcome
	Samples []sample `json:"samples"` // one per round, in order
}

type bench struct {
	options
	notes io.Writer // progress notes
}

// measure builds the program and runs every mode of every board, round by round, and
// then the clusters.
func (b *bench) measure(ctx context.Context) (results []*result, clusters []*clusterResult, err error) {
	scratch, err := os.MkdirTemp(b.dir, "everystate-bench-")
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	root, err := measure.Output(ctx, "go", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return nil, nil, err
	}
	for _, board := range b.boards {
		if _, err := os.Stat(fileOf(root, board)); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", board, err)
		}
	}
	binary := filepath.Join(scratch, "everystate")
	if _, err := measure.Output(ctx, "go", "build", "-ldflags=-s -w", "-o", binary, program); err != nil {
		return nil, nil, err
	}
	for _, board := range b.boards {
		if !b.explore {
			break
		}
		some, err := b.measureBoard(ctx, binary, board, fileOf(root, board), filepath.Join(scratch, "run"))
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", board, err)
		}
		results = append(results, some...)
	}
	if b.cluster {
		clusters, err = b.measureClusters(ctx, binary, root, scratch)
	}
	return results, clusters, err
}

// fileOf returns the file of a board, which is named relative to puzzles or to
// puzzles/rushhour.
func fileOf(root, board string) string {
	if !strings.Contains(board, "/") {
		board = "rushhour/" + board
	}
	return filepath.Join(root, "puzzles", filepath.FromSlash(board)+".txt")
}

func (b *bench) measureBoard(ctx context.Context, binary, board, file, dir string) ([]*result, error) {
	var results []*result
	chosen := modes()
	if b.few {
		chosen = fewModes()
	}
	for _, m := range chosen {
		results = append(results, &result{Board: board, mode: m})
	}
	for round := range b.rounds {
		for _, r := range results {
			s, found, err := runOnce(ctx, binary, append([]string{"explore", file, "--run", dir, "--json", "--quiet"}, r.args()...), dir)
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(b.notes, "%s round %d of %d: %s, %d workers, memory %s: %.2f s\n",
				r.Board, round+1, b.rounds, r.phases(), r.Workers, r.memory(), s.Seconds)
			if round > 0 && found != r.outcome {
				return nil, fmt.Errorf("%q: round %d found %+v, earlier ones %+v", r.args(), round+1, found, r.outcome)
			}
			r.outcome = found
			r.Samples = append(r.Samples, s)
		}
	}
	return results, nil
}

// runOnce runs the program, which stores a run in dir, and removes the run.
func runOnce(ctx context.Context, binary string, args []string, dir string) (s sample, found outcome, err error) {
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if s, found, err = runProgram(ctx, binary, args); err != nil {
		return s, found, err
	}
	s.DiskBytes, err = measure.DiskBytes(dir)
	return s, found, err
}

// runProgram runs the program to its end.
func runProgram(ctx context.Context, binary string, args []string) (s sample, found outcome, err error) {
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	began := time.Now()
	err = cmd.Run()
	s.Seconds = time.Since(began).Seconds()
	if err != nil {
		return s, found, fmt.Errorf("%q: %w\n%s", args, err, errs.String())
	}
	if err := json.Unmarshal(out.Bytes(), &found); err != nil {
		return s, found, fmt.Errorf("%q: %w", args, err)
	}
	s.PeakBytes = measure.PeakBytes(cmd.ProcessState)
	return s, found, nil
}

// disagreement compares what the modes of each board found. The digest covers goal
// distances if they were wanted, so a board has two digests.
func disagreement(results []*result) error {
	type kind struct {
		board string
		goal  bool
	}
	var errs []error
	first, firstOfBoard := map[kind]*result{}, map[string]*result{}
	for _, r := range results {
		k := kind{r.Board, r.GoalDistance}
		if first[k] == nil {
			first[k] = r
		}
		if firstOfBoard[r.Board] == nil {
			firstOfBoard[r.Board] = r
		}
		if f := first[k]; f.Digest != r.Digest || f.Generated != r.Generated {
			errs = append(errs, fmt.Errorf("%s: %q found %+v but %q found %+v", r.Board, f.args(), f.outcome, r.args(), r.outcome))
		}
		if f := firstOfBoard[r.Board]; f.States != r.States {
			errs = append(errs, fmt.Errorf("%s: %q found %d states but %q found %d", r.Board, f.args(), f.States, r.args(), r.States))
		}
	}
	return errors.Join(errs...)
}
