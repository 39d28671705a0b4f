package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

const (
	workerSet      = "statefulset/everystate-worker"
	coordinatorSet = "statefulset/everystate-coordinator"
)

// disturb does everything to the cluster that an operator, or fate, does. Each begins
// in the middle of a run and ends when what is wanted is ready again.
func (t *trial) disturb(ctx context.Context) error {
	if err := t.undisturbed(ctx); err != nil {
		return err
	}
	faults := []struct {
		name string
		do   func(context.Context) error
	}{
		{"a worker's pod is deleted", func(ctx context.Context) error { return t.deletePod(ctx, "everystate-worker-0") }},
		{"a worker's pod is killed", func(ctx context.Context) error {
			return t.deletePod(ctx, "everystate-worker-1", "--grace-period=0", "--force")
		}},
		{"the coordinator's pod is deleted", func(ctx context.Context) error { return t.deletePod(ctx, "everystate-coordinator-0") }},
		{"a worker's volume is deleted", t.deleteVolume},
		{"the workers are scaled from 2 to 5", func(ctx context.Context) error { return t.scale(ctx, 5) }},
		{"the workers are scaled from 5 to 1", func(ctx context.Context) error { return t.scale(ctx, 1) }},
		{"the workers are scaled from 1 to 2", func(ctx context.Context) error { return t.scale(ctx, 2) }},
		{"node-a is cordoned and drained", t.drain},
		{"the image is replaced by a rolling update", t.upgrade},
		{"a worker is gone until an alert says so", t.lose},
	}
	for _, f := range faults {
		if err := t.underWay(ctx); err != nil {
			return fmt.Errorf("before %s: %w", f.name, err)
		}
		say("%s", f.name)
		began := time.Now()
		if err := f.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		s, err := t.status(ctx)
		say("  as wanted after %s; the run has %d states, complete: %t (%v)", time.Since(began).Round(time.Second), s.States, s.Complete, err)
	}
	return nil
}

// finish judges the last run and the alerts.
func (t *trial) finish(ctx context.Context) error {
	if t.runs.begun > t.runs.judged {
		if err := t.judge(ctx); err != nil {
			return err
		}
	}
	if err := t.quiet(ctx); err != nil {
		return err
	}
	if err := t.scraped(ctx, 3); err != nil {
		return err
	}
	if fired := t.alerts.names(); !slices.Equal(fired, []string{workerLost}) {
		return fmt.Errorf("alerts have fired that were not due: %v", fired)
	}
	return nil
}

// quiet waits until no alert fires.
func (t *trial) quiet(ctx context.Context) error {
	err := t.wait(ctx, "all alerts to end", 5*time.Minute, func(context.Context) (bool, error) { return len(t.alerts.firing()) == 0, nil })
	if err != nil {
		return fmt.Errorf("%w: %v", err, t.alerts.firing())
	}
	return nil
}

// scraped waits until Prometheus sees so many processes.
func (t *trial) scraped(ctx context.Context, processes int) error {
	return t.wait(ctx, fmt.Sprintf("Prometheus to see %d processes", processes), 2*time.Minute, func(ctx context.Context) (bool, error) {
		n, err := scraped(ctx)
		return n == processes, err
	})
}

func (t *trial) deletePod(ctx context.Context, name string, flags ...string) error {
	if _, err := t.kubectl(ctx, append([]string{"-n", "everystate", "delete", "pod", name}, flags...)...); err != nil {
		return err
	}
	return t.ready(ctx, 2)
}

// deleteVolume deletes a worker's claim, and with it the volume and its data. A claim
// in use goes when its pod does.
func (t *trial) deleteVolume(ctx context.Context) error {
	const name = "data-everystate-worker-1"
	was, err := t.kubectl(ctx, "-n", "everystate", "get", "pvc", name, "-o", "jsonpath={.spec.volumeName}")
	if err != nil {
		return err
	}
	if files, err := os.ReadDir(t.work + "/volumes/" + was); err != nil || len(files) == 0 {
		return errors.Join(err, errors.New("the worker's volume is empty"))
	}
	if _, err := t.kubectl(ctx, "-n", "everystate", "delete", "pvc", name, "--wait=false"); err != nil {
		return err
	}
	if err := t.deletePod(ctx, "everystate-worker-1", "--grace-period=0", "--force"); err != nil {
		return err
	}
	is, err := t.kubectl(ctx, "-n", "everystate", "get", "pvc", name, "-o", "jsonpath={.spec.volumeName}")
	if err != nil {
		return err
	}
	if is == was {
		return errors.New("the worker has the same volume as before")
	}
	return t.wait(ctx, "the data to be gone", time.Minute, func(context.Context) (bool, error) {
		_, err := os.Stat(t.work + "/volumes/" + was)
		return os.IsNotExist(err), nil
	})
}

func (t *trial) scale(ctx context.Context, workers int) error {
	if _, err := t.kubectl(ctx, "-n", "everystate", "scale", workerSet, fmt.Sprintf("--replicas=%d", workers)); err != nil {
		return err
	}
	if err := t.ready(ctx, workers); err != nil {
		return err
	}
	return t.scraped(ctx, workers+1)
}

func (t *trial) drain(ctx context.Context) error {
	before, err := t.pods(ctx)
	if err != nil {
		return err
	}
	if _, err := t.kubectl(ctx, "cordon", "node-a"); err != nil {
		return err
	}
	if _, err := t.kubectl(ctx, "drain", "node-a", "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=5m"); err != nil {
		return err
	}
	if err := t.ready(ctx, 2); err != nil {
		return err
	}
	after, err := t.pods(ctx)
	if err != nil {
		return err
	}
	moved := 0
	for name, p := range after {
		if p.Spec.NodeName == "node-a" {
			return fmt.Errorf("%s is on the node that was drained", name)
		}
		if was := before[name]; was != nil && was.Spec.NodeName == "node-a" {
			say("  %s has moved", name)
			moved++
		}
	}
	if moved == 0 {
		return errors.New("there was no pod on the node")
	}
	_, err = t.kubectl(ctx, "uncordon", "node-a")
	return err
}

func (t *trial) upgrade(ctx context.Context) error {
	if err := t.apply(ctx, versions[1]); err != nil {
		return err
	}
	for _, set := range []string{workerSet, coordinatorSet} {
		if _, err := t.kubectl(ctx, "-n", "everystate", "rollout", "status", set, "--timeout=5m"); err != nil {
			return err
		}
	}
	if err := t.ready(ctx, 2); err != nil {
		return err
	}
	said, err := t.kubectl(ctx, "-n", "everystate", "get", "pods", "-o", "jsonpath={.items[*].spec.containers[*].image}")
	if err != nil {
		return err
	}
	if want := "everystate:" + versions[1]; strings.Join(slices.Compact(strings.Fields(said)), " ") != want {
		return fmt.Errorf("the pods have the images %s, not %s", said, want)
	}
	return nil
}

// lose takes a worker away, which can come back nowhere, until Prometheus says so,
// and lets it come back.
func (t *trial) lose(ctx context.Context) error {
	if err := t.quiet(ctx); err != nil {
		return err
	}
	if _, err := t.kubectl(ctx, "cordon", "node-a", "node-b"); err != nil {
		return err
	}
	if _, err := t.kubectl(ctx, "-n", "everystate", "delete", "pod", "everystate-worker-1", "--grace-period=0", "--force"); err != nil {
		return err
	}
	err := t.wait(ctx, "the alert "+workerLost, 4*time.Minute, func(context.Context) (bool, error) {
		return slices.Contains(t.alerts.firing(), workerLost), nil
	})
	if err != nil {
		return err
	}
	if _, err := t.kubectl(ctx, "uncordon", "node-a", "node-b"); err != nil {
		return err
	}
	if err := t.ready(ctx, 2); err != nil {
		return err
	}
	return t.wait(ctx, "the alert to end", 2*time.Minute, func(context.Context) (bool, error) {
		return !slices.Contains(t.alerts.firing(), workerLost), nil
	})
}
