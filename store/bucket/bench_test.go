package bucket

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"testing"
)

// A layer as workers write it: blocks of some 16 KiB, in 1,024 partitions.
const (
	benchParts      = 1024
	benchBlocks     = 4
	benchBlockBytes = 16 << 10
)

func benchWrite(b *testing.B, r *Run, object string, block []byte) {
	b.Helper()
	w, err := r.NewLayer(b.Context(), object)
	must(b, err)
	for part := range uint32(benchParts) {
		for range benchBlocks {
			must(b, w.Append(part, block))
		}
	}
	_, err = w.Close()
	must(b, err)
}

func benchRun(b *testing.B) (*Run, []byte) {
	b.Helper()
	r := opened(b, "file://"+filepath.ToSlash(b.TempDir())).Run("bench")
	must(b, r.Append(b.Context(), 0, nil))
	block := make([]byte, benchBlockBytes)
	_, _ = rand.NewChaCha8([32]byte{}).Read(block)
	b.SetBytes(benchParts * benchBlocks * benchBlockBytes)
	return r, block
}

func BenchmarkWriteLayer(b *testing.B) {
	r, block := benchRun(b)
	var n uint32
	for b.Loop() {
		benchWrite(b, r, ObjectName(1, n, 1, "w"), block)
		n++
	}
}

func BenchmarkReadLayer(b *testing.B) {
	r, block := benchRun(b)
	object := ObjectName(1, 1, 1, "w")
	benchWrite(b, r, object, block)
	for b.Loop() {
		l, err := r.OpenLayer(b.Context(), object)
		must(b, err)
		n := 0
		must(b, l.ReadAll(b.Context(), l.Partitions(), func(uint32, []byte) error {
			n++
			return nil
		}))
		if n != benchParts*benchBlocks {
			b.Fatal(errors.New("blocks are missing"))
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	r := opened(b, "file://"+filepath.ToSlash(b.TempDir())).Run("bench")
	n := 0
	for b.Loop() {
		must(b, r.Append(b.Context(), n, make([]byte, 200)))
		n++
	}
}
