package store

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// perState reports the time of each of n states that one iteration handles, and
// how many there are a second.
func perState(b *testing.B, n int) {
	b.Helper()
	states := float64(b.N) * float64(n)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/states, "ns/state")
	b.ReportMetric(states/b.Elapsed().Seconds(), "states/s")
}

// dense returns n sorted records with gaps of about the given width, as those
// of a partition have.
func dense(n int, gap uint64) []uint64 {
	rng := rand.New(rand.NewPCG(9, 10))
	recs := make([]uint64, n)
	at := uint64(0)
	for i := range recs {
		at += 1 + rng.Uint64N(2*gap)
		recs[i] = at<<5 | rng.Uint64N(26)
	}
	return recs
}

const benchSegmentRecords = 64 * BlockRecords

// benchWriter writes segments of a quarter of a million states; time a state.
func benchWriter(b *testing.B, s *Store, recs []uint64) {
	b.Helper()
	var size int64
	epoch := uint32(0)
	for b.Loop() {
		epoch++
		_, size = writeSegment(b, s, narrowShape(), SegmentID{Phase: 1, Layer: 1, Epoch: epoch}, [][]uint64{recs})
		b.StopTimer()
		if err := s.DropFrom(1, 1); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.SetBytes(size)
	perState(b, len(recs))
	b.ReportMetric(float64(size)/float64(len(recs)), "bytes/state")
}

// Writing segments through the log and into tables, in memory and on disk.
func BenchmarkWriter(b *testing.B) {
	for _, way := range []struct {
		name  string
		disk  bool
		batch int64
		n     int
	}{
		{"log/memory", false, 64 << 20, 16 * BlockRecords},
		{"tables/memory", false, 1 << 20, benchSegmentRecords},
		{"log/disk", true, 64 << 20, 16 * BlockRecords},
		{"tables/disk", true, 1 << 20, benchSegmentRecords},
	} {
		b.Run(way.name, func(b *testing.B) {
			s := benchStore(b, way.disk, Options{BatchBytes: way.batch})
			benchWriter(b, s, dense(way.n, 1<<14))
		})
	}
}

func benchStore(b *testing.B, disk bool, opts Options) *Store {
	b.Helper()
	opts.FS = vfs.NewMem()
	dir := "run"
	if disk {
		opts.FS, dir = vfs.Default, filepath.Join(b.TempDir(), "run")
	}
	s, err := Open(dir, opts)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	})
	return s
}

// Reading a partition of a quarter of a million states: blocks that a worker
// kept, tables in Pebble's cache, and tables that the cache is too small for.
func BenchmarkCursor(b *testing.B) {
	recs := dense(benchSegmentRecords, 1<<14)
	id := SegmentID{Phase: 1, Layer: 1, Epoch: 1}
	read := func(b *testing.B, open func() (*Cursor, error)) {
		b.Helper()
		for b.Loop() {
			c, err := open()
			if err != nil {
				b.Fatal(err)
			}
			n := 0
			for {
				block, err := c.Next()
				if err != nil {
					b.Fatal(err)
				}
				if len(block) == 0 {
					break
				}
				n += len(block)
			}
			if err := c.Close(); err != nil || n != len(recs) {
				b.Fatal(n, err)
			}
		}
		perState(b, len(recs))
	}
	b.Run("memory", func(b *testing.B) {
		kept, size := writeSegment(b, benchStore(b, false, Options{}), narrowShape(), id, [][]uint64{recs})
		b.SetBytes(size)
		read(b, func() (*Cursor, error) { return NewMemoryCursor(narrowShape(), kept[0]), nil })
		b.ReportMetric(float64(size)/float64(len(recs)), "bytes/state")
	})
	for _, way := range []struct {
		name  string
		disk  bool
		cache int64
	}{{"pebble/cached", false, 64 << 20}, {"pebble/disk", true, 1 << 10}} {
		b.Run(way.name, func(b *testing.B) {
			s := benchStore(b, way.disk, Options{CacheBytes: way.cache})
			_, size := writeSegment(b, s, narrowShape(), id, [][]uint64{recs})
			b.SetBytes(size)
			read(b, func() (*Cursor, error) { return s.NewCursor(narrowShape(), id, 0) })
			b.ReportMetric(float64(size)/float64(len(recs)), "bytes/state")
		})
	}
}

// Looking up single states, as a question about one state does for each layer.
func BenchmarkFind(b *testing.B) {
	recs := dense(benchSegmentRecords, 1<<14)
	s := benchStore(b, false, Options{})
	id := SegmentID{Phase: 1, Layer: 1, Epoch: 1}
	writeSegment(b, s, narrowShape(), id, [][]uint64{recs})
	rng := rand.New(rand.NewPCG(1, 1))
	for b.Loop() {
		i := rng.IntN(len(recs))
		if _, ok, err := s.Find(narrowShape(), id, 0, recs[i:i+1], nil); err != nil || !ok {
			b.Fatal(ok, err)
		}
	}
	perState(b, 1)
}

// Sealing a store of 4 million states: every file is read for its checksum. Time
// a state.
func BenchmarkSeal(b *testing.B) {
	for _, way := range []struct {
		name string
		disk bool
	}{{"memory", false}, {"disk", true}} {
		b.Run(way.name, func(b *testing.B) {
			s := benchStore(b, way.disk, Options{BatchBytes: 1 << 20})
			const segments = 16
			var size int64
			for layer := range uint32(segments) {
				_, n := writeSegment(b, s, narrowShape(), SegmentID{Phase: 1, Layer: layer, Epoch: 1}, [][]uint64{dense(benchSegmentRecords, 1<<14)})
				size += n
			}
			b.SetBytes(size)
			for b.Loop() {
				if err := s.seal(); err != nil {
					b.Fatal(err)
				}
			}
			perState(b, segments*benchSegmentRecords)
			b.StopTimer()
			if err := s.unseal(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// Spilling sorted candidates and reading them back; time a state.
func BenchmarkScratch(b *testing.B) {
	for _, way := range []struct {
		name string
		disk bool
	}{{"memory", false}, {"disk", true}} {
		b.Run(way.name, func(b *testing.B) {
			s := benchStore(b, way.disk, Options{})
			recs := dense(benchSegmentRecords, 1<<14)
			var size int64
			for b.Loop() {
				f, err := s.NewScratch(narrowShape())
				if err != nil {
					b.Fatal(err)
				}
				e, err := f.Spill(recs)
				if err != nil {
					b.Fatal(err)
				}
				size = f.Bytes()
				c := f.Cursor(e)
				for {
					block, err := c.Next()
					if err != nil {
						b.Fatal(err)
					}
					if len(block) == 0 {
						break
					}
				}
				if err := f.Close(); err != nil {
					b.Fatal(err)
				}
			}
			b.SetBytes(2 * size)
			perState(b, len(recs))
			b.ReportMetric(float64(size)/float64(len(recs)), "bytes/state")
		})
	}
}
