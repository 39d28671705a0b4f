package plants

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var plantsFlag = flag.Bool("plants", false, "compile the simulation with each planted bug, and require that it finds the bug")

// plant is a plausible bug: one piece of text, which occurs once in a file that ships,
// is replaced by another.
type plant struct {
	name     string
	file     string
	from, to string
	seeds    int    // within which the simulation finds it
	scenario string // the test of internal/test/world that finds it, if it is not the simulation
}

// plants returns the bugs that the simulation has to find.
func plants() []plant {
	return []plant{
		{
			"a failed upload is never retried", "worker/upload/upload.go",
			"\t\tw.busy = false\n", "", 60, "",
		},
		{
			"a worker does not notice that partitions are missing from its disk", "worker/server/holds.go",
			"absent, err := h.run.Store.Absent(l.Segment, look)", "absent, err := h.run.Store.Absent(l.Segment, nil)", 60, "",
		},
		{
			"candidates of an earlier attempt are accepted", "worker/server/receiver.go",
			"uint64(id.Epoch) != req.GetEpoch() || ", "", 300, "",
		},
		{
			"an expired lease is ignored", "coordinator/core/roster.go",
			"case w.Present && now-w.LastCall > r.opts.LeaseTicks:", "case w.Present && now < 0:", 60, "",
		},
		{
			"an entry is logged before all objects of its layer are in the bucket", "coordinator/journal/copy.go",
			"case len(c.Missing()) > 0:", "case len(c.Missing()) == len(u.Shares):", 60, "",
		},
		{
			"an attempt is committed without the states that one worker has written", "coordinator/core/commit.go",
			"l.Digest.Add(p.Digest)", "if p.Part > 0 {\n\t\tl.Digest.Add(p.Digest)\n\t}", 60, "",
		},
		{
			"an irreversible space is compared with its last layers only", "coordinator/core/plan.go",
			"a.Exclude = span(phase, 0, n)", "a.Exclude = span(phase, max(3, n)-3, n)", 60, "",
		},
		{
			"partitions of a lost worker are reassigned before the bucket has them", "coordinator/core/homes.go",
			"case !expected && (c.oneTable || restorable(&c.history, c.backup)):", "case !expected && c.backup != nil:", 0, "TestRestoredMeanwhile",
		},
		{
			"partitions that were fetched ahead move without what was committed since", "coordinator/core/homes.go",
			"\tif c.history.Empty() {\n\t\tc.stage = placing", "\tif c.history.Empty() || c.ahead.number > 0 {\n\t\tc.stage = placing", 0, "TestFetchedAhead",
		},
		{
			"a run ends before everything is restored", "coordinator/core/core.go",
			"reason != 0 && len(c.lacking) > 0 {", "reason != 0 && len(c.lacking) > c.partitions {", 0, "TestRestoredMeanwhile",
		},
		{
			"a worker that was restarted is not told again to restore the rest", "coordinator/core/core.go",
			"\ttellAgain(c, ev.Worker)\n", "", 0, "TestRestoredMeanwhile",
		},
		{
			"nobody notes that a worker lacks records", "worker/mend/mend.go",
			"return m.write(run, restoring, \"\", \"partitions taken over from a lost worker\")", "return nil", 0, "TestRestoredMeanwhile",
		},
		{
			"a new home restores everything before the next layer", "worker/server/damage.go",
			"case at.first != nil:", "case len(at.first) > 1<<20:", 0, "TestRestoredMeanwhile",
		},
		{
			"partitions that lack records are put into a table", "worker/server/dropped.go",
			"if e.kept.Table != nil && at.first != nil {", "if e.kept.Table != nil && len(at.first) > 1<<20 {", 0, "TestRestoredTable",
		},
		{
			"fetching ahead deletes the layer that is being made", "worker/server/engine.go",
			"if e.work != nil || e.clean", "if e.clean", 0, "TestFetchedAhead",
		},
		{
			"a layer is committed before every worker has written it", "coordinator/core/commit.go",
			"if !c.answers(ev.Worker, ev.Epoch, writing) {", "if c.answers(ev.Worker, ev.Epoch, writing); len(ev.Parts) == 0 {", 60, "",
		},
		{
			"a journal entry counts before it is on disk", "coordinator/server/run.go",
			"store.AppendEntries(r.store, entries, true)", "store.AppendEntries(r.store, entries, false)", 60, "",
		},
		{
			"a coordinator with an old journal tries one epoch after another", "coordinator/core/core.go",
			"if ev.Known > c.epoch && c.backup == nil {", "if ev.Known > c.epoch && c.epoch == 0 {", 0, "TestJournalOfBefore",
		},
		{
			"what a finished run has lost with a worker is never made again", "coordinator/server/server.go",
			"\t\t\ts.repeatLost()\n", "", 0, "TestLostBeforeUploaded",
		},
		{
			"objects that a bucket has lost are never uploaded again", "coordinator/server/server.go",
			"\t\t\tlookAtBuckets(s)\n", "", 0, "TestLostObjects",
		},
		{
			"objects of a layer that was made again are still looked for", "coordinator/scrub/scrub.go",
			"objects = journal.Current(append(slices.Clip(known), more...), spec.Keep.Named)", "objects = append(slices.Clip(known), more...)", 0, "TestDamageEverywhere",
		},
	}
}

// TestPlants checks that each bug can still be planted. With -plants it compiles the
// simulation with one bug after the other and runs it until it finds the bug.
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

// grow runs the simulation with a changed file, and fails if it finds nothing wrong.
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
	by := cmp.Or(p.scenario, "TestSimulation")
	cmd := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-vet=off", "-overlay", overlay, "-run", "^"+by+"$", "../world", "-v", "-seeds", fmt.Sprint(p.seeds))
	out, err := cmd.CombinedOutput()
	switch {
	case err == nil:
		t.Errorf("%s does not find it in %d seeds", by, p.seeds)
	case !strings.Contains(string(out), "FAILURE: "):
		t.Fatalf("%v, and not because of what %s finds:\n%s", err, by, out)
	default:
		for line := range strings.SplitSeq(string(out), "\n") {
			if strings.Contains(line, "FAILURE: ") {
				t.Log(strings.TrimSpace(line))
				break // the first says enough
			}
		}
	}
}
