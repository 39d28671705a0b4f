package store

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

func narrowShape() Shape { return Shape{Stride: 1, KeyBits: 38, MoveBits: 5} }

func openMem(tb testing.TB, fs vfs.FS, opts Options) *Store {
	tb.Helper()
	opts.FS = fs
	s, err := Open("run", opts)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func closeStore(tb testing.TB, s *Store) {
	tb.Helper()
	if err := s.Close(); err != nil {
		tb.Fatal(err)
	}
}

// writeSegment writes a segment whose partitions have the given records, and returns
// the blocks of each that were handed out.
func writeSegment(tb testing.TB, s *Store, shape Shape, id SegmentID, parts [][]uint64) (kept [][][]byte, size int64) {
	tb.Helper()
	w := s.NewWriter(shape, id)
	defer w.Abort()
	kept = make([][][]byte, len(parts))
	for p, recs := range parts {
		keep := func(block []byte) { kept[p] = append(kept[p], block) }
		// Records come in pieces that have nothing to do with blocks.
		for len(recs) > 0 {
			n := min(len(recs), 1000*shape.Stride)
			if err := w.Append(uint32(p), recs[:n], keep); err != nil {
				tb.Fatal(err)
			}
			recs = recs[n:]
		}
		if err := w.EndPartition(keep); err != nil {
			tb.Fatal(err)
		}
	}
	size, err := w.Finish()
	if err != nil {
		tb.Fatal(err)
	}
	return kept, size
}

// readAll reads a cursor to its end, and returns the records and the sizes of
// the blocks.
func readAll(tb testing.TB, c *Cursor) (recs []uint64, blocks []int) {
	tb.Helper()
	for {
		block, err := c.Next()
		if err != nil {
			tb.Fatal(err)
		}
		if len(block) == 0 {
			break
		}
		recs = append(recs, block...)
		blocks = append(blocks, len(block)/c.shape.Stride)
	}
	if again, err := c.Next(); err != nil || len(again) != 0 {
		tb.Errorf("after the end: %d words, %v", len(again), err)
	}
	if err := c.Close(); err != nil {
		tb.Error(err)
	}
	return recs, blocks
}

func readPart(tb testing.TB, s *Store, shape Shape, id SegmentID, part uint32) (recs []uint64, blocks []int) {
	tb.Helper()
	c, err := s.NewCursor(shape, id, part)
	if err != nil {
		tb.Fatal(err)
	}
	return readAll(tb, c)
}

// tables counts the tables that are made in scratch.
func tables(n *atomic.Int64) errorfs.Injector {
	return errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpCreate && strings.Contains(op.Path, "/table-") {
			n.Add(1)
		}
		return nil
	})
}

// What is written is read back, from memory, from Pebble and after opening
// again; through the log, in a table, and in several.
func TestRunRoundTrip(t *testing.T) {
	for _, shape := range []Shape{narrowShape(), {Stride: 3, MoveBits: 5}} {
		for _, way := range []struct {
			name       string
			batchBytes int64
			tableBytes uint64
			tables     [2]int64 // least and most
		}{
			{"log", 1 << 20, tableBytesMax, [2]int64{0, 0}},
			{"table", 10, tableBytesMax, [2]int64{1, 1}},
			{"log, then table", 60 << 10, tableBytesMax, [2]int64{1, 1}},
			{"tables", 10, 50 << 10, [2]int64{2, 10}},
			{"table for every block", 10, 1, [2]int64{5, 9}},
		} {
			t.Run(fmt.Sprintf("%s, %d words", way.name, shape.Stride), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(1, uint64(shape.Stride)))
				var made atomic.Int64
				disk := vfs.NewMem()
				s := openMem(t, errorfs.Wrap(disk, tables(&made)), Options{BatchBytes: way.batchBytes})
				s.tableBytes = way.tableBytes
				var parts [][]uint64
				for _, n := range []int{10, 0, 2 * BlockRecords, 3*BlockRecords + 17, 0, 1} {
					parts = append(parts, randomRecords(rng, shape, n))
				}
				id := SegmentID{Phase: 1, Layer: 300, Epoch: 70_000}
				kept, size := writeSegment(t, s, shape, id, parts)
				if n := made.Load(); n < way.tables[0] || n > way.tables[1] {
					t.Errorf("%d tables, want %v", n, way.tables)
				}
				var keptBytes int64
				for p, blocks := range kept {
					for _, b := range blocks {
						keptBytes += int64(len(b) + segmentPrefixSize + len(shape.appendKey(nil, parts[p])))
					}
					if got, _ := readAll(t, NewMemoryCursor(shape, blocks)); !slices.Equal(got, parts[p]) {
						t.Errorf("partition %d: other records in memory", p)
					}
				}
				if size != keptBytes {
					t.Errorf("%d bytes, want %d", size, keptBytes)
				}
				check := func(s *Store) {
					for p, want := range parts {
						if got, _ := readPart(t, s, shape, id, uint32(p)); !slices.Equal(got, want) {
							t.Errorf("partition %d: other records in the store", p)
						}
					}
				}
				check(s)
				if left, err := disk.List("run/scratch"); err != nil || len(left) > 0 {
					t.Errorf("left in scratch: %v, %v", left, err)
				}
				closeStore(t, s)
				s = openMem(t, disk, Options{ReadOnly: true})
				check(s)
				closeStore(t, s)
			})
		}
	}
}

func TestBlockBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 0))
	s := openMem(t, vfs.NewMem(), Options{})
	for i, test := range []struct {
		records int
		blocks  []int
	}{
		{0, nil}, {1, []int{1}}, {4095, []int{4095}}, {4096, []int{4096}}, {4097, []int{4096, 1}},
		{8191, []int{4096, 4095}}, {8192, []int{4096, 4096}}, {8193, []int{4096, 4096, 1}},
	} {
		for j, shape := range []Shape{narrowShape(), {Stride: 2}} {
			recs := randomRecords(rng, shape, test.records)
			id := SegmentID{Phase: 1, Layer: uint32(10*i + j), Epoch: 1}
			kept, _ := writeSegment(t, s, shape, id, [][]uint64{recs})
			got, blocks := readPart(t, s, shape, id, 0)
			if !slices.Equal(got, recs) || !slices.Equal(blocks, test.blocks) || len(kept[0]) != len(blocks) {
				t.Errorf("%d records, %d words each: blocks %v, want %v", test.records, shape.Stride, blocks, test.blocks)
			}
		}
	}
	closeStore(t, s)
}

// Every record is found, and nothing beside it: before the first block, between
// blocks, behind the last, in other partitions, layers and epochs.
func TestFind(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	for _, shape := range []Shape{narrowShape(), {Stride: 3, MoveBits: 5}} {
		s := openMem(t, vfs.NewMem(), Options{})
		all := randomRecords(rng, shape, 5*BlockRecords)
		// Every other record is there, with the first and the last absent.
		var parts [3][]uint64
		for i := shape.Stride; i < len(all); i += 2 * shape.Stride {
			parts[1] = append(parts[1], all[i:i+shape.Stride]...)
		}
		parts[1] = parts[1][:len(parts[1])-shape.Stride]
		parts[0], parts[2] = all[:shape.Stride], all[len(all)-shape.Stride:]
		id := SegmentID{Phase: 1, Layer: 5, Epoch: 9}
		writeSegment(t, s, shape, id, parts[:])
		blocks := len(parts[1]) / shape.Stride / BlockRecords
		if blocks != 2 {
			t.Fatalf("%d full blocks: the test does not test what it should", blocks)
		}
		for i := 0; i < len(all); i += shape.Stride {
			n := i / shape.Stride
			// All of them take long: those at the ends and at the bounds of blocks.
			if near := n % (2 * BlockRecords); n > 10 && n < 5*BlockRecords-10 && near > 5 && near < 2*BlockRecords-5 && n%131 != 0 {
				continue
			}
			rec := slices.Clone(all[i : i+shape.Stride])
			want := n%2 == 1 && n != 5*BlockRecords-1
			if shape.Stride == 1 {
				rec[0] ^= rng.Uint64N(32) // the link does not matter
			} else {
				rec[shape.Stride-1] = rng.Uint64N(32)
			}
			got, ok, err := s.Find(shape, id, 1, rec, []uint64{42})
			if err != nil {
				t.Fatal(err)
			}
			if ok != want || got[0] != 42 || ok && !slices.Equal(got[1:], all[i:i+shape.Stride]) || !ok && len(got) != 1 {
				t.Fatalf("%d words, record %d: found %t %x, want %t", shape.Stride, n, ok, got, want)
			}
			for _, other := range []SegmentID{{Phase: 2, Layer: 5, Epoch: 9}, {Phase: 1, Layer: 4, Epoch: 9}, {Phase: 1, Layer: 6, Epoch: 9}, {Phase: 1, Layer: 5, Epoch: 8}, {Phase: 1, Layer: 5, Epoch: 10}} {
				if _, ok, err := s.Find(shape, other, 1, rec, nil); ok || err != nil {
					t.Fatalf("found in %v: %t, %v", other, ok, err)
				}
			}
			if _, ok, err := s.Find(shape, id, 3, rec, nil); ok || err != nil {
				t.Fatalf("found in partition 3: %t, %v", ok, err)
			}
		}
		closeStore(t, s)
	}
}

func TestWriterOrder(t *testing.T) {
	s := openMem(t, vfs.NewMem(), Options{})
	shape, rec := narrowShape(), []uint64{1 << 5}
	write := func(steps ...func(w *Writer) error) error {
		w := s.NewWriter(shape, SegmentID{Phase: 1})
		defer w.Abort()
		for _, step := range steps {
			if err := step(w); err != nil {
				return err
			}
		}
		_, err := w.Finish()
		return err
	}
	appendTo := func(part uint32) func(w *Writer) error {
		return func(w *Writer) error { return w.Append(part, rec, nil) }
	}
	end := func(w *Writer) error { return w.EndPartition(nil) }
	for _, test := range []struct {
		name  string
		steps []func(w *Writer) error
		want  string
	}{
		{"nothing", nil, ""},
		{"nothing but an end", []func(w *Writer) error{end}, ""},
		{"two partitions", []func(w *Writer) error{appendTo(1), end, appendTo(3), end}, ""},
		{"backwards", []func(w *Writer) error{appendTo(3), end, appendTo(1), end}, "partition 1 after 3"},
		{"not finished", []func(w *Writer) error{appendTo(1), appendTo(3)}, "partition 1 was not finished"},
		{"last one not finished", []func(w *Writer) error{appendTo(1), end, appendTo(3)}, "partition 3 was not finished"},
	} {
		err := write(test.steps...)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: got %v, want %q", test.name, err, test.want)
		}
	}
	closeStore(t, s)
}

// What is aborted leaves nothing, neither records nor files.
func TestAbort(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 0))
	recs := randomRecords(rng, narrowShape(), 3*BlockRecords)
	for _, batchBytes := range []int64{1 << 20, 10} {
		disk := vfs.NewMem()
		s := openMem(t, disk, Options{BatchBytes: batchBytes})
		s.tableBytes = 20 << 10
		id := SegmentID{Phase: 1, Layer: 1, Epoch: 1}
		w := s.NewWriter(narrowShape(), id)
		if err := errors.Join(w.Append(0, recs, nil), w.EndPartition(nil)); err != nil {
			t.Fatal(err)
		}
		w.Abort()
		w.Abort()
		if got, _ := readPart(t, s, narrowShape(), id, 0); len(got) != 0 {
			t.Errorf("batch of %d bytes: %d records of an aborted segment", batchBytes, len(got))
		}
		if left, err := disk.List("run/scratch"); err != nil || len(left) > 0 {
			t.Errorf("batch of %d bytes: left in scratch: %v, %v", batchBytes, left, err)
		}
		closeStore(t, s)
	}
}

// Attempts at one layer do not see each other, and DropFrom removes what it
// should and no more.
func TestEpochsAndDropFrom(t *testing.T) {
	shape := narrowShape()
	for _, batchBytes := range []int64{1 << 20, 10} {
		disk := vfs.NewMem()
		s := openMem(t, disk, Options{BatchBytes: batchBytes})
		var ids []SegmentID
		for _, phase := range []uint8{1, 2} {
			for _, layer := range []uint32{0, 1, 255, 256, 70_000} {
				for _, epoch := range []uint32{1, 2, 300} {
					ids = append(ids, SegmentID{Phase: phase, Layer: layer, Epoch: epoch})
				}
			}
		}
		rec := func(id SegmentID, part int) []uint64 {
			return []uint64{uint64(id.Phase)<<36 | uint64(id.Layer)<<16 | uint64(id.Epoch)<<6 | uint64(part)<<5}
		}
		for _, id := range ids {
			writeSegment(t, s, shape, id, [][]uint64{rec(id, 0), rec(id, 1)})
		}
		check := func(there func(id SegmentID) bool) {
			t.Helper()
			for _, id := range ids {
				for part := range 2 {
					var want []uint64
					if there(id) {
						want = rec(id, part)
					}
					if got, _ := readPart(t, s, shape, id, uint32(part)); !slices.Equal(got, want) {
						t.Errorf("%v, partition %d: got %x, want %x", id, part, got, want)
					}
				}
			}
		}
		check(func(SegmentID) bool { return true })
		drop := func(phase uint8, layer uint32) {
			t.Helper()
			if err := s.DropFrom(phase, layer); err != nil {
				t.Fatal(err)
			}
		}
		drop(3, 0)
		drop(1, 70_001)
		check(func(SegmentID) bool { return true })
		drop(1, 256)
		check(func(id SegmentID) bool { return id.Phase == 2 || id.Layer < 256 })
		if err := s.AppendJournal([]byte("kept"), true); err != nil {
			t.Fatal(err)
		}
		drop(2, 0)
		drop(2, 0)
		check(func(id SegmentID) bool { return id.Phase == 1 && id.Layer < 256 })
		closeStore(t, s)
		s = openMem(t, disk, Options{})
		check(func(id SegmentID) bool { return id.Phase == 1 && id.Layer < 256 })
		if entries := journalOf(t, s); len(entries) != 1 {
			t.Errorf("%d journal entries", len(entries))
		}
		// A layer that was dropped can be written again.
		again := SegmentID{Phase: 1, Layer: 256, Epoch: 2}
		writeSegment(t, s, shape, again, [][]uint64{rec(again, 0), rec(again, 1)})
		check(func(id SegmentID) bool { return id.Phase == 1 && id.Layer < 256 || id == again })
		closeStore(t, s)
	}
}

// Bytes that are not what was written are reported with their place, never
// returned as records.
func TestCorruptedBlock(t *testing.T) {
	shape, id := narrowShape(), SegmentID{Phase: 1, Layer: 7, Epoch: 3}
	recs := randomRecords(rand.New(rand.NewPCG(5, 0)), shape, 100)
	key := shape.appendKey(appendSegmentPrefix(nil, id, 2), recs)
	block := shape.appendBlock(nil, recs, key)
	flipped := bytes.Clone(block)
	flipped[20] ^= 4
	elsewhere := appendSegmentPrefix(nil, id, 2)
	elsewhere = shape.appendKey(elsewhere, recs[1:])
	otherShape := Shape{Stride: 3}
	for name, put := range map[string]struct{ key, block []byte }{
		"checksum does not match":        {key, flipped},
		"is in the wrong place":          {elsewhere, shape.appendBlock(nil, recs, elsewhere)},
		"is not a block of this segment": {key, otherShape.appendBlock(nil, randomRecords(rand.New(rand.NewPCG(6, 0)), otherShape, 9), key)},
		"checksum does not match ":       {elsewhere, block},
		"checksum does not match  ":      {key, nil},
		"checksum does not match\t":      {key, []byte{1, 2, 3}},
		"checksum does not match\t\t":    {key, block[:len(block)-1]},
	} {
		s := openMem(t, vfs.NewMem(), Options{})
		if err := s.db.Set(put.key, put.block, nil); err != nil {
			t.Fatal(err)
		}
		c, err := s.NewCursor(shape, id, 2)
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.Next()
		var damage *CorruptionError
		if !errors.As(err, &damage) || damage.What != strings.TrimSpace(name) || len(got) != 0 || !IsCorruption(err) ||
			!strings.HasPrefix(damage.Where, "run: phase 1, layer 7, partition 2, block ") {
			t.Errorf("%s: got %d words, %v", name, len(got), err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := EachBlock(s, id, []uint32{1, 2, 3}, func(uint32, []byte) error { return nil }); strings.HasPrefix(name, "checksum") && !IsCorruption(err) {
			t.Errorf("%s: EachBlock: %v", name, err)
		}
		if _, ok, err := s.Find(shape, id, 2, recs[99:], nil); ok || !IsCorruption(err) {
			t.Errorf("%s: Find: %t, %v", name, ok, err)
		}
		closeStore(t, s)
	}
	c := NewMemoryCursor(shape, [][]byte{{1, 2, 3}})
	if _, err := c.Next(); !IsCorruption(err) {
		t.Errorf("in memory: %v", err)
	}
}

func TestDiskBytes(t *testing.T) {
	s := openMem(t, vfs.NewMem(), Options{BatchBytes: 10})
	before := s.DiskBytes()
	recs := randomRecords(rand.New(rand.NewPCG(6, 0)), narrowShape(), 3*BlockRecords)
	_, size := writeSegment(t, s, narrowShape(), SegmentID{Phase: 1}, [][]uint64{recs})
	if got := s.DiskBytes() - before; got < size || got > size+size/10+4096 {
		t.Errorf("%d bytes written take %d on disk", size, got)
	}
	closeStore(t, s)
}

// TestEachBlock compares what it passes with what cursors read, for some partitions of a
// layer that was made by two attempts, and stops at an error of the caller.
func TestEachBlock(t *testing.T) {
	t.Parallel()
	const parts = 9
	fs, shape := vfs.NewMem(), narrowShape()
	s := openMem(t, fs, Options{})
	defer closeStore(t, s)
	r := rand.New(rand.NewPCG(7, 7))
	id := SegmentID{Phase: 1, Layer: 3, Epoch: 5}
	for _, id := range []SegmentID{id, {Phase: 1, Layer: 3, Epoch: 6}, {Phase: 1, Layer: 4, Epoch: 7}} {
		of := make([][]uint64, parts)
		for p := range of {
			for range r.IntN(3) * 3000 { // some partitions are empty, some have two blocks
				of[p] = append(of[p], r.Uint64N(1<<38)<<5)
			}
			slices.Sort(of[p])
			of[p] = slices.Compact(of[p])
		}
		writeSegment(t, s, shape, id, of)
	}
	type found struct {
		part  uint32
		block string
	}
	for range 50 {
		var some []uint32
		var want, got []found
		for part := range uint32(parts + 1) {
			if r.IntN(2) == 0 {
				continue
			}
			some = append(some, part)
			c, err := s.NewCursor(shape, id, part)
			if err != nil {
				t.Fatal(err)
			}
			for {
				block, err := c.NextBlock(nil)
				if err != nil {
					t.Fatal(err)
				}
				if len(block) == 0 {
					break
				}
				want = append(want, found{part, string(block)})
			}
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := EachBlock(s, id, some, func(part uint32, block []byte) error {
			got = append(got, found{part, string(block)})
			return nil
		}); err != nil || !slices.Equal(got, want) {
			t.Fatalf("partitions %v: %d blocks, %v; want %d", some, len(got), err, len(want))
		}
		stop := errors.New("stop")
		if err := EachBlock(s, id, some, func(uint32, []byte) error { return stop }); len(want) > 0 && !errors.Is(err, stop) {
			t.Fatalf("the caller stops: %v", err)
		}
	}
}
