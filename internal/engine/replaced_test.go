package engine

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/store/bucket"
)

// replacedRun explores the first layers of a board in a bucket, places its partitions as a
// cluster does, and makes its layers from some depths on again, as a coordinator does that
// has lost them: the log has those of before and, behind them, those that replace them. It
// returns a directory that has explored the run and been left behind.
func replacedRun(t *testing.T, run *bucket.Run, board puzzle.Board, place []byte, from ...uint32) (left string) {
	t.Helper()
	left = filepath.Join(t.TempDir(), "left")
	want := history.Want{MaxDepth: new(12)}
	_, err := exploreOn(t.Context(), left, board, keptOptions(run), want)
	check(t, err)
	log, err := run.Log(t.Context(), 0)
	check(t, err)
	check(t, run.Append(t.Context(), len(log), place))
	r, err := Create(filepath.Join(t.TempDir(), "made"), board, keptOptions(run))
	check(t, err)
	for _, depth := range append([]uint32{1 << 20}, from...) {
		r.history.Cut(history.Forward, depth)
		_, err := r.Explore(t.Context(), want)
		check(t, err)
	}
	check(t, r.Close())
	return left
}

// bend changes a byte of an object of the layer at a depth of the forward phase, and
// returns its name.
func bend(t *testing.T, root string, run *bucket.Run, depth int) string {
	t.Helper()
	stored, err := ReadStored(t.Context(), run, nil)
	check(t, err)
	name := stored.Objects(stored.History.Layers(history.Forward)[depth])[0].Name
	file := filepath.Join(root, run.Name(), filepath.FromSlash(name))
	body, err := os.ReadFile(file)
	check(t, err)
	body[len(body)/2] ^= 0x10
	check(t, os.WriteFile(file, body, 0o600))
	return name
}

// A run whose log has layers that replace earlier ones is restored, explored on in another
// directory, brought to another bucket and repaired as any other. If an object is damaged,
// restoring it ends at once with an error that names the object, and what is restored by
// then is a run that can be explored on without the bucket: no layer of it is missing.
func TestReplaced(t *testing.T) {
	t.Parallel()
	board := boardOf(t, "small-5x5.txt")
	whole := explored(t, board, keptOptions(nil), nil)
	root := t.TempDir()
	run := openedBucket(t, fileURL(root)).Run("small")
	place := journal.Placement(history.Placement{Workers: []string{"a", "b"}, Homes: []history.WorkerID{0, 1, 0, 1}})
	left := replacedRun(t, run, board, place, 7, 4)
	stored, err := ReadStored(t.Context(), run, nil)
	check(t, err)
	checkStored(t, run, &stored.History)

	on := filepath.Join(t.TempDir(), "on")
	h, err := exploreOn(t.Context(), on, board, keptOptions(run), everything(board.Puzzle))
	check(t, err)
	checkStored(t, run, whole)

	stored, err = ReadStored(t.Context(), run, nil)
	check(t, err)
	for _, depth := range []int{4, 9} { // where an object is damaged
		name := bend(t, root, run, depth)
		hurt := filepath.Join(t.TempDir(), "hurt")
		err := Rebuild(t.Context(), hurt, stored.Entries, stored, keptOptions(nil), nobody)
		checkLost(t, err, name)
		_, err = exploreOn(t.Context(), hurt, board, keptOptions(run), everything(board.Puzzle))
		checkLost(t, err, name)
		again, err := exploreOn(t.Context(), hurt, board, keptOptions(nil), everything(board.Puzzle))
		check(t, err)
		checkRepaired(t, hurt, h, 0, "explored on without the bucket")
		if got := again.Layers(history.Forward)[depth-1].Epoch; got != stored.History.Layers(history.Forward)[depth-1].Epoch {
			t.Errorf("layer %d is not the restored one", depth-1)
		}
		bend(t, root, run, depth) // sound again
	}

	// What the workers of a cluster kept once, this machine writes to another bucket.
	other := openedBucket(t, fileURL(t.TempDir())).Run("other")
	r, err := Open(on, keptOptions(other))
	check(t, err)
	_, err = r.Checkpoint(t.Context())
	check(t, errors.Join(err, r.Close()))
	checkStored(t, other, whole)

	// Who explored it before catches up, and drops what was replaced.
	_, err = exploreOn(t.Context(), left, board, keptOptions(run), everything(board.Puzzle))
	check(t, err)
	checkRepaired(t, left, h, 0, "caught up")

	for _, depth := range []int{9, 4} {
		checkCut(t, on, board, h.Layers(history.Forward)[depth])
		checkRepaired(t, on, h, 0, "repaired")
	}
}

// checkLost checks the error of a run that cannot be restored for an object.
func checkLost(t *testing.T, err error, object string) {
	t.Helper()
	var lost *LostError
	if !errors.As(err, &lost) || !strings.Contains(err.Error(), object) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v; want that %s is damaged", err, object)
	}
}

// checkCut removes a partition of a layer from a run: a repair takes the run back to the
// layer above, from where it is explored on.
func checkCut(t *testing.T, dir string, board puzzle.Board, l history.Layer) {
	t.Helper()
	r, err := Create(dir, board, keptOptions(nil))
	check(t, err)
	check(t, r.makeWritable())
	part := slices.IndexFunc(l.PartStates, func(n int64) bool { return n > 0 })
	check(t, store.DropPart(r.store, segmentID(l), uint32(part)))
	check(t, cut(t.Context(), r, nobody))
	if n := layersOf(&r.history); n != int(l.Depth) {
		t.Errorf("%d layers are left, want %d", n, l.Depth)
	}
	_, err = r.Explore(t.Context(), everything(board.Puzzle))
	check(t, errors.Join(err, r.Close()))
}
