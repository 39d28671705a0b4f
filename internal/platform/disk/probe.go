package disk

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"
)

// Speed is the speed of a disk.
type Speed struct {
	WriteBytesPerSecond float64       // sequential, including the sync
	Sync                time.Duration // the median time of a small synced write
}

// The sizes of a probe.
const (
	chunkBytes = 1 << 20
	syncs      = 15
)

// Probe measures the disk that a directory is on, using a file of the given size,
// which it removes.
func Probe(dir string, bytes int64) (s Speed, err error) {
	f, err := os.CreateTemp(dir, "everystate-probe-*")
	if err != nil {
		return Speed{}, err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	chunk := make([]byte, chunkBytes)
	for i := range chunk {
		chunk[i] = byte(i * 7919 >> 3) // not constant, as a disk may compress
	}
	began := time.Now()
	for left := bytes; left > 0; left -= int64(len(chunk)) {
		if _, err := f.Write(chunk[:min(left, chunkBytes)]); err != nil {
			return Speed{}, fmt.Errorf("probe: %w", err)
		}
	}
	if err := f.Sync(); err != nil {
		return Speed{}, fmt.Errorf("probe: %w", err)
	}
	s.WriteBytesPerSecond = float64(bytes) / time.Since(began).Seconds()
	var took []time.Duration
	for range syncs {
		began := time.Now()
		if _, err := f.Write(chunk[:4096]); err != nil {
			return Speed{}, fmt.Errorf("probe: %w", err)
		}
		if err := f.Sync(); err != nil {
			return Speed{}, fmt.Errorf("probe: %w", err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	s.Sync = took[len(took)/2]
	return s, nil
}
