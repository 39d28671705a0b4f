package plants

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var plantsFlag = flag.Bool("plants", false, "compile each planted bug, and see the simulation find it")

// plant is a bug that somebody could make: in a file of what ships, a piece of text
// that is there once becomes another.
type plant struct {
	name     string
	file     string
	from, to string
	seeds    int // within which it is found
}

// plants are bugs that the simulation has to find.
func plants() []plant {
	return []plant{
		{
			"an upload that failed is never tried again", "worker/server/uploader.go",
			"\t\tw.busy = false\n", "", 60,
		},
		{
			"a worker does not notice that its disk lacks partitions", "worker/server/holds.go",
			"absent, err := h.run.store.Absent(l.Segment, look)", "absent, err := h.run.store.Absent(l.Segment, nil)", 60,
		},
		{
			"candidates of an earlier attempt are taken", "worker/server/receiver.go",
			"uint64(id.Epoch) != req.GetEpoch() || ", "", 60,
		},
		{
			"a lease that has run out is ignored", "coordinator/core/roster.go",
			"case w.Present && now-w.LastCall > r.opts.LeaseTicks:", "case w.Present && now < 0:", 60,
		},
		{
			"an entry goes to the log before all objects of its layer are there", "coordinator/journal/copy.go",
			"case len(c.Missing()) > 0:", "case len(c.Missing()) == len(u.Shares):", 60,
		},
		{
			"an attempt is committed without what a worker has written", "coordinator/core/commit.go",
			"c.layer.Digest.Add(p.Digest)", "if p.Part > 0 {\n\t\t\tc.layer.Digest.Add(p.Digest)\n\t\t}", 60,
		},
		{
			"states are looked for in the last layers only, where moves cannot be undone", "coordinator/core/plan.go",
			"a.Exclude = span(phase, 0, n)", "a.Exclude = span(phase, max(3, n)-3, n)", 60,
		},
		{
			"what a lost worker kept is given away before the bucket has it", "coordinator/core/homes.go",
			"case !expected && restorable(&c.history, c.backup):", "case !expected && c.backup != nil:", 120,
		},
		{
			"a layer is committed before all workers have written it", "coordinator/core/commit.go",
			"if !c.answers(ev.Worker, ev.Epoch, writing) {", "if c.answers(ev.Worker, ev.Epoch, writing); len(ev.Parts) == 0 {", 60,
		},
		{
			"an entry of the journal counts before it is on disk", "coordinator/server/run.go",
			"AppendJournal(entry, true)", "AppendJournal(entry, false)", 60,
		},
		{
			"a coordinator with an old journal tries one epoch after the other", "coordinator/core/core.go",
			"if ev.Known > c.epoch && c.backup == nil {", "if ev.Known > c.epoch && c.epoch == 0 {", 200,
		},
		{
			"a run that has ended stays short in its bucket", "coordinator/server/server.go",
			"\t\t\ts.repeatLost()\n", "", 200,
		},
	}
}

// TestPlants compiles what ships with one bug after the other, and runs the simulation
// until it finds it. Without -plants it only sees to it that each can still be planted.
func TestPlants(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range plants() {
		t.Run(p.name, func(t *testing.T) {
			file := filepath.Join(root, filepath.FromSlash(p.file))
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(src), p.from); n != 1 {
				t.Fatalf("%q is %d times in %s, and has to be there once", p.from, n, p.file)
			}
			if *plantsFlag {
				p.grow(t, file, strings.Replace(string(src), p.from, p.to, 1))
			}
		})
	}
}

// grow runs the simulation with another text in place of a file's, and fails if it
// finds nothing wrong.
func (p plant) grow(t *testing.T, file, text string) {
	t.Helper()
	dir := t.TempDir()
	planted, overlay := filepath.Join(dir, "planted.go"), filepath.Join(dir, "overlay.json")
	body, err := json.Marshal(map[string]map[string]string{"Replace": {file: planted}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(planted, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, body, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-vet=off", "-overlay", overlay, "-run", "Simulation", "../world", "-seeds", fmt.Sprint(p.seeds))
	out, err := cmd.CombinedOutput()
	switch {
	case err == nil:
		t.Errorf("the simulation does not find it in %d seeds", p.seeds)
	case !strings.Contains(string(out), "FAILURE: "):
		t.Fatalf("%v, and not because of the simulation:\n%s", err, out)
	default:
		for line := range strings.SplitSeq(string(out), "\n") {
			if strings.Contains(line, "FAILURE: ") {
				t.Log(strings.TrimSpace(line))
				break // the first says enough
			}
		}
	}
}
