package main

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/plan"
	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/proto/gen/everystate/v1"
)

func TestPlan(t *testing.T) {
	t.Parallel()
	jam, tiles := puzzleFile(t, "jam-93.txt"), "any: 8 9\n\n1 2 3 4 5\n6 7 8 9 0"
	if out := must(t, "plan", jam, "--quiet"); !strings.Contains(out, "states      24,132, counted\n") {
		t.Errorf("%s", out)
	}
	args := []string{"plan", tiles, "--json", "--states", "5000", "--steps", "400000", "--workers", "4", "--lanes", "2", "--memory", "64M", "--goal-distance"}
	var p plan.Planned
	if err := json.Unmarshal([]byte(must(t, args...)), &p); err != nil {
		t.Fatal(err)
	}
	const states = 1_814_400
	if p.Method != "walks" || p.Exact || p.States.Low > states || p.States.High < states || p.Workers != 4 || p.Fits != nil || p.Valid == nil {
		t.Errorf("%+v", p)
	}
	var again plan.Planned
	if err := json.Unmarshal([]byte(must(t, args...)), &again); err != nil || again.States != p.States || again.DiskBytes != p.DiskBytes {
		t.Errorf("%+v, %v", again, err)
	}
	if out := must(t, "plan", tiles, "--quiet", "--states", "5000", "--steps", "400000"); !strings.Contains(out, "states      about 1,") || !strings.Contains(out, ", estimated by random walks") {
		t.Errorf("%s", out)
	}
	if out := must(t, "plan", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 0", "--quiet"); !strings.Contains(out, "states      10,461,394,944,000, which is 16!/2\n") {
		t.Errorf("%s", out)
	}
	if out := must(t, "plan", "../../puzzles/permutation/square-1.txt", "--quiet", "--states", "1000", "--steps", "1000"); !strings.Contains(out, " years on this machine") {
		t.Errorf("%s", out)
	}
	for _, wrong := range [][]string{{"--workers", "0"}, {"--lanes", "0"}, {"--states", "0"}, {"--steps", "-1"}, {"--metric", "furlong"}} {
		if r := call("", append([]string{"plan", jam}, wrong...)...); r.code != exit.Usage || r.out != "" {
			t.Errorf("%q: %+v", wrong, r)
		}
	}
}

// TestPlanExplores checks that what plan says first is about the run that explore makes.
func TestPlanExplores(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args []string
		mode string
	}{
		{[]string{"../../puzzles/tiles/2x5.txt"}, "table"},
		{[]string{"../../puzzles/tiles/2x4.txt"}, "layers"},
		{[]string{puzzleFile(t, "jam-93.txt")}, "layers"},
	} {
		dir := filepath.Join(t.TempDir(), "run")
		var p plan.Planned
		if err := json.Unmarshal([]byte(must(t, append([]string{"plan", "--json", "-q"}, test.args...)...)), &p); err != nil {
			t.Fatal(err)
		}
		must(t, append([]string{"explore", "-q", "--run", dir}, test.args...)...)
		kept := "layers"
		if tables, err := filepath.Glob(filepath.Join(dir, "*.table")); err != nil || len(tables) > 0 {
			kept = "table"
		}
		if string(p.Explores) != kept || kept != test.mode || p.Modes[0].Mode != p.Explores || p.Seconds != *p.Modes[0].Seconds || p.DiskBytes.Likely > p.Modes[0].DiskBytes.Likely {
			t.Errorf("%q is kept as %s, not %s, and plan says %+v", test.args, kept, test.mode, p)
		}
	}
	out := must(t, "plan", "-q", "../../puzzles/tiles/2x5.txt")
	if !regexp.MustCompile(`(?s) lanes?, as a table\n.*disk at its peak\n--store table .*, the default\n--store layers +\S+ s +32\.0 MiB `).MatchString(out) {
		t.Errorf("plan says\n%s", out)
	}
}

// TestSubmitWarns has workers with little room on their disks, and with much, and a run
// that has begun before.
func TestSubmitWarns(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		free   uint64
		states uint64
		want   bool
	}{{1 << 30, 0, true}, {1 << 60, 0, false}, {0, 0, false}, {1 << 30, 1, false}} {
		f := &fakeCoordinator{states: test.states}
		for _, name := range []string{"a", "b"} {
			f.workers = append(f.workers, &everystatev1.WorkerStatus{Worker: name, Address: name + ":1", Present: true, DiskFreeBytes: test.free, Lanes: 2, Weight: 1024})
		}
		r := call("", "submit", "1 2 3 4\n5 6 7 8\n9 10 11 12\n13 14 15 0", "--coordinator", f.serve(t))
		if warned := strings.Contains(r.errs, "of disk, with 2.0 GiB free on 2 workers: see `everystate plan`"); warned != test.want || r.code != 0 {
			t.Errorf("%d bytes free: %+v", test.free, r)
		}
	}
}

// TestPlanOnCluster checks that plan calls a table possible on a cluster where submit --store
// table takes the board, and nowhere else: at one worker, or divided among several without
// memory for it.
func TestPlanOnCluster(t *testing.T) {
	t.Parallel()
	addr := startCoordinator(t)
	startWorker(t, addr, t.TempDir())
	until(t, addr, func(_ []client.Status, workers []client.Worker) bool { return len(workers) == 1 && workers[0].Present })
	for file, not := range map[string]string{
		"permutation/pocket-cube-qtm": "", "rushhour/jam-93": "", "tiles/3x3": "", "peg/triangle-15": "",
		"peg/english-centre": "workers can divide a table only if moves can be undone by moves",
		"murphi/jugs":        "the states cannot be numbered densely",
	} {
		file := "../../puzzles/" + file + ".txt"
		var p plan.Planned
		if err := json.Unmarshal([]byte(must(t, "plan", file, "--json", "-q", "--workers", "2", "--memory", "64MiB", "--goal-distance")), &p); err != nil {
			t.Fatal(err)
		}
		for _, m := range p.Modes {
			if m.Mode == "table" && m.Impossible != not {
				t.Errorf("%s: %q, want %q", file, m.Impossible, not)
			}
		}
		code := exit.Complete
		if not != "" {
			code = exit.Usage
		}
		if r := call("", "submit", file, "--coordinator", addr, "--store", "table", "--goal-distance"); r.code != code {
			t.Errorf("submit %s: exit %d, %s", file, r.code, r.errs)
		}
	}
}
