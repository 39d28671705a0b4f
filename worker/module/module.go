// Package module gets the module of a run's puzzle from the coordinator, and keeps it in a
// worker's journal. It must never know what a module does.
package module

import (
	"context"
	"fmt"
	"time"

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/worker/exchange"
)

// BytesMax bounds a puzzle's module.
const BytesMax = 16 << 20

// A module comes in parts, each of which must arrive within partWait.
const (
	chunkBytes = 512 << 10
	partWait   = 30 * time.Second
)

// Fetch gets the module of a run from the coordinator. The caller checks its hash.
func Fetch(client everystatev1.SessionServiceClient, run string, size uint32) ([]byte, error) {
	if size > BytesMax {
		return nil, fmt.Errorf("its module has %d bytes: at most %d", size, BytesMax)
	}
	var module []byte
	for n := uint32(0); len(module) < int(size); n++ {
		ctx, cancel := context.WithTimeout(context.Background(), partWait)
		res, err := client.FetchModule(ctx, &everystatev1.FetchModuleRequest{Run: run, Chunk: n})
		cancel()
		part := res.GetChunk().GetData()
		if err == nil && len(part) != min(chunkBytes, int(size)-len(module)) {
			err = fmt.Errorf("%d bytes", len(part))
		}
		if err != nil {
			return nil, exchange.Errorf("fetch part %d of the puzzle's module: %w", n, err)
		}
		module = append(module, part...)
	}
	return module, nil
}

// Entries returns the entries of a worker's journal that hold a module. They
// precede the spec, so a journal that has a spec has the whole module.
func Entries(module []byte) []*everystatev1.JournalEntry {
	var entries []*everystatev1.JournalEntry
	for len(module) > 0 {
		n := min(chunkBytes, len(module))
		entries = append(entries, &everystatev1.JournalEntry{
			Entry: &everystatev1.JournalEntry_ModuleChunk{ModuleChunk: &everystatev1.ModuleChunk{Data: module[:n]}},
		})
		module = module[n:]
	}
	return entries
}
