package table

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/partition"
)

// memDisk is a Disk in memory.
type memDisk struct {
	mu      sync.Mutex
	pages   map[int][]uint64
	spilled map[spillAt][][]byte
	spills  int
	count   int // of pages
}

type spillAt struct {
	kind  Kind
	depth uint32
	page  int
}

func newMemDisk(space *Space) *memDisk {
	return &memDisk{count: space.Pages(), pages: map[int][]uint64{}, spilled: map[spillAt][][]byte{}}
}

// clone returns what a kill leaves.
func (d *memDisk) clone() *memDisk {
	return &memDisk{count: d.count, pages: maps.Clone(d.pages), spilled: maps.Clone(d.spilled)}
}

func (d *memDisk) ReadPage(page int, words []uint64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(words)
	copy(words, d.pages[page])
	return nil
}

func (d *memDisk) WritePage(page int, words []uint64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pages[page] = slices.Clone(words)
	return nil
}

func (d *memDisk) Spill(kind Kind, depth uint32, next func(at int, b []byte) []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.spills++
	for page := range d.count {
		at := spillAt{kind, depth, page}
		if b := next(page, nil); len(b) > 0 {
			d.spilled[at] = append(slices.Clip(d.spilled[at]), b)
		}
	}
	return nil
}

func (d *memDisk) Spilled(kind Kind, depth uint32, page int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.spilled[spillAt{kind, depth, page}]) > 0
}

func (d *memDisk) EachSpilled(kind Kind, depth uint32, page int, buf []byte, f func([]byte)) ([]byte, error) {
	d.mu.Lock()
	some := d.spilled[spillAt{kind, depth, page}]
	d.mu.Unlock()
	for _, b := range some {
		f(b)
	}
	return buf, nil
}

func (d *memDisk) Drop(below uint32) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.DeleteFunc(d.spilled, func(at spillAt, _ [][]byte) bool { return at.depth < below })
	return nil
}

// testedSpaces are spaces of all kinds, in pages of 4,096 numbers.
func testedSpaces(t *testing.T) map[string]*Space {
	t.Helper()
	spaces := map[string]*Space{}
	for _, b := range boards {
		spaces[b.name] = spaceOf(t, boardOf(t, b.text).Puzzle)
	}
	for _, b := range numberedBoards {
		spaces[b.name] = numberedSpace(t, boardOf(t, b.text).Puzzle)
	}
	for _, b := range folded {
		spaces["folded: "+b.name] = foldedSpace(t, boardOf(t, b.text).Puzzle)
	}
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := newSwitches(r, 10+r.IntN(6))
		scheme, err := partition.New(p.Layout(), 64)
		if err != nil {
			t.Fatal(err)
		}
		spaces["flips "+string(rune('0'+seed))] = NewNumberedSpace(p, p, scheme)
	}
	kept := []string{"pancakes", "tiles of eight cells", "four pegs", "peg 4x4", "walls", "folded: hanoi", "folded: modulo turns of the whole", "flips 0", "flips 5"}
	maps.DeleteFunc(spaces, func(name string, s *Space) bool {
		s.SetPageBits(12)
		return !slices.Contains(kept, name)
	})
	return spaces
}

// small returns a search whose candidates are mostly spilled, and whose pages are not kept.
func small(space *Space, disk Disk, workers int) *Ranged {
	s := NewRanged(space, fromStarts, disk, RangedOptions{Workers: workers, CountGoals: true})
	for _, h := range s.crew {
		for i := range h.found {
			h.found[i] = newPool(space.Pages(), int64(poolChunkBytes*(space.Pages()+64)))
		}
	}
	return s
}

// Every layer is that of a plain search, if it is saved and resumed from what was saved all
// the time; and so is a replay.
func TestRangedSameAsSlowTwin(t *testing.T) {
	for name, space := range testedSpaces(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := space.Puzzle
			want := slow(p, fromStarts, p.Starts(), space.Scheme)
			disk := newMemDisk(space)
			s := small(space, disk, 2)
			got, err := s.Begin(p.Starts())
			r := rand.New(rand.NewPCG(1, uint64(len(want))))
			killed := errors.New("killed")
			for i := range want {
				if err != nil || !sameLayer(got, want[i]) {
					t.Fatalf("layer %d: %v\n got %+v\nwant %+v", i, err, got, want[i])
				}
				for try := 0; ; try++ {
					var left *memDisk
					var part Part
					edges := s.Edges()
					s.Save(func() bool { return try < 3 && len(want) < 100 }, func(p Part) error {
						left, part = disk.clone(), p
						if r.IntN(2) == 0 {
							return killed
						}
						return nil
					})
					got, err = s.Next(context.Background())
					if !errors.Is(err, killed) {
						break
					}
					disk = left
					s = small(space, disk, 1+r.IntN(3))
					s.ResumeSaved(uint32(i), edges, part)
				}
			}
			if err != nil || got.States != 0 {
				t.Fatalf("a layer behind the last: %+v, %v", got, err)
			}
			if part, err := s.Flush(uint32(len(want) - 1)); err != nil || part.States != 0 {
				t.Fatal(part, err)
			}
			table, err := space.NewTableFrom(fromStarts, disk)
			if err != nil {
				t.Fatal(err)
			}
			replayRanged(t, space, table, want)
		})
	}
}

// replayRanged walks through a table, and compares layers, states and links.
func replayRanged(t *testing.T, space *Space, table *Table, want []Layer) {
	t.Helper()
	disk := newMemDisk(space)
	for page := range space.Pages() {
		words := make([]uint64, space.PageWords())
		if err := table.ReadPage(page, words); err != nil {
			t.Fatal(err)
		}
		disk.pages[page] = words
	}
	s := NewRanged(space, fromStarts, disk, RangedOptions{Workers: 2, CountGoals: true, Replay: table, Counted: true})
	got, err := s.Begin(space.Puzzle.Starts())
	for i := range want {
		if err != nil || !sameLayer(got, want[i]) {
			t.Fatalf("replayed layer %d: %v\n got %+v\nwant %+v", i, err, got, want[i])
		}
		for _, h := range s.crew {
			h.noted.Reset() // list what was kept
		}
		states := int64(0)
		err = s.Each(func(keys []uint64, link func(int) puzzle.Move) {
			for k, key := range keys {
				if move, depth := table.LinkOf(key); depth != i || link(k) != move {
					t.Errorf("layer %d: key %x has link %d and is at depth %d, the table says %d", i, key, link(k), depth, move)
				}
			}
			states += int64(len(keys))
		})
		if err != nil || states != want[i].States {
			t.Fatalf("layer %d: %d states listed, want %d; %v", i, states, want[i].States, err)
		}
		got, err = s.Next(context.Background())
	}
}
