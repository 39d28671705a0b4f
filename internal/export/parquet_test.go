package export

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/puzzle/partition"
)

// The columns stand in the order that the documentation gives.
func TestParquetSchema(t *testing.T) {
	t.Parallel()
	want := []string{"depth", "goal_distance", "key", "move_id", "move", "goal", "partition", "state", "predecessor"}
	for words := 1; words <= puzzle.WordsMax; words++ {
		schema := parquetSchema(puzzle.Layout{KeyBits: 64 * words, Moves: 2}, true)
		var got []string
		for _, f := range schema.Fields() {
			got = append(got, f.Name())
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d words: %v", words, got)
		}
		if leaf, ok := schema.Lookup("key"); !ok || words > 1 && leaf.Node.Type().Length() != 8*words {
			t.Errorf("%d words: a key is %v", words, leaf.Node)
		}
	}
}

// Keys of several words are their bytes, and sort as they do.
func TestParquetWideKeys(t *testing.T) {
	t.Parallel()
	const rows, words = 5000, 3
	rng := rand.New(rand.NewPCG(1, 2))
	b := &query.Batch{
		Words: words, Depths: make([]uint32, rows), Partitions: make([]partition.ID, rows), Goals: make([]bool, rows),
		GoalDistances: make([]int32, rows), Moves: make([]puzzle.Move, rows),
	}
	for range rows * words {
		b.Keys = append(b.Keys, rng.Uint64())
	}
	var file bytes.Buffer
	out := parquet.NewGenericWriter[any](&file, parquetSchema(puzzle.Layout{KeyBits: 64 * words, Moves: 1}, false))
	g := &parquetGroup{to: out.BeginRowGroup(), values: make([]parquet.Value, 0, parquetValues)}
	if err := g.encode(b); err != nil {
		t.Fatal(err)
	}
	if _, err := g.to.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	type wide struct {
		Key [8 * words]byte `parquet:"key"`
	}
	got, err := parquet.Read[wide](bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil || len(got) != rows {
		t.Fatalf("%d rows, %v", len(got), err)
	}
	for i := range got {
		for j, word := range b.Key(i) {
			if w := binary.BigEndian.Uint64(got[i].Key[8*j:]); w != word {
				t.Fatalf("row %d, word %d: %x, want %x", i, j, w, word)
			}
		}
	}
}

// Several row groups, of which workers make some at the same time, come in order.
func TestParquetRowGroups(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "puzzles", "rushhour", "jam-93.txt"))
	if err != nil {
		t.Fatal(err)
	}
	boards, err := families.Read(text, puzzle.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := engine.Create(filepath.Join(t.TempDir(), "run"), boards[0], engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := r.Explore(t.Context(), history.Want{GoalDistance: true}); err != nil {
		t.Fatal(err)
	}
	type row struct {
		Depth        int32   `parquet:"depth"`
		GoalDistance *int32  `parquet:"goal_distance"`
		Key          uint64  `parquet:"key"`
		Move         *string `parquet:"move"`
		Partition    int32   `parquet:"partition"`
	}
	rowsOf := func(groupRows int) (groups int, rows []row) {
		var file bytes.Buffer
		if err := (&Options{}).parquet(t.Context(), r, &file, groupRows); err != nil {
			t.Fatal(err)
		}
		f, err := parquet.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
		if err != nil {
			t.Fatal(err)
		}
		rows, err = parquet.Read[row](bytes.NewReader(file.Bytes()), int64(file.Len()))
		if err != nil {
			t.Fatal(err)
		}
		return len(f.RowGroups()), rows
	}
	_, want := rowsOf(parquetGroupRows)
	n, got := rowsOf(1000)
	if n != 25 || len(got) != 24132 || len(want) != 24132 {
		t.Fatalf("%d groups, %d rows, in one group %d", n, len(got), len(want))
	}
	for i := range got {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Fatalf("row %d is %+v, want %+v", i, got[i], want[i])
		}
	}
	states := int64(0)
	for depth, layer := range r.History().Layers(history.Forward) {
		if row := got[states]; int(row.Depth) != depth {
			t.Errorf("row %d has depth %d, want %d", states, row.Depth, depth)
		}
		states += layer.States
	}
}
