package bucket

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// appenderVariable makes the test binary append to the bucket that it names.
const appenderVariable = "EVERYSTATE_TEST_APPENDER"

func TestMain(m *testing.M) {
	if bucketURL := os.Getenv(appenderVariable); bucketURL != "" {
		if err := appender(bucketURL, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

const appendedNumbers = 300

// appender appends its own entries, when it is told to, and says which numbers it
// got.
func appender(bucketURL string, in io.Reader, out io.Writer) error {
	ctx := context.Background()
	b, err := Open(ctx, bucketURL)
	if err != nil {
		return err
	}
	if _, err := bufio.NewReader(in).ReadString('\n'); err != nil {
		return err
	}
	for n := range appendedNumbers {
		err := b.Run("processes").Append(ctx, n, fmt.Appendf(nil, "process %d", os.Getpid()))
		var taken *TakenError
		switch {
		case err == nil:
			fmt.Fprintln(out, n)
		case !errors.As(err, &taken):
			return err
		}
	}
	return b.Close()
}

// Of processes that compete for numbers exactly one gets each.
func TestProcesses(t *testing.T) {
	dir := t.TempDir()
	self, err := os.Executable()
	must(t, err)
	const processes = 3
	var (
		cmds  [processes]*exec.Cmd
		start [processes]io.Writer
		outs  [processes]strings.Builder
	)
	for i := range cmds {
		cmd := exec.CommandContext(t.Context(), self)
		cmd.Env = append(os.Environ(), appenderVariable+"=file://"+filepath.ToSlash(dir))
		cmd.Stdout, cmd.Stderr = &outs[i], os.Stderr
		in, err := cmd.StdinPipe()
		must(t, err)
		must(t, cmd.Start())
		cmds[i], start[i] = cmd, in
	}
	for _, in := range start {
		_, err := io.WriteString(in, "go\n")
		must(t, err)
	}
	winner := map[string]int{}
	for i, cmd := range cmds {
		must(t, cmd.Wait())
		won := strings.Fields(outs[i].String())
		t.Logf("process %d got %d numbers", cmd.Process.Pid, len(won))
		for _, n := range won {
			if other, ok := winner[n]; ok {
				t.Errorf("entry %s was won by %d and %d", n, other, cmd.Process.Pid)
			}
			winner[n] = cmd.Process.Pid
		}
	}
	entries, err := opened(t, "file://"+filepath.ToSlash(dir)).Run("processes").Log(t.Context(), 0)
	must(t, err)
	if len(entries) != appendedNumbers || len(winner) != appendedNumbers {
		t.Fatalf("%d entries, %d winners, want %d", len(entries), len(winner), appendedNumbers)
	}
	for n, entry := range entries {
		if want := fmt.Sprintf("process %d", winner[fmt.Sprint(n)]); string(entry) != want {
			t.Errorf("entry %d is %q, was won by %q", n, entry, want)
		}
	}
}

// A writer that dies leaves a file that no run sees and that is removed when it
// is old.
func TestStaleFiles(t *testing.T) {
	dir := t.TempDir()
	u := "file://" + filepath.ToSlash(dir)
	r := opened(t, u).Run("r")
	must(t, r.Append(t.Context(), 0, nil))
	w, err := r.NewLayer(t.Context(), ObjectName(1, 1, 1, "w"))
	must(t, err)
	must(t, w.Append(1, make([]byte, BlockBytesMax)))
	left := func() int {
		t.Helper()
		names, err := os.ReadDir(filepath.Join(dir, tempDir))
		must(t, err)
		return len(names)
	}
	if left() != 1 {
		t.Fatalf("%d files are being written, want 1", left())
	}
	if objects, _, _, err := r.Usage(t.Context()); err != nil || objects != 1 {
		t.Errorf("%d objects, %v, want 1", objects, err)
	}
	runs, err := r.bucket.Runs(t.Context())
	if err != nil || len(runs) != 1 {
		t.Errorf("runs %q, %v", runs, err)
	}
	opened(t, u)
	if left() != 1 {
		t.Error("a file that is being written was removed")
	}
	old := time.Now().Add(-tempAgeMax - time.Hour)
	names, err := os.ReadDir(filepath.Join(dir, tempDir))
	must(t, err)
	must(t, os.Chtimes(filepath.Join(dir, tempDir, names[0].Name()), old, old))
	opened(t, u)
	if left() != 0 {
		t.Error("the remains of a writer that died are still there")
	}
	// It was not dead after all.
	if _, err := w.Close(); err == nil {
		t.Error("a writer whose file is gone succeeds")
	}
}

// A disk that is no longer mounted is not an empty bucket.
func TestBucketGone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bucket")
	r := opened(t, "file://"+filepath.ToSlash(dir)).Run("r")
	must(t, r.Append(t.Context(), 0, nil))
	must(t, os.Rename(dir, dir+"-away"))
	for what, f := range map[string]func() error{
		"log":    func() error { _, err := r.Log(t.Context(), 0); return err },
		"append": func() error { return r.Append(t.Context(), 1, nil) },
		"first":  func() error { return r.Append(t.Context(), 0, nil) },
		"stat":   func() error { _, err := r.Stat(t.Context(), controlKey); return err },
		"runs":   func() error { _, err := r.bucket.Runs(t.Context()); return err },
		"usage":  func() error { _, _, _, err := r.Usage(t.Context()); return err },
		"delete": func() error { _, err := r.Delete(t.Context()); return err },
		"layer":  func() error { _, err := r.NewLayer(t.Context(), ObjectName(1, 1, 1, "w")); return err },
	} {
		err := f()
		if errors.Is(err, ErrNotExist) {
			t.Errorf("%s: says of one object that it is not there", what)
		}
		wantError(t, err, "the bucket's directory is missing")
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the directory was made again")
	}
}

// A directory that is removed as empty under a writer is made again.
func TestDirectoryRemoved(t *testing.T) {
	dir := t.TempDir()
	u := "file://" + filepath.ToSlash(dir)
	r, other := opened(t, u).Run("r"), opened(t, u).Run("r")
	for range 20 {
		must(t, r.Append(t.Context(), 0, []byte("x")))
		must(t, r.SetControl(t.Context(), nil))
		if n, err := other.Delete(t.Context()); err != nil || n != 2 {
			t.Fatalf("deleted %d, %v", n, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "r")); err == nil {
			t.Fatal("the run's directory is left")
		}
	}
}

// A run begins anew after another process has removed it, although this one has written an
// object into another directory of it, and takes that for still there.
func TestRunRemovedElsewhere(t *testing.T) {
	u := "file://" + filepath.ToSlash(t.TempDir())
	r, other := opened(t, u).Run("r"), opened(t, u).Run("r")
	must(t, other.Append(t.Context(), 0, []byte("begun there")))
	must(t, r.SetControl(t.Context(), []byte("asked here")))
	if n, err := other.Delete(t.Context()); err != nil || n != 2 {
		t.Fatalf("deleted %d, %v", n, err)
	}
	must(t, r.Append(t.Context(), 0, []byte("begun here")))
}

func TestOpenFileErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	for bucketURL, want := range map[string]string{
		"":                                 "begins with file:// or s3://",
		"/tmp/x":                           "begins with file:// or s3://",
		"mem://":                           "begins with file:// or s3://",
		"gs://bucket":                      "begins with file:// or s3://",
		"file://host/x":                    "three slashes",
		"file://relative":                  "three slashes",
		"file:///x?a=b":                    "no parameters",
		"file:///proc/none/x":              "open: no such file or directory",
		"file://" + filepath.ToSlash(file): "is not a directory",
		"file://" + filepath.ToSlash(file) + "/x": "open: not a directory",
		"s3://user:secret@bucket":                 "@bucket: a bucket's URL holds no credentials",
		"s3://%zz:secret@bucket":                  "not a URL",
	} {
		_, err := Open(t.Context(), bucketURL)
		wantError(t, err, want)
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("a secret is shown: %v", err)
		}
	}
}

func TestURL(t *testing.T) {
	dir := t.TempDir()
	b := opened(t, "file://localhost"+filepath.ToSlash(dir)+"/a/../b%20c/")
	want := (&url.URL{Scheme: "file", Path: filepath.ToSlash(dir) + "/b c"}).String()
	if b.URL() != want {
		t.Errorf("URL is %s, want %s", b.URL(), want)
	}
	bucket, run, err := SplitRun(b.Run("r").URL())
	if err != nil || bucket != want || run != "r" {
		t.Errorf("split into %s and %s, %v", bucket, run, err)
	}
}
