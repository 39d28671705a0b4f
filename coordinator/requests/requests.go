// Package requests checks what workers send to a coordinator, before anybody looks at it
// any closer: a worker may be broken, of another version, or none. It also bounds what they
// are answered. It must never know what a coordinator does with it.
package requests

import (
	"errors"
	"fmt"
	"math"
	"net"
	"slices"

	"github.com/everystate/everystate/coordinator/core"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store/naming"
)

// What a call may hold.
const (
	// UploadsMax is the number of uploads in a call, and in an answer.
	UploadsMax = 64

	lanesMax     = 1024 // worker.LanesMax, which a coordinator cannot import
	machineMax   = 64
	coresMax     = 1 << 20
	damagedMax   = 16
	whatBytesMax = 512
)

// Check returns what is wrong with the call of a worker, or nil.
func Check(req *everystatev1.SynchronizeRequest) error {
	if !naming.IsWorker(req.GetWorker()) {
		return errors.New("worker: must be 1 to 64 letters, digits or '-'")
	}
	if err := checkKept(req); err != nil {
		return err
	}
	if len(req.GetAddress()) > 255 {
		return errors.New("address: longer than 255 bytes")
	}
	if _, _, err := net.SplitHostPort(req.GetAddress()); err != nil {
		return errors.New("address: must be HOST:PORT")
	}
	if n := req.GetLanes(); n > lanesMax {
		return fmt.Errorf("lanes: %d: must be at most %d", n, lanesMax)
	}
	if len(req.GetMachine()) > machineMax || req.GetCores() > coresMax {
		return fmt.Errorf("machine: must be at most %d bytes and %d cores", machineMax, coresMax)
	}
	if len(req.GetReport().GetFailure()) > 4<<10 || len(req.GetUploadTrouble()) > 4<<10 {
		return errors.New("failure: longer than 4 KiB")
	}
	if n := len(req.GetReport().GetPartitions()); n > partition.Max {
		return fmt.Errorf("partitions: %d: must be at most %d", n, partition.Max)
	}
	if r := req.GetReport(); len(r.GetSent()) > partition.Max || len(r.GetTook()) > partition.Max {
		return fmt.Errorf("tallies: more than %d", partition.Max)
	}
	if err := checkMade(req.GetReport().GetMade()); err != nil {
		return err
	}
	if len(req.GetUploaded()) > UploadsMax {
		return fmt.Errorf("uploaded: more than %d", UploadsMax)
	}
	if err := checkDamage(req); err != nil {
		return err
	}
	for _, u := range req.GetUploaded() {
		if u.GetBytes() > math.MaxInt64 {
			return fmt.Errorf("uploaded: %d bytes", u.GetBytes())
		}
	}
	return nil
}

func checkMade(made []*everystatev1.MadeLayer) error {
	if len(made) > core.MadeMax {
		return fmt.Errorf("made: %d layers: at most %d", len(made), core.MadeMax)
	}
	for _, l := range made {
		if n := max(len(l.GetPartitions()), len(l.GetPartitionStates())); n > partition.Max {
			return fmt.Errorf("made: %d partitions: at most %d", n, partition.Max)
		}
	}
	return nil
}

func checkDamage(req *everystatev1.SynchronizeRequest) error {
	if n := len(req.GetDamaged()); n > damagedMax {
		return fmt.Errorf("damaged: %d stores: at most %d", n, damagedMax)
	}
	for _, d := range req.GetDamaged() {
		if !naming.IsRun(d.GetRun()) || len(d.GetWhat()) > whatBytesMax {
			return fmt.Errorf("damaged: not a run's name, or more than %d bytes", whatBytesMax)
		}
	}
	return nil
}

// keptMax bounds the names in a request.
const keptMax = 1000

// Keeps reports whether a worker keeps something of a run, by the runs that it reports. It
// may where the report is as long as reports can be.
func Keeps(kept []string, run string) bool {
	return len(kept) == keptMax || slices.Contains(kept, run)
}

func checkKept(req *everystatev1.SynchronizeRequest) error {
	if len(req.GetKeptRuns()) > keptMax {
		return fmt.Errorf("kept runs: more than %d", keptMax)
	}
	return nil
}
