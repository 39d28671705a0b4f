package clustertest

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/store/bucket"
)

// board is a board with what is known of it.
type board struct {
	Input          string  `json:"input"`
	Metric         string  `json:"metric"`
	ID             string  `json:"id"`
	Layers         []int64 `json:"layers"`
	SolutionLength int     `json:"solution_length"`
	Distances      []int64 `json:"distance_to_goal"`

	board  puzzle.Board
	digest func() (string, error) // of all layers of both phases
}

// The boards of these tests, by length.
const (
	long   = "rush-crs-93/unit"   // 24,132 states in 121 layers, and 94 of goal distances
	middle = "rush-bird-g3/unit"  // 1,366 in 78 and 56
	short  = "rush-bird-g3/slide" // the same in 49 and 33

	even = "rush-fog-xoKCCCIoKLDDIAALMNoJEEMNoJFFMoGGooox/unit" // 26,686 in 121, some hundreds in most
)

// boards reads the file of known results, once.
var boards = sync.OnceValues(func() (map[string]*board, error) {
	text, err := os.ReadFile("../../../testdata/truth/rush-hour.json")
	if err != nil {
		return nil, err
	}
	var list []*board
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	known := make(map[string]*board)
	for _, b := range list {
		if b.ID != long && b.ID != middle && b.ID != short && b.ID != even {
			continue
		}
		read, err := families.Read([]byte(b.Input), puzzle.ReadOptions{Metric: b.Metric})
		if err != nil {
			return nil, err
		}
		b.board = read[0]
		b.digest = sync.OnceValues(func() (string, error) { return digestOf(b.board, everything()) })
		known[b.ID] = b
	}
	return known, nil
})

func boardOf(t *testing.T, id string) *board {
	t.Helper()
	known, err := boards()
	if err != nil {
		t.Fatal(err)
	}
	return known[id]
}

// digestOf explores a board in process.
func digestOf(b puzzle.Board, want history.Want) (digest string, err error) {
	r, err := inProcess(context.Background(), b, want)
	if err != nil {
		return "", err
	}
	return r.History().Digest().String(), r.Close()
}

// spec is what a run of the board explores.
func (b *board) spec() history.Spec {
	return history.Spec{
		Family: b.board.Family, Name: b.board.Name, Metric: b.board.Metric, Text: b.board.Text, Partitions: partitions,
	}
}

// checkSoFar checks the forward layers of an incomplete history.
func (b *board) checkSoFar(t *testing.T, what string, h *history.History) {
	t.Helper()
	for i, l := range h.Layers(history.Forward) {
		if i >= len(b.Layers) || l.States != b.Layers[i] {
			t.Errorf("%s: layer %d has %d states", what, i, l.States)
		}
	}
}

// check compares a history with the known results.
func (b *board) check(t *testing.T, what string, h *history.History) {
	t.Helper()
	for phase, want := range map[history.Phase][]int64{history.Forward: b.Layers, history.Goal: b.Distances} {
		var got []int64
		for _, l := range h.Layers(phase) {
			got = append(got, l.States)
		}
		if !slices.Equal(got, want) || h.End(phase) == nil {
			t.Errorf("%s: %v layers are\n%v, want\n%v", what, phase, got, want)
		}
	}
	want, err := b.digest()
	if err != nil {
		t.Fatal(err)
	}
	if got := h.Digest().String(); got != want {
		t.Errorf("%s: digest %s, want %s", what, got, want)
	}
}

// inBucket waits until a run that is over is in the bucket, and checks that the bucket
// has one valid history, the right one, with every layer's blocks.
func (c *coordinator) inBucket(run string, b *board) {
	c.t.Helper()
	ctx := c.t.Context()
	c.untilRun(run, "is in the bucket", func(s client.Status, _ map[string]client.Worker) bool {
		return s.Entries > 0 && s.DurableEntries == s.Entries
	})
	bkt, err := bucket.Open(ctx, c.bucket)
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() {
		if err := bkt.Close(); err != nil {
			c.t.Error(err)
		}
	}()
	kept := bkt.Run(run)
	log, err := kept.Log(ctx, 0)
	if err != nil {
		c.t.Fatal(err)
	}
	_, past, err := journal.Read(journal.Entries(log))
	if err != nil {
		c.t.Fatalf("the log of %s: %v", run, err)
	}
	b.check(c.t, "the log of "+run, &past)
	objects := 0
	for i, entry := range log {
		e, err := journal.ReadEntry(entry, partitions)
		if err != nil {
			c.t.Fatalf("log entry %d: %v", i, err)
		}
		if e.Layer == nil {
			continue
		}
		held := make([]bool, partitions)
		for _, o := range e.Objects {
			objects++
			if size, err := kept.Stat(ctx, o.Name); err != nil || size != o.Bytes {
				c.t.Errorf("log entry %d: object %s has %d bytes, want %d: %v", i, o.Name, size, o.Bytes, err)
			}
			for _, p := range o.Partitions {
				if held[p] {
					c.t.Errorf("log entry %d: partition %d twice", i, p)
				}
				held[p] = true
			}
		}
		for p, states := range e.Layer.PartStates {
			if held[p] != (states > 0) {
				c.t.Errorf("log entry %d: partition %d has %d states, in an object: %v", i, p, states, held[p])
			}
		}
	}
	if objects == 0 {
		c.t.Error("no object in the bucket")
	}
}
