//go:build unix

package faults

import (
	"math/rand/v2"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// killsMin is the least number of kills of a test, over as many runs as necessary.
const killsMin = 20

// TestKill kills a run at any time, again and again, with other flags each time.
func TestKill(t *testing.T) {
	onlyWhenAsked(t)
	r := random(t)
	file := board(t, "deep-8x8")
	want := undisturbed(t, file, "--goal-distance")
	for kills, runs := 0, 0; kills < killsMin; {
		runs++
		kills += killedUntilComplete(t, r, file, want)
		t.Logf("%d kills in %d runs", kills, runs)
	}
}

// killedUntilComplete kills a run until it completes nevertheless, and returns how
// often.
func killedUntilComplete(t *testing.T, r *rand.Rand, file, want string) int {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	// What is younger than the last sync is lost, so a process that gets less time than
	// that may make no progress. Each gets a little more than the one before.
	most := 60 * time.Millisecond
	for kills := 0; ; kills++ {
		most += most / 16
		args := append(explore(file, dir, "--goal-distance"), anyEngine(r)...)
		if r.IntN(2) == 0 && isRun(t, dir) {
			args = append([]string{"resume", dir, "--quiet", "--json", "--goal-distance"}, anyEngine(r)...)
		}
		p := start(t, nil, args...)
		p.within(between(r, 0, most))
		p.signal(t, syscall.SIGKILL)
		e := p.wait(t)
		if e.code >= 0 {
			if got := digestOf(t, e); got != want {
				t.Fatalf("after %d kills the digest is %s, want %s", kills, got, want)
			}
			sound(t, dir)
			return kills
		}
		if kills%8 == 7 && isRun(t, dir) {
			// What a kill leaves is not sealed, but nothing in it is wrong.
			sound(t, dir)
		}
	}
}

// isRun reports whether there is a run to resume: the first processes may have been
// killed before anything was stored. Whatever is there must be readable.
func isRun(t *testing.T, dir string) bool {
	t.Helper()
	e := everystate(t, "layers", dir)
	if e.code == complete && e.errs == "" {
		return true
	}
	refused(t, e, usage, dir)
	return false
}

// TestKillAtStart kills processes that are making or opening a run.
func TestKillAtStart(t *testing.T) {
	onlyWhenAsked(t)
	const (
		rounds = 15
		kills  = 4
	)
	r := random(t)
	file := board(t, "jam-93")
	want := undisturbed(t, file)
	ended := 0
	for range rounds {
		dir := filepath.Join(t.TempDir(), "run")
		for range kills {
			p := start(t, nil, append(explore(file, dir), anyEngine(r)...)...)
			p.within(between(r, 0, 60*time.Millisecond))
			p.signal(t, syscall.SIGKILL)
			if p.wait(t).code >= 0 {
				ended++
			}
		}
		if got := digestOf(t, everystate(t, explore(file, dir)...)); got != want {
			t.Fatalf("the digest is %s, want %s", got, want)
		}
		sound(t, dir)
	}
	t.Logf("%d kills at the start of %d runs, %d of them too late", rounds*kills, rounds, ended)
}
