package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	coordinatorserver "github.com/everystate/everystate/coordinator/server"
	"github.com/everystate/everystate/internal/telemetry/metrics"
	"github.com/everystate/everystate/worker/gauges"
)

// served is a process whose log is read.
type served struct {
	lines chan map[string]any
}

// startServed starts the program with a log in JSON.
func startServed(t *testing.T, args ...string) *served {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], append(args, "--log-format", "json")...)
	cmd.Env = append(os.Environ(), beProgram+"=1", "OTEL_BSP_SCHEDULE_DELAY=50")
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &served{lines: make(chan map[string]any, 1000)}
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer close(s.lines)
		for in := bufio.NewScanner(log); in.Scan(); {
			line := map[string]any{}
			if err := json.Unmarshal(in.Bytes(), &line); err != nil {
				line["text"] = in.Text() // said without the log
			}
			select {
			case s.lines <- line:
			default: // nobody looks any more
			}
		}
	}()
	t.Cleanup(func() {
		if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		<-read
		if err := cmd.Wait(); err == nil {
			t.Error("it ended by itself")
		}
	})
	return s
}

// says waits for a line of the log and returns one of its attributes.
func (s *served) says(t *testing.T, msg, attribute string) string {
	t.Helper()
	timeout := time.After(30 * time.Second)
	for {
		select {
		case line, ok := <-s.lines:
			if !ok {
				t.Fatalf("it ended before %q", msg)
			}
			if line["msg"] == msg {
				text, ok := line[attribute].(string)
				if !ok {
					t.Fatalf("%v has no %s", line, attribute)
				}
				return text
			}
		case <-timeout:
			t.Fatalf("it never says %q", msg)
		}
	}
}

func get(t *testing.T, url string) (code int, text string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(res.Body)
	if err := errors.Join(err, res.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

// TestMetrics shows that a coordinator and workers, as processes, have every metric
// that the documents name, and no other of ours.
func TestMetrics(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts processes")
	}
	board := puzzleFile(t, "jam-93.txt")
	dir := t.TempDir()
	coordinator := startServed(t, "coordinator", "--listen", "127.0.0.1:0", "--metrics", ":0",
		"--data", filepath.Join(dir, "c"), "--bucket", "file://"+filepath.ToSlash(filepath.Join(dir, "bucket")))
	pages := []string{coordinator.says(t, "metrics are served", "address")}
	addr := coordinator.says(t, "coordinator listens", "address")
	for _, name := range []string{"a", "b"} {
		w := startServed(t, "worker", "--coordinator", addr, "--data", filepath.Join(dir, name), "--memory", "64MiB", "--metrics", ":0", "--pprof", ":0")
		if code, text := get(t, "http://"+w.says(t, "profiles are served", "address")+"/debug/pprof/cmdline"); code != http.StatusOK || !strings.Contains(text, "--pprof") {
			t.Errorf("profiles: %d %q", code, text)
		}
		pages = append(pages, w.says(t, "metrics are served", "address"))
	}
	if out := must(t, "health", addr); out != "serving\n" {
		t.Errorf("health: %q", out)
	}
	must(t, "submit", board, "--coordinator", addr, "--goal-distance")
	must(t, "sweep", "rushhour", "--size", "4x4", "--coordinator", addr, "--name", "four")

	want := map[string]bool{}
	for _, m := range slices.Concat(coordinatorserver.Metrics(), gauges.Metrics(), metrics.GRPC(), []*metrics.Metric{metrics.Build}) {
		want[m.Name] = true
	}
	family := regexp.MustCompile(`(?m)^# TYPE (\S+) `)
	missing := slices.Collect(func(yield func(string) bool) {
		for name := range want {
			if !yield(name) {
				return
			}
		}
	})
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for began := time.Now(); len(missing) > 0 && time.Since(began) < time.Minute; <-ticker.C {
		for _, page := range pages {
			code, text := get(t, "http://"+page+"/metrics")
			if code != http.StatusOK {
				t.Fatalf("%d\n%s", code, text)
			}
			for _, m := range family.FindAllStringSubmatch(text, -1) {
				missing = slices.DeleteFunc(missing, func(name string) bool { return name == m[1] })
				if (strings.HasPrefix(m[1], "everystate_") || strings.HasPrefix(m[1], "grpc_")) && !want[m[1]] {
					t.Fatalf("%s is in no table", m[1])
				}
			}
		}
	}
	if len(missing) > 0 {
		t.Errorf("never seen: %q", missing)
	}
	must(t, "resume", addr+"/jam-93", "--wait", "--quiet")
	must(t, "watch", addr+"/four", "--quiet")
	_, text := get(t, "http://"+pages[0]+"/metrics")
	for _, line := range []string{
		`everystate_run_complete{run="jam-93"} 1`,
		`everystate_run_states{phase="forward",run="jam-93"} 24132`,
		`everystate_run_states{phase="goal_distance",run="jam-93"} 24132`,
		`everystate_run_duplicates{phase="forward",run="jam-93"} 165128`,
		`everystate_run_complete{run="four"} 1`,
		`everystate_run_states{phase="sweep",run="four"} 9304`,
		`everystate_run_units{run="four"} 27`,
		`everystate_run_units_done{run="four"} 27`,
		`everystate_run_records{run="four"} 32`,
		`everystate_members_lost_total 0`,
	} {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("no line %s", line)
		}
	}
	for _, page := range pages {
		if code, text := get(t, "http://"+page+"/healthz"); code != http.StatusOK || text != "ok\n" {
			t.Errorf("healthz: %d %q", code, text)
		}
	}
	if out := must(t, append([]string{"doctor", "--coordinator", addr, "--processes"}, strings.Join(pages, ","))...); strings.Count(out, " runs ") != 3 {
		t.Errorf("doctor:\n%s", out)
	}
}

// TestDoctor looks at what it says of things that are right, and of others.
func TestDoctor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out := must(t, "doctor", "--data", dir, "--listen", "127.0.0.1:65001", "--bucket", "file://"+filepath.ToSlash(dir)+"/bucket", "--json")
	checks := map[string]string{}
	for line := range strings.Lines(out) {
		var f struct{ Check, Verdict, Found string }
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatal(err)
		}
		checks[f.Check] = f.Verdict
	}
	for _, name := range []string{"processor", "memory", "go", "files", "clock", "disk space", "disk speed", "port", "bucket"} {
		if checks[name] == "" || checks[name] == "fail" {
			t.Errorf("%s: %q in\n%s", name, checks[name], out)
		}
	}
	if left, err := os.ReadDir(filepath.Join(dir, "bucket")); err != nil || len(left) != 0 {
		t.Logf("what is left in the bucket: %v, %v", left, err)
	}
	for _, args := range [][]string{
		{"--data", filepath.Join(dir, "gone")},
		{"--memory", "1000TiB"},
		{"--coordinator", "127.0.0.1:1"},
		{"--processes", "127.0.0.1:1"},
	} {
		if r := call("", append([]string{"doctor"}, args...)...); r.code != exit.Failed || !strings.Contains(r.out, "->") || r.errs != "" {
			t.Errorf("%q: exit %d\n%s%s", args, r.code, r.out, r.errs)
		}
	}
}

// TestMan looks for what the page must have, and for lines that roff would take for
// requests.
func TestMan(t *testing.T) {
	t.Parallel()
	page := must(t, "man")
	for _, want := range []string{".TH EVERYSTATE 1", ".SS everystate explore", ".B \\-\\-metrics ADDR", ".SH EXIT STATUS"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
	requests := regexp.MustCompile(`^\.(TH|SH|SS|PP|TP|B|I|nf|fi)\b`)
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, ".") && !requests.MatchString(line) || strings.HasPrefix(line, "'") {
			t.Errorf("roff would take %q for a request", line)
		}
	}
}
