package database

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/rushhour"
	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// full is a database of all clusters of 4x4 boards that can be solved.
func full(t *testing.T) (*Database, []*sweep.Record) {
	t.Helper()
	e, err := rushhour.New(rules.Rules{Size: rules.Square(4), ExitRow: -1, Everything: true})
	if err != nil {
		t.Fatal(err)
	}
	d := create(t, vfs.NewMem(), e.Rules())
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := sweep.Run(t.Context(), e, sweep.Part{}, d, 2); err != nil {
		t.Fatal(err)
	}
	var all []*sweep.Record
	for r, err := range d.Records(ByID) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return d, all
}

// number is that of an order, told apart by hand.
func number(r *sweep.Record, o Order) int {
	switch o {
	case ByDistance:
		return len(r.Layers) - 1
	case ByStates:
		n := 0
		for _, layer := range r.Layers {
			n += int(layer)
		}
		return n
	case ByPieces:
		return r.Pieces
	case BySecond:
		return strings.Count(r.Board, "x")
	case ByID, ByGrade:
	}
	return 0
}

var orders = []Order{ByDistance, ByStates, ByPieces, BySecond}

// slowly goes through all records for those that a filter wants.
func slowly(all []*sweep.Record, f Filter, o Order) []*sweep.Record {
	var out []*sweep.Record
	for _, r := range all {
		keep := true
		for i, want := range []Range{f.Distance, f.States, f.Pieces, f.Second} {
			n := uint64(number(r, orders[i]))
			keep = keep && n >= want.Least && n <= want.Most
		}
		if keep {
			out = append(out, r)
		}
	}
	down := o == ByDistance || o == ByStates
	key := func(r *sweep.Record) (int, int, int, string) {
		n := number(r, o)
		if down {
			n = -n
		}
		return n, -number(r, ByDistance), -number(r, ByStates), strings.ReplaceAll(r.Board, "o", ".")
	}
	slices.SortFunc(out, func(a, b *sweep.Record) int {
		a1, a2, a3, a4 := key(a)
		b1, b2, b3, b4 := key(b)
		for _, d := range []int{a1 - b1, a2 - b2, a3 - b3} {
			if d != 0 {
				return d
			}
		}
		return strings.Compare(a4, b4)
	})
	return out
}

func TestSelectIsWhatAScanGives(t *testing.T) {
	t.Parallel()
	d, all := full(t)
	if len(all) < 300 {
		t.Fatalf("%d records are too few to tell", len(all))
	}
	random := rand.New(rand.NewPCG(1, 2))
	some := func(most int) Range {
		switch random.IntN(4) {
		case 0:
			n := uint64(random.IntN(most + 1))
			return Range{n, n + uint64(random.IntN(3))}
		case 1:
			return Range{uint64(random.IntN(most + 1)), All().Most}
		}
		return All()
	}
	for range 12 {
		f := Filter{some(9), some(120), some(8), some(2), All()}
		for _, o := range orders {
			want := slowly(all, f, o)
			var got []string
			for r, err := range d.Select(f, o) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, r.Board)
			}
			if !slices.EqualFunc(got, want, func(a string, b *sweep.Record) bool { return a == b.Board }) {
				t.Fatalf("%+v by %c: %d records, want %d", f, o, len(got), len(want))
			}
			n, err := d.Count(f)
			if err != nil || n != uint64(len(want)) {
				t.Fatalf("%+v: counted %d (%v), want %d", f, n, err, len(want))
			}
			bins := map[uint64]uint64{}
			last, first := uint64(0), true
			err = d.Histogram(f, o, func(number, records uint64) {
				if down := o == ByDistance || o == ByStates; !first && (number < last) != down {
					t.Errorf("%c: %d after %d", o, number, last)
				}
				bins[number], last, first = records, number, false
			})
			if err != nil {
				t.Fatal(err)
			}
			sum := uint64(0)
			for _, r := range want {
				if bins[uint64(number(r, o))] == 0 {
					t.Fatalf("%+v by %c: no bin for %d", f, o, number(r, o))
				}
			}
			for _, records := range bins {
				sum += records
			}
			if sum != uint64(len(want)) {
				t.Fatalf("%+v by %c: bins with %d records, want %d", f, o, sum, len(want))
			}
		}
	}
}

// TestRangesAreRanges sees that a range reads no more of an index than it has.
func TestRangesAreRanges(t *testing.T) {
	t.Parallel()
	d, all := full(t)
	for i, o := range orders {
		x, err := indexOf(o)
		if err != nil {
			t.Fatal(err)
		}
		for n := range uint64(40) {
			want := 0
			for _, r := range all {
				if m := uint64(number(r, orders[i])); m >= n && m <= n+2 {
					want++
				}
			}
			got := 0
			if err := d.keys(x, Range{n, n + 2}, func(m uint64, _ []byte) error {
				got++
				if m < n || m > n+2 {
					t.Errorf("%c: %d to %d gives %d", o, n, n+2, m)
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if got != want {
				t.Errorf("%c: %d to %d has %d keys, want %d", o, n, n+2, got, want)
			}
		}
		// The ends of what fits a key.
		for _, r := range []Range{{0, 0}, {x.most(), All().Most}, {All().Most, All().Most}, {5, 4}} {
			if err := d.keys(x, r, func(m uint64, _ []byte) error {
				if m < r.Least || m > r.Most {
					t.Errorf("%c: %v gives %d", o, r, m)
				}
				return nil
			}); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := indexOf(ByID); err == nil {
		t.Error("ByID is not an index")
	}
}

// TestColumns: a finished database answers as one without columns does, grades and all, and
// so does one that is opened again.
func TestColumns(t *testing.T) {
	t.Parallel()
	d, all := full(t)
	fs := vfs.NewMem()
	finished := create(t, fs, d.Rules())
	finished.units = 1
	var f sweep.Findings
	for _, r := range all {
		f.Records = append(f.Records, *r)
		f.Totals.AddRecord(r)
	}
	f.Totals.Seal(0)
	if err := finished.Commit(0, &f); err != nil {
		t.Fatal(err)
	}
	if err := finished.Finish(); err != nil {
		t.Fatal(err)
	}
	if _, err := finished.Count(Filter{All(), All(), All(), All(), Range{1, 2}}); !errors.Is(err, ErrUngraded) {
		t.Errorf("grades that are not there: %v", err)
	}
	chunks := 0
	for range 2 { // the second time there is nothing left
		if err := finished.Chunks(func(c *Chunk) error {
			for _, r := range c.Records {
				r.Measures = []uint64{gradeOf(r), 77}
			}
			chunks++
			return finished.Measure(c)
		}); err != nil {
			t.Fatal(err)
		}
	}
	if want := (len(all) + chunkRecords - 1) / chunkRecords; chunks != want {
		t.Errorf("%d chunks were measured, want %d", chunks, want)
	}
	if err := finished.Seal(); err != nil {
		t.Fatal(err)
	}
	numbers := func(d *Database) (all []Numbers) {
		if err := d.EachNumbers(func(_ ID, n Numbers) error {
			n.Grade = 0
			all = append(all, n)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return all
	}
	if got, want := numbers(finished), numbers(d); len(got) != len(all) || !cmpSets(got, want) {
		t.Errorf("%d numbers are not those of %d records", len(got), len(want))
	}
	sum := finished.Totals()
	answers(t, finished, all)
	if err := finished.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Open("sweep", Options{FS: fs, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := again.Totals(); !reflect.DeepEqual(got, sum) || !again.sealed || again.columns != nil || !again.Graded() {
		t.Errorf("opened again, it has %+v, want %+v", got, sum)
	}
	answers(t, again, all)
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

// cmpSets reports whether two lists hold the same numbers.
func cmpSets(a, b []Numbers) bool {
	count := map[Numbers]int{}
	for _, n := range a {
		count[n]++
	}
	for _, n := range b {
		count[n]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return len(a) == len(b)
}

// gradeOf is some number from 1 to 10.
func gradeOf(r *sweep.Record) uint64 { return r.States()%10 + 1 }

// answers sees that questions to a graded database are answered as a scan does.
func answers(t *testing.T, d *Database, all []*sweep.Record) {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	some := func(most int) Range {
		if random.IntN(2) == 0 {
			return All()
		}
		n := uint64(random.IntN(most + 1))
		return Range{n, n + uint64(random.IntN(most))}
	}
	for range 20 {
		f := Filter{some(9), some(120), some(8), some(2), some(10)}
		var graded []*sweep.Record
		for _, r := range all {
			if f.Grade.has(gradeOf(r)) {
				graded = append(graded, r)
			}
		}
		for _, o := range orders {
			want := slowly(graded, f, o)
			var got []string
			for r, err := range d.Select(f, o) {
				if err != nil {
					t.Fatal(err)
				}
				if len(r.Measures) != 2 || r.Measures[0] != gradeOf(r) {
					t.Fatalf("%s has measures %d", r.Board, r.Measures)
				}
				got = append(got, r.Board)
			}
			if !slices.EqualFunc(got, want, func(a string, b *sweep.Record) bool { return a == b.Board }) {
				t.Fatalf("%+v by %c: %d records, want %d", f, o, len(got), len(want))
			}
			if n, err := d.Count(f); err != nil || n != uint64(len(want)) {
				t.Fatalf("%+v: counted %d (%v), want %d", f, n, err, len(want))
			}
		}
		var bins []uint64
		sum, last := uint64(0), uint64(11)
		if err := d.Histogram(f, ByGrade, func(number, records uint64) {
			if number >= last {
				t.Errorf("grade %d after %d", number, last)
			}
			last, sum, bins = number, sum+records, append(bins, number)
		}); err != nil {
			t.Fatal(err)
		}
		if n := uint64(len(slowly(graded, f, ByDistance))); sum != n {
			t.Fatalf("%+v: grades %d of %d records, want %d", f, bins, sum, n)
		}
	}
	for _, o := range orders { // by id within a number, as indexes are
		last, n := new(sweep.Record), 0
		for r, err := range d.Records(o) {
			if err != nil {
				t.Fatal(err)
			}
			if down := o == ByDistance || o == ByStates; n > 0 && number(r, o) != number(last, o) && (number(r, o) < number(last, o)) != down {
				t.Fatalf("%c: %d after %d", o, number(r, o), number(last, o))
			}
			last, n = r, n+1
		}
		if n != len(all) {
			t.Errorf("%c: %d records of %d", o, n, len(all))
		}
	}
	grade := uint64(11)
	for r, err := range d.Select(Everything(), ByGrade) {
		if err != nil || r.Grade() > grade {
			t.Fatalf("grade %d after %d: %v", r.Grade(), grade, err)
		}
		grade = r.Grade()
	}
}

// FuzzColumns reads any bytes as blocks, sums and measures: what can be read is written again
// the same.
func FuzzColumns(f *testing.F) {
	f.Add(appendBlock(nil, []row{{states: 300, id: ID{1, 2}, distance: 3, pieces: 4, second: 5, grade: 6}}))
	sum, _ := (&summary{rows: 3, graded: true}).append(nil)
	f.Add(sum)
	f.Add([]byte{2, 7, 200, 1, 0, 1, 9})
	f.Fuzz(func(t *testing.T, b []byte) {
		var rows [1]row
		if readBlock(b, rows[:]) == nil {
			again := appendBlock(nil, rows[:])
			var twice [1]row
			if err := readBlock(again, twice[:]); err != nil || twice != rows {
				t.Errorf("%+v is again %+v: %v", rows, twice, err)
			}
		}
		var s summary
		if s.read(b) == nil {
			again, _ := s.append(nil)
			var u summary
			if err := u.read(again); err != nil || !reflect.DeepEqual(s, u) {
				t.Errorf("%+v is again %+v: %v", s, u, err)
			}
		}
		if all, err := readMeasures(b); err == nil && len(all) > chunkRecords {
			t.Errorf("%d measures", len(all))
		}
	})
}
