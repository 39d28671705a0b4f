package server

import (
	"fmt"
	"math"

	"github.com/everystate/everystate/coordinator/history"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/worker"
	"github.com/everystate/everystate/worker/exchange"
	"github.com/everystate/everystate/worker/plans"
)

// The phases of a run, as the store numbers them.
const (
	forward = uint8(history.Forward)
	goal    = uint8(history.Goal)
)

// assigned is the run that the worker has been told to work on, with the layers it has
// been told of.
type assigned struct {
	name   string
	spec   *everystatev1.RunSpec
	bucket string                   // URL of the run in a bucket, empty if it is in none
	id     history.Identity         // distinguishes it from others of its name
	layers [goal + 1][]worker.Layer // by phase and depth; only ever appended to

	keptFrom uint32         // the forward layers above have been dropped,
	named    history.Depths // except these
}

// knowsNothing reports whether it has been told of no layers.
func (a *assigned) knowsNothing() bool { return len(a.layers[forward]) == 0 }

// lastEpoch returns the epoch of the last layer of a phase, or 0.
func (a *assigned) lastEpoch(phase uint8) uint32 {
	if n := len(a.layers[phase]); n > 0 {
		return a.layers[phase][n-1].Segment.Epoch
	}
	return 0
}

// add adds a committed layer. A layer that is known already is ignored.
func (a *assigned) add(r *everystatev1.LayerRecord) error {
	phase, err := phaseOf(r.GetPhase())
	if err != nil {
		return err
	}
	if r.GetEpoch() > math.MaxUint32 {
		return fmt.Errorf("epoch %d is too large", r.GetEpoch())
	}
	if n, want := len(r.GetPartitionStates()), a.spec.GetPartitions(); n != int(want) {
		return fmt.Errorf("counts for %d of %d partitions", n, want)
	}
	known := a.layers[phase]
	var l worker.Layer
	l.Segment = store.SegmentID{Phase: phase, Layer: r.GetDepth(), Epoch: uint32(r.GetEpoch())}
	if int64(r.GetDepth()) < int64(len(known)) {
		if known[r.GetDepth()].Segment != l.Segment {
			return fmt.Errorf("differs from %v", known[r.GetDepth()].Segment)
		}
		return nil
	}
	if int64(r.GetDepth()) > int64(len(known)) {
		return fmt.Errorf("comes after %d layers", len(known))
	}
	var sum int64
	if l.PartStates, sum, err = wire.CountsOf(r.GetPartitionStates()); err != nil {
		return fmt.Errorf("has %w", err)
	}
	if uint64(sum) != r.GetStates() || sum == 0 {
		return fmt.Errorf("has %d states, but its partitions have %d", r.GetStates(), sum)
	}
	a.layers[phase] = append(known, l)
	if phase == forward {
		a.keptFrom = min(r.GetKeptFrom(), r.GetDepth())
	}
	return nil
}

// committed reports whether a segment has become a layer.
func (a *assigned) committed(id store.SegmentID) bool {
	layers := a.layers[id.Phase]
	return int(id.Layer) < len(layers) && layers[id.Layer].Segment == id
}

func phaseOf(p everystatev1.Phase) (uint8, error) {
	phase, err := wire.PhaseOf(p)
	return uint8(phase), err
}

// attempt is one try at making a layer, or at moving partitions to this worker, as
// ordered.
type attempt struct {
	target  store.SegmentID
	sources []source       // of an attempt to move partitions, else nil
	first   []worker.Layer // the layers of which records must be here; nil means all
	whole   bool           // the sources are of all that this worker keeps
	own     []partition.ID // of this worker, in increasing order
	owner   []int          // by partition, an index into addresses
	address []string       // of the workers; this one's is empty
	names   []string       // of the workers
	self    string         // the name of this one
	run     history.Identity
	plan    worker.Attempt // except the partitions, which lanes divide
	alone   *alone         // of an attempt that this worker makes alone, else nil

	uncommitted []*everystatev1.LayerRecord // that are moved like committed layers

	roll *exchange.Roll // who has sent everything, if the workers agree on that among themselves
}

// source is a worker that keeps partitions; an empty address means that there is none.
type source struct {
	name, address string
	parts         []uint32 // in increasing order
}

// moves reports whether the attempt moves partitions.
func (at *attempt) moves() bool { return at.sources != nil }

// readAttempt checks an order.
func (a *assigned) readAttempt(o *everystatev1.AttemptOrder, self string) (*attempt, error) {
	if o.GetStage() == everystatev1.Stage_STAGE_HELD {
		return a.readMove(o, self)
	}
	phase, err := phaseOf(o.GetPhase())
	if err != nil {
		return nil, err
	}
	if o.GetEpoch() < 1 || o.GetEpoch() > math.MaxUint32 {
		return nil, fmt.Errorf("epoch %d", o.GetEpoch())
	}
	if int64(o.GetDepth()) != int64(len(a.layers[phase])) {
		return nil, fmt.Errorf("layer %d after %d layers", o.GetDepth(), len(a.layers[phase]))
	}
	at := &attempt{target: store.SegmentID{Phase: phase, Layer: o.GetDepth(), Epoch: uint32(o.GetEpoch())}, self: self, run: a.id}
	partitions := int(a.spec.GetPartitions())
	at.owner = make([]int, partitions)
	for p := range at.owner {
		at.owner[p] = -1
	}
	for i, w := range o.GetOwners() {
		address := w.GetAddress()
		if w.GetWorker() == self {
			address = ""
		}
		at.address, at.names = append(at.address, address), append(at.names, w.GetWorker())
		for _, p := range w.GetPartitions() {
			if int64(p) >= int64(partitions) || at.owner[p] >= 0 {
				return nil, fmt.Errorf("partition %d of %d, or twice", p, partitions)
			}
			at.owner[p] = i
		}
	}
	for p, i := range at.owner {
		switch {
		case i < 0:
			return nil, fmt.Errorf("partition %d has no owner", p)
		case o.GetOwners()[i].GetWorker() == self:
			at.own = append(at.own, partition.ID(p))
		}
	}
	if o.GetStraight() {
		if o.GetStage() != everystatev1.Stage_STAGE_WRITTEN || len(at.own) == 0 {
			return nil, fmt.Errorf("straight to %v with %d partitions", o.GetStage(), len(at.own))
		}
		at.roll = exchange.NewRoll(len(at.names), at.owner[at.own[0]])
	}
	if o.GetAlone() != nil {
		if err := at.readAlone(o); err != nil {
			return nil, err
		}
	}
	if o.GetLacking() {
		if at.first, err = plans.Reads(a.layers[:], o.GetPlan()); err != nil {
			return nil, err
		}
	}
	at.plan, err = plans.Read(a.layers[:], o.GetPlan(), at.target)
	return at, err
}

// readMove checks an order to move partitions.
func (a *assigned) readMove(o *everystatev1.AttemptOrder, self string) (*attempt, error) {
	if o.GetEpoch() < 1 || o.GetEpoch() > math.MaxUint32 {
		return nil, fmt.Errorf("epoch %d", o.GetEpoch())
	}
	at := &attempt{target: store.SegmentID{Epoch: uint32(o.GetEpoch())}, sources: []source{}, whole: o.GetWhole(), self: self, run: a.id, uncommitted: o.GetUncommitted()}
	from, err := a.readSources(o.GetSources())
	at.sources = append(at.sources, from...)
	if err == nil && o.GetPlan() != nil {
		at.first, err = plans.Reads(a.layers[:], o.GetPlan())
	}
	return at, err
}

// readSources checks from whom this worker is to get partitions.
func (a *assigned) readSources(owners []*everystatev1.Owner) (all []source, err error) {
	seen := make(map[uint32]bool)
	for _, w := range owners {
		for i, p := range w.GetPartitions() {
			if p >= a.spec.GetPartitions() || seen[p] || i > 0 && p <= w.GetPartitions()[i-1] {
				return nil, fmt.Errorf("partition %d of %d, or twice, or not in order", p, a.spec.GetPartitions())
			}
			seen[p] = true
		}
		all = append(all, source{w.GetWorker(), w.GetAddress(), w.GetPartitions()})
	}
	return all, nil
}
