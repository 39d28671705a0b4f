// Package mend looks after the stores that a worker keeps: it reads them again at a
// bounded rate to find damage, and replaces a damaged store by a new one with everything
// that is intact. What is then missing the coordinator has restored. Package mend must
// never drop anything that is intact, and never touch a store that somebody has open.
//
// A mark in the run's directory says how far this is, so that it survives the process:
// damage was found, the new store is ready, or records are missing. Records may also be
// missing without damage, where partitions were taken over without all of them.
package mend

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/store/pace"
)

const (
	markFile = "damaged" // in the directory of a run
	asideDir = "damaged" // beside the directory of runs: what was replaced

	markBytesMax = 4 << 10
	whatBytesMax = 512
)

// The first words of a mark.
const (
	found     = "found"
	ready     = "ready"
	lacking   = "lacking"
	restoring = "restoring"
)

// Mender looks after the stores below a directory. It is safe for concurrent use, but
// Replace for one run at a time.
type Mender struct {
	Runs string        // the directory, which has one per run
	Opts store.Options // of its stores; FS is set
	Log  *slog.Logger
	Pace *pace.Pace // of Loop

	// Found counts damage.
	Found atomic.Int64
}

func (m *Mender) mark(run string) string { return filepath.Join(m.Runs, run, markFile) }

// read returns the mark of a run, empty if there is none or it cannot be read.
func (m *Mender) read(run string) (state, where, what string) {
	body, err := store.ReadFile(m.Opts.FS, m.mark(run))
	if err != nil || len(body) > markBytesMax {
		return "", "", ""
	}
	lines := strings.SplitN(strings.TrimSuffix(string(body), "\n"), "\n", 3)
	if len(lines) != 3 {
		return "", "", ""
	}
	return lines[0], lines[1], lines[2]
}

func (m *Mender) write(run, state, where, what string) error {
	return store.ReplaceFile(m.Opts.FS, m.mark(run), []byte(state+"\n"+where+"\n"+what+"\n"))
}

// Note marks a store as damaged, unless it is marked already and was not replaced since.
func (m *Mender) Note(run string, damage error) error {
	if state, _, _ := m.read(run); state == found || state == ready {
		return nil
	}
	what := strings.ToValidUTF8(strings.Join(strings.Fields(damage.Error()), " "), "?")
	what = strings.ToValidUTF8(what[:min(len(what), whatBytesMax)], "")
	m.Found.Add(1)
	m.Log.Error("the store of a run is damaged; it is set aside, and what is missing is restored", "run", run, "damage", what)
	return m.write(run, found, "", what)
}

// Miss marks a store as lacking records, unless it is marked already.
func (m *Mender) Miss(run string, missing error) {
	if state, _, _ := m.read(run); state != "" {
		return
	}
	m.Log.Warn("the store of a run lacks records; they are restored or made again", "run", run, "error", missing)
	if err := m.write(run, lacking, "", strings.Join(strings.Fields(missing.Error()), " ")); err != nil {
		m.Log.Error("cannot mark a store that lacks records", "run", run, "error", err)
	}
}

// Damage returns what is or was damaged in the store of a run from which records may be
// missing, empty if nothing is.
func (m *Mender) Damage(run string) string {
	_, _, what := m.read(run)
	return what
}

// Part marks a store as lacking records of partitions that are taken over, unless it is
// marked already.
func (m *Mender) Part(run string) error {
	if state, _, _ := m.read(run); state != "" {
		return nil
	}
	return m.write(run, restoring, "", "partitions taken over from a lost worker")
}

// Restoring reports whether a store is marked so.
func (m *Mender) Restoring(run string) bool {
	state, _, _ := m.read(run)
	return state == restoring
}

// Due reports whether the store of a run must be replaced before it is opened.
func (m *Mender) Due(run string) bool {
	state, _, _ := m.read(run)
	return state == found || state == ready
}

// Lacks reports whether records may be missing from the store of a run.
func (m *Mender) Lacks(run string) bool {
	state, _, _ := m.read(run)
	return state != ""
}

// Whole notes that no record is missing any more from the store of a run.
func (m *Mender) Whole(run string) error {
	what := "what a damaged store lacked is restored"
	if m.Restoring(run) {
		what = "partitions taken over from a lost worker are restored"
	}
	m.Log.Info(what, "run", run)
	if err := m.Opts.FS.Remove(m.mark(run)); err != nil {
		return err
	}
	return store.SyncDir(m.Opts.FS, filepath.Join(m.Runs, run))
}

// Replace replaces the store of a run, which nobody has open, if that is due. The damaged
// files are kept beside the directory of runs.
func (m *Mender) Replace(ctx context.Context, run string) error {
	fs, dir := m.Opts.FS, filepath.Join(m.Runs, run)
	aside := filepath.Join(filepath.Dir(m.Runs), asideDir)
	made := filepath.Join(aside, run+".new")
	state, to, what := m.read(run)
	if state == found {
		if err := store.MakeDir(fs, aside); err != nil {
			return err
		}
		if err := fs.RemoveAll(made); err != nil {
			return err
		}
		damaged, err := store.Salvage(ctx, dir, made, nil, m.Opts)
		if err != nil {
			return fmt.Errorf("replace the damaged store of run %s: %w", run, err)
		}
		if to, err = store.Unused(fs, filepath.Join(aside, run)); err != nil {
			return err
		}
		m.Log.Warn("a damaged store is replaced by what is intact", "run", run, "damaged", strings.Join(damaged, ", "), "kept", to)
		if err := m.write(run, ready, to, what); err != nil {
			return err
		}
		state = ready
	}
	if state != ready {
		return nil
	}
	if err := finish(fs, dir, to, made); err != nil {
		return err
	}
	return m.write(run, lacking, "", what)
}

// finish puts the new store in place, unless it is there already, and keeps of the old
// one only the tables that are damaged.
func finish(fs vfs.FS, dir, to, made string) error {
	if _, err := fs.Stat(filepath.Join(made, "db")); err == nil {
		if err := store.SetAside(fs, dir, to, made); err != nil {
			return err
		}
	}
	old := filepath.Join(to, "db")
	names, err := fs.List(old)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasSuffix(name, ".sst") && store.TableIntact(fs, filepath.Join(old, name)) {
			if err := fs.Remove(filepath.Join(old, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Loop reads the stores of all runs again and again until ctx ends, a whole round no more
// often than every so often, and calls damaged for each that is.
func (m *Mender) Loop(ctx context.Context, every time.Duration, damaged func(run string, damage error)) {
	for ctx.Err() == nil {
		began := time.Now()
		names, _ := m.Opts.FS.List(m.Runs) // there may be none yet
		slices.Sort(names)
		for _, run := range names {
			damage, err := store.CheckTables(ctx, m.Opts.FS, filepath.Join(m.Runs, run), func(bytes int) error {
				return m.Pace.Wait(ctx, bytes)
			})
			switch {
			case ctx.Err() != nil:
				return
			case err != nil:
				m.Log.Warn("cannot read a store again; trying later", "run", run, "error", err)
			case damage != nil:
				damaged(run, damage)
			}
		}
		_ = pace.Sleep(ctx, every-time.Since(began)) // ctx has ended, and so does the loop
	}
}
