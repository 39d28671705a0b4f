package main

import (
	"cmp"
	"context"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/server"
	"github.com/everystate/everystate/internal/test/s3test"
	"github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/store/bucket"
)

// newBucketURL returns the URL of an empty bucket.
func newBucketURL(t *testing.T) string {
	t.Helper()
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(t.TempDir())}).String()
}

// runURL returns the URL of a run in a bucket.
func runURL(t *testing.T, bucketURL, name string) string {
	t.Helper()
	u, err := url.Parse(bucketURL)
	if err != nil {
		t.Fatal(err)
	}
	return u.JoinPath(name).String()
}

// startCoordinatorOn starts a coordinator with a bucket, and returns its address.
func startCoordinatorOn(t *testing.T, bucketURL string) (string, *process) {
	t.Helper()
	var config net.ListenConfig
	lis, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	bkt, err := bucket.Open(t.Context(), bucketURL)
	if err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	p := start(t, func(ctx context.Context) error {
		err := server.Serve(ctx, lis, server.Options{Data: data, LeaseMillis: 1500, SettleMillis: 100, Dial: plaintext(), Bucket: bkt})
		return cmp.Or(err, bkt.Close())
	})
	return lis.Addr().String(), p
}

// TestBucketRoundTrip takes a run from a directory to a cluster and back, through
// a bucket alone.
func TestBucketRoundTrip(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Run("file", func(t *testing.T) { bucketRoundTrip(t, newBucketURL(t)) })
	t.Run("s3", func(t *testing.T) {
		u, _ := s3test.Start(t)
		bucketRoundTrip(t, u)
	})
}

func bucketRoundTrip(t *testing.T, bkt string) {
	t.Helper()
	jam := puzzleFile(t, "jam-93.txt")
	want := summaryOf(t, must(t, "explore", jam, "--run", filepath.Join(t.TempDir(), "r"), "--goal-distance", "--json", "-q"))
	at := runURL(t, bkt, "jam-93")
	var part []string // exit with 3
	partly := func(args ...string) {
		t.Helper()
		r := call("", args...)
		if r.code != exit.Incomplete {
			t.Fatalf("%q: exit %d\n%s%s", args, r.code, r.out, r.errs)
		}
		part = append(part, r.out)
	}
	partly("explore", jam, "--run", filepath.Join(t.TempDir(), "jam-93"), "--bucket", bkt, "--partitions", "16", "--max-depth", "30", "--json", "-q")

	addr, coordinator := startCoordinatorOn(t, bkt)
	a, b := startWorker(t, addr, t.TempDir()), startWorker(t, addr, t.TempDir())
	until(t, addr, func(runs []client.Status, workers []client.Worker) bool { return len(runs) == 1 && len(workers) == 2 })
	partly("resume", addr+"/jam-93", "--max-depth", "60", "--wait", "--json", "-q")
	must(t, "checkpoint", addr+"/jam-93", "--json")
	a.end(t)
	b.end(t)
	coordinator.end(t)

	dir := filepath.Join(t.TempDir(), "jam-93")
	partly("resume", at, "--run", dir, "--max-depth", "100", "--json", "-q")

	addr, _ = startCoordinatorOn(t, bkt)
	startWorker(t, addr, t.TempDir())
	until(t, addr, func(runs []client.Status, workers []client.Worker) bool { return len(runs) == 1 && len(workers) == 1 })
	got := summaryOf(t, must(t, "resume", addr+"/jam-93", "--goal-distance", "--wait", "--json", "-q"))
	if got.Digest != want.Digest {
		t.Errorf("digest of the coordinator %s, want %s", got.Digest, want.Digest)
	}
	must(t, "checkpoint", addr+"/jam-93")

	// The first directory fetches what it has not.
	for _, args := range [][]string{{"resume", dir}, {"resume", at, "--run", filepath.Join(t.TempDir(), "x")}} {
		got := summaryOf(t, must(t, append(args, "--json", "-q")...))
		if got.Digest != want.Digest || !slices.Equal(got.GoalDistanceLayers, want.GoalDistanceLayers) || !got.Complete || got.Bucket != at {
			t.Errorf("%q: got %+v\nwant %+v", args, got, want)
		}
	}
	restored := filepath.Join(t.TempDir(), "restored")
	must(t, "restore", at, restored, "-q")
	must(t, "verify", restored, "-q")
	depths := []int{30, 60, 100}
	for i, out := range part {
		if s := summaryOf(t, out); s.Depth != depths[i] {
			t.Errorf("part %d ends at depth %d", i, s.Depth)
		}
	}
}

// What was wanted travels with the run, unless the flags say something else.
func TestWantTravels(t *testing.T) {
	t.Parallel()
	bkt := newBucketURL(t)
	file := puzzleFile(t, "large-8x8.txt")
	cmd := exec.CommandContext(t.Context(), os.Args[0], "explore", file, "--run", filepath.Join(t.TempDir(), "large-8x8"),
		"--bucket", bkt, "--max-depth", "40", "-q")
	cmd.Env = append(os.Environ(), beProgram+"=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		if _, err := os.Stat(filepath.Join(strings.TrimPrefix(bkt, "file://"), "large-8x8", "log", "00000006")); err == nil {
			break
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Skip("it was done before it could be killed")
	}
	r := call("", "resume", runURL(t, bkt, "large-8x8"), "--run", filepath.Join(t.TempDir(), "b"), "--json", "-q")
	if s := summaryOf(t, r.out); r.code != exit.Incomplete || s.Depth != 40 {
		t.Errorf("exit %d at depth %d", r.code, s.Depth)
	}
	// That was the end of it, and now it goes on as asked.
	r = call("", "resume", runURL(t, bkt, "large-8x8"), "--run", filepath.Join(t.TempDir(), "c"), "--max-depth", "42", "--json", "-q")
	if s := summaryOf(t, r.out); r.code != exit.Incomplete || s.Depth != 42 {
		t.Errorf("exit %d at depth %d", r.code, s.Depth)
	}
}

// TestBucketScript compares what is said of buckets with testdata/bucket.golden.
//
//nolint:paralleltest // It has a working directory of its own.
func TestBucketScript(t *testing.T) {
	script, err := filepath.Abs("testdata/bucket.golden")
	if err != nil {
		t.Fatal(err)
	}
	boards, err := filepath.Abs("testdata/boards")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.CopyFS(".", os.DirFS(boards)); err != nil {
		t.Fatal(err)
	}
	bkt := newBucketURL(t)
	checkScript(t, script, func(line string) result {
		args := words(line)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "BUCKET", bkt)
		}
		r := call("", args...)
		r.out, r.errs = maskBucket(r.out, bkt), maskBucket(r.errs, bkt)
		return r
	})
}

// maskBucket hides what differs from run to run in what is said of a bucket.
func maskBucket(text, bkt string) string {
	text = strings.ReplaceAll(text, bkt, "BUCKET")
	for _, m := range []struct{ pattern, with string }{
		{`[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}`, "0000-00-00 00:00:00"},
		{`"(changed|written)":"[^"]*"`, `"$1":""`},
		{`"bytes":[0-9]+`, `"bytes":0`},
		{`explore on [^,"]*, process [0-9]+`, "explore on HOST, process N"},
	} {
		text = regexp.MustCompile(m.pattern).ReplaceAllString(text, m.with)
	}
	return text
}

// TestCheckpointRemote asks coordinators for checkpoints that they have, have not
// yet, and never will have.
func TestCheckpointRemote(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "here")
	must(t, "explore", puzzleFile(t, "small-4x4.txt"), "--run", dir, "-q")
	var f fakeCoordinator
	f.open(t, dir)
	here := f.runs[0]
	here.JournalEntries = 15
	addr := f.serve(t)
	for _, test := range []struct {
		bucket, trouble string
		durable         uint64
		state           everystatev1.RunState
		code            int
		says            string
	}{
		{says: "is not in a bucket", code: exit.Failed},
		{bucket: "file:///b/here", durable: 15, says: "file:///b/here has 34 states of ADDR/here in 12 layers"},
		{bucket: "file:///b/here", durable: 7, state: everystatev1.RunState_RUN_STATE_FAILED, says: "ADDR/here failed", code: exit.Failed},
	} {
		here.Bucket, here.BucketTrouble, here.DurableEntries, here.State = test.bucket, test.trouble, test.durable, test.state
		r := call("", "checkpoint", addr+"/here")
		if said := strings.ReplaceAll(r.out+r.errs, addr, "ADDR"); r.code != test.code || !strings.Contains(said, test.says) {
			t.Errorf("%+v: exit %d, %s", test, r.code, said)
		}
	}
	if out := must(t, "checkpoints", addr); !strings.Contains(out, "here  file:///b/here        7  15  behind") {
		t.Errorf("checkpoints prints\n%s", out)
	}
	if r := call("", "checkpoints", addr+"/nothing"); r.code != exit.Usage {
		t.Errorf("exit %d: %s", r.code, r.errs)
	}
}
