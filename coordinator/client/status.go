package client

import (
	"time"

	"github.com/everystate/everystate/coordinator/history"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/puzzle/digest"
)

// State is what is going on with a run.
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

// Status is how far a run is.
type Status struct {
	Run   string
	Spec  history.Spec
	State State
	Want  history.Want

	// Phase and Depth are those of the attempt under way; Phase is 0 if there is
	// none.
	Phase history.Phase
	Depth int
	// Explored is the greatest depth of the exploration: in the goal phase that of its
	// last layer, else Depth.
	Explored int
	// States is how many states of the phase are committed; Frontier how many the
	// attempt expands, Expanded how many of them it has, and Written how many new
	// states it has written.
	States, Frontier, Expanded, Written int64

	// UnitsDone is how many units of a sweep are done, of Spec.Units, and UnitsLeased
	// at how many workers are. States are those of the clusters found then, Records
	// how many of them are kept, and Digest that of all.
	UnitsDone, UnitsLeased int
	Records, Puzzles       int64
	GreatestDistance       int
	Digest                 digest.Digest

	// Entries is how many entries the journal has.
	Entries int
	// Bucket is the URL of the run in a bucket, empty if it is in none;
	// DurableEntries how many entries are there; and BucketTrouble why the bucket
	// is behind, empty if all is well.
	Bucket         string
	DurableEntries int
	BucketTrouble  string
	// BucketLooks is how often the bucket was compared with the run's log, -1 if the
	// coordinator does not do that; and BucketLost what it then lacked.
	BucketLooks, BucketLost int

	WaitingFor string // who is being waited for and why, empty if nobody is
	Failure    string // why the run failed, empty if it did not
	// Complete says that all that was asked for has been found.
	Complete bool
	Idle     time.Duration // since the run last got on
}

// Worker is how a worker is.
type Worker struct {
	Name, Address     string
	Present, Draining bool
	Silent            time.Duration // since it last called
	Stage             string        // that it has reached, empty if it has nothing to do
	Partitions        int           // of the run, that it keeps
	Weight            uint32        // of its share, compared with others
	DiskFree          uint64        // bytes, 0 if unknown
	Lanes             int           // 0 if unknown

	// SentBytes went to other workers since the process began, MemoryBytes it
	// holds; Expanded and Written are states of the layer under way.
	SentBytes, MemoryBytes, Expanded, Written int64
}

func statusOf(m *everystatev1.RunStatus) Status {
	s := Status{
		Run: m.GetRun(),
		Spec: history.Spec{
			Family: m.GetSpec().GetFamily(), Name: m.GetSpec().GetName(), Metric: m.GetSpec().GetMetric(),
			Text: m.GetSpec().GetText(), Partitions: int(m.GetSpec().GetPartitions()), Units: int(m.GetSpec().GetUnits()),
		},
		State: wire.StateOf(m.GetState()),
		Want: history.Want{
			MaxStates:  int64(m.GetWant().GetMaxStates()),
			StopAtGoal: m.GetWant().GetStopAtGoal(), GoalDistance: m.GetWant().GetGoalDistance(),
		},
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
	s.Digest, _ = digest.FromBytes(m.GetDigest()) // of a run that is not a sweep there is none
	if want := m.GetWant(); want != nil && want.MaxDepth != nil {
		s.Want.MaxDepth = new(int(want.GetMaxDepth()))
	}
	s.Explored = s.Depth
	if m != nil && m.ExploredDepth != nil {
		s.Explored = int(m.GetExploredDepth())
	}
	s.BucketLooks, s.BucketLost = -1, int(m.GetBucketLost())
	if m != nil && m.BucketLooks != nil {
		s.BucketLooks = int(m.GetBucketLooks())
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
			Expanded: int64(m.GetExpanded()), Written: int64(m.GetWritten()),
		}
		all = append(all, w)
	}
	return all
}
