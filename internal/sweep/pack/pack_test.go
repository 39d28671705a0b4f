package pack_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/pack"
	"github.com/everystate/everystate/internal/sweep/rushhour"
	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
	"github.com/everystate/everystate/puzzle"
)

func record() *sweep.Record {
	return &sweep.Record{
		Board:  "BBCCJDDoIJGAAIoGoHEEFFHoo",
		Layers: []uint64{12, 7, 23, 32, 55, 47, 42, 29, 14, 10, 7, 3, 1, 3, 1, 1, 2, 3, 3, 3, 1},
		Pieces: 10, Attributes: []uint64{1},
	}
}

// rulesOf5x5 are those of the record.
func rulesOf5x5() *rules.Rules {
	return &rules.Rules{Size: rules.Square(5), ExitRow: 2, Lengths: []int{2, 3}}
}

// boardOf makes a board of a record.
func boardOf(r *sweep.Record) (puzzle.Board, error) {
	b, err := pack.BoardsOf(rulesOf5x5().String())
	if err != nil {
		return puzzle.Board{}, err
	}
	return b.Board(r)
}

func TestPackCanBeRead(t *testing.T) {
	t.Parallel()
	b, err := boardOf(record())
	if err != nil {
		t.Fatal(err)
	}
	var e pack.Explorer
	p, err := e.Explore(t.Context(), record(), b)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	w, err := pack.NewWriter(&text, pack.Head{Puzzle: "rush-hour", Metric: "slide", Rows: 5, Columns: 5})
	for range 2 {
		if err == nil {
			err = w.Write(p)
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		pack.Head
		Puzzles []pack.Puzzle `json:"puzzles"`
		Count   int           `json:"count"`
	}
	if err := json.Unmarshal(text.Bytes(), &got); err != nil {
		t.Fatalf("%v\n%s", err, &text)
	}
	if got.Format != pack.Format || got.Version != pack.Version || got.Count != 2 || len(got.Puzzles) != 2 {
		t.Fatalf("read %+v", got)
	}
	one := got.Puzzles[1]
	if one.Distance != 20 || one.States != 299 || len(one.Solution) != 20 || len(one.Vehicles) != 10 || len(one.Walls) != 0 || one.How.Solutions == "0" {
		t.Errorf("read %+v", one)
	}
	// Whoever knows the pack alone can draw the board, and play the solution.
	cells := []byte(strings.Repeat("o", 25))
	for _, v := range one.Vehicles {
		for i := range v.Length {
			at := v.Row*5 + v.Column + i
			if v.Vertical {
				at = (v.Row+i)*5 + v.Column
			}
			cells[at] = v.Name[0]
		}
		if v.Goal != (v.Name == "A") {
			t.Errorf("%s: goal %t", v.Name, v.Goal)
		}
	}
	if string(cells) != one.Cells || one.Cells != record().Board {
		t.Errorf("drawn %s, is %s", cells, one.Cells)
	}
	at := b.Puzzle.Starts()
	for _, name := range one.Solution {
		done := false
		for m := range b.Puzzle.Layout().Moves {
			if b.Puzzle.FormatMove(puzzle.Move(m)) == name {
				done = b.Puzzle.Apply(at, at, puzzle.Move(m))
			}
		}
		if !done {
			t.Fatalf("move %s is not legal", name)
		}
	}
	marks := make([]bool, 1)
	if b.Puzzle.Goals(at, marks); !marks[0] {
		t.Error("the solution does not end at a goal")
	}
}

func TestRecordsThatLie(t *testing.T) {
	t.Parallel()
	var e pack.Explorer
	for _, change := range []func(r *sweep.Record){
		func(r *sweep.Record) { r.Layers[3]++ },
		func(r *sweep.Record) { r.Layers = r.Layers[:19] },
		func(r *sweep.Record) { r.Board = "BBCCJDDoIJGAAIoGoHEEoFFHo" },
	} {
		r := record()
		change(r)
		b, err := boardOf(r)
		if err == nil {
			_, err = e.Explore(t.Context(), r, b)
		}
		if err == nil {
			t.Errorf("%+v was taken", r)
		}
	}
	single := rulesOf5x5()
	single.Lengths = []int{1, 2}
	boards, err := pack.BoardsOf(single.String())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := boards.Board(record()); err == nil {
		t.Error("which way single cells move is not known")
	}
}

func TestBoardsOfOtherKinds(t *testing.T) {
	t.Parallel()
	for rules, test := range map[string]struct {
		record  sweep.Record
		rows    int
		columns int
		text    string
	}{
		"sweep: sokoban\nroom: -####/##@-#/#---#/#####\nboxes: 1\n": {
			sweep.Record{Board: "-####/##--#/#@$.#/#####", Layers: []uint64{1, 1}, Pieces: 1}, 4, 5,
			"puzzle: sokoban\nmetric: push\nmoves: 1\n ####\n##  #\n#@$.#\n#####\n",
		},
		"sweep: blocks\nmetric: slide\ngoal: A at 0,0\nboard: BA/..\n": {
			sweep.Record{Board: "B./.A", Layers: []uint64{3, 4, 4, 1}, Pieces: 2}, 2, 2,
			"puzzle: blocks\nmetric: slide\ngoal: A at 0,0\nmoves: 3\nstates: 12\n\nB.\n.A\n",
		},
	} {
		b, err := pack.BoardsOf(rules)
		if err != nil {
			t.Fatal(err)
		}
		if text := string(b.Headers()) + string(b.Body(&test.record)); text != test.text || b.Rows != test.rows || b.Columns != test.columns {
			t.Errorf("%d x %d, text\n%s\nwant\n%s", b.Rows, b.Columns, text, test.text)
		}
		board, err := b.Board(&test.record)
		if err != nil {
			t.Fatal(err)
		}
		var e pack.Explorer
		if !b.Reversible {
			if _, err := e.Explore(t.Context(), &test.record, board); !errors.Is(err, solve.ErrUnsuited) {
				t.Errorf("a puzzle whose moves cannot be undone: %v", err)
			}
			continue
		}
		p, err := e.Explore(t.Context(), &test.record, board)
		if err != nil || len(p.Pieces) != 2 || len(p.Vehicles) != 0 || p.Pieces[1].Name != "A" || !p.Pieces[1].Goal || len(p.Solution) != 3 {
			t.Errorf("%v: %+v", err, p)
		}
	}
	for _, rules := range []string{"sweep: blocks\nboard: BA/.\n", "sweep: sokoban\nboxes: x\n"} {
		if _, err := pack.BoardsOf(rules); err == nil {
			t.Errorf("%q was taken", rules)
		}
	}
}

// TestRectangles has the boards of a sweep of rectangles explored as single boards, which
// compares their clusters with the records.
func TestRectangles(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"sweep: rush-hour\nsize: 4x5\n", "sweep: rush-hour\nsize: 5x4\nexit-row: 2\n"} {
		r, err := rules.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		e, err := rushhour.New(r)
		if err != nil {
			t.Fatal(err)
		}
		boards, err := pack.BoardsOf(e.Rules())
		if err != nil || boards.Rows != r.Size.Rows || boards.Columns != r.Size.Columns {
			t.Fatalf("%+v, %v", boards, err)
		}
		w, n := e.Worker(), 0
		var explorer pack.Explorer
		for unit := range e.Units() {
			found, err := w.Do(t.Context(), unit)
			if err != nil {
				t.Fatal(err)
			}
			for i := range found.Records {
				b, err := boards.Board(&found.Records[i])
				if err == nil {
					_, err = explorer.Explore(t.Context(), &found.Records[i], b)
				}
				if err != nil {
					t.Fatal(err)
				}
				n++
			}
		}
		if n < 100 {
			t.Errorf("%s%d puzzles", text, n)
		}
	}
}
