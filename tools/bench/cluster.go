package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/everystate/everystate/tools/measure"
)

// A cluster is a coordinator and two workers, as processes of this machine that
// communicate over loopback. Together they have the memory and the lanes of the
// process that the cluster is compared with.
const (
	clusterWorkers = 2
	clusterMemory  = "512MiB"
	workerMemory   = "256MiB"

	// settleTime is how long a coordinator waits for more workers after one has
	// joined; nothing is measured before.
	settleTime = 1200 * time.Millisecond

	// upWait is how long processes may take to start.
	upWait = 30 * time.Second
)

// A clusterResult compares a cluster with one process on a board.
type clusterResult struct {
	Board string `json:"board"`
	outcome
	Samples []clusterSample `json:"samples"` // one per round, in order
}

// A clusterSample is a run in one process and one on a cluster.
type clusterSample struct {
	AloneSeconds float64 `json:"alone_seconds"` // wall time of `everystate explore`
	Seconds      float64 `json:"seconds"`       // wall time of `everystate submit --wait`
	exchanged

	CoordinatorPeakBytes int64   `json:"coordinator_peak_bytes"`
	WorkerPeakBytes      []int64 `json:"worker_peak_bytes"`
}

// exchanged totals what the workers report having sent each other.
type exchanged struct {
	Candidates int64 `json:"candidates"`  // generated for partitions of the other worker
	Sent       int64 `json:"sent"`        // of these, without duplicates within a chunk
	BlockBytes int64 `json:"block_bytes"` // the blocks of these
	WireBytes  int64 `json:"wire_bytes"`  // the messages of these
}

// measureClusters compares cluster and single process on every board.
func (b *bench) measureClusters(ctx context.Context, binary, root, scratch string) ([]*clusterResult, error) {
	var results []*clusterResult
	for _, board := range b.boards {
		r := &clusterResult{Board: board}
		results = append(results, r)
		file := fileOf(root, board)
		for round := range b.rounds {
			s, err := r.round(ctx, binary, file, filepath.Join(scratch, "run"))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", board, err)
			}
			fmt.Fprintf(b.notes, "%s round %d of %d: cluster of %d: %.2f s, in process: %.2f s\n",
				board, round+1, b.rounds, clusterWorkers, s.Seconds, s.AloneSeconds)
			r.Samples = append(r.Samples, s)
		}
	}
	return results, nil
}

// round runs the board in one process and then on a cluster of its own.
func (r *clusterResult) round(ctx context.Context, binary, file, dir string) (s clusterSample, err error) {
	alone, found, err := runOnce(ctx, binary, []string{
		"explore", file, "--run", dir, "--json", "--quiet", "--workers", strconv.Itoa(clusterWorkers), "--memory", clusterMemory,
	}, dir)
	if err != nil {
		return s, err
	}
	s.AloneSeconds, r.outcome = alone.Seconds, found

	if err := os.MkdirAll(dir, 0o755); err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	c, err := startCluster(ctx, binary, dir)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, c.kill()) }()
	submitted, found, err := runProgram(ctx, binary, []string{
		"submit", file, "--coordinator", c.address, "--wait", "--json", "--quiet",
	})
	if err != nil {
		return s, err
	}
	if found != r.outcome {
		return s, fmt.Errorf("the cluster found %+v, one process %+v", found, r.outcome)
	}
	s.Seconds = submitted.Seconds
	for _, w := range c.workers {
		if err := w.interrupt(); err != nil {
			return s, err
		}
		if err := s.add(w.text()); err != nil {
			return s, err
		}
		s.WorkerPeakBytes = append(s.WorkerPeakBytes, measure.PeakBytes(w.cmd.ProcessState))
	}
	if err := c.coordinator.interrupt(); err != nil {
		return s, err
	}
	s.CoordinatorPeakBytes = measure.PeakBytes(c.coordinator.cmd.ProcessState)
	return s, nil
}

// add reads what a worker reported when it ended.
func (e *exchanged) add(log string) error {
	for name, sum := range map[string]*int64{
		"candidates": &e.Candidates, "sent": &e.Sent, "block_bytes": &e.BlockBytes, "wire_bytes": &e.WireBytes,
	} {
		m := regexp.MustCompile(`msg=exchanged .*\b` + name + `=(\d+)`).FindStringSubmatch(log)
		if m == nil {
			return fmt.Errorf("a worker does not report how many %s it has exchanged:\n%s", name, log)
		}
		n, err := strconv.ParseInt(m[1], 10, 64)
		if err != nil {
			return err
		}
		*sum += n
	}
	return nil
}

// cluster holds the processes of a cluster.
type cluster struct {
	address     string
	coordinator *server
	workers     []*server
}

// startCluster returns once the cluster would start a run at once.
func startCluster(ctx context.Context, binary, dir string) (c *cluster, err error) {
	c = &cluster{}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.kill())
		}
	}()
	if c.coordinator, err = startServer(ctx, binary, "coordinator", "--listen", "127.0.0.1:0", "--data", filepath.Join(dir, "coordinator")); err != nil {
		return c, err
	}
	if c.address, err = c.coordinator.awaitLog(ctx, regexp.MustCompile(`msg="coordinator listens" address=(\S+)`), 1); err != nil {
		return c, err
	}
	for i := range clusterWorkers {
		w, err := startServer(ctx, binary, "worker", "--coordinator", c.address,
			"--data", filepath.Join(dir, fmt.Sprint("worker-", i+1)), "--memory", workerMemory, "--lanes", "1")
		if err != nil {
			return c, err
		}
		c.workers = append(c.workers, w)
	}
	if _, err := c.coordinator.awaitLog(ctx, regexp.MustCompile(`msg="worker connected" worker=(\S+)`), clusterWorkers); err != nil {
		return c, err
	}
	return c, wait(ctx, settleTime)
}

// kill kills the processes still running.
func (c *cluster) kill() error {
	var errs []error
	for _, s := range append(c.workers, c.coordinator) {
		if s != nil && !s.over {
			errs = append(errs, s.cmd.Process.Kill())
			<-s.read
			_ = s.cmd.Wait() // its error is that it was killed
			s.over = true
		}
	}
	return errors.Join(errs...)
}

// server is a process that runs until told to end.
type server struct {
	cmd  *exec.Cmd
	read chan struct{} // closed at the end of its log
	over bool

	mu  sync.Mutex // guards log
	log bytes.Buffer
}

func startServer(ctx context.Context, binary string, args ...string) (*server, error) {
	s := &server{cmd: exec.CommandContext(ctx, binary, args...), read: make(chan struct{})}
	pipe, err := s.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%q: %w", args, err)
	}
	go s.copyLog(pipe)
	return s, nil
}

func (s *server) copyLog(from io.Reader) {
	defer close(s.read)
	for lines := bufio.NewScanner(from); lines.Scan(); {
		s.mu.Lock()
		s.log.WriteString(lines.Text() + "\n")
		s.mu.Unlock()
	}
}

func (s *server) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

// awaitLog waits until the log has at least times lines that match a pattern, and
// returns what the pattern captures in the first.
func (s *server) awaitLog(ctx context.Context, pattern *regexp.Regexp, times int) (string, error) {
	for begun := time.Now(); time.Since(begun) < upWait; {
		if all := pattern.FindAllStringSubmatch(s.text(), -1); len(all) >= times {
			return all[0][1], nil
		}
		if err := wait(ctx, 10*time.Millisecond); err != nil {
			return "", err
		}
	}
	return "", fmt.Errorf("%q does not print %s:\n%s", s.cmd.Args, pattern, s.text())
}

// interrupt asks the process to end, in an orderly way.
func (s *server) interrupt() error {
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	<-s.read
	s.over = true
	if err := s.cmd.Wait(); err != nil {
		return fmt.Errorf("%q: %w\n%s", s.cmd.Args, err, s.text())
	}
	return nil
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
