package query

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/partition"
)

// tableRow is a row of the table, in the words of the slow twin.
type tableRow struct {
	fact
	part        partition.ID
	predecessor string
}

// rowsOf returns the rows of a batch.
func rowsOf(b *Batch) []tableRow {
	rows := make([]tableRow, b.Len())
	for i := range rows {
		rows[i] = tableRow{
			fact: fact{
				key: slices.Clone(b.Key(i)), depth: int(b.Depths[i]), link: b.Moves[i],
				goal: b.Goals[i], goalDistance: int(b.GoalDistances[i]),
			},
			part: b.Partitions[i],
		}
		if len(b.Predecessors) > 0 && b.Depths[i] > 0 {
			rows[i].predecessor = name(b.Predecessor(i))
		}
	}
	return rows
}

// tableOf returns all rows of the table, with goal distances looked up in shares
// of so many states.
func (w *world) tableOf(t *testing.T, opts TableOptions, shareStates int64) []tableRow {
	t.Helper()
	ctx := context.Background()
	opts.ensureDefaults()
	known, err := w.space.goalDistances(ctx, opts, shareStates)
	if err != nil {
		t.Fatal(err)
	}
	var all []tableRow
	var short int
	encode := func(_ []tableRow, b *Batch) ([]tableRow, error) { return rowsOf(b), nil }
	err = table(ctx, w.space, opts, known, encode, func(rows []tableRow) error {
		if short > 0 || len(rows) > opts.Rows {
			t.Errorf("%d rows after %d short batches, want %d", len(rows), short, opts.Rows)
		}
		if len(rows) < opts.Rows {
			short++
		}
		all = append(all, rows...)
		return nil
	})
	if err = errors.Join(err, known.close()); err != nil {
		t.Fatal(err)
	}
	return all
}

// wantTable returns what the slow twin says of all states, in the order of the
// table.
func (w *world) wantTable(predecessors bool) []tableRow {
	type place struct {
		row tableRow
		rec []uint64
	}
	var all []place
	for _, f := range w.facts {
		at := place{row: tableRow{fact: *f}, rec: make([]uint64, w.space.Scheme.Stride())}
		at.row.part = w.space.Scheme.Record(at.rec, f.key, f.link)
		at.row.text = ""
		if predecessors && f.depth > 0 {
			key := make([]uint64, len(f.key))
			if !w.puzzle.Undo(key, f.key, f.link) {
				panic("a link that cannot be undone")
			}
			at.row.predecessor = name(key)
		}
		all = append(all, at)
	}
	slices.SortFunc(all, func(a, b place) int {
		if a.row.depth != b.row.depth {
			return a.row.depth - b.row.depth
		}
		if a.row.part != b.row.part {
			return int(a.row.part) - int(b.row.part)
		}
		return slices.Compare(a.rec, b.rec)
	})
	rows := make([]tableRow, len(all))
	for i, at := range all {
		rows[i] = at.row
	}
	return rows
}

func sameRow(a, b tableRow) bool {
	return slices.Equal(a.key, b.key) && a.depth == b.depth && a.part == b.part && a.goal == b.goal &&
		a.goalDistance == b.goalDistance && a.predecessor == b.predecessor && (a.depth == 0 || a.link == b.link)
}

func (w *world) checkTable(opts TableOptions, shareStates int64) {
	w.t.Helper()
	got, want := w.tableOf(w.t, opts, shareStates), w.wantTable(opts.Predecessors)
	if len(got) != len(want) {
		w.t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for i := range got {
		if !sameRow(got[i], want[i]) {
			w.t.Fatalf("row %d is %+v, want %+v (batches of %d rows, shares of %d)", i, got[i], want[i], opts.Rows, shareStates)
		}
	}
}

// The table has each state once, in its place, with all that is known of it,
// whatever the batches, the workers and the shares are.
func TestTable(t *testing.T) {
	eachWorld(t, reach{}, func(w *world) { w.checkTable(TableOptions{Rows: 7, Predecessors: true}, 1) })
	eachWorld(t, reach{depths: 3}, func(w *world) { w.checkTable(TableOptions{}, 1) })
	eachWorld(t, reach{distances: true}, func(w *world) {
		for i, shareStates := range []int64{5, 11, 40, 100, 1000, shareStatesMax} {
			opts := TableOptions{Rows: []int{0, 1, 2, 50, 1000, 1 << 20}[i], Workers: 1 + i%3, Predecessors: i%2 == 0}
			w.checkTable(opts, shareStates)
		}
	})
}

// Errors of those who encode, of those who write and of the scratch end it.
func TestTableErrors(t *testing.T) {
	ctx := context.Background()
	w := explore(t, line(3000, 1), 2, reach{distances: true})
	mine := errors.New("mine")
	good := func(_ int, b *Batch) (int, error) { return b.Len(), nil }
	done := func(int) error { return nil }
	for _, workers := range []int{1, 4} {
		told := []int64{}
		opts := TableOptions{Rows: 1000, Workers: workers, Written: func(rows int64) { told = append(told, rows) }}
		if err := Table(ctx, w.space, opts, good, done); err != nil || !slices.Equal(told, []int64{1000, 2000, 3000}) {
			t.Errorf("%v rows are told of, %v", told, err)
		}
		opts = TableOptions{Rows: 10, Workers: workers}
		var calls atomic.Int32
		bad := func(int, *Batch) (int, error) {
			if calls.Add(1) == 20 {
				return 0, mine
			}
			return 0, nil
		}
		if err := Table(ctx, w.space, opts, bad, done); !errors.Is(err, mine) {
			t.Errorf("encode: %v", err)
		}
		if err := Table(ctx, w.space, opts, good, func(int) error { return mine }); !errors.Is(err, mine) {
			t.Errorf("write: %v", err)
		}
		for _, s := range []*faultyScratch{{write: mine}, {read: mine}, {close: mine}} {
			opts.ensureDefaults()
			s.inMemory = make(inMemory, len(w.facts))
			d := &distances{bytes: s, width: 1}
			err := w.space.findDistances(ctx, workers, d, 100)
			if err == nil {
				err = table(ctx, w.space, opts, d, good, done)
			}
			if err = firstOf(err, d.close()); !errors.Is(err, mine) {
				t.Errorf("scratch: %v", err)
			}
		}
	}
}

type faultyScratch struct {
	inMemory
	write, read, close error
}

func (f *faultyScratch) WriteAt(p []byte, at int64) (int, error) {
	n, _ := f.inMemory.WriteAt(p, at)
	return n, f.write
}

func (f *faultyScratch) ReadAt(p []byte, at int64) (int, error) {
	n, _ := f.inMemory.ReadAt(p, at)
	return n, f.read
}

func (f *faultyScratch) Close() error { return f.close }

var _ Scratch = (*faultyScratch)(nil)

// Distances of every width come back as they were.
func TestDistanceWidths(t *testing.T) {
	for width, most := range map[int]uint32{1: 1<<8 - 1, 2: 1<<16 - 1, 4: 1<<31 - 1} {
		d := &distances{width: width}
		values := []uint32{0, 1, 2, most / 2, most}
		var bytes []byte
		for _, v := range values {
			bytes = d.appendDistance(bytes, v)
		}
		d.bytes = inMemory(bytes)
		var got []int32
		for range values {
			var err error
			if got, err = d.next(got, 1); err != nil && !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
		}
		for i, v := range values {
			if got[i] != int32(v)-1 {
				t.Errorf("width %d: %d comes back as %d", width, int32(v)-1, got[i])
			}
		}
	}
}

// A state that lies at two distances is damage.
func TestStateAtTwoDistances(t *testing.T) {
	w := explore(t, line(300, 1), 1, reach{distances: true})
	recs := w.space.Records.(records)
	at := func(d uint32) place { return place{history.Goal, d, 0} }
	recs.parts[at(2)] = slices.Clone(recs.parts[at(2)])
	recs.parts[at(2)][0] = recs.parts[at(1)][0]
	err := Table(context.Background(), w.space, TableOptions{}, func(int, *Batch) (int, error) { return 0, nil }, func(int) error { return nil })
	if err == nil || fmt.Sprint(err) != "a state has two goal distances: the run is damaged" {
		t.Errorf("got %v", err)
	}
}

// Shares cover every partition once and are about as large as asked for.
func TestShares(t *testing.T) {
	for _, words := range []int{1, 2} {
		w := explore(t, line(5000, words), 8, reach{distances: true})
		var counts [8]int64
		for _, l := range w.space.History.Layers(history.Forward) {
			for p, n := range l.PartStates {
				counts[p] += n
			}
		}
		for _, n := range []int64{1, 50, 200, 700, 1 << 20} {
			pieces := map[int]uint64{}
			for _, sh := range w.space.shares(n) {
				var states int64
				for _, p := range sh.parts {
					states += counts[p]
					pieces[int(p)] += sh.end - sh.begin
					if sh.of != 1 && (len(sh.parts) != 1 || sh.end != sh.begin+1 || sh.end > sh.of) {
						t.Errorf("shares of %d: %+v", n, sh)
					}
				}
				if states > n*int64(sh.of) {
					t.Errorf("shares of %d: %d states in %d pieces", n, states, sh.of)
				}
				// Keys are spread evenly: no piece of a partition is far off.
				if n >= 50 && sh.of > 1 {
					if got := w.countIn(sh); got > 2*n {
						t.Errorf("shares of %d: one has %d states", n, got)
					}
				}
			}
			for p, k := range pieces {
				if want := uint64(1); counts[p] > n {
					if want = uint64(counts[p]/n + 1); k != want {
						t.Errorf("shares of %d: partition %d has %d pieces, want %d", n, p, k, want)
					}
				} else if k != want {
					t.Errorf("shares of %d: partition %d is in %d shares", n, p, k)
				}
			}
			if parts := slices.Sorted(maps.Keys(pieces)); len(parts) != 8 {
				t.Errorf("shares of %d: partitions %v", n, parts)
			}
		}
	}
}

// countIn counts the states of a share.
func (w *world) countIn(sh share) (states int64) {
	rec := make([]uint64, w.space.Scheme.Stride())
	for _, f := range w.facts {
		part := w.space.Scheme.Record(rec, f.key, puzzle.Move(0))
		if begin, end := w.space.inShare(sh, rec); slices.Contains(sh.parts, part) && begin < end {
			states++
		}
	}
	return states
}
