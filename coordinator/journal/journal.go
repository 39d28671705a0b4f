// Package journal translates between what the coordinator's core knows of a run
// and the entries of its record of truth, which are protocol buffers
// (everystate.v1.JournalEntry).
//
// The log of a run in a bucket has the same entries, but those of layers also name the
// objects with the layer's blocks. The control object beside it, in JSON, records what
// was asked of the run.
//
// It checks what it reads as untrusted input, and must never return a history that the
// core could not have made.
package journal

import (
	"fmt"
	"math"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/everystate/everystate/coordinator/history"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/puzzle/partition"
)

// FormatVersion is the version of the stored format of a run that keeps layers. It
// covers the journal, the blocks and the mix that assigns states to partitions.
const FormatVersion = 1

// TableVersion is the version of the stored format of a run that keeps tables.
const TableVersion = 2

// FrontierVersion is the version of the stored format of a run that keeps layers and
// drops those that no later one needs.
const FrontierVersion = 3

// FoldedVersion is the version of the stored format of a run that keeps tables whose
// ranks are folded.
const FoldedVersion = 4

// DividedVersion is the version of the stored format of a run that divides a table among
// its workers.
const DividedVersion = 5

// version returns the format version of a run.
func version(s history.Spec) uint32 {
	switch {
	case s.Store == history.DividedTable:
		return DividedVersion
	case s.Store == history.Table && s.Folded:
		return FoldedVersion
	case s.Store == history.Table:
		return TableVersion
	case s.Keep.Frontier:
		return FrontierVersion
	}
	return FormatVersion
}

// Spec returns the first entry of a run.
func Spec(s history.Spec) []byte {
	return marshal(&everystatev1.JournalEntry{Entry: &everystatev1.JournalEntry_Spec{Spec: RunSpec(s)}})
}

// Begin returns the entries that begin a run: the spec, and the puzzle's module if
// it has one.
func Begin(s history.Spec) Entries {
	entries := Entries{Spec(s)}
	for i := range Chunks(len(s.Module)) {
		entries = append(entries, marshal(&everystatev1.JournalEntry{
			Entry: &everystatev1.JournalEntry_ModuleChunk{ModuleChunk: &everystatev1.ModuleChunk{Data: []byte(Chunk(s.Module, i))}},
		}))
	}
	return entries
}

// Bounds of a module and its chunks, in bytes.
const (
	ModuleBytesMax = 16 << 20
	ChunkBytes     = 512 << 10
)

// Chunks returns the number of chunks of a module.
func Chunks(moduleBytes int) int { return (moduleBytes + ChunkBytes - 1) / ChunkBytes }

// Chunk returns chunk i of a module.
func Chunk(module string, i int) string {
	return module[i*ChunkBytes : min((i+1)*ChunkBytes, len(module))]
}

// RunSpec converts a spec to its message.
func RunSpec(s history.Spec) *everystatev1.RunSpec {
	return &everystatev1.RunSpec{
		Family:        s.Family,
		Name:          s.Name,
		Metric:        s.Metric,
		Text:          s.Text,
		Partitions:    uint32(s.Partitions),
		FormatVersion: version(s),
		ModuleBytes:   uint32(len(s.Module)),
		Units:         uint32(s.Units),
		KeptLayers:    s.Keep.Named.All(),
		LinesAbove:    uint32(s.Above),
	}
}

// Layer returns the entry that commits a layer.
func Layer(l history.Layer) []byte {
	return marshal(&everystatev1.JournalEntry{Entry: &everystatev1.JournalEntry_Layer{Layer: wire.LayerRecord(l)}})
}

// Session returns the entry that begins a session. by tells people who began it; nonce
// is a random number that makes the entry unique; run is the identity of the run.
func Session(firstEpoch uint32, by string, nonce uint64, run history.Identity) []byte {
	return marshal(&everystatev1.JournalEntry{Entry: &everystatev1.JournalEntry_SessionStart{
		SessionStart: &everystatev1.SessionStart{FirstEpoch: uint64(firstEpoch), By: by, Nonce: nonce, RunIdentity: wire.Identity(run)},
	}})
}

// Placement returns the entry that records where the partitions are kept. Workers that
// keep none are left out.
func Placement(p history.Placement) []byte {
	m := &everystatev1.Placement{}
	index := make(map[history.WorkerID]uint32)
	for _, h := range p.Homes {
		i, known := index[h]
		if !known {
			i = uint32(len(m.Workers))
			index[h] = i
			m.Workers = append(m.Workers, p.Workers[h])
		}
		m.Homes = append(m.Homes, i)
	}
	return marshal(&everystatev1.JournalEntry{Entry: &everystatev1.JournalEntry_Placement{Placement: m}})
}

func placementOf(m *everystatev1.Placement) history.Placement {
	p := history.Placement{Workers: m.GetWorkers()}
	for _, h := range m.GetHomes() {
		p.Homes = append(p.Homes, history.WorkerID(h))
	}
	return p
}

// End returns the entry that ends a phase.
func End(e history.PhaseEnd) []byte {
	return marshal(&everystatev1.JournalEntry{Entry: &everystatev1.JournalEntry_PhaseEnd{PhaseEnd: wire.PhaseEnd(e)}})
}

// marshal cannot fail: only strings that are not UTF-8 could make it, and a puzzle's
// text is checked when it is read.
func marshal(m proto.Message) []byte {
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		panic(fmt.Sprintf("journal entry %v: %v", m, err))
	}
	return b
}

// Log is where entries are kept.
type Log interface {
	// Journal calls f with each entry in order.
	Journal(f func(entry []byte) error) error
}

// Read returns the spec and the history that a log records. An empty log yields a Spec
// without partitions. If the log ends within the puzzle's module, so does Spec.Module.
func Read(log Log) (history.Spec, history.History, error) {
	var r reading
	n := 0
	err := log.Journal(func(entry []byte) error {
		if err := r.apply(entry); err != nil {
			return fmt.Errorf("journal entry %d: %w", n, err)
		}
		n++
		return nil
	})
	r.spec.Module = string(r.module)
	return r.spec, r.history, err
}

// reading is what the entries read so far record.
type reading struct {
	spec    history.Spec
	history history.History

	module      []byte
	moduleBytes int // of the whole module

	unit unitParts
}

// chunk adds a chunk of the module.
func (r *reading) chunk(data []byte) error {
	if left := r.moduleBytes - len(r.module); left == 0 || len(data) != min(left, ChunkBytes) {
		return fmt.Errorf("a chunk of %d bytes, but only %d of the module are missing", len(data), left)
	}
	r.module = append(r.module, data...)
	return nil
}

func (r *reading) apply(entry []byte) error {
	spec, past := &r.spec, &r.history
	var e everystatev1.JournalEntry
	if err := proto.Unmarshal(entry, &e); err != nil {
		return fmt.Errorf("cannot be read: %w", err)
	}
	if (e.GetSpec() != nil) != (spec.Partitions == 0) {
		return fmt.Errorf("the spec must come first, and once")
	}
	if sweeps := spec.Units > 0; spec.Partitions > 0 && !fits(&e, sweeps) {
		return fmt.Errorf("entry does not belong in a run of this kind")
	}
	if e.GetModuleChunk() == nil && len(r.module) < r.moduleBytes {
		return fmt.Errorf("the module must follow the spec: %d bytes are missing", r.moduleBytes-len(r.module))
	}
	switch e := e.GetEntry().(type) {
	case *everystatev1.JournalEntry_Spec:
		s, err := specOf(e.Spec)
		*spec = s
		past.SetKeep(s.Keep)
		history.SetDivided(past, s.Store == history.DividedTable)
		r.moduleBytes = int(e.Spec.GetModuleBytes())
		return err
	case *everystatev1.JournalEntry_ModuleChunk:
		return r.chunk(e.ModuleChunk.GetData())
	case *everystatev1.JournalEntry_UnitPart:
		return r.unitPart(e.UnitPart)
	case *everystatev1.JournalEntry_Layer:
		l, err := wire.LayerOf(e.Layer, spec.Partitions)
		if err != nil {
			return err
		}
		if l.Epoch > past.LastEpoch() {
			past.Cut(l.Phase, l.Depth) // it was there before, and has been made again
		}
		if !past.AddLayer(l) {
			return fmt.Errorf("%v layer %d is not the next", l.Phase, l.Depth)
		}
		return nil
	case *everystatev1.JournalEntry_Placement:
		if p := placementOf(e.Placement); len(p.Homes) != spec.Partitions || !past.AddPlacement(p) {
			return fmt.Errorf("an invalid or misplaced placement")
		}
		return nil
	case *everystatev1.JournalEntry_SessionStart:
		first := e.SessionStart.GetFirstEpoch()
		if first > math.MaxUint32 || !past.AddSession(uint32(first)) {
			return fmt.Errorf("a session cannot begin with epoch %d", first)
		}
		id, err := wire.IdentityOf(e.SessionStart.GetRunIdentity())
		if err == nil && id.Known() && !past.AddIdentity(id) {
			err = fmt.Errorf("a session of run %v in the journal of run %v", id, past.Identity())
		}
		if err != nil {
			return err
		}
		return nil
	case *everystatev1.JournalEntry_PhaseEnd:
		end, err := wire.PhaseEndOf(e.PhaseEnd)
		if err != nil {
			return err
		}
		if !past.AddEnd(end) {
			return fmt.Errorf("phase %v cannot end here", end.Phase)
		}
		return nil
	}
	return fmt.Errorf("is of a kind unknown to this version")
}

// KeepOf returns which layers a run keeps, according to the message of its spec.
func KeepOf(s *everystatev1.RunSpec) (keep history.Keep, err error) {
	if s.GetFormatVersion() == FrontierVersion {
		keep = history.Keep{Frontier: true, Named: history.DepthsOf(s.GetKeptLayers())}
	}
	if n := len(s.GetKeptLayers()); n != keep.Named.Len() || n > history.DepthsMax || !slices.Equal(s.GetKeptLayers(), keep.Named.All()) {
		return history.Keep{}, fmt.Errorf("layers to keep that are out of order, too many, or of a run that drops none")
	}
	return keep, nil
}

func specOf(s *everystatev1.RunSpec) (history.Spec, error) {
	kept, folded := history.Layers, false
	switch v := s.GetFormatVersion(); v {
	case FormatVersion, FrontierVersion:
	case DividedVersion:
		kept = history.DividedTable
	case TableVersion, FoldedVersion:
		kept, folded = history.Table, v == FoldedVersion
	default:
		return history.Spec{}, fmt.Errorf("the run has format version %d; this program reads versions %d to %d", v, FormatVersion, DividedVersion)
	}
	keep, err := KeepOf(s)
	if err != nil {
		return history.Spec{}, err
	}
	p := s.GetPartitions()
	if err := partition.Check(int(p)); err != nil {
		return history.Spec{}, err
	}
	if n := s.GetModuleBytes(); n > ModuleBytesMax {
		return history.Spec{}, fmt.Errorf("a module of %d bytes: at most %d", n, ModuleBytesMax)
	}
	if n := s.GetUnits(); n > UnitsMax || n > 0 && p != 1 {
		return history.Spec{}, fmt.Errorf("%d units with %d partitions: a sweep has at most %d, and one", n, p, UnitsMax)
	}
	return history.Spec{
		Family:     s.GetFamily(),
		Name:       s.GetName(),
		Metric:     s.GetMetric(),
		Text:       s.GetText(),
		Above:      int(s.GetLinesAbove()),
		Partitions: int(p),
		Units:      int(s.GetUnits()),
		Store:      kept,
		Folded:     folded,
		Keep:       keep,
	}, nil
}
