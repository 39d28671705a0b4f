// Package docs holds no code: its test keeps the examples of the documents true.
package docs

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/digest"
	"github.com/everystate/everystate/partition"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/store"
)

// example is the layer that FORMAT.md shows the bytes of: three states of a
// puzzle with keys of 8 bits and 26 moves, in partition 2 of 4.
type example struct {
	scheme partition.Scheme
	keys   []uint64
	moves  []puzzle.Move
	recs   []uint64
	layer  core.Layer
}

func newExample(t *testing.T) example {
	t.Helper()
	scheme, err := partition.New(puzzle.Layout{KeyBits: 8, Moves: 26}, 4)
	if err != nil {
		t.Fatal(err)
	}
	ex := example{
		scheme: scheme,
		keys:   []uint64{0x5a, 0, 0},
		moves:  []puzzle.Move{25, 0, 3},
		layer: core.Layer{
			Phase: core.Forward, Depth: 1, Epoch: 2, States: 3, Generated: 5, Goals: 1,
			PartStates: []int64{0, 0, 3, 0}, Nanos: 1_000_000,
		},
	}
	// The keys of the records 9 and 0x3f of partition 2.
	ex.keys[1] = scheme.KeyNarrow(2, 9<<5)
	ex.keys[2] = scheme.KeyNarrow(2, 0x3f<<5)
	return ex
}

func (ex *example) record(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	salt := digest.LayerSalt(1, 1)
	rows := make(map[uint64]string)
	for i, key := range ex.keys {
		part, rec := ex.scheme.RecordNarrow(key, ex.moves[i])
		if part != 2 {
			t.Fatalf("key %#x is in partition %d", key, part)
		}
		ex.recs = append(ex.recs, rec)
		ex.layer.Digest.AddNarrow(salt, key, ex.moves[i])
		rows[rec] = fmt.Sprintf("key %02x, move %2d   ->  partition %d, record %03x\n", key, ex.moves[i], part, rec)
	}
	for rec := range uint64(1 << 11) {
		text.WriteString(rows[rec])
	}
	return text.String()
}

// block returns the bytes of the block, as the store writes it.
func (ex *example) block(t *testing.T) string {
	t.Helper()
	fs := vfs.NewMem()
	s, err := store.Open("run", store.Options{FS: fs})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	shape := store.Shape{Stride: 1, KeyBits: ex.scheme.LocalBits(), MoveBits: ex.scheme.MoveBits()}
	w := s.NewWriter(shape, store.RunID{Phase: 1, Layer: 1, Epoch: 2})
	var block []byte
	keep := func(b []byte) { block = b }
	sorted := []uint64{ex.recs[1], ex.recs[0], ex.recs[2]}
	if sorted[0] > sorted[1] {
		sorted[0], sorted[1] = sorted[1], sorted[0]
	}
	if err := w.Append(2, sorted, keep); err != nil {
		t.Fatal(err)
	}
	if err := w.EndPartition(keep); err != nil {
		t.Fatal(err)
	}
	bytes, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	ex.layer.Bytes = bytes
	return fmt.Sprintf("% x", block)
}

// Every example that FORMAT.md shows is what the code writes.
func TestFormat(t *testing.T) {
	body, err := os.ReadFile("FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(body)), " ")
	ex := newExample(t)
	for _, shown := range []string{
		ex.record(t),
		ex.block(t),
		ex.layer.Digest.String(),
		fmt.Sprintf("% x", journal.Layer(ex.layer)),
	} {
		if !strings.Contains(text, strings.Join(strings.Fields(shown), " ")) {
			t.Errorf("FORMAT.md does not show\n%s", shown)
		}
	}
}
