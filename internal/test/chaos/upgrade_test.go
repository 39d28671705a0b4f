//go:build linux

package chaos

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// upgradeVariable is the commit of the cluster's first program. Without it the first
// program is built from the same sources, and claims another version.
const upgradeVariable = "EVERYSTATE_UPGRADE_FROM"

// TestUpgrade replaces the program of a cluster while a run is under way, one process at
// a time: first the workers, so that old and new ones work together, then the
// coordinator. The run must end as if nothing had happened.
func TestUpgrade(t *testing.T) {
	onlyWhenAsked(t)
	c := newCluster(t, seedOf(t))
	c.expect()
	newest := binary
	binary = c.buildOld(os.Getenv(upgradeVariable))
	defer func() { binary = newest }()
	old := c.versionOf(binary)
	if now := c.versionOf(newest); old == now {
		t.Fatalf("both are %s", now)
	}
	c.startFirst(thisMachine())
	c.submit()
	c.until("the run is under way", func() bool { return c.last.Depth >= 10 })
	binary = newest
	for _, w := range c.workers {
		c.note("%s: %s gets the new program", c.where(), w.name)
		c.crash(w)
		c.back(w)
		depth := c.last.Depth
		c.until("the run goes on", func() bool { return c.settled || c.last.Depth > depth+1 })
	}
	if c.settled {
		t.Fatal("the run was over too early to show anything")
	}
	c.note("%s: the coordinator gets the new program", c.where())
	c.must(c.main.server.kill())
	c.startCoordinator(c.main)
	c.until("the run is complete", func() bool { return c.settled })
	c.sound()
	c.note("upgraded from %s", old)
}

// until lets time pass until so returns true.
func (c *cluster) until(what string, so func() bool) {
	c.t.Helper()
	for deadline := time.Now().Add(timeOfEndMax); !so(); c.pass(pollInterval) {
		if time.Now().After(deadline) {
			c.fatal("not within %v: %s", timeOfEndMax, what)
		}
	}
}

// buildOld builds the program of a commit, or of these sources with another version.
func (c *cluster) buildOld(commit string) string {
	c.t.Helper()
	program := filepath.Join(c.dir, "everystate-old")
	root, err := filepath.Abs("../../..")
	c.must(err)
	sources, stamp := root, "-X main.stampVersion=v0.0.1-upgrade -X main.stampCommit=0123456789ab"
	if commit != "" {
		sources, stamp = filepath.Join(c.dir, "sources"), "-X main.stampVersion="+commit
		c.output(root, "git", "clone", "--quiet", "--no-checkout", root, sources)
		c.output(sources, "git", "checkout", "--quiet", commit)
	}
	c.output(sources, "go", "build", "-buildvcs=false", "-ldflags", stamp, "-o", program, "./cmd/everystate")
	return program
}

func (c *cluster) versionOf(program string) string {
	c.t.Helper()
	return strings.TrimSpace(c.output(c.dir, program, "version"))
}

func (c *cluster) output(dir, name string, args ...string) string {
	c.t.Helper()
	cmd := exec.CommandContext(c.t.Context(), name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.fatal("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}
