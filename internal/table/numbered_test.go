package table

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/test/effort"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/partition"
)

func numberedSpace(tb testing.TB, p puzzle.Puzzle) *Space {
	tb.Helper()
	numbered, ok := p.(puzzle.Numbered)
	if !ok {
		tb.Fatal("the puzzle has no numbers")
	}
	n := numbered.Numbering()
	if n == nil {
		tb.Fatal("the puzzle has no numbers")
	}
	scheme, err := partition.New(p.Layout(), 64)
	if err != nil {
		tb.Fatal(err)
	}
	return NewNumberedSpace(p, n, scheme)
}

var numberedBoards = []struct{ name, text string }{
	{"24,132", "333BCC\nB22BCC\nB.XXCC\n22B...\n.BB.22\n.B2222\n"},
	{"slides", "metric: slide\n\n....A.\nBB..AC\nXX..AC\n.D...C\n.DEE..\n.D....\n"},
	{"few columns", "AABBCC\nXX...D\nEE...D\n..FF..\n"},
	{"walls", "A..x..\nA.BB..\nXX.C..\n...C.D\nxEE..D\n......\n"},
	{"a gap that two enter", "AA.BB.\nXX....\n..CC..\n.D....\n.D....\n......\n"},
	{"peg 4x4", "puzzle: peg\n\noooo\no.oo\noooo\noooo\n"},
	{"peg cross", "puzzle: peg\n\n  ooo\n  ooo\nooooooo\nooo.ooo\n"},
}

// Every layer is that of a plain search, with any memory for candidates.
func TestNumbersSameAsSlowTwin(t *testing.T) {
	for _, b := range numberedBoards {
		t.Run(b.name, func(t *testing.T) {
			p := boardOf(t, b.text).Puzzle
			space := numberedSpace(t, p)
			compareWithSlow(t, p, space)
			table := compareWithSlow(t, p, space)
			replay(t, p, space, table, 1, p.Starts())
		})
	}
}

// So is every layer by distance from the goals, where more moves are pruned: of the goals that
// another table has, and of all that have numbers.
func TestDistancesSameAsSlowTwin(t *testing.T) {
	for _, b := range append(numberedBoards[:5:5], struct{ name, text string }{"wide", wideBoard}) {
		t.Run(b.name, func(t *testing.T) {
			p := boardOf(t, b.text).Puzzle
			space := numberedSpace(t, p)
			reached := compareWithSlow(t, p, space)
			distancesSameAsSlow(t, p, space, reached)
			all := space.NewTable()
			for number := range space.numbers.Count() {
				all.mark(int(number/wordBits), 1<<(number%wordBits), codeOf(uint32(number%3)))
			}
			distancesSameAsSlow(t, p, space, all)
		})
	}
}

// Small random boards have every way in which a step can lead no farther from the goals.
func TestDistancesOfRandomBoards(t *testing.T) {
	const boards, countMax = 600, 6_000
	random := rand.New(rand.NewPCG(6, 6))
	for n := 0; n < boards; {
		text := randomBoard(random)
		p := boardOf(t, text).Puzzle
		numbered, ok := p.(puzzle.Numbered)
		if !ok {
			t.Fatal("boards have no numbers")
		}
		if count := numbered.Numbering().Count(); count < 300 || count > countMax {
			continue
		}
		n++
		space := numberedSpace(t, p)
		all := space.NewTable()
		for number := range space.numbers.Count() {
			all.mark(int(number/wordBits), 1<<(number%wordBits), codeOf(0))
		}
		if !distancesSameAsSlow(t, p, space, all) {
			t.Fatalf("board\n%s", text)
		}
	}
}

// randomBoard draws vehicles at random, and some walls.
func randomBoard(random *rand.Rand) string {
	rows, cols := 3+random.IntN(4), 4+random.IntN(3)
	cells := bytes.Repeat([]byte("."), rows*cols)
	put := func(symbol byte, length int, upright bool) {
		step, high, wide := 1, 1, length
		if upright {
			step, high, wide = cols, length, 1
		}
		if high > rows || wide > cols {
			return
		}
		first := random.IntN(rows-high+1)*cols + random.IntN(cols-wide+1)
		for i := range length {
			if cells[first+i*step] != '.' {
				return
			}
		}
		for i := range length {
			cells[first+i*step] = symbol
		}
	}
	put('X', 2, false)
	if random.IntN(3) == 0 {
		put('K', cols, false) // it never moves
	}
	for _, symbol := range []byte("ABCDEFGHIJ")[:4+random.IntN(7)] {
		put(symbol, 2+random.IntN(5)/4, random.IntN(2) == 0)
	}
	if random.IntN(4) == 0 {
		put('x', 1, false)
	}
	var text strings.Builder
	text.WriteString("puzzle: rush-hour\ngoal: X\n\n")
	for row := range rows {
		text.Write(cells[row*cols:][:cols])
		text.WriteByte('\n')
	}
	return text.String()
}

// distancesSameAsSlow compares every layer by distance from the goals among the states of a
// table with a plain search.
func distancesSameAsSlow(t *testing.T, p puzzle.Puzzle, space *Space, among *Table) bool {
	t.Helper()
	var goals []uint64
	err := among.EachSeen(t.Context(), 0, 1, func(keys []uint64) {
		marks := make([]bool, len(keys))
		p.Goals(keys, marks)
		for i, goal := range marks {
			if goal {
				goals = append(goals, keys[i])
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	s, ok := NewSearch(space.NewTable(), FromGoals, false, 1).(GoalSearch)
	if !ok {
		t.Fatal("a search of numbers does not find goals by itself")
	}
	got, err := s.BeginGoals(t.Context(), among)
	for i, want := range slow(p, FromGoals, goals, space.Scheme) {
		want.Goals = 0
		if err != nil || !sameLayer(got, want) {
			t.Errorf("layer %d: %v\n got %+v\nwant %+v", i, err, got, want)
			return false
		}
		got, err = s.Next(t.Context())
	}
	return true
}

// replay walks through a filled table, and compares every layer, its states and links.
func replay(t *testing.T, p puzzle.Puzzle, space *Space, table *Table, phase uint8, starts []uint64) {
	t.Helper()
	s := NewReplay(table, phase, true, true, 2)
	got, err := s.Begin(starts)
	for i, want := range slow(p, phase, starts, space.Scheme) {
		if err != nil || !sameLayer(got, want) {
			t.Fatalf("replayed layer %d: %v\n got %+v\nwant %+v", i, err, got, want)
		}
		states := int64(0)
		_ = s.Each(func(keys []uint64, link func(int) puzzle.Move) {
			for k, key := range keys {
				if k%8 > 0 && !effort.Full() {
					continue // it is followed to the start
				}
				move, depth := table.LinkOf(key)
				if depth != i || link(k) != move {
					t.Errorf("layer %d: key %x has link %d and is at depth %d, the table says %d", i, key, link(k), depth, move)
				}
			}
			states += int64(len(keys))
		})
		if states != want.States {
			t.Fatalf("layer %d: %d states listed, want %d", i, states, want.States)
		}
		got, err = s.Next(context.Background())
	}
}

// With too little memory for candidates, those of some ranges are made again; and many
// workers share what one does otherwise.
func TestCandidatesMadeAgain(t *testing.T) {
	p := boardOf(t, wideBoard).Puzzle
	space := numberedSpace(t, p)
	table := madeAgain(t, p, space, FromStarts, p.Starts())
	var goals []uint64
	err := table.EachSeen(context.Background(), 0, 1, func(keys []uint64) {
		marks := make([]bool, len(keys))
		p.Goals(keys, marks)
		for i, key := range keys {
			if marks[i] {
				goals = append(goals, key)
			}
		}
	})
	if err != nil || len(goals) < 1000 {
		t.Fatalf("%d goals, %v", len(goals), err)
	}
	madeAgain(t, p, space, FromGoals, goals)
}

func madeAgain(t *testing.T, p puzzle.Puzzle, space *Space, phase uint8, starts []uint64) *Table {
	t.Helper()
	want := slow(p, phase, starts, space.Scheme)
	table := space.NewTable()
	s := newNumbered(table, phase, true, 3)
	s.heap.max, s.few = chunkBytes, 0
	got, err := s.Begin(starts)
	again := 0
	for i := range want {
		if err != nil || !sameLayer(got, want[i]) {
			t.Fatalf("phase %d, layer %d: %v\n got %+v\nwant %+v", phase, i, err, got, want[i])
		}
		if i > 0 && s.limit[generation(s.depth+1)].Load() < int64(s.ranges) {
			again++
		}
		got, err = s.Next(context.Background())
	}
	if again < len(want)/3 || s.ranges < 8 {
		t.Errorf("in %d of %d layers candidates were made again, of %d ranges: the test does not test that", again, len(want), s.ranges)
	}
	return table
}

// A search goes on after any layer, given only the table; a layer that is withdrawn or
// interrupted leaves nothing.
func TestNumbersResume(t *testing.T) {
	for _, b := range []int{0, len(numberedBoards) - 1} {
		t.Run(numberedBoards[b].name, func(t *testing.T) { resumes(t, numberedBoards[b].text) })
	}
}

func resumes(t *testing.T, text string) {
	t.Helper()
	p := boardOf(t, text).Puzzle
	space := numberedSpace(t, p)
	want := slow(p, 1, p.Starts(), space.Scheme)
	for _, at := range []int{0, 1, 2, len(want) / 4, len(want) / 2, len(want) - 2} {
		table := space.NewTable()
		s := NewSearch(table, 1, true, 2)
		got, err := s.Begin(p.Starts())
		for range at {
			got, err = s.Next(context.Background())
		}
		if err != nil || !sameLayer(got, want[at]) {
			t.Fatalf("layer %d: %+v, %v", at, got, err)
		}
		low, high, edges := slices.Clone(table.low), slices.Clone(table.high), s.Edges()
		stopped, stop := context.WithCancel(context.Background())
		stop()
		if _, err := s.Next(stopped); !errors.Is(err, context.Canceled) || s.Depth() != uint32(at) {
			t.Fatalf("an interrupted layer: %v, depth %d", err, s.Depth())
		}
		if got, err = s.Next(context.Background()); err != nil || !sameLayer(got, want[at+1]) {
			t.Fatalf("the layer after one that was interrupted: %+v, %v", got, err)
		}
		s.Withdraw()
		if !slices.Equal(low, table.low) || !slices.Equal(high, table.high) {
			t.Fatalf("the table is not as it was after layer %d", at)
		}
		var file bytes.Buffer
		stamp := Stamp{Phase: 1, Depth: uint32(at), Edges: edges}
		if err := table.Write(&file, stamp); err != nil {
			t.Fatal(err)
		}
		read := space.NewTable()
		if edges, _, err = read.Read(&file, stamp); err != nil {
			t.Fatal(err)
		}
		s = NewSearch(read, 1, true, 2)
		s.Resume(uint32(at), edges)
		for i := at + 1; i < len(want); i++ {
			if got, err = s.Next(context.Background()); err != nil || !sameLayer(got, want[i]) {
				t.Fatalf("resumed after %d, layer %d: %v\n got %+v\nwant %+v", at, i, err, got, want[i])
			}
		}
	}
}

// stopAfter is a context that is done after it was asked some times.
type stopAfter struct {
	context.Context //nolint:containedctx // it is one
	asked, most     int
}

func (c *stopAfter) Err() error {
	if c.asked++; c.asked > c.most {
		return context.Canceled
	}
	return nil
}

// A layer that is stopped between two ranges is made again as if nothing had happened.
func TestNumbersStopped(t *testing.T) {
	p := boardOf(t, wideBoard).Puzzle
	space := numberedSpace(t, p)
	want := slow(p, 1, p.Starts(), space.Scheme)
	table := space.NewTable()
	s := newNumbered(table, 1, true, 1)
	got, err := s.Begin(p.Starts())
	for i := range want {
		if err != nil || !sameLayer(got, want[i]) {
			t.Fatalf("layer %d: %v\n got %+v\nwant %+v", i, err, got, want[i])
		}
		low, high := slices.Clone(table.low), slices.Clone(table.high)
		if _, err := s.Next(&stopAfter{context.Background(), 0, 3 + i%s.ranges}); !errors.Is(err, context.Canceled) {
			t.Fatalf("layer %d was not stopped: %v", i+1, err)
		}
		if !slices.Equal(low, table.low) || !slices.Equal(high, table.high) {
			t.Fatalf("layer %d: a stopped layer left something in the table", i+1)
		}
		got, err = s.Next(context.Background())
	}
}

// wideBoard has about 200,000 boards in more than ten ranges.
const wideBoard = "puzzle: rush-hour\n\n.A...BH\n.A...BH\nXX...GH\n.CC..G.\nE..DD..\nE...FF.\n.......\n"

// Distances to goals where moves cannot be undone: by moves backwards, among the states that
// the starts reach; the link is the least move to a state that is nearer.
func TestNumbersHomeward(t *testing.T) {
	p := boardOf(t, "puzzle: peg-tri\n\n    .\n   o o\n  o o o\n o o o o\no o o o o\n").Puzzle
	space := numberedSpace(t, p)
	forward := compareWithSlow(t, p, space)
	var goals, all []uint64
	err := forward.EachSeen(context.Background(), 0, 1, func(keys []uint64) {
		marks := make([]bool, len(keys))
		p.Goals(keys, marks)
		for i, key := range keys {
			all = append(all, key)
			if marks[i] {
				goals = append(goals, key)
			}
		}
	})
	if err != nil || len(goals) == 0 {
		t.Fatalf("%d goals, %v", len(goals), err)
	}
	// Distances by rounds over all states.
	distance := map[uint64]int{}
	for _, key := range goals {
		distance[key] = 0
	}
	var out puzzle.Edges
	for round, before := 0, -1; len(distance) != before; round++ {
		before = len(distance)
		for _, key := range all {
			out.Reset()
			p.Successors([]uint64{key}, &out)
			for _, next := range out.Keys {
				if d, ok := distance[next]; ok && d == round {
					if _, known := distance[key]; !known {
						distance[key] = round + 1
					}
				}
			}
		}
	}
	table := space.NewTableOf(FromGoals)
	s := NewSearchWithin(table, forward, 2)
	layer, err := s.Begin(goals)
	states := int64(0)
	for err == nil && layer.States > 0 {
		states += layer.States
		layer, err = s.Next(context.Background())
	}
	if err != nil || states != int64(len(distance)) {
		t.Fatalf("%d states can reach a goal, want %d; %v", states, len(distance), err)
	}
	for _, key := range all {
		want, ok := distance[key]
		if !ok {
			want = -1
		}
		link, got := table.LinkOf(key)
		if got != want {
			t.Fatalf("%x has distance %d, want %d", key, got, want)
		}
		if want <= 0 {
			continue
		}
		out.Reset()
		p.Successors([]uint64{key}, &out)
		for i, next := range out.Keys {
			if d, ok := distance[next]; ok && d == want-1 {
				if out.Moves[i] != link {
					t.Fatalf("%x has link %d, want %d", key, link, out.Moves[i])
				}
				break
			}
		}
	}
}

// A space is full if one number of a thousand is a state.
func TestFull(t *testing.T) {
	for _, b := range numberedBoards {
		p := boardOf(t, b.text).Puzzle
		space, states := numberedSpace(t, p), 0
		for _, l := range slow(p, 1, p.Starts(), numberedSpace(t, p).Scheme) {
			states += int(l.States)
		}
		if !hasStates(p, states) || hasStates(p, states+1) {
			t.Errorf("%s has %d states", b.name, states)
		}
		if got, want := space.Full(p), states >= int(space.numbers.Count()>>10); got != want {
			t.Errorf("%s, %d states of %d numbers: %v", b.name, states, space.numbers.Count(), got)
		}
	}
}
