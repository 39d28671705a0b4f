package paged_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/everystate/everystate/internal/table"
	"github.com/everystate/everystate/internal/table/paged"
	"github.com/everystate/everystate/internal/table/stored"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
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
	kind  paged.Kind
	depth uint32
	page  int
}

func newMemDisk(space *table.Space) *memDisk {
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

func (d *memDisk) Spill(kind paged.Kind, depth uint32, next func(at int, b []byte) []byte) error {
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

func (d *memDisk) Spilled(kind paged.Kind, depth uint32, page int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.spilled[spillAt{kind, depth, page}]) > 0
}

func (d *memDisk) EachSpilled(kind paged.Kind, depth uint32, page int, buf []byte, f func([]byte)) ([]byte, error) {
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

// testedBoards have spaces of all kinds: ranks, folded ranks, numbers, and numbers whose bits
// moves flip.
var testedBoards = []struct {
	name, text string
	fold       bool
}{
	{"pancakes", "puzzle: pancake\n\n5 2 7 1 3 8 4 6\n", false},
	{"tiles", "puzzle: tiles\n\n1 2\n3 4\n5 6\n0 7\n", false},
	{"two orbits", "puzzle: permutation\npieces: 11\norientations: 1 1 1 1 1 3 3 3 3 2 2\nmove A, A': (1 2 3) (6+1 7+2 8)\nmove B, B': (4 5) (10 11+1)\nmove C, C': (3 4) (8+1 9) \n", false},
	{"four pegs", "puzzle: hanoi\n\n4 pegs 6 discs\n", false},
	{"folded pegs", "puzzle: hanoi\n\n4 pegs 7 discs\n", true},
	{"folded turns", "puzzle: permutation\nmetric: htm\nsets: P Q\npieces: 3 / 6\norientations: 2 2 2 1 1 1 1 1 1\nmodulo: x\n" +
		"move A: (3 2)(9 6 5)\nmove B: (1 3)(5 8 7)\nmove C: (2 1)(7 4 9)\nalias x: (1 2 3)(4 6 8)(5 7 9)\n", true},
	{"cars", "A..x..\nA.BB..\nXX.C..\n...C.D\nxEE..D\n......\n", false},
	{"slides", "metric: slide\n\n....A.\nBB..AC\nXX..AC\n.D...C\n.DEE..\n.D....\n", false},
	{"peg", "puzzle: peg\n\noooo\no.oo\noooo\noooo\n", false},
}

// spaces returns the spaces, in pages of 4,096 numbers.
func spaces(t *testing.T) map[string]*table.Space {
	t.Helper()
	made := map[string]*table.Space{}
	for _, b := range testedBoards {
		boards, err := families.Read([]byte(b.text), puzzle.ReadOptions{})
		if err != nil {
			t.Fatal(b.name, err)
		}
		tables, err := stored.New(boards[0].Puzzle, 64, 2, b.fold, nil)
		if err != nil {
			t.Fatal(b.name, err)
		}
		if tables.Folded() != b.fold {
			t.Fatalf("%s: folded is %v", b.name, tables.Folded())
		}
		made[b.name] = tables.Space
		made[b.name].SetPageBits(12)
	}
	if made["peg"].Flips() == nil || made["cars"].Numbers() == nil {
		t.Fatal("the boards are not of all kinds")
	}
	return made
}

// phase is a phase as a search in memory makes it.
type phase struct {
	number uint8
	starts []uint64
	layers []table.Layer
	table  *table.Table
	within table.Pages // nil for all states
}

func (p *phase) run(t *testing.T, s table.Search) {
	t.Helper()
	l, err := s.Begin(p.starts)
	for err == nil && l.States > 0 {
		p.layers = append(p.layers, l)
		l, err = s.Next(context.Background())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// phases returns the phases of a space, the second one if it has goals at one depth.
func phases(t *testing.T, space *table.Space) []*phase {
	t.Helper()
	p := &phase{number: table.FromStarts, starts: space.Puzzle.Starts(), table: space.NewTable()}
	p.run(t, table.NewSearch(p.table, p.number, true, 1))
	goals, err := stored.Goals(context.Background(), p.table, space.Puzzle, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(goals) == 0 {
		return []*phase{p}
	}
	q := &phase{number: table.FromGoals, starts: goals, table: space.NewTableOf(table.FromGoals)}
	if space.Puzzle.Layout().Reversible {
		q.run(t, table.NewSearch(q.table, q.number, false, 1))
	} else {
		q.within = p.table
		q.run(t, table.NewSearchWithin(q.table, p.table, 1))
	}
	return []*phase{p, q}
}

// Every layer of both phases is that of a search in memory, if the search is saved, killed and
// resumed from what was saved all the time; and so is a replay.
func TestSameAsInMemory(t *testing.T) {
	t.Parallel()
	goals := 0
	for name, space := range spaces(t) {
		for _, p := range phases(t, space) {
			goals += int(p.number) - 1
			t.Run(name, func(t *testing.T) {
				killed(t, space, p)
				replayed(t, space, p)
			})
		}
	}
	if goals < 3 {
		t.Errorf("%d goal phases", goals)
	}
}

var errKilled = errors.New("killed")

func killed(t *testing.T, space *table.Space, p *phase) {
	t.Helper()
	disk, want := newMemDisk(space), p.layers
	o := paged.Options{Workers: 2, CountGoals: p.number == table.FromStarts, Within: p.within}
	s := paged.NewSmall(space, p.number, disk, o)
	got, err := s.Begin(p.starts)
	r := rand.New(rand.NewPCG(1, uint64(len(want))))
	for i := range want {
		if err != nil || !sameLayer(got, want[i]) {
			t.Fatalf("phase %d, layer %d: %v\n got %+v\nwant %+v", p.number, i, err, got, want[i])
		}
		for try := 0; ; try++ {
			var left *memDisk
			var part table.Part
			edges := s.Edges()
			s.Save(func() bool { return try < 3 && len(want) < 100 }, func(p table.Part) error {
				left, part = disk.clone(), p
				if r.IntN(2) == 0 {
					return errKilled
				}
				return nil
			})
			got, err = s.Next(context.Background())
			if !errors.Is(err, errKilled) {
				break
			}
			disk, o.Workers = left, 1+r.IntN(3)
			s = paged.NewSmall(space, p.number, disk, o)
			s.ResumeSaved(uint32(i), edges, part)
		}
	}
	if err != nil || got.States != 0 {
		t.Fatalf("a layer behind the last: %+v, %v", got, err)
	}
	if part, err := s.Flush(uint32(len(want) - 1)); err != nil || part.States != 0 {
		t.Fatal(part, err)
	}
	var files [2]bytes.Buffer
	stamp := table.Stamp{Phase: p.number, Depth: uint32(len(want) - 1), Edges: s.Edges()}
	if err := errors.Join(space.WritePages(&files[0], stamp, disk), p.table.Write(&files[1], stamp)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
		t.Fatal("another table is written of pages than of the same table in memory")
	}
}

func sameLayer(a, b table.Layer) bool {
	return a.Depth == b.Depth && a.States == b.States && a.Generated == b.Generated && a.Goals == b.Goals && a.Digest == b.Digest && slices.Equal(a.PartStates, b.PartStates)
}

// replayed walks through a table, and compares layers, states and links.
func replayed(t *testing.T, space *table.Space, p *phase) {
	t.Helper()
	disk := newMemDisk(space)
	for page := range space.Pages() {
		words := make([]uint64, space.PageWords())
		if err := p.table.ReadPage(page, words); err != nil {
			t.Fatal(err)
		}
		disk.pages[page] = words
	}
	what := space.NewPaged(p.number, disk, 0)
	s := paged.NewSmall(space, p.number, disk, paged.Options{Workers: 2, CountGoals: p.number == table.FromStarts, Replay: what, Counted: true})
	got, err := s.Begin(p.starts)
	for i, want := range p.layers {
		if err != nil || !sameLayer(got, want) {
			t.Fatalf("phase %d, replayed layer %d: %v\n got %+v\nwant %+v", p.number, i, err, got, want)
		}
		if i%2 == 0 {
			s.ListKept()
		}
		states := int64(0)
		err = s.Each(func(keys []uint64, link func(int) puzzle.Move) {
			states += int64(len(keys))
			for k := 0; k < len(keys); k += 7 { // each takes a walk to a start
				if move, depth := what.LinkOf(keys[k]); depth != i || link(k) != move {
					t.Fatalf("layer %d: key %x has link %d and is at depth %d, the table says %d", i, keys[k], link(k), depth, move)
				}
			}
		})
		if err = errors.Join(err, what.Err()); err != nil || states != want.States {
			t.Fatalf("layer %d: %d states listed, want %d; %v", i, states, want.States, err)
		}
		got, err = s.Next(context.Background())
	}
}

// A search in memory that is killed within a layer goes on from what was saved as pages too.
func TestPagesOfWhatWasInMemory(t *testing.T) {
	t.Parallel()
	const few = 3
	resumed := 0
	for name, space := range spaces(t) {
		for _, p := range phases(t, space) {
			for depth := 1 + len(p.layers)/3; depth+few < len(p.layers) && resumed < 100; depth += 3 {
				what := space.NewTableOf(p.number)
				in := table.NewSearch(what, p.number, p.number == table.FromStarts, 1)
				if p.within != nil {
					in = table.NewSearchWithin(what, p.within.(*table.Table), 1)
				}
				l, err := in.Begin(p.starts)
				for err == nil && int(l.Depth) < depth {
					l, err = in.Next(context.Background())
				}
				edges, part := in.Edges(), table.Part{}
				in.Save(func() bool { return true }, func(p table.Part) error { part = p; return errKilled })
				file := bytes.Buffer{}
				stamp := table.Stamp{Phase: p.number, Depth: uint32(depth), Edges: edges, Part: &part}
				in.Save(func() bool { return true }, func(got table.Part) error {
					part = got
					return errors.Join(what.Write(&file, stamp), errKilled)
				})
				if _, killed := in.Next(context.Background()); !errors.Is(killed, errKilled) {
					continue // the layer was made at once
				}
				from, read, saved, errOpen := space.OpenStored(bytes.NewReader(file.Bytes()), int64(file.Len()), table.Stamp{Phase: p.number, Depth: uint32(depth)})
				if err = errors.Join(err, errOpen); err != nil || read != edges || saved.States != part.States {
					t.Fatal(name, read, edges, err)
				}
				s := paged.NewSmall(space, p.number, newMemDisk(space), paged.Options{Workers: 2, CountGoals: p.number == table.FromStarts, Within: p.within})
				if err := s.ResumeFrom(context.Background(), uint32(depth), edges, *saved, from); err != nil {
					t.Fatal(name, err)
				}
				resumed++
				for _, want := range p.layers[depth+1:][:few] {
					if got, err := s.Next(context.Background()); err != nil || !sameLayer(got, want) {
						t.Fatalf("%s, phase %d, layer %d: %v\n got %+v\nwant %+v", name, p.number, want.Depth, err, got, want)
					}
				}
			}
		}
	}
	if resumed < 5 {
		t.Errorf("resumed %d times only", resumed)
	}
}
