package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/store"
)

// corruptToy has a run whose layers go through the log as well as into tables.
func corruptToy() *toy {
	return &toy{size: 3000, steps: []uint64{1, 2999, 50, 2950}, words: 1, wrap: true, reversible: true,
		goal: func(v uint64) bool { return v%1000 == 0 }}
}

// storedFiles returns the files of a run that hold what it found out.
func storedFiles(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if d.Name() != "lock" {
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// verifyDir opens a run for questions and verifies it.
func verifyDir(p *toy, dir string) (err error) {
	r, err := open(dir, Options{ReadOnly: true, Workers: 1, MemoryBytes: MemoryMin, Partitions: 4})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if err := r.adopt(p.board()); err != nil {
		return err
	}
	_, err = r.Verify(context.Background(), func(int64) {})
	return err
}

// flip flips one bit of a file, and returns how to undo it.
func flip(t *testing.T, path string, bit int64) (undo func()) {
	t.Helper()
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write := func() {
		if err := os.WriteFile(path, body, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	body[bit/8] ^= 1 << (bit % 8)
	write()
	return func() {
		body[bit/8] ^= 1 << (bit % 8)
		write()
	}
}

// A bit that flips in any file of a run at rest is found, and the file named.
func TestFlippedBitIsFound(t *testing.T) {
	p := corruptToy()
	dir := t.TempDir()
	r, err := Create(dir, p.board(), Options{Workers: 2, Partitions: 4, MemoryBytes: MemoryMin, BatchBytes: 400})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Explore(context.Background(), everything(p)); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := verifyDir(p, dir); err != nil {
		t.Fatalf("before any harm: %v", err)
	}
	const seed = 11
	rng := rand.New(rand.NewPCG(seed, 0))
	flipped := 0
	for _, path := range storedFiles(t, dir) {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() == 0 {
			continue
		}
		for range 12 {
			bit := rng.Int64N(info.Size() * 8)
			undo := flip(t, path, bit)
			err := verifyDir(p, dir)
			undo()
			flipped++
			var damage *store.CorruptionError
			if !errors.As(err, &damage) {
				t.Errorf("seed %d: bit %d of %s flipped: %v", seed, bit, filepath.Base(path), err)
			} else if filepath.Base(damage.Where) != filepath.Base(path) {
				t.Errorf("seed %d: bit %d of %s flipped: blamed %v", seed, bit, filepath.Base(path), err)
			}
		}
	}
	if flipped < 50 {
		t.Errorf("only %d bits flipped", flipped)
	}
}

// A bit that flips in a run whose process was killed is found, or does not
// matter: nothing that is wrong is ever returned as data.
func TestFlippedBitAfterKill(t *testing.T) {
	p := corruptToy()
	slow := slowly(p, true)
	dir := t.TempDir()
	r, err := Create(dir, p.board(), Options{Workers: 2, Partitions: 4, MemoryBytes: MemoryMin, BatchBytes: 400})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Explore(context.Background(), everything(p)); err != nil {
		t.Fatal(err)
	}
	// What a killed process leaves: the files as they are now.
	killed := t.TempDir()
	copyTree(t, dir, killed)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	const seed = 12
	rng, flips := rand.New(rand.NewPCG(seed, 0)), 12
	if testing.Short() {
		flips = 2
	}
	for _, path := range storedFiles(t, killed) {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() == 0 {
			continue
		}
		for range flips {
			bit := rng.Int64N(info.Size() * 8)
			hurt := t.TempDir()
			copyTree(t, killed, hurt)
			name, err := filepath.Rel(killed, path)
			if err != nil {
				t.Fatal(err)
			}
			flip(t, filepath.Join(hurt, name), bit)
			h, err := finish(p, hurt)
			if err == nil && h.Digest() != slow.digest {
				t.Errorf("seed %d: bit %d of %s flipped: ends with digest %v", seed, bit, name, h.Digest())
			}
		}
	}
}

// finish goes on with a run to its end, and reads all of it.
func finish(p *toy, dir string) (*history.History, error) {
	r, err := Create(dir, p.board(), Options{Workers: 2, Partitions: 4, MemoryBytes: MemoryMin})
	if err != nil {
		return nil, err
	}
	if _, err := r.Explore(context.Background(), everything(p)); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	if _, err := r.Verify(context.Background(), func(int64) {}); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r.History(), r.Close()
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(fmt.Errorf("copy: %w", err))
	}
}
