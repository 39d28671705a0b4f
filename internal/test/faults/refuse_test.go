//go:build unix

package faults

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// until waits until a process has made a file.
func until(t *testing.T, p *process, file string) {
	t.Helper()
	for {
		if _, err := os.Stat(file); err == nil {
			return
		}
		if p.within(time.Millisecond) {
			t.Fatalf("it ended early:\n%v", p.wait(t))
		}
	}
}

// TestInUse has every command meet a run that another process is at work on.
func TestInUse(t *testing.T) {
	onlyWhenAsked(t)
	file := board(t, "large-8x8")
	want := undisturbed(t, file)
	dir := filepath.Join(t.TempDir(), "run")
	p := start(t, nil, explore(file, dir, "--workers", "1")...)
	until(t, p, filepath.Join(dir, "status.json"))
	p.signal(t, syscall.SIGSTOP) // so that it does not end meanwhile
	for _, args := range [][]string{
		explore(file, dir), explore(board(t, "jam-93"), dir), {"resume", dir}, {"verify", dir}, {"layers", dir}, {"hardest", dir},
		{"trace", dir, "--deepest"}, {"show", dir, "AA.B/...B/...."}, {"export", dir},
	} {
		e := everystate(t, args...)
		refused(t, e, failed, "another process is using "+dir)
		t.Logf("%s: %s", args[0], strings.TrimSpace(e.errs))
	}
	if e := everystate(t, "list", filepath.Dir(dir)); e.code != complete || e.errs != "" || !strings.Contains(e.out, "running") {
		t.Errorf("%v", e)
	}
	p.signal(t, syscall.SIGCONT)
	if got := digestOf(t, p.wait(t)); got != want {
		t.Errorf("the digest is %s, want %s", got, want)
	}
	sound(t, dir)
}

// TestNoPlace has the program meet places where it cannot make or open a run.
func TestNoPlace(t *testing.T) {
	onlyWhenAsked(t)
	file := board(t, "small-5x5")
	dir := t.TempDir()
	done := filepath.Join(dir, "done")
	digestOf(t, everystate(t, explore(file, done)...))
	notDir := filepath.Join(dir, "file")
	if err := os.WriteFile(notDir, []byte("text\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		code int
		word string
		args []string
	}{
		{"explore into a file", usage, notDir, explore(file, notDir)},
		{"explore below a file", usage, notDir, explore(file, filepath.Join(notDir, "run"))},
		{"resume a file", usage, notDir, []string{"resume", notDir}},
		{"verify below a file", usage, notDir, []string{"verify", filepath.Join(notDir, "run")}},
		{"resume what is not there", usage, "nowhere", []string{"resume", filepath.Join(dir, "nowhere")}},
		{"layers of no run", usage, dir, []string{"layers", dir}},
		{"explore a directory", usage, dir, explore(dir, filepath.Join(dir, "new"))},
		{"another puzzle's run", usage, done, explore(board(t, "small-4x4"), done)},
	} {
		e := everystate(t, test.args...)
		refused(t, e, test.code, test.word)
		t.Logf("%s: %s", test.name, strings.TrimSpace(e.errs))
	}
	if _, err := os.Stat(filepath.Join(dir, "nowhere")); err == nil {
		t.Error("a run that is not there has been made")
	}
}

// nobody is the user that may do least, or nil if this one may not become it;
// then it is none that may do everything either.
func nobody() *syscall.Credential {
	if os.Geteuid() != 0 {
		return nil
	}
	return &syscall.Credential{Uid: 65534, Gid: 65534}
}

// TestNotAllowed has a user who may not write, or not read, meet a run.
func TestNotAllowed(t *testing.T) {
	onlyWhenAsked(t)
	file := board(t, "small-5x5")
	user := nobody()
	dir := filepath.Dir(binary) // others may enter it
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(dir, "board.txt") // the original may be out of reach
	if err := os.WriteFile(copied, text, 0o644); err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(dir, "finished")
	digestOf(t, everystate(t, explore(copied, run, "--goal-distance")...))
	modes(t, run, 0o555, 0o444)
	forward := filepath.Join(dir, "forward")
	digestOf(t, everystate(t, explore(copied, forward)...))
	modes(t, forward, 0o555, 0o444)
	begun := filepath.Join(dir, "begun")
	if e := everystate(t, explore(copied, begun, "--max-depth", "3")...); e.code != incomplete {
		t.Fatalf("%v", e)
	}
	modes(t, begun, 0o555, 0o444)
	closed := filepath.Join(dir, "closed")
	digestOf(t, everystate(t, explore(copied, closed)...))
	modes(t, closed, 0o755, 0o000)
	sealed := filepath.Join(dir, "sealed")
	if err := os.Mkdir(sealed, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, d := range []string{run, forward, begun, closed, sealed} {
			modes(t, d, 0o755, 0o644)
		}
	})
	for _, test := range []struct {
		name string
		args []string
	}{
		{"explore in a read-only directory", explore(copied, filepath.Join(sealed, "new"))},
		{"go on with a read-only run", []string{"resume", begun, "--quiet", "--json"}},
		{"goal distances for a read-only run", []string{"hardest", forward}},
		{"questions to an unreadable run", []string{"layers", closed}},
		{"verify an unreadable run", []string{"verify", closed, "--quiet"}},
	} {
		e := start(t, user, test.args...).wait(t)
		refused(t, e, failed, "permission denied")
		t.Logf("%s: %s", test.name, strings.TrimSpace(e.errs))
	}
	for _, args := range [][]string{{"layers", run}, {"hardest", run}, {"verify", run, "--quiet"}} {
		e := start(t, user, args...).wait(t)
		t.Logf("%s of a read-only run: exit code %d %s", args[0], e.code, strings.TrimSpace(e.errs))
		if e.code != complete {
			t.Errorf("%v", e)
		}
	}
}

// modes gives modes to a directory and to the files below it.
func modes(t *testing.T, root string, dir, file os.FileMode) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.Chmod(path, dir)
		}
		return os.Chmod(path, file)
	})
	if err != nil {
		t.Error(err)
	}
}
