package engine

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/store"
)

// originFile holds the first entries of the journal, up to the first session: the
// board and the run's identity. A run whose journal is damaged is repaired from it.
// It consists of a line, the entries, each preceded by its length in four bytes, and
// a Castagnoli checksum of all that; integers are little-endian.
const originFile = "origin"

const originHead = "everystate origin 1\n"

// errReadEnough ends the reading of a journal early.
var errReadEnough = errors.New("whole")

// writeOrigin writes the origin file of the run's journal into a directory.
func writeOrigin(r *Run, dir string) error {
	body := []byte(originHead)
	err := r.store.Journal(func(entry []byte) error {
		body = binary.LittleEndian.AppendUint32(body, uint32(len(entry)))
		body = append(body, entry...)
		if e, err := journal.ReadEntry(entry, r.spec.Partitions); err != nil || e.FirstEpoch > 0 {
			return errors.Join(err, errReadEnough)
		}
		return nil
	})
	if err != nil && !errors.Is(err, errReadEnough) {
		return err
	}
	body = binary.LittleEndian.AppendUint32(body, crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
	return store.ReplaceFile(vfs.Default, filepath.Join(dir, originFile), body)
}

// readOrigin returns the entries of an origin file, none if it is missing or damaged.
func readOrigin(dir string) (entries [][]byte) {
	body, err := store.ReadFile(vfs.Default, filepath.Join(dir, originFile))
	if err != nil || !bytes.HasPrefix(body, []byte(originHead)) || len(body) < len(originHead)+4 {
		return nil
	}
	end := len(body) - 4
	if crc32.Checksum(body[:end], crc32.MakeTable(crc32.Castagnoli)) != binary.LittleEndian.Uint32(body[end:]) {
		return nil
	}
	for rest := body[len(originHead):end]; len(rest) > 0; {
		if len(rest) < 4 || uint64(binary.LittleEndian.Uint32(rest)) > uint64(len(rest)-4) {
			return nil
		}
		n := binary.LittleEndian.Uint32(rest)
		entries, rest = append(entries, rest[4:4+n]), rest[4+n:]
	}
	return entries
}
