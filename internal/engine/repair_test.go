package engine

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/store"
)

// damages are what may become of a file.
func damages(rng *rand.Rand) map[string]func(body []byte) []byte {
	return map[string]func(body []byte) []byte{
		"a flipped bit": func(body []byte) []byte { body[rng.IntN(len(body))] ^= 1 << rng.IntN(8); return body },
		"zeros": func(body []byte) []byte {
			at := rng.IntN(len(body))
			clear(body[at:min(len(body), at+512)])
			body[at] = 0xff
			return body
		},
		"cut":     func(body []byte) []byte { return body[:rng.IntN(len(body))] },
		"removed": func([]byte) []byte { return nil },
	}
}

// Whichever file of a run is damaged, and wherever, it is repaired: it is sound, and
// has the digest that it had. Only a lost journal cannot be repaired, and says so.
func TestRepair(t *testing.T) {
	board := boardOf(t, "small-5x5.txt")
	opts := Options{Workers: 2, Partitions: 4, MemoryBytes: MemoryMin, BatchBytes: 400}
	for name, want := range map[string]history.Want{"complete": {GoalDistance: true}, "stopped": {MaxDepth: new(9)}, "frontier": {}, "table": {GoalDistance: true}} {
		t.Run(name, func(t *testing.T) {
			opts, board := opts, board
			switch name {
			case "frontier":
				opts.Keep = keepFrontier(4)
			case "table":
				opts.Store, board = StoreTable, puzzleIn(t, "tiles/2x3.txt")
			}
			sound := filepath.Join(t.TempDir(), "run")
			h, err := exploreOn(t.Context(), sound, board, opts, want)
			check(t, err)
			const seed = 5
			rng := rand.New(rand.NewPCG(seed, 0))
			kinds := map[string][4]int{} // of files: cases, repaired, layers computed again, resumed
			for _, path := range storedFiles(t, sound) {
				rel, err := filepath.Rel(sound, path)
				check(t, err)
				for what, damage := range damages(rng) {
					body, err := os.ReadFile(path)
					check(t, err)
					if len(body) == 0 {
						continue
					}
					dir := filepath.Join(t.TempDir(), "run")
					copyTree(t, sound, dir)
					hurt := filepath.Join(dir, rel)
					if body = damage(body); body == nil {
						check(t, os.Remove(hurt))
					} else {
						check(t, os.WriteFile(hurt, body, 0o644))
					}
					kind := strings.TrimLeft(filepath.Base(rel), "0123456789")
					k := kinds[kind]
					k[0]++
					rep, err := Repair(t.Context(), dir, opts, func(int64) {})
					switch {
					case errors.Is(err, ErrBoardLost):
					case err != nil:
						t.Errorf("seed %d: %s of %s: %v", seed, what, rel, err)
					default:
						k[1]++
						k[2] += rep.Recomputed
						if rep.Digest != h.Digest() {
							// The journal has lost its end: the run goes on from there.
							_, err := exploreOn(t.Context(), dir, board, opts, want)
							check(t, err)
							k[3]++
						}
						checkRepaired(t, dir, h, seed, what+" of "+rel)
					}
					kinds[kind] = k
				}
			}
			for kind, k := range kinds {
				t.Logf("%-24s %3d damages, %3d repaired, %3d layers computed again, %3d resumed", kind, k[0], k[1], k[2], k[3])
				if k[1] < k[0]/2 {
					t.Errorf("%s: %d of %d are repaired", kind, k[1], k[0])
				}
			}
		})
	}
}

func checkRepaired(t *testing.T, dir string, want *history.History, seed int, what string) {
	t.Helper()
	r, err := Open(dir, Options{ReadOnly: true, Workers: 2, MemoryBytes: MemoryMin})
	if err != nil {
		t.Errorf("seed %d: %s: %v", seed, what, err)
		return
	}
	_, err = r.Verify(context.Background(), func(int64) {})
	if r.history.Digest() != want.Digest() || r.history.Identity() != want.Identity() || err != nil {
		t.Errorf("seed %d: %s: %d layers, digest %v, %v; want %d, %v", seed, what,
			len(r.history.Layers(history.Forward)), r.history.Digest(), err, len(want.Layers(history.Forward)), want.Digest())
	}
	check(t, r.Close())
}

// TestLostJournal flips each byte of the manifest of a run that was not closed, as after a
// kill. Pebble opens some of these as empty: then nobody may begin there again.
func TestLostJournal(t *testing.T) {
	opts := Options{Workers: 1, Partitions: 4, MemoryBytes: MemoryMin}
	board := boardOf(t, "small-5x5.txt")
	sound := filepath.Join(t.TempDir(), "run")
	check(t, onlyErr(exploreOn(t.Context(), sound, board, opts, history.Want{})))
	check(t, os.Remove(filepath.Join(sound, "seal")))
	manifests, err := filepath.Glob(filepath.Join(sound, "db", "MANIFEST-*"))
	if err != nil || len(manifests) != 1 {
		t.Fatalf("%q, %v", manifests, err)
	}
	body, err := os.ReadFile(manifests[0])
	check(t, err)
	lost := 0
	for i := range body {
		dir := filepath.Join(t.TempDir(), "run")
		copyTree(t, sound, dir)
		body[i] ^= 8
		check(t, os.WriteFile(filepath.Join(dir, "db", filepath.Base(manifests[0])), body, 0o644))
		body[i] ^= 8
		r, err := Create(dir, board, opts)
		if err != nil {
			lost++
			continue
		}
		if n := r.History().States(history.Forward); n == 0 {
			t.Errorf("byte %d: the run begins again", i)
		}
		check(t, r.Close())
	}
	if lost == 0 {
		t.Error("no damage was found")
	}
	markers, err := filepath.Glob(filepath.Join(sound, "db", "marker.manifest.*"))
	if err != nil || len(markers) != 1 {
		t.Fatalf("%q, %v", markers, err)
	}
	check(t, os.Remove(markers[0]))
	for range 2 {
		if r, err := Create(sound, board, opts); !store.IsCorruption(err) {
			t.Errorf("without the marker of the manifest: %v, %v", r, err)
		}
	}
}

// TestHalfMade has a run that was left before its database had a manifest.
func TestHalfMade(t *testing.T) {
	opts := Options{Workers: 1, Partitions: 4, MemoryBytes: MemoryMin}
	board := boardOf(t, "small-5x5.txt")
	for _, file := range []string{"LOCK", "OPTIONS-000003", "MANIFEST-000001", "marker.format-version.000001.013"} {
		dir := filepath.Join(t.TempDir(), "run")
		check(t, os.MkdirAll(filepath.Join(dir, "db"), 0o755))
		for _, name := range []string{"lock", filepath.Join("db", file)} {
			check(t, os.WriteFile(filepath.Join(dir, name), nil, 0o644))
		}
		for _, readOnly := range []bool{false, true} {
			opts := opts
			opts.ReadOnly = readOnly
			if r, err := Open(dir, opts); !errors.Is(err, store.ErrNotExist) {
				t.Errorf("%s: %v, %v", file, r, err)
			}
		}
		check(t, onlyErr(exploreOn(t.Context(), dir, board, opts, history.Want{})))
	}
}

func onlyErr[T any](_ T, err error) error { return err }
