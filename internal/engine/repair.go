package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/internal/frontier"
	"github.com/everystate/everystate/internal/platform/memory"
	"github.com/everystate/everystate/internal/table/stored"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/digest"
	"github.com/everystate/everystate/store"
)

// Repaired describes what Repair found and did.
type Repaired struct {
	Damage string // the damage found, empty if there was none
	// Kept and Recomputed count layers of all phases.
	Kept, Recomputed int
	States           int64
	Digest           digest.Digest
	SetAside         string // where the damaged files are
}

// ErrBoardLost reports that the journal entry that holds the board is lost.
var ErrBoardLost = errors.New("the run's board is lost with its journal")

// Repair repairs a damaged run. It copies what is intact, whichever files are
// damaged, recomputes the layers from the first damaged one on, starting from the
// layer above (of a table, all layers), and sets the damaged files aside in the run's
// directory. The answer is
// deterministic: recomputed layers have the digests that they had, as far as the
// journal still has those; otherwise Repair returns a *FaultError and leaves the run
// as it is. A run that is kept in a bucket (BucketURL) fetches the rest from there when
// it is resumed, and nothing is recomputed.
//
// Nothing is changed until the repaired run is complete on disk, which takes the
// run's size once more. progress is called with the number of states checked.
func Repair(ctx context.Context, dir string, opts Options, progress func(states int64)) (rep Repaired, err error) {
	opts.ensureDefaults()
	if err := opts.validate(); err != nil {
		return rep, err
	}
	if err := repairable(dir); err != nil {
		return rep, err
	}
	lock, err := store.LockDir(dir, true)
	if err != nil {
		return rep, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	opts.FS, opts.Bucket = vfs.Default, nil // the directory is locked already
	if rep, err = inspect(ctx, dir, opts, progress); rep.Damage == "" || err != nil {
		return rep, err
	}
	made := filepath.Join(dir, "repaired")
	if err := os.RemoveAll(made); err != nil {
		return rep, err
	}
	files, err := store.Salvage(ctx, dir, made, readOrigin(dir), store.Options{FS: opts.FS})
	if err != nil {
		return rep, fmt.Errorf("repair %s: %w", dir, err)
	}
	for _, name := range files {
		rep.Damage += "; " + name + " is damaged"
	}
	if err := rep.recompute(ctx, dir, made, opts, progress); err != nil {
		return rep, errors.Join(err, os.RemoveAll(made))
	}
	if rep.SetAside, err = store.Unused(opts.FS, filepath.Join(dir, "damaged")); err != nil {
		return rep, err
	}
	if err := stored.SetAside(opts.FS, dir, rep.SetAside, made); err != nil {
		return rep, err
	}
	return rep, store.SetAside(opts.FS, dir, rep.SetAside, made)
}

// repairable returns an error if a directory has nothing of a run to repair it from.
func repairable(dir string) error {
	err := exists(dir, nil)
	switch {
	case readOrigin(dir) != nil && (store.IsCorruption(err) || errors.Is(err, store.ErrNotExist)):
		return nil
	case store.IsCorruption(err):
		return fmt.Errorf("%w: nothing is left to repair it from", err)
	}
	return err
}

// inspect verifies a run without changing it.
func inspect(ctx context.Context, dir string, opts Options, progress func(states int64)) (rep Repaired, err error) {
	opts.ReadOnly = true
	r, err := Open(dir, opts)
	if err == nil {
		_, err = r.Verify(ctx, progress)
		rep.Kept = len(r.history.Layers(history.Forward)) + len(r.history.Layers(history.Goal))
		rep.States, rep.Digest = r.history.States(history.Forward), r.history.Digest()
		err = errors.Join(err, r.Close())
	}
	if err == nil || ctx.Err() != nil {
		return rep, err
	}
	damage, _, _ := strings.Cut(err.Error(), "\n")
	return Repaired{Damage: damage}, nil
}

// recompute takes the salvaged run back to its last sound layer and continues from
// there.
func (rep *Repaired) recompute(ctx context.Context, dir, made string, opts Options, progress func(states int64)) (err error) {
	r, err := open(made, opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if r.spec.Partitions == 0 {
		return fmt.Errorf("%s: %w: explore the board again", dir, ErrBoardLost)
	}
	board, err := readBoard(r.spec)
	if err == nil {
		err = r.use(board)
	}
	if err != nil {
		return err
	}
	defer memory.Reserve(opts.MemoryBytes)()
	was := reached(dir, &r.history)
	if err := cut(ctx, r, progress); err != nil {
		return err
	}
	rep.Kept = len(r.history.Layers(history.Forward)) + len(r.history.Layers(history.Goal))
	url, err := BucketURL(dir)
	switch {
	case err != nil:
	case url == "" && was.layers == 0:
		rep.Damage += "; how far the run had come is lost: resume it"
	case url == "":
		err = reexplore(ctx, r, was)
	}
	if err == nil {
		err = errors.Join(writeOrigin(r, dir), saveStatus(r, dir))
	}
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	rep.Recomputed = len(r.history.Layers(history.Forward)) + len(r.history.Layers(history.Goal)) - rep.Kept
	rep.States, rep.Digest = r.history.States(history.Forward), r.history.Digest()
	return err
}

// cut drops everything from the first layer that is not as it was committed.
func cut(ctx context.Context, r *Run, progress func(states int64)) error {
	if err := r.makeWritable(); err != nil {
		return err
	}
	workers := r.newLinkWorkers()
	above := make(map[history.Phase]history.Layer)
	entries, err := entriesOf(r.store)
	if err != nil {
		return err
	}
	var states int64
	keep, replaced := 0, false // replaced: the last layer was made again later, or dropped, and need not be there
	for i, body := range entries {
		e, err := journal.ReadEntry(body, r.spec.Partitions)
		if err != nil {
			return err
		}
		if e.Layer != nil && r.tables != nil {
			break // a table is made anew
		}
		if e.Layer != nil {
			replaced = !r.history.Has(*e.Layer) || r.history.Dropped(*e.Layer)
		}
		if l := e.Layer; l != nil && !replaced {
			err := r.verifyLayer(ctx, *l, func(n int64) { progress(states + n) })
			if before, there := above[l.Phase]; err == nil && there && before.Depth+1 == l.Depth && !puzzle.Merges(r.board.Puzzle) {
				err = r.verifyLinks(ctx, workers, before, *l)
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				break
			}
			above[l.Phase] = *l
			states += l.States
		}
		if !replaced {
			keep = i + 1
		}
	}
	if keep, err = frontier.Stays(entries, keep); err != nil || keep == len(entries) {
		return err
	}
	if err := r.store.TruncateJournal(uint64(keep)); err != nil {
		return err
	}
	r.spec, r.history, err = journal.Read(r.store)
	return err
}

// extent is how far a run had come.
type extent struct {
	history history.History // as far as the journal is intact
	layers  int             // of the forward phase, by the journal or the status file
	ended   bool
	goals   bool
}

// reached returns how far a run had come, by its journal and its status file.
func reached(dir string, h *history.History) extent {
	was := extent{
		history: *h, layers: len(h.Layers(history.Forward)), ended: h.End(history.Forward) != nil,
		goals: len(h.Layers(history.Goal)) > 0 || h.End(history.Goal) != nil,
	}
	if s, err := readStatus(dir); err == nil {
		was.layers = max(was.layers, len(s.Layers))
		was.ended = was.ended || s.Complete
		was.goals = was.goals || s.GoalDistanceLayers != nil
	}
	return was
}

// reexplore explores until the run is where it was, and compares the layers with those
// it had.
func reexplore(ctx context.Context, r *Run, was extent) error {
	want := history.Want{GoalDistance: was.goals}
	if !was.ended {
		deepest := was.layers - 1
		want.MaxDepth = &deepest
	}
	if _, err := r.explore(ctx, want); err != nil {
		return err
	}
	for _, phase := range []history.Phase{history.Forward, history.Goal} {
		now := r.history.Layers(phase)
		for i, l := range was.history.Layers(phase) {
			if i >= len(now) || now[i].Digest != l.Digest || now[i].States != l.States {
				return r.faultIn(l, "is not what was committed when it is computed again")
			}
		}
	}
	return nil
}
