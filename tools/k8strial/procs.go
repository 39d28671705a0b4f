package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// procs are the processes of the cluster, each with a log. One that ends by itself
// is reported on ended.
type procs struct {
	logs  string
	all   []*process
	ended chan error
}

type process struct {
	name string
	cmd  *exec.Cmd
	done chan struct{}
	stop chan struct{}
}

func newProcs(logs string) *procs {
	return &procs{logs: logs, ended: make(chan error, 64)}
}

func (p *procs) start(name, program string, args ...string) error {
	if err := os.MkdirAll(p.logs, 0o700); err != nil {
		return err
	}
	log, err := os.Create(filepath.Join(p.logs, name+".log"))
	if err != nil {
		return err
	}
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = log, log
	// Ctrl-C is for this program, which stops the others in their order.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Env = append(os.Environ(), "PATH="+os.Getenv("PATH")+":/usr/sbin:/sbin")
	err = errors.Join(cmd.Start(), log.Close())
	if err != nil {
		return fmt.Errorf("start %s: %w", name, err)
	}
	one := &process{name: name, cmd: cmd, done: make(chan struct{}), stop: make(chan struct{})}
	p.all = append(p.all, one)
	go func() {
		err := cmd.Wait()
		close(one.done)
		select {
		case <-one.stop:
		default:
			p.ended <- fmt.Errorf("%s has ended by itself: %v\n%s", name, err, p.tail(name))
		}
	}()
	return nil
}

// stop ends the processes whose names begin with one of the prefixes, the last first.
func (p *procs) stop(prefixes ...string) {
	for _, one := range slices.Backward(p.all) {
		wanted := slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(one.name, prefix) })
		if !wanted {
			continue
		}
		select {
		case <-one.stop:
			continue
		default:
			close(one.stop)
		}
		_ = one.cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-one.done:
		case <-time.After(10 * time.Second):
			_ = one.cmd.Process.Kill()
			<-one.done
		}
	}
}

// tail returns the end of a log.
func (p *procs) tail(name string) string {
	text, err := os.ReadFile(filepath.Join(p.logs, name+".log"))
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-15):], "\n")
}
