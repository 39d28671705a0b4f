package store

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/internal/test/crashdisk"
)

// readFile and writeFile are for small files of a file system in memory.
func readFile(tb testing.TB, fs vfs.FS, path string) []byte {
	tb.Helper()
	f, err := fs.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	body, err := io.ReadAll(f)
	if err := errors.Join(err, f.Close()); err != nil {
		tb.Fatal(err)
	}
	return body
}

func writeFile(tb testing.TB, fs vfs.FS, path string, body []byte) {
	tb.Helper()
	f, err := fs.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		tb.Fatal(err)
	}
	_, err = f.Write(slices.Clone(body)) // under the race detector Write scribbles on what it is given
	if err := errors.Join(err, f.Close()); err != nil {
		tb.Fatal(err)
	}
}

// sealedStore returns a file system with a closed store that has a log, tables
// small and large, and a journal, and the paths of all its files.
func sealedStore(t *testing.T) (disk *vfs.MemFS, files []string) {
	t.Helper()
	disk = vfs.NewMem()
	s := openMem(t, disk, Options{BatchBytes: 100})
	shape := Shape{Stride: 3, MoveBits: 16}
	rng := rand.New(rand.NewPCG(1, 1))
	writeSegment(t, s, shape, SegmentID{Phase: 1}, [][]uint64{randomRecords(rng, shape, 5*BlockRecords)})
	writeSegment(t, s, shape, SegmentID{Phase: 1, Layer: 1}, [][]uint64{randomRecords(rng, shape, 10)})
	if err := s.AppendJournal([]byte("entry"), true); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	names, err := disk.List("run/db")
	if err != nil {
		t.Fatal(err)
	}
	large := 0
	for _, name := range names {
		files = append(files, "run/db/"+name)
		if len(readFile(t, disk, "run/db/"+name)) > sealedWholeBytesMax {
			large++
		}
	}
	if large == 0 || large == len(files) {
		t.Fatalf("%d of %d files are large: the test does not test what it should", large, len(files))
	}
	slices.Sort(files)
	return disk, files
}

// verifyFiles opens a store for questions and compares all files with the seal.
func verifyFiles(disk vfs.FS) (bool, error) {
	s, err := Open("run", Options{FS: disk, ReadOnly: true})
	if err != nil {
		return false, err
	}
	sealed, err := s.VerifyFiles(nil)
	return sealed, errors.Join(err, s.Close())
}

// Every kind of damage to every file is found, and the file named.
func TestSealFindsDamage(t *testing.T) {
	disk, files := sealedStore(t)
	expect := func(name, path, what string) {
		t.Helper()
		_, err := verifyFiles(disk)
		var damage *CorruptionError
		if !errors.As(err, &damage) || damage.Where != path || !strings.Contains(damage.What, what) {
			t.Errorf("%s of %s: got %v", name, path, err)
		}
	}
	rng := rand.New(rand.NewPCG(2, 2))
	for _, path := range files {
		body := readFile(t, disk, path)
		if len(body) > 0 {
			for _, bit := range []int{0, len(body)*8 - 1, rng.IntN(len(body) * 8)} {
				body[bit/8] ^= 1 << (bit % 8)
				writeFile(t, disk, path, body)
				expect("a flipped bit", path, "")
				body[bit/8] ^= 1 << (bit % 8)
			}
			writeFile(t, disk, path, body[:len(body)-1])
			expect("a missing byte", path, "")
		}
		// Pebble itself does not mind what is behind the end of most files.
		writeFile(t, disk, path, append(slices.Clone(body), 0))
		expect("an extra byte", path, fmt.Sprintf("has %d bytes, was sealed with %d", len(body)+1, len(body)))
		if err := disk.Remove(path); err != nil {
			t.Fatal(err)
		}
		expect("removal", path, "is missing")
		writeFile(t, disk, path, body)
	}
	writeFile(t, disk, "run/db/guest", nil)
	expect("an extra file", "run/db/guest", "did not exist when the run was sealed")
	if err := disk.Remove("run/db/guest"); err != nil {
		t.Fatal(err)
	}
	if sealed, err := verifyFiles(disk); !sealed || err != nil {
		t.Errorf("after all was undone: sealed %t, %v", sealed, err)
	}
}

// A seal that is damaged in whatever way says so itself.
func TestDamagedSeal(t *testing.T) {
	disk, _ := sealedStore(t)
	const path = "run/" + sealFile
	body := readFile(t, disk, path)
	lines := strings.SplitAfter(strings.TrimSuffix(string(body), "\n"), "\n")
	damaged := map[string]string{
		"empty":                "",
		"one newline":          "\n",
		"only the sum":         lines[len(lines)-1],
		"without its sum":      strings.Join(lines[:len(lines)-1], ""),
		"without a line":       strings.Join(slices.Delete(slices.Clone(lines), 1, 2), ""),
		"without last newline": string(body[:len(body)-1]),
		"with more":            string(body) + "x",
		"with another newline": string(body) + "\n",
		"of another version":   strings.Replace(string(body), "seal 1", "seal 2", 1),
	}
	step := 1
	if testing.Short() {
		step = 11
	}
	for i := 0; i < len(body); i += step {
		flipped := slices.Clone(body)
		flipped[i] ^= 1
		damaged[fmt.Sprintf("byte %d", i)] = string(flipped)
		damaged[fmt.Sprintf("first %d bytes", i)] = string(body[:i])
	}
	for name, text := range damaged {
		writeFile(t, disk, path, []byte(text))
		_, err := Open("run", Options{FS: disk, ReadOnly: true})
		var damage *CorruptionError
		if !errors.As(err, &damage) || damage.Where != path {
			t.Errorf("%s: got %v", name, err)
		}
		if _, err := Open("run", Options{FS: disk}); !IsCorruption(err) {
			t.Errorf("%s, opened for writing: got %v", name, err)
		}
	}
	writeFile(t, disk, path, body)
	if sealed, err := verifyFiles(disk); !sealed || err != nil {
		t.Errorf("after all was undone: sealed %t, %v", sealed, err)
	}
}

// The seal is there while nobody writes, and only then.
func TestSealComesOff(t *testing.T) {
	disk, _ := sealedStore(t)
	s := openMem(t, disk, Options{})
	if sealed, err := s.VerifyFiles(nil); sealed || err != nil {
		t.Errorf("while it is open for writing: sealed %t, %v", sealed, err)
	}
	if sealed, err := verifyFiles(disk); sealed || err != nil {
		t.Errorf("while somebody writes: sealed %t, %v", sealed, err)
	}
	closeStore(t, s)

	s = openMem(t, disk, Options{ReadOnly: true})
	var read, total int64
	sealed, err := s.VerifyFiles(func(bytes int64) {
		if bytes < read {
			t.Errorf("progress goes from %d to %d bytes", read, bytes)
		}
		read = bytes
	})
	if !sealed || err != nil {
		t.Errorf("closed: sealed %t, %v", sealed, err)
	}
	closeStore(t, s)
	names, err := disk.List("run/db")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		total += int64(len(readFile(t, disk, "run/db/"+name)))
	}
	if read != total {
		t.Errorf("%d bytes were read, and there are %d", read, total)
	}
	if sealed, err := verifyFiles(disk); !sealed || err != nil {
		t.Errorf("after a reader: sealed %t, %v", sealed, err)
	}
}

// The power may go at any operation of opening, using and closing a store that
// was sealed: the seal never calls damage what was done in order.
func TestSealAndPowerCut(t *testing.T) {
	recs := randomRecords(rand.New(rand.NewPCG(3, 3)), narrowShape(), 100)
	fs, cuts := crashdisk.New().Record(nil)
	for round := range uint32(3) {
		s := openMem(t, fs, Options{BatchBytes: 10})
		writeSegment(t, s, narrowShape(), SegmentID{Phase: 1, Layer: round}, [][]uint64{recs})
		if err := errors.Join(s.AppendJournal([]byte("entry"), true), s.DropFrom(1, round)); err != nil {
			t.Fatal(err)
		}
		closeStore(t, s)
		cuts.Cut()
	}
	clones, entries := cuts.All(), 0
	for i, crashed := range clones {
		if testing.Short() && i%5 != 0 && i != len(clones)-1 {
			continue
		}
		s, err := Open("run", Options{FS: crashed})
		if err != nil {
			t.Errorf("the power goes at write %d of %d: %v", i, len(clones), err)
			continue
		}
		n := len(journalOf(t, s))
		if n < entries {
			t.Errorf("the power goes at write %d of %d: %d entries, there were %d before", i, len(clones), n, entries)
		}
		entries = n
		closeStore(t, s)
	}
	if entries != 3 || len(clones) < 30 {
		t.Errorf("%d entries at the end, after %d writes", entries, len(clones))
	}
}
