package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// runs explores one board again and again.
type runs struct {
	address string // of the coordinator's service
	want    string // the digest of an undisturbed run
	begun   int
	judged  int
}

const board = "/puzzles/rushhour/large-8x8.txt"

// everystate runs the program on this machine, as a client.
func (t *trial) everystate(ctx context.Context, args ...string) (string, error) {
	return output(ctx, t.work, t.bin+"/"+versions[0]+"/everystate", args...)
}

// summary is what explore and watch print.
type summary struct {
	Digest string
	States int
}

func (t *trial) undisturbed(ctx context.Context) error {
	began := time.Now()
	said, err := t.everystate(ctx, "explore", t.top+board, "--run", t.work+"/alone", "--quiet", "--json")
	if err != nil {
		return err
	}
	var s summary
	if err := json.Unmarshal([]byte(said), &s); err != nil {
		return err
	}
	if s.Digest == "" {
		return fmt.Errorf("no digest: %s", said)
	}
	t.runs.want = s.Digest
	say("undisturbed, on this machine alone: %d states in %s, digest %s", s.States, time.Since(began).Round(time.Second), s.Digest)
	return nil
}

type runStatus struct {
	Complete bool
	State    string
	Depth    int
	States   int
	Failure  *string
}

func (t *trial) status(ctx context.Context) (s runStatus, err error) {
	said, err := t.everystate(ctx, "status", t.run0(), "--json")
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal([]byte(said), &s)
}

// run0 names the run under way.
func (t *trial) run0() string { return fmt.Sprintf("%s/trial-%d", t.runs.address, t.runs.begun) }

// underWay returns once a run is in the middle: with the next one if the last is
// complete, which is judged.
func (t *trial) underWay(ctx context.Context) error {
	if t.runs.begun > t.runs.judged {
		s, err := t.status(ctx)
		if err == nil && s.Complete {
			if err := t.judge(ctx); err != nil {
				return err
			}
		}
	}
	if t.runs.begun == t.runs.judged {
		t.runs.begun++
		err := t.wait(ctx, "a run to be accepted", 2*time.Minute, func(ctx context.Context) (bool, error) {
			_, err := t.everystate(ctx, "submit", t.top+board, "--coordinator", t.runs.address, "--name", fmt.Sprintf("trial-%d", t.runs.begun), "--json")
			return err == nil, err
		})
		if err != nil {
			return err
		}
		say("run %d begins", t.runs.begun)
	}
	return t.wait(ctx, "the run to get on", 5*time.Minute, func(ctx context.Context) (bool, error) {
		s, err := t.status(ctx)
		return s.States > 200_000, err
	})
}

// judge waits for the end of the run and compares its digest.
func (t *trial) judge(ctx context.Context) error {
	err := t.wait(ctx, "the run to be complete", 10*time.Minute, func(ctx context.Context) (bool, error) {
		s, err := t.status(ctx)
		if s.Failure != nil && s.State == "failed" {
			t.procs.ended <- fmt.Errorf("the run has failed: %s", *s.Failure)
		}
		return s.Complete, err
	})
	if err != nil {
		return err
	}
	said, err := t.everystate(ctx, "watch", t.run0(), "--quiet", "--json")
	if err != nil {
		return err
	}
	var s summary
	lines := strings.Split(strings.TrimSpace(said), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &s); err != nil {
		return err
	}
	if s.Digest != t.runs.want {
		return fmt.Errorf("run %d: digest %s, not %s", t.runs.begun, s.Digest, t.runs.want)
	}
	t.runs.judged++
	say("run %d is complete: %d states, the same digest", t.runs.begun, s.States)
	// A complete run stays where its workers were, and they would be missed.
	_, err = t.everystate(ctx, "delete", t.run0(), "--yes")
	return err
}
