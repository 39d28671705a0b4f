package specs

import (
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/internal/frontier"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// Continues returns why a run cannot go on with a log that a bucket has under its name, or nil
// if that is a log of the same board.
func Continues(run *history.Spec, log journal.Entries) error {
	there, _, err := journal.Read(log)
	switch {
	case err != nil:
		return err
	case there.Text != run.Text || there.Metric != run.Metric || there.Family != run.Family || there.Partitions != run.Partitions || there.Units != run.Units || there.Module != run.Module:
		return errors.New("it explores a different board, or has a different number of partitions: delete the run here, and submit it with another --name")
	case run.Keep.Frontier:
		return frontier.Fits(&run.Keep, there)
	}
	return nil
}

// Again returns why a spec, as it was sent and as it was read, cannot be submitted again
// under the name of a run, or nil if it is that of the run.
func Again(name string, sent *everystatev1.RunSpec, spec, of history.Spec) error {
	if of.Text != spec.Text || of.Units != spec.Units || of.Metric != spec.Metric || of.Family != spec.Family {
		return status.Errorf(codes.AlreadyExists, "run %s is a run of a different board", name)
	}
	if n := sent.GetPartitions(); n != 0 && int(n) != of.Partitions {
		return status.Errorf(codes.FailedPrecondition, "run %s has %d partitions, which cannot be changed: leave --partitions out, or choose another name with --name NAME", name, of.Partitions)
	}
	if spec.Keep.Frontier {
		if err := frontier.Fits(&spec.Keep, of); err != nil {
			return status.Errorf(codes.FailedPrecondition, "run %s: %v", name, err)
		}
	}
	table := sent.GetFormatVersion() == journal.DividedVersion || sent.GetFormatVersion() == journal.TableVersion
	switch {
	case table && of.Store == history.Layers:
		return status.Errorf(codes.FailedPrecondition, "run %s keeps layers, which cannot be changed: leave --store out, or choose another name with --name NAME", name)
	case sent.GetFormatVersion() == journal.FormatVersion && of.Store != history.Layers:
		return status.Errorf(codes.FailedPrecondition, "run %s keeps a table, which cannot be changed: leave --store out, or choose another name with --name NAME", name)
	}
	return nil
}
