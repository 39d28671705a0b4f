package client

import (
	"time"

	"github.com/everystate/everystate/coordinator/history"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/puzzle/digest"
)

// State is the state of a run as a whole.
type State = history.State

// The states of a run.
const (
	Unknown   = history.Unknown
	Queued    = history.Queued
	Running   = history.Running
	Waiting   = history.Waiting
	Paused    = history.Paused
	Stopped   = history.Stopped
	Cancelled = history.Cancelled
	Failed    = history.Failed
)

// Status is the state and progress of a run.
type Status struct {
	Run   string
	Spec  history.Spec
	State State
	Want  history.Want

	// Phase and Depth are those of the attempt in progress; Phase is 0 if there is
	// none.
	Phase history.Phase
	Depth int
	// Explored is the greatest depth of the forward phase: the depth of its last layer
	// during the goal phase, else Depth.
	Explored int
	// ExploredStates are the states of the forward phase.
	ExploredStates int64
	// States is the number of committed states of the phase, Frontier the number that
	// the attempt expands, Expanded how many of them it has expanded, and Written how
	// many new states it has written.
	States, Frontier, Expanded, Written int64

	// UnitsDone is how many of the Spec.Units units of a sweep are done, and
	// UnitsLeased how many are leased to workers. For a sweep, States is the number of
	// states of the clusters found, Records the number of records kept, and Digest the
	// digest of all so far.
	UnitsDone, UnitsLeased int
	Records, Puzzles       int64
	GreatestDistance       int
	Digest                 digest.Digest

	// Entries is how many entries the journal has.
	Entries int
	// Bucket is the URL of the run in a bucket, empty if it is in none. DurableEntries
	// is how many entries the bucket has, and BucketTrouble why it is behind, empty if
	// all is well.
	Bucket         string
	DurableEntries int
	BucketTrouble  string
	// BucketLooks is how often the bucket was compared with the run's log, -1 if the
	// coordinator does not do that; and BucketLost what it then lacked.
	BucketLooks, BucketLost int

	WaitingFor string // whom the run waits for and why, empty if nobody
	Failure    string // why the run failed, empty if it did not
	// Complete is set if everything asked for has been found.
	Complete bool
	Idle     time.Duration // since the run last made progress
	// Shares is what each worker has done of a sweep since the coordinator took it up.
	Shares []Share
}

// A Share is what a worker has done of a sweep: units and the states visited for them, and
// the units that were taken back because it was lost.
type Share struct {
	Worker      string
	Units, Lost int
	States      int64
}

// Worker is the status of a worker.
type Worker struct {
	Name, Address     string
	Present, Draining bool
	Silent            time.Duration // since it last called
	Stage             string        // the stage reached, empty if idle
	Partitions        int           // of the run, kept by the worker
	Weight            uint32        // of its share, relative to other workers
	DiskFree          uint64        // bytes, 0 if unknown
	Lanes             int           // 0 if unknown
	Trouble           string        // what is wrong with it, empty if nothing is known to be

	// SentBytes is what the process has sent to other workers since it began, and
	// MemoryBytes the memory that it holds. Expanded and Written count states of the
	// layer in progress.
	SentBytes, MemoryBytes, Expanded, Written int64
}

func statusOf(m *everystatev1.RunStatus) Status {
	s := Status{
		Run: m.GetRun(),
		Spec: history.Spec{
			Family: m.GetSpec().GetFamily(), Name: m.GetSpec().GetName(), Metric: m.GetSpec().GetMetric(),
			Text: m.GetSpec().GetText(), Partitions: int(m.GetSpec().GetPartitions()), Units: int(m.GetSpec().GetUnits()),
		},
		State:  wire.StateOf(m.GetState()),
		Want:   wire.WantOf(m.GetWant()),
		Depth:  int(m.GetDepth()),
		States: int64(m.GetStates()), Frontier: int64(m.GetFrontier()),
		Expanded: int64(m.GetExpanded()), Written: int64(m.GetWritten()),
		Entries: int(m.GetJournalEntries()),
		Bucket:  m.GetBucket(), DurableEntries: int(m.GetDurableEntries()), BucketTrouble: m.GetBucketTrouble(),
		WaitingFor: m.GetWaitingFor(), Failure: m.GetFailure(), Complete: m.GetComplete(),
		Idle:      time.Duration(m.GetIdleMillis()) * time.Millisecond,
		UnitsDone: int(m.GetUnitsDone()), UnitsLeased: int(m.GetUnitsLeased()), Records: int64(m.GetRecords()),
		Puzzles: int64(m.GetPuzzles()), GreatestDistance: int(m.GetGreatestDistance()),
	}
	s.Digest, _ = digest.FromBytes(m.GetDigest()) // only a sweep has one
	s.Explored, s.ExploredStates = s.Depth, s.States
	if m != nil && m.ExploredDepth != nil {
		s.Explored = int(m.GetExploredDepth())
	}
	if m != nil && m.ExploredStates != nil {
		s.ExploredStates = int64(m.GetExploredStates())
	}
	s.BucketLooks, s.BucketLost = -1, int(m.GetBucketLost())
	if m != nil && m.BucketLooks != nil {
		s.BucketLooks = int(m.GetBucketLooks())
	}
	for _, w := range m.GetShares() {
		s.Shares = append(s.Shares, Share{w.GetWorker(), int(w.GetUnitsDone()), int(w.GetUnitsLost()), int64(w.GetStates())})
	}
	s.Phase, _ = wire.PhaseOf(m.GetPhase()) // 0 if there is none
	return s
}

func workersOf(list []*everystatev1.WorkerStatus) []Worker {
	var all []Worker
	for _, m := range list {
		w := Worker{
			Name: m.GetWorker(), Stage: wire.StageName(m.GetStage()), Address: m.GetAddress(), Present: m.GetPresent(), Draining: m.GetDraining(),
			Silent:     time.Duration(m.GetSilentMillis()) * time.Millisecond,
			Partitions: int(m.GetPartitions()), Weight: m.GetWeight(), DiskFree: m.GetDiskFreeBytes(), Lanes: int(m.GetLanes()),
			SentBytes: int64(m.GetSentBytes()), MemoryBytes: int64(m.GetMemoryBytes()),
			Expanded: int64(m.GetExpanded()), Written: int64(m.GetWritten()), Trouble: m.GetTrouble(),
		}
		all = append(all, w)
	}
	return all
}
