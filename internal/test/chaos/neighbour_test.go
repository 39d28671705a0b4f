//go:build linux

package chaos

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// neighbour is another cluster: a coordinator and a worker, with a bucket of their own.
type neighbour struct {
	at     *coordinator
	worker *worker
	addr   string // of the worker
}

// newNeighbour starts another cluster that explores the same board under the same name.
func (c *cluster) newNeighbour() *neighbour {
	c.t.Helper()
	c.seconds++
	n := &neighbour{at: c.newCoordinator("neighbour-"+strconv.Itoa(c.seconds), c.main.host)}
	n.at.bucket = "file://" + filepath.Join(c.dir, n.at.name+"-bucket")
	c.must(os.Mkdir(filepath.Join(c.dir, n.at.name+"-bucket"), 0o755))
	c.startCoordinator(n.at)
	c.made++
	name := "neighbour-worker-" + strconv.Itoa(c.made)
	n.worker = &worker{name: name, host: c.main.host, at: n.at, data: filepath.Join(c.dir, name)}
	n.addr = net.JoinHostPort(c.main.host.ip, strconv.Itoa(freePort(c.t)))
	n.worker.flags = []string{"--listen", n.addr}
	c.startWorker(n.worker)
	args := []string{"submit", c.file, "--name", c.run}
	if c.goal {
		args = append(args, "--goal-distance")
	}
	for deadline := time.Now().Add(stillMax); ; linger(pollInterval) {
		a := c.ask(n.at, args...)
		if a.code == 0 {
			return n
		}
		if time.Now().After(deadline) {
			c.fatal("%s does not take the run: %v", n.at.name, a)
		}
	}
}

// leave ends the other cluster. Its run must not have failed.
func (c *cluster) leave(n *neighbour) {
	c.t.Helper()
	if s, a, ok := c.status(n.at); ok && s.State == "failed" {
		c.fatal("the run of %s failed: %v", n.at.name, a)
	} else if ok && s.State == "stopped" && s.Complete && !c.check(n.at) {
		c.fatal("what %s found cannot be told", n.at.name)
	}
	c.note("  %s ends", n.at.name)
	c.must(n.at.server.kill())
	c.must(n.worker.server.kill())
	c.must(os.RemoveAll(n.worker.data))
}

// twoClusters has another cluster explore the same board under the same name, with a
// bucket of its own.
func (c *cluster) twoClusters() bool {
	if !c.calm() || c.last.Durable < 3 {
		return false
	}
	n := c.newNeighbour()
	c.note("%s: %s explores the same under the same name", c.where(), n.at.name)
	c.after(between(c.r, lease, lease*4), n.at.name+" is over", func() { c.leave(n) })
	return true
}

// misroute restarts a worker that says it is where a worker of another cluster is, which
// explores the same board under the same name. Candidates and questions for the one reach
// the other, and are refused there. Then the mistake is corrected.
func (c *cluster) misroute() bool {
	if !c.calm() || c.last.Durable < 3 {
		return false
	}
	w := c.anyWorker(2)
	if w == nil {
		return false
	}
	n := c.newNeighbour()
	c.note("%s: %s says it is at %s, where %s is", c.where(), w.name, n.addr, n.worker.name)
	c.crash(w)
	w.flags = []string{"--advertise", n.addr}
	c.back(w)
	c.after(between(c.r, lease*2, lease*4), w.name+" says where it is", func() {
		c.note("  %s has said %d times that it refuses calls meant for another worker", n.worker.name, c.says(n.worker.server, "refusing a call meant for another worker"))
		c.leave(n)
		w.flags = nil
		if w.server != nil {
			c.crash(w)
			c.back(w)
		}
	})
	return true
}

// says counts how often the log of a process has some words.
func (c *cluster) says(p *process, words string) int {
	c.t.Helper()
	body, err := os.ReadFile(p.file)
	c.must(err)
	return strings.Count(string(body), words)
}

// holeSaid is how a coordinator says that a log lacks an entry.
const holeSaid = "is missing, and there are later ones"

// logHole takes an entry out of the log in the bucket while the coordinator starts with
// an empty disk. The coordinator must say which entry is missing, and write nothing; once
// the entry is back, the run goes on.
func (c *cluster) logHole() bool {
	if !c.calm() || c.last.Durable < 5 {
		return false
	}
	entries, err := filepath.Glob(filepath.Join(c.dir, "bucket", c.run, "log", "*"))
	c.must(err)
	if len(entries) < 5 {
		return false
	}
	hole := entries[1+c.r.IntN(len(entries)-3)]
	aside := filepath.Join(c.dir, "aside")
	before := c.says(c.main.server, holeSaid)
	c.must(c.main.server.kill())
	c.must(os.RemoveAll(c.main.data))
	c.must(os.Rename(hole, aside))
	c.note("%s: the coordinator is lost with its disk, and the log lacks %s", c.where(), filepath.Base(hole))
	c.main.adopt = true
	c.startCoordinator(c.main)
	for deadline := time.Now().Add(stillMax); ; linger(pollInterval) {
		if c.says(c.main.server, holeSaid) > before {
			break
		}
		if time.Now().After(deadline) {
			c.fatal("nobody says that the log lacks entry %s", filepath.Base(hole))
		}
	}
	c.must(c.main.server.kill())
	if _, err := os.Stat(hole); err == nil {
		c.fatal("the missing entry %s was written", filepath.Base(hole))
	}
	c.must(os.Rename(aside, hole))
	c.must(os.RemoveAll(c.main.data))
	c.startCoordinator(c.main)
	c.note("  entry %s is back", filepath.Base(hole))
	return true
}
