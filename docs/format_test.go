// Package docs holds no code: its test keeps the examples in the documents true.
package docs

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/digest"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
)

// FORMAT.md shows the bytes of one small layer: they are what the code writes.
func TestFormat(t *testing.T) {
	scheme, err := partition.New(puzzle.Layout{KeyBits: 8, Moves: 26}, 4)
	if err != nil {
		t.Fatal(err)
	}
	layer := history.Layer{
		Phase: history.Forward, Depth: 1, Epoch: 2, States: 3, Generated: 5, Goals: 1,
		PartStates: []int64{0, 0, 3, 0}, Nanos: 1_000_000,
	}
	var shown []string
	var recs []uint64
	for _, state := range []struct {
		key  uint64
		move puzzle.Move
	}{{0x5a, 25}, {0xb6, 0}, {0x83, 3}} {
		part, rec := scheme.RecordNarrow(state.key, state.move)
		recs = append(recs, rec)
		layer.Digest.AddNarrow(digest.LayerSalt(1, 1), state.key, state.move)
		shown = append(shown, fmt.Sprintf("key %02x, move %d -> partition %d, record %03x", state.key, state.move, part, rec))
	}
	var block []byte
	block, layer.Bytes = writeBlock(t, scheme, recs)
	shown = append(shown,
		fmt.Sprintf("% x", block),
		layer.Digest.String(),
		fmt.Sprintf("% x", journal.Layer(layer)),
	)

	body, err := os.ReadFile("FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	text := oneLine(string(body))
	for _, s := range shown {
		if !strings.Contains(text, s) {
			t.Errorf("FORMAT.md does not show\n%s", s)
		}
	}
}

// writeBlock returns the block of the records in partition 2, as the store
// writes it, and the bytes that the layer takes.
func writeBlock(t *testing.T, scheme partition.Scheme, recs []uint64) (block []byte, size int64) {
	t.Helper()
	s, err := store.Open("run", store.Options{FS: vfs.NewMem()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	shape := store.Shape{Stride: scheme.Stride(), KeyBits: scheme.LocalBits(), MoveBits: scheme.MoveBits()}
	w := s.NewWriter(shape, store.SegmentID{Phase: 1, Layer: 1, Epoch: 2})
	keep := func(b []byte) { block = b }
	if err := w.Append(2, recs, keep); err != nil {
		t.Fatal(err)
	}
	if err := w.EndPartition(keep); err != nil {
		t.Fatal(err)
	}
	size, err = w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return block, size
}

// oneLine makes every run of white space one space.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
