//go:build unix

package worker

import (
	"os"
	"runtime/debug"
	"slices"
	"syscall"
	"testing"
	"unsafe"

	"github.com/everystate/everystate/store"
)

// A layer's own work does not grow with the number of layers before it: those that
// an archive has lie in memory that may not be read, but for the first of all and
// the last of each of the archive's runs. Whoever goes through the layers, as to look for one, faults.
func TestOldLayersAreNotGoneThrough(t *testing.T) {
	const (
		depths = 3000
		parts  = 16
	)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	toy := oneWayRing(depths, 1, 1)
	c := newCrew(t, toy, 5, 2, parts, 1<<20, 1<<20)
	c.settled = true
	size := int(unsafe.Sizeof(Layer{}))
	memory, err := syscall.Mmap(-1, 0, (depths+1)*size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Munmap(memory); err != nil {
			t.Error(err)
		}
	}()
	layers := unsafe.Slice((*Layer)(unsafe.Pointer(unsafe.SliceData(memory))), depths+1)
	kept := [][]int64{} // the garbage collector does not look into that memory
	add := func(m made) {
		kept = append(kept, slices.Clone(m.PartStates))
		layers[len(kept)-1] = Layer{Segment: m.Segment, PartStates: kept[len(kept)-1]}
	}
	add(c.layer(Attempt{Target: store.SegmentID{Phase: 1}, Source: FromStarts, CountGoals: true}))
	hidden := 0 // pages
	for {
		n := len(kept)
		m := c.layer(Attempt{
			Target: store.SegmentID{Phase: 1, Layer: uint32(n)}, Source: FromSuccessors, CountGoals: true,
			Expand: []Layer{{Segment: layers[n-1].Segment, PartStates: kept[n-1]}}, Exclude: layers[:n:n],
		})
		if states(m) == 0 {
			break
		}
		add(m)
		hidden = max(hidden, hide(t, memory, size, c.workers))
	}
	if len(kept) != depths {
		t.Errorf("%d layers, want %d", len(kept), depths)
	}
	for _, w := range c.workers { // itself is read, and the loose ones that a partition has on average
		if opened := w.Progress.CacheHits.Load() + w.Progress.CacheMisses.Load(); opened > depths*(1+2*looseLayersMax) {
			t.Errorf("%d cursors for %d layers", opened, depths)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
	if hidden*os.Getpagesize() < depths*size/2 {
		t.Errorf("no more than %d pages of layers were hidden", hidden)
	}
}

// hide makes those pages unreadable whose layers all workers have in archives, and
// the others readable. It returns how many it has hidden.
func hide(t *testing.T, memory []byte, size int, workers []*Worker) (hidden int) {
	t.Helper()
	page := os.Getpagesize()
	needed := make([]bool, len(memory)/page+1)
	needed[0] = true
	for _, w := range workers {
		at := 0
		for _, r := range w.archives[1].segments {
			at += r.layers
			needed[(at-1)*size/page], needed[(at*size-1)/page] = true, true
		}
		for i := at * size / page; i < len(needed); i++ {
			needed[i] = true
		}
	}
	for i := 0; (i+1)*page <= len(memory); i++ {
		prot := syscall.PROT_READ | syscall.PROT_WRITE
		if !needed[i] {
			prot = syscall.PROT_NONE
			hidden++
		}
		if err := syscall.Mprotect(memory[i*page:(i+1)*page], prot); err != nil {
			t.Fatal(err)
		}
	}
	return hidden
}
