package sokoban

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/sweep"
)

// memory is a sink.
type memory struct {
	done    map[int]bool
	records []sweep.Record
	totals  sweep.Totals
}

func (m *memory) Done(unit int) bool { return m.done[unit] }

func (m *memory) Commit(unit int, f *sweep.Findings) error {
	m.done[unit] = true
	m.records = append(m.records, f.Records...)
	m.totals.Add(&f.Totals)
	return nil
}

func sweepOf(t *testing.T, rules Rules, unitKeys uint64, workers int) *memory {
	t.Helper()
	e, err := newEnumeration(rules, unitKeys)
	if err != nil {
		t.Fatal(err)
	}
	m := &memory{done: map[int]bool{}}
	if err := sweep.Run(t.Context(), e, sweep.Part{}, m, workers); err != nil {
		t.Fatal(err)
	}
	return m
}

func square(side int) string {
	wall := strings.Repeat("#", side+2)
	rows := []string{wall}
	for range side {
		rows = append(rows, "#"+strings.Repeat("-", side)+"#")
	}
	rows[1] = "#@" + rows[1][2:]
	return strings.Join(append(rows, wall), "/")
}

// scattered returns a room with walls here and there; what the player cannot get to
// is no part of it.
func scattered(random *rand.Rand) string {
	rows, cols := 2+random.IntN(3), 2+random.IntN(4)
	text := strings.Repeat("#", cols+2)
	man := random.IntN(rows * cols)
	for r := range rows {
		text += "/#"
		for c := range cols {
			switch {
			case r*cols+c == man:
				text += "@"
			case random.IntN(5) == 0:
				text += "#"
			default:
				text += "-"
			}
		}
		text += "#"
	}
	return text + "/" + strings.Repeat("#", cols+2)
}

func TestSweepIsWhatTheTwinFinds(t *testing.T) {
	t.Parallel()
	type test struct {
		room  string
		boxes int
	}
	tests := []test{
		{square(2), 1}, {square(2), 3}, {square(3), 1}, {square(3), 2}, {square(3), 4}, {square(3), 8}, {square(4), 2},
		{square(9), 1}, // more cells than bits of a word
		{"--#####/###---#/#@--#-#/#-----#/#######", 2},
	}
	random := rand.New(rand.NewPCG(1, 9))
	for len(tests) < 30 {
		room, boxes := scattered(random), 1+random.IntN(3)
		if _, err := New(Rules{Room: room, Boxes: boxes}); err == nil {
			tests = append(tests, test{room, boxes})
		}
	}
	for _, test := range tests {
		tw := newTwin(test.room, test.boxes)
		m := sweepOf(t, Rules{Room: test.room, Boxes: test.boxes}, 400, 2)
		var want, got []string
		var totals sweep.Totals
		all := tw.all()
		for _, f := range all {
			totals.AddSolvable(f.layers, len(f.layers) > 1)
			if len(f.layers) > 1 {
				want = append(want, fmt.Sprint(f.layers, oneLine(f.hardest)))
			}
		}
		for _, r := range m.records {
			got = append(got, fmt.Sprint(r.Layers, r.Board))
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s with %d: %d records\n%s\nwant %d\n%s", test.room, test.boxes, len(got), strings.Join(got, "\n"), len(want), strings.Join(want, "\n"))
		}
		// Every state is solved for one goal set.
		if m.totals.Goals != uint64(len(tw.states)) || m.totals.Families != uint64(len(all)) {
			t.Errorf("%s with %d: %d goal states of %d goal sets, want %d of %d", test.room, test.boxes, m.totals.Goals, m.totals.Families, len(tw.states), len(all))
		}
		totals.Units, totals.Families, totals.Records, totals.Digest = m.totals.Units, m.totals.Families, uint64(len(want)), m.totals.Digest
		if !reflect.DeepEqual(m.totals, totals) {
			t.Errorf("%s with %d: totals\n%+v\nwant\n%+v", test.room, test.boxes, m.totals, totals)
		}
	}
}

func TestUnitsAndWorkersDoNotMatter(t *testing.T) {
	t.Parallel()
	rules := Rules{Room: square(4), Boxes: 2, MinDistance: 3}
	one := sweepOf(t, rules, 3000, 1)
	if one.totals.Units < 2 || len(one.records) == 0 {
		t.Fatalf("%+v tell nothing", one.totals)
	}
	three := sweepOf(t, rules, 3000, 3)
	if one.totals.Digest != three.totals.Digest {
		t.Error("three workers find something else than one")
	}
	for _, r := range one.records {
		if r.Distance() < 3 {
			t.Errorf("%s takes %d pushes", r.Board, r.Distance())
		}
	}
	whole := sweepOf(t, rules, 1<<20, 1)
	one.totals.Digest, one.totals.Units = whole.totals.Digest, whole.totals.Units
	if !reflect.DeepEqual(one.totals, whole.totals) {
		t.Errorf("in one unit %+v, in several %+v", whole.totals, one.totals)
	}
}

// TestMergedMirrors compares with the sweep of all goal sets: of those that are mirror
// images or rotations of one another, which the twin finds by turning drawings, one is
// left, and by Burnside's lemma it is known how many these are.
func TestMergedMirrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		room string
		want uint64
	}{
		{square(3), 8},                      // (36 + 2*0 + 4 + 4*(3+3)) / 8
		{square(4), 21},                     // (120 + 2*0 + 8 + 2*8 + 2*12) / 8
		{"######/#@---#/#----#/######", 10}, // (28 + 4 + 4 + 4) / 4
		{"#####/#@--#/#-###/#####", 6},      // an L, which none but itself maps to itself
	} {
		all := sweepOf(t, Rules{Room: test.room, Boxes: 2}, 1<<20, 1)
		merged := sweepOf(t, Rules{Room: test.room, Boxes: 2, Merged: true}, 100, 2)
		if merged.totals.Families != test.want {
			t.Errorf("%s: %d goal sets, want %d", test.room, merged.totals.Families, test.want)
		}
		// Every record has its mirror image: the same states by distance.
		want, got := map[string]bool{}, map[string]bool{}
		for _, r := range all.records {
			want[fmt.Sprint(classOf(r.Board), r.Layers)] = true
		}
		for _, r := range merged.records {
			class := fmt.Sprint(classOf(r.Board), r.Layers)
			if got[class] {
				t.Errorf("%s: %s comes twice", test.room, r.Board)
			}
			got[class] = true
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: goal sets\n%v\nwant\n%v", test.room, got, want)
		}
	}
}

// classOf returns the first of the drawings of a board's targets, turned and mirrored.
func classOf(board string) string {
	rows := strings.Split(strings.NewReplacer("$", "-", "@", "-", "*", ".", "+", ".").Replace(board), "/")
	least := ""
	for range 2 {
		for range 4 {
			turned := make([]string, len(rows[0]))
			for c := range rows[0] {
				for r := range rows {
					turned[c] += string(rows[len(rows)-1-r][c])
				}
			}
			rows = turned
			if text := strings.Join(rows, "/"); least == "" || text < least {
				least = text
			}
		}
		slices.Reverse(rows)
	}
	return least
}

func TestSampleIsAPart(t *testing.T) {
	t.Parallel()
	all := sweepOf(t, Rules{Room: square(4), Boxes: 2}, 3000, 1)
	some := sweepOf(t, Rules{Room: square(4), Boxes: 2, Sample: 4}, 3000, 1)
	if n := some.totals.Families; n < 15 || n > 45 {
		t.Errorf("%d goal sets of 120", n)
	}
	for _, r := range some.records {
		if !slices.ContainsFunc(all.records, func(o sweep.Record) bool { return reflect.DeepEqual(o, r) }) {
			t.Errorf("%s is not in the whole", r.Board)
		}
	}
}

// TestInterruptedWorkerIsAsNew has a worker stopped in the middle of a unit: it
// returns nothing, and then does units as a new one does.
func TestInterruptedWorkerIsAsNew(t *testing.T) {
	t.Parallel()
	e, err := New(Rules{Room: square(4), Boxes: 3})
	if err != nil {
		t.Fatal(err)
	}
	w := e.Worker()
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if f, err := w.Do(stopped, 0); !errors.Is(err, context.Canceled) || len(f.Records) > 0 {
		t.Errorf("%d records (%v)", len(f.Records), err)
	}
	a, err := w.Do(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	b, err := e.Worker().Do(t.Context(), 0)
	if err != nil || !reflect.DeepEqual(a, b) || a.Totals.Families != 560 {
		t.Errorf("%v: %+v, want %+v", err, a.Totals, b.Totals)
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	e, err := New(Rules{Room: " ####\n#  .#\n# $*#\n#@###\n###", Boxes: 2, MinDistance: 4, Sample: 3, Merged: true})
	if err != nil {
		t.Fatal(err)
	}
	want := "sweep: sokoban\nroom: -####/#@--#/#---#/#-###/###\nboxes: 2\nmirrors: merged\nmin-distance: 4\nsample: 1/3\n"
	if e.Rules() != want {
		t.Errorf("rules\n%s\nwant\n%s", e.Rules(), want)
	}
	r, err := Parse(want)
	if err != nil {
		t.Fatal(err)
	}
	again, err := New(r)
	if err != nil || again.Rules() != want || again.Units() != e.Units() {
		t.Errorf("read again (%v)\n%s", err, again.Rules())
	}
	for rules, want := range map[Rules]string{
		{Room: square(3), Boxes: 0}:                              "a room of 9 cells has space for 1 to 8 boxes and the player",
		{Room: square(3), Boxes: 9}:                              "a room of 9 cells has space for 1 to 8 boxes and the player",
		{Room: square(1), Boxes: 1}:                              "a room of 1 cell has no space for a box and the player",
		{Room: square(9), Boxes: 7}:                              "7 boxes on 81 cells make up to 281654544600 states per goal set: a sweep takes at most 268435456",
		{Room: square(20), Boxes: 12}:                            "12 boxes on 400 cells make more than 2^64 states per goal set: a sweep takes at most 268435456",
		{Room: "####/#--#/####/#--#/####", Boxes: 1}:             "line 1, column 1: walls enclose 2 floors: put the player @ into the one that you mean",
		{Room: "###\n#-\n###", Boxes: 1}:                         "line 1, column 1: no floor that walls # enclose on all sides",
		{Room: "####\n#@-#\n####\n\n####\n#@-#\n####", Boxes: 1}: "line 5, column 1: a second level: a room is one level",
		{Room: "####\n#@@#\n####", Boxes: 1}:                     "line 2, column 3: a second player: the first is in line 2",
		{Room: "no room", Boxes: 1}:                              "no level: the input has no rows with walls #",
		{Room: square(3), Boxes: 1, MinDistance: -1}:             "least distance -1: must be 0 or more",
	} {
		if _, err := New(rules); err == nil || err.Error() != want {
			t.Errorf("%+v: %v\nwant %s", rules, err, want)
		}
	}
	for _, text := range []string{"sweep: rush-hour\n", "boxes: many\n", "sample: 2\n", "colour: red\n", "room\n", "mirrors: both\n"} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}
