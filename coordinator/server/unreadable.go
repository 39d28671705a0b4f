package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"syscall"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/deletions"
	"github.com/everystate/everystate/coordinator/history"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/store"
)

// A run whose journal is damaged is listed with the reason, and the coordinator works on
// the others. If the bucket has the run, its journal is set aside and made again from
// there; otherwise somebody restores a backup of it, or deletes the run.

// damagedDir is where damaged journals are set aside.
const damagedDir = "damaged"

// unreadable notes that a run cannot be read, unless the disk is at fault, in which case
// it returns the error.
func unreadable(s *Server, name string, err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("run %s: %w", name, err)
	}
	s.damaged[name] = oneLine(err.Error())
	s.log.Error("a run cannot be read; the others go on", "run", name, "error", s.damaged[name])
	return nil
}

// damagedStatus returns what is known of a run that cannot be read.
func damagedStatus(s *Server, name string) *everystatev1.RunStatus {
	return &everystatev1.RunStatus{Run: name, State: wire.State(history.Failed), Failure: "its journal cannot be read: " + s.damaged[name]}
}

// isHere reports whether a run, readable or not, is in the data directory.
func isHere(s *Server, name string) bool {
	_, err := s.opts.FS.Stat(filepath.Join(s.opts.Data, runsDir, name))
	return err == nil
}

// refuseDamaged returns an error if a run cannot be read. One that is not here belongs to
// whoever put it into the bucket, and is removed only there.
func refuseDamaged(s *Server, name string) error {
	why, is := s.damaged[name]
	switch {
	case !is:
		return nil
	case !isHere(s, name):
		return status.Errorf(codes.DataLoss, "run %s cannot be read: %s; restore that from a backup, or remove the run with `everystate delete %s`", name, why, s.bucket.Run(name).URL())
	}
	return status.Errorf(codes.DataLoss, "run %s cannot be read: %s; restore that from a backup and restart the coordinator, or delete the run", name, why)
}

// lookAgainAtDamaged looks whether the bucket still has a run that could not be read there.
func lookAgainAtDamaged(ctx context.Context, s *Server, name string) {
	s.mu.Lock()
	_, is := s.damaged[name]
	s.mu.Unlock()
	if is && s.bucket != nil {
		_ = s.importOne(ctx, name, false) // it is as damaged as before, or cannot be read now
	}
}

// setAside makes room for a run whose journal here cannot be read.
func setAside(s *Server, name string) error {
	to, err := store.MoveAside(s.opts.FS, filepath.Join(s.opts.Data, runsDir, name), filepath.Join(s.opts.Data, damagedDir))
	if err != nil {
		return err
	}
	s.log.Warn("a damaged journal was set aside; the bucket has the run", "run", name, "in", to)
	delete(s.damaged, name)
	return nil
}

// removeDamaged removes a run that cannot be read, from the workers known and from the
// bucket as well.
func removeDamaged(s *Server, name string) error {
	keep := slices.Sorted(maps.Keys(s.members))
	if s.bucket != nil {
		keep = append(keep, deletions.TheBucket)
	}
	if err := s.deleted.Add(name, keep); err != nil {
		return err
	}
	delete(s.damaged, name)
	return bury(s, name, nil)
}
