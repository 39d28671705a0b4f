package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// A disk is a small file system in memory.
type disk struct{ dir string }

// mountDisk mounts an empty disk with tmpfs options, or skips the test.
func mountDisk(t *testing.T, options string) disk {
	t.Helper()
	d := disk{t.TempDir()}
	if os.Geteuid() != 0 {
		t.Skip("needs to be root, to mount a small disk")
	}
	if err := syscall.Mount("tmpfs", d.dir, "tmpfs", 0, options); err != nil {
		t.Skipf("cannot mount a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(d.dir, 0); err != nil {
			t.Error(err)
		}
	})
	return d
}

// change changes the options of the disk.
func (d disk) change(t *testing.T, flags uintptr, options string) {
	t.Helper()
	if err := syscall.Mount("tmpfs", d.dir, "tmpfs", syscall.MS_REMOUNT|flags, options); err != nil {
		t.Fatal(err)
	}
}

// clear removes what is on the disk.
func (d disk) clear(t *testing.T) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(d.dir, "run")); err != nil {
		t.Fatal(err)
	}
}

// usedKiB returns how much of the disk is used, in KiB.
func (d disk) usedKiB(t *testing.T) int64 {
	t.Helper()
	var s syscall.Statfs_t
	if err := syscall.Statfs(d.dir, &s); err != nil {
		t.Fatal(err)
	}
	return int64(s.Blocks-s.Bfree) * s.Bsize >> 10
}

const (
	enough  = "size=200m,nr_inodes=10k"
	littleF = "size=%dk,nr_inodes=10k"
	fewF    = "size=200m,nr_inodes=%d"
)

// fills counts which files met the full disk.
type fills map[string]int

var (
	quoted  = regexp.MustCompile(`\([^)]*\)`)
	numbers = regexp.MustCompile(`[0-9]+(-[0-9]+)*`)
)

// explored explores onto an empty disk of some size, then enlarges it and resumes.
func (f fills) explored(t *testing.T, d disk, little, file, want string, more ...string) {
	t.Helper()
	d.clear(t)
	f.wentOn(t, d, little, file, want, more...)
}

// wentOn resumes a run on a disk of some size, then enlarges it and resumes again.
func (f fills) wentOn(t *testing.T, d disk, little, file, want string, more ...string) {
	t.Helper()
	d.change(t, 0, little)
	dir := filepath.Join(d.dir, "run")
	args := explore(file, dir, more...)
	e := everystate(t, args...)
	if e.code == complete {
		f["nothing"]++
	} else {
		said := e.complaint()
		// The first line is the one that announces the board.
		if e.code != failed || strings.Count(e.errs, "\n") > 2 || e.out != "" || !strings.HasPrefix(said, "the disk that holds "+dir+" is full (") ||
			!strings.Contains(said, "no space left on device") || !strings.HasSuffix(said, "): free some space, then repeat the command") {
			t.Errorf("%s:\n%v", little, e)
		}
		where := numbers.ReplaceAllString(strings.ReplaceAll(quoted.FindString(said), dir, "RUN"), "N")
		f[where]++
	}
	d.change(t, 0, enough)
	if got := digestOf(t, everystate(t, args...)); got != want {
		t.Fatalf("%s: after the disk was full the digest is %s, want %s", little, got, want)
	}
}

func (f fills) log(t *testing.T, what string) {
	t.Helper()
	var lines []string
	for where, n := range f {
		lines = append(lines, fmt.Sprintf("%4d %s", n, where))
	}
	slices.Sort(lines)
	slices.Reverse(lines)
	t.Logf("%s: what met the full disk, and how often\n%s", what, strings.Join(lines, "\n"))
}

// TestDiskFull fills the disk of a run with many medium-sized layers.
func TestDiskFull(t *testing.T) {
	onlyWhenAsked(t)
	r := random(t)
	d := mountDisk(t, enough)
	file := board(t, "deep-8x8")
	want := undisturbed(t, file, "--goal-distance")
	hit := fills{}
	const step = 6 << 10 // KiB
	for kib := 256; kib < 50<<10; kib += step {
		little := fmt.Sprintf(littleF, kib+r.IntN(step))
		hit.explored(t, d, little, file, want, append(anyEngine(r), "--goal-distance")...)
	}
	sound(t, filepath.Join(d.dir, "run"))
	hit.log(t, "deep-8x8")
}

// TestDiskFullOfScratch fills the disk in the largest layers of a run, which
// spill because there is little memory, and are written as tables.
func TestDiskFullOfScratch(t *testing.T) {
	onlyWhenAsked(t)
	r := random(t)
	d := mountDisk(t, enough)
	file := board(t, "large-8x8")
	want := undisturbed(t, file)
	half := filepath.Join(t.TempDir(), "half")
	if e := everystate(t, explore(file, half, "--max-states", "6000000")...); e.code != incomplete {
		t.Fatalf("%v", e)
	}
	hit := fills{}
	for range 6 {
		d.clear(t)
		d.change(t, 0, enough)
		if err := os.CopyFS(filepath.Join(d.dir, "run"), os.DirFS(half)); err != nil {
			t.Fatal(err)
		}
		little := fmt.Sprintf(littleF, d.usedKiB(t)+64+r.Int64N(20<<10))
		hit.wentOn(t, d, little, file, want, "--memory", "32MiB", "--workers", "2")
	}
	sound(t, filepath.Join(d.dir, "run"))
	hit.log(t, "large-8x8")
}

// TestDiskFullAnywhere fills the disk of a small run at every page that it writes, from
// making its directory to sealing it, and again at every file.
func TestDiskFullAnywhere(t *testing.T) {
	onlyWhenAsked(t)
	d := mountDisk(t, enough)
	file := board(t, "jam-93")
	want := undisturbed(t, file, "--goal-distance")
	hit := fills{}
	for kib, whole := 4, 0; whole < 20; kib += 12 {
		before := hit["nothing"]
		hit.explored(t, d, fmt.Sprintf(littleF, kib), file, want, "--goal-distance")
		whole += hit["nothing"] - before
	}
	for files, whole := 2, 0; whole < 3; files++ {
		before := hit["nothing"]
		hit.explored(t, d, fmt.Sprintf(fewF, files), file, want, "--goal-distance")
		whole += hit["nothing"] - before
	}
	sound(t, filepath.Join(d.dir, "run"))
	hit.log(t, "jam-93")
}

// TestReadOnlyDisk runs commands on a run and a sweep on a read-only disk.
func TestReadOnlyDisk(t *testing.T) {
	onlyWhenAsked(t)
	d := mountDisk(t, enough)
	file := board(t, "small-5x5")
	dir := filepath.Join(d.dir, "run")
	digestOf(t, everystate(t, explore(file, dir)...))
	begun := filepath.Join(d.dir, "begun")
	if e := everystate(t, explore(file, begun, "--max-depth", "3")...); e.code != incomplete {
		t.Fatalf("%v", e)
	}
	swept := filepath.Join(d.dir, "swept")
	if e := everystate(t, "sweep", "rushhour", "--size", "4x4", "--data", swept, "--quiet"); e.code != complete {
		t.Fatalf("%v", e)
	}
	d.change(t, syscall.MS_RDONLY, "")
	for _, args := range [][]string{explore(file, filepath.Join(d.dir, "new")), {"resume", begun, "--quiet", "--json"}, {"db", "grade", swept}} {
		e := everystate(t, args...)
		refused(t, e, failed, "read-only file system")
		t.Logf("%s: %s", args[0], strings.TrimSpace(e.errs))
	}
	for _, args := range [][]string{{"layers", dir}, {"verify", dir, "--quiet"}, {"list", d.dir}, {"db", "top", swept}, {"db", "export", swept}} {
		e := everystate(t, args...)
		t.Logf("%s: exit code %d %s", args[0], e.code, strings.TrimSpace(e.errs))
		if e.code != complete {
			t.Errorf("%v", e)
		}
	}
}
