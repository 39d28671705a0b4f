package specs

import (
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/internal/frontier"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

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
