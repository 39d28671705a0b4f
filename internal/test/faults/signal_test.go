//go:build unix

package faults

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestInterrupt interrupts a run at any time and goes on with the command that it
// prints.
func TestInterrupt(t *testing.T) {
	onlyWhenAsked(t)
	r := random(t)
	file := board(t, "deep-8x8")
	want := undisturbed(t, file, "--goal-distance")
	stops, early, longest := 0, 0, time.Duration(0)
	for stops < 15 {
		dir := filepath.Join(t.TempDir(), "run")
		args := append([]string{"explore", file, "--run", dir, "--quiet", "--goal-distance", "--json"}, anyEngine(r)...)
		for most := 400 * time.Millisecond; ; most += most / 8 {
			p := start(t, nil, args...)
			p.within(between(r, 0, most))
			sig := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}[r.IntN(2)]
			began := time.Now()
			p.signal(t, sig)
			e := p.wait(t)
			if e.code == complete {
				if got := digestOf(t, e); got != want {
					t.Fatalf("after %d stops the digest is %s, want %s", stops, got, want)
				}
				break
			}
			longest = max(longest, time.Since(began))
			if e.signal == sig && e.errs == "" {
				early++ // before the program was there to hear it
				continue
			}
			stops++
			said := e.complaint()
			_, command, ok := strings.Cut(said, "; resume with: "+binary+" ")
			if e.code != incomplete || !ok || strings.Count(e.errs, "\n") != 1 || !strings.HasPrefix(said, "stopped") || !strings.Contains(e.out, `"complete":false`) {
				t.Fatalf("stopped by %v:\n%v", sig, e)
			}
			args = append(strings.Fields(command), "--json", "--quiet")
		}
		sound(t, dir)
	}
	t.Logf("%d stops, and %d before the program could hear; the longest took %v", stops, early, longest)
}

// TestInterruptTwice ends a program that is already stopping.
func TestInterruptTwice(t *testing.T) {
	onlyWhenAsked(t)
	file := board(t, "large-8x8")
	dir := filepath.Join(t.TempDir(), "run")
	p := start(t, nil, explore(file, dir)...)
	until(t, p, filepath.Join(dir, "db"))
	// Both have to come before it has stopped in order: it sees neither before it
	// goes on. Two signals of one kind would be one.
	p.signal(t, syscall.SIGSTOP)
	p.signal(t, syscall.SIGINT)
	p.signal(t, syscall.SIGTERM)
	p.signal(t, syscall.SIGCONT)
	e := p.wait(t)
	if e.code != killed && e.code != incomplete {
		t.Errorf("%v", e)
	}
	t.Logf("exit code %d", e.code)
	if e := everystate(t, explore(file, dir, "--max-states", "1")...); e.code != incomplete && e.code != complete {
		t.Errorf("it does not go on:\n%v", e)
	}
}

// TestPause stops the process with all its threads, and lets it go on.
func TestPause(t *testing.T) {
	onlyWhenAsked(t)
	r := random(t)
	file := board(t, "deep-8x8")
	want := undisturbed(t, file, "--goal-distance")
	dir := filepath.Join(t.TempDir(), "run")
	p := start(t, nil, explore(file, dir, "--goal-distance", "--memory", "32MiB")...)
	pauses := 0
	for ; !p.within(between(r, 0, 150*time.Millisecond)); pauses++ {
		p.signal(t, syscall.SIGSTOP)
		p.within(between(r, 0, 100*time.Millisecond))
		p.signal(t, syscall.SIGCONT)
	}
	if got := digestOf(t, p.wait(t)); got != want {
		t.Errorf("after %d pauses the digest is %s, want %s", pauses, got, want)
	}
	sound(t, dir)
	t.Logf("%d pauses", pauses)
}
