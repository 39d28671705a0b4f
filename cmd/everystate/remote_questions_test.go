package main

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/proto/gen/everystate/v1"
)

// questions are all that can be asked of a run, RUN, and of one of its states.
func questions(state string) [][]string {
	return [][]string{
		{"layers", "RUN"},
		{"layers", "RUN", "--goal"},
		{"hardest", "RUN", "-q"},
		{"hardest", "RUN", "-q", "-n", "20"},
		{"hardest", "RUN", "-q", "-n", "20", "--json"},
		{"trace", "RUN"},
		{"trace", "RUN", "--boards"},
		{"trace", "RUN", "--deepest"},
		{"trace", "RUN", "--hardest", "--to-goal", "--json"},
		{"trace", "RUN", state},
		{"trace", "RUN", "nonsense"},
		{"show", "RUN", state},
		{"show", "RUN", state, "--json"},
		{"export", "RUN"},
		{"export", "RUN", "--format", "jsonl"},
		{"export", "RUN", "--format", "parquet", "--text"},
		{"verify", "RUN", "-q"},
		{"verify", "RUN", "-q", "--json"},
		{"verify", "RUN", "-q", "--complete"},
		{"verify", "RUN", "-q", "--complete", "--json"},
	}
}

// progressLines are written only where an answer takes more than a second.
var progressLines = regexp.MustCompile(`(?m)^progress .*\n`)

// inPlace asks a question about a run, and takes the run's name and how its files
// were looked at out of the answer.
func inPlace(question []string, run string) result {
	words := slices.Clone(question)
	words[slices.Index(words, "RUN")] = run
	r := call("", words...)
	r.errs = progressLines.ReplaceAllString(r.errs, "")
	for _, text := range []*string{&r.out, &r.errs} {
		*text = strings.ReplaceAll(*text, run, "RUN")
		*text = strings.ReplaceAll(*text, "unchanged since the run was closed", "FILES")
		*text = strings.ReplaceAll(*text, "not compared: the run was fetched from its workers block by block", "FILES")
		*text = strings.ReplaceAll(*text, "not compared: each worker read the blocks that it keeps", "FILES")
		*text = strings.ReplaceAll(*text, `{"sealed":true,`, `{"sealed":SEALED,`)
		*text = strings.ReplaceAll(*text, `{"sealed":false,`, `{"sealed":SEALED,`)
	}
	return r
}

// TestClusterQuestions puts every question to a run that two workers keep, and to
// the same run in a directory.
func TestClusterQuestions(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	addr := startCoordinatorOf(t, 30_000) // a busy machine takes long to answer
	data := t.TempDir()
	startWorker(t, addr, filepath.Join(data, "a"))
	worker := startWorker(t, addr, filepath.Join(data, "b"))
	twoWorkers := func(_ []client.Status, workers []client.Worker) bool {
		return len(workers) == 2 && workers[0].Present && workers[1].Present
	}
	until(t, addr, twoWorkers)
	for name, state := range map[string]string{
		"jam-93":    "333BCC / B22BCC / B.XXCC / 22B... / .BB.22 / .B2222",
		"small-4x4": "E.BB / ECCC / AA.F / DD.F",
	} {
		file := puzzleFile(t, name+".txt")
		dir := filepath.Join(t.TempDir(), "run")
		partitions := map[string]string{"jam-93": "32", "small-4x4": "256"}[name] // one with fewer states than partitions
		must(t, "explore", file, "--run", dir, "--goal-distance", "--partitions", partitions, "-q")
		must(t, "submit", file, "--coordinator", addr, "--name", name, "--goal-distance", "--partitions", partitions, "--wait", "-q")
		for i, question := range questions(state) {
			if name == "small-4x4" && i%2 > 0 && os.Getenv("EVERYSTATE_THOROUGH") == "" {
				continue
			}
			want, got := inPlace(question, dir), inPlace(question, addr+"/"+name)
			if got != want {
				t.Errorf("%s: %q: exit %d, want %d\n%s\n%s%s", name, question, got.code, want.code, difference(want.out, got.out), got.errs, want.errs)
			}
		}
	}

	// A byte of a record changes while the worker is not there: the worker finds it, and
	// the run becomes what it was.
	runs := []string{addr + "/jam-93", addr + "/small-4x4"}
	var want []string
	for _, run := range runs {
		want = append(want, must(t, "verify", run, "-q", "--json"))
	}
	worker.end(t)
	flipLargestTable(t, filepath.Join(data, "b"))
	startWorker(t, addr, filepath.Join(data, "b"))
	until(t, addr, twoWorkers)
	scratch := t.TempDir()
	until(t, addr, func([]client.Status, []client.Worker) bool {
		if _, err := os.Stat(filepath.Join(data, "b", "damaged")); err != nil {
			return false // where what was damaged is kept
		}
		for i, run := range runs {
			if r := call("", "verify", run, "-q", "--scratch", scratch, "--json"); r.code != exit.Complete || r.out != want[i] {
				return false
			}
		}
		return true
	})
	empty(t, scratch)
}

// flipLargestTable changes a byte in the largest table below a directory.
func flipLargestTable(t *testing.T, dir string) {
	t.Helper()
	var largest string
	var body []byte
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".sst" {
			return err
		}
		b, err := os.ReadFile(path)
		if len(b) > len(body) {
			largest, body = path, b
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	body[len(body)/2] ^= 1
	if err := os.WriteFile(largest, body, 0o600); err != nil {
		t.Fatal(err)
	}
}

func empty(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// TestRemoteVerify shows what a coordinator could do wrong.
func TestRemoteVerify(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "here")
	must(t, "explore", puzzleFile(t, "small-4x4.txt"), "--run", dir, "--goal-distance", "--partitions", "4", "-q")
	for _, test := range []struct {
		name string
		bend func(f *fakeCoordinator, req *everystatev1.ReadLayerRequest, block []byte) []byte
		code int
		want string // what is said behind the run's name
	}{
		{"sound", nil, exit.Complete, ""},
		{"bent", func(_ *fakeCoordinator, _ *everystatev1.ReadLayerRequest, block []byte) []byte {
			block[6] ^= 1
			return block
		}, exit.Failed, " is damaged: ADDR/here: phase 1, layer 4: partition "},
		{"another state", func(f *fakeCoordinator, _ *everystatev1.ReadLayerRequest, block []byte) []byte {
			recs, _ := f.shape.DecodeBlock(nil, block)
			recs[len(recs)-1] += 1 << f.shape.MoveBits
			return f.shape.AppendBlock(nil, recs)
		}, exit.Failed, " is damaged: forward layer 4: digest is "},
		{"a state less", func(f *fakeCoordinator, _ *everystatev1.ReadLayerRequest, block []byte) []byte {
			recs, _ := f.shape.DecodeBlock(nil, block)
			return f.shape.AppendBlock(nil, append(recs, recs[len(recs)-1]+1<<f.shape.MoveBits))
		}, exit.Failed, " is damaged: forward layer 4: partition "},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := &fakeCoordinator{}
			if test.bend != nil {
				f.bend = func(_ context.Context, req *everystatev1.ReadLayerRequest, block []byte) []byte {
					if req.GetPhase() == everystatev1.Phase_PHASE_FORWARD && req.GetDepth() == 4 {
						return test.bend(f, req, block)
					}
					return block
				}
			}
			f.open(t, dir)
			addr, scratch := f.serve(t), t.TempDir()
			r := call("", "verify", addr+"/here", "--scratch", scratch)
			said := strings.TrimPrefix(strings.ReplaceAll(r.errs, addr, "ADDR"), "everystate: ADDR/here")
			if r.code != test.code || !strings.HasPrefix(said, test.want) || test.code == exit.Complete && said != "" {
				t.Errorf("exit %d: %s%s", r.code, r.out, r.errs)
			}
			empty(t, scratch)
		})
	}
}

func TestRemoteVerifyRefused(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "here")
	must(t, "explore", puzzleFile(t, "small-4x4.txt"), "--run", dir, "--partitions", "4", "-q")
	var f fakeCoordinator
	f.open(t, dir)
	addr := f.serve(t)
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"verify", addr + "/here", "--scratch", nowhere}, "--scratch " + nowhere + ": no such file or directory"},
		{[]string{"verify", dir, "--scratch", nowhere}, "--scratch works only for runs on a coordinator"},
		{[]string{"verify", addr + "/there"}, `there is no run "there" on ` + addr},
	} {
		if r := call("", test.args...); r.code != exit.Usage || !strings.HasPrefix(r.errs, "everystate: "+test.want) {
			t.Errorf("%q: exit %d: %s%s", test.args, r.code, r.out, r.errs)
		}
	}
}

// TestRemoteVerifyInterrupt stops a verify while it fetches, as Ctrl-C does.
func TestRemoteVerifyInterrupt(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no signals")
	}
	dir, scratch := filepath.Join(t.TempDir(), "here"), t.TempDir()
	must(t, "explore", puzzleFile(t, "small-4x4.txt"), "--run", dir, "--partitions", "4", "-q")
	reached := make(chan struct{}, 1)
	f := fakeCoordinator{bend: func(ctx context.Context, req *everystatev1.ReadLayerRequest, block []byte) []byte {
		if req.GetDepth() == 4 {
			select {
			case reached <- struct{}{}:
			default:
			}
			<-ctx.Done()
		}
		return block
	}}
	f.open(t, dir)
	cmd := exec.CommandContext(t.Context(), os.Args[0], "verify", f.serve(t)+"/here", "--scratch", scratch)
	cmd.Env = append(os.Environ(), beProgram+"=1")
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-reached
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exit.Incomplete || said.String() != "everystate: stopped\n" {
		t.Errorf("exit %d, %v: %s", code, err, said.String())
	}
	empty(t, scratch)
}
