package sweep

import (
	"encoding/binary"
	"hash/fnv"

	"github.com/everystate/everystate/puzzle/digest"
)

// Totals counts what units found. The zero Totals is that of no units.
type Totals struct {
	// Units that are counted here.
	Units uint64 `json:"units"`
	// Families of boards that moves do not leave: of Rush Hour those that have the
	// same vehicles line by line, and at least one state; of a Sokoban room its goal
	// sets; of blocks the one set of pieces.
	Families uint64 `json:"families"`
	// Clusters of states that can be reached from one another, and their states. Of
	// Sokoban, whose pushes cannot be taken back, a cluster is the states from which
	// a goal set can be solved.
	Clusters uint64 `json:"clusters"`
	States   uint64 `json:"states"`
	// Passed are the states of what a reduced sweep does not visit. They are in no
	// other count. Every unit has as many States and Passed together as its closed form
	// says.
	Passed uint64 `json:"states_passed"`
	// Solvable clusters hold a goal state.
	Solvable       uint64 `json:"solvable_clusters"`
	SolvableStates uint64 `json:"states_in_solvable"`
	// Goals are the goal states.
	Goals uint64 `json:"goal_states"`
	// Puzzles are the solvable clusters that the enumeration takes for puzzles: of
	// Rush Hour the minimal ones, of others those with a state that is no goal.
	Puzzles      uint64 `json:"puzzles"`
	PuzzleStates uint64 `json:"states_in_puzzles"`
	// Largest is the number of states of the largest cluster.
	Largest uint64 `json:"largest_cluster"`
	// Records that are kept.
	Records uint64 `json:"records"`
	// Distances has an entry for every distance from 0 to the greatest.
	Distances []DistanceTotals `json:"by_distance"`
	// Digest is that of all records and of the numbers above. It is set by
	// [Totals.Seal], when a unit has ended.
	Digest digest.Digest `json:"-"`
	// OfRecords is the digest of the records alone, where whoever adds up has set it
	// ([Totals.DigestOfRecords]). It is not among the bytes.
	OfRecords digest.Digest `json:"-"`
}

// Covered returns the states of the units that are done, visited or passed over:
// as many as their closed forms say.
func (t *Totals) Covered() uint64 { return t.States + t.Passed }

// DistanceTotals counts what there is at one distance.
type DistanceTotals struct {
	// Puzzles whose distance this is, and their states.
	Puzzles      uint64 `json:"puzzles"`
	PuzzleStates uint64 `json:"states_in_puzzles"`
	// Clusters are the solvable clusters whose distance this is.
	Clusters      uint64 `json:"clusters"`
	ClusterStates uint64 `json:"states_in_clusters"`
	// States at this distance from the nearest goal, of whatever cluster.
	States uint64 `json:"states"`
}

// At returns the entry of a distance, to be added to.
func (t *Totals) At(distance int) *DistanceTotals {
	for len(t.Distances) <= distance {
		t.Distances = append(t.Distances, DistanceTotals{})
	}
	return &t.Distances[distance]
}

// AddSolvable counts a cluster that can be solved, by the states at each distance.
func (t *Totals) AddSolvable(layers []uint64, isPuzzle bool) {
	d := t.At(len(layers) - 1)
	states := uint64(0)
	for distance, n := range layers {
		t.Distances[distance].States += n
		states += n
	}
	t.AddCluster(states)
	t.Solvable++
	t.SolvableStates += states
	t.Goals += layers[0]
	d.Clusters++
	d.ClusterStates += states
	if isPuzzle {
		t.Puzzles++
		t.PuzzleStates += states
		d.Puzzles++
		d.PuzzleStates += states
	}
}

// AddCluster counts a cluster, whether it can be solved or not.
func (t *Totals) AddCluster(states uint64) {
	t.Clusters++
	t.States += states
	t.Largest = max(t.Largest, states)
}

// AddRecord counts a record that is kept, for the digest.
func (t *Totals) AddRecord(r *Record) {
	t.Records++
	t.digestBytes(saltRecord, r.appendDigested(nil))
}

// Salts that keep records and counts apart.
const (
	saltRecord = 1
	saltCounts = 2
)

func (t *Totals) digestBytes(salt uint8, b []byte) {
	h := fnv.New128a()
	_, _ = h.Write(b) // a hash has no errors
	sum := h.Sum(nil)
	t.Digest.AddState(digest.LayerSalt(salt, 0),
		[]uint64{binary.BigEndian.Uint64(sum), binary.BigEndian.Uint64(sum[8:])}, 0)
}

// Seal ends the counting of one unit: its number and its counts are digested.
func (t *Totals) Seal(unit int) {
	t.Units = 1
	t.digestBytes(saltCounts, t.appendCounts(binary.AppendUvarint(nil, uint64(unit))))
}

// DigestOfRecords returns the digest of the records alone of a unit that is sealed.
// It does not depend on what was visited to find them.
func (t *Totals) DigestOfRecords(unit int) digest.Digest {
	counts := *t
	counts.Digest = digest.Digest{}
	counts.Seal(unit)
	return digest.Digest{t.Digest[0] - counts.Digest[0], t.Digest[1] - counts.Digest[1]}
}

// Add adds what other units found.
func (t *Totals) Add(u *Totals) {
	mine, theirs := t.sums(), u.sums()
	for i := range mine {
		*mine[i] += *theirs[i]
	}
	t.Passed += u.Passed
	t.Largest = max(t.Largest, u.Largest)
	for i, d := range u.Distances {
		e := t.At(i)
		e.Puzzles += d.Puzzles
		e.PuzzleStates += d.PuzzleStates
		e.Clusters += d.Clusters
		e.ClusterStates += d.ClusterStates
		e.States += d.States
	}
	t.Digest.Add(u.Digest)
	t.OfRecords.Add(u.OfRecords)
}

// sums are the counts that add up.
func (t *Totals) sums() [10]*uint64 {
	return [10]*uint64{
		&t.Units, &t.Families, &t.Clusters, &t.States, &t.Solvable, &t.SolvableStates,
		&t.Goals, &t.Puzzles, &t.PuzzleStates, &t.Records,
	}
}

func (t *Totals) appendCounts(b []byte) []byte {
	for _, n := range t.sums() {
		b = binary.AppendUvarint(b, *n)
	}
	b = binary.AppendUvarint(b, t.Largest)
	b = binary.AppendUvarint(b, uint64(len(t.Distances)))
	for _, d := range t.Distances {
		for _, n := range [...]uint64{d.Puzzles, d.PuzzleStates, d.Clusters, d.ClusterStates, d.States} {
			b = binary.AppendUvarint(b, n)
		}
	}
	if t.Passed > 0 {
		b = binary.AppendUvarint(b, t.Passed)
	}
	return b
}

// AppendBinary appends the totals' bytes: the digest and varints, the last of them
// Passed if it is not 0.
func (t *Totals) AppendBinary(b []byte) ([]byte, error) {
	return t.appendCounts(append(b, t.Digest.Bytes()...)), nil
}

// UnmarshalBinary reads what AppendBinary wrote.
func (t *Totals) UnmarshalBinary(b []byte) error {
	*t = Totals{}
	d := decoder{rest: b}
	sum, err := digest.FromBytes(d.bytes(digest.Size))
	if err != nil {
		return err
	}
	t.Digest = sum
	for _, n := range t.sums() {
		*n = d.number(1<<64 - 1)
	}
	t.Largest = d.number(1<<64 - 1)
	distances := d.number(min(layersMax, uint64(len(d.rest))))
	for i := range int(distances) {
		e := t.At(i)
		for _, n := range [...]*uint64{&e.Puzzles, &e.PuzzleStates, &e.Clusters, &e.ClusterStates, &e.States} {
			*n = d.number(1<<64 - 1)
		}
	}
	if len(d.rest) > 0 {
		t.Passed = d.number(1<<64 - 1)
		d.failed = d.failed || t.Passed == 0
	}
	if d.failed || len(d.rest) > 0 {
		return errRecord
	}
	return nil
}
