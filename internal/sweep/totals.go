package sweep

import (
	"encoding/binary"
	"hash/fnv"

	"github.com/everystate/everystate/puzzle/digest"
)

// Totals counts what units found. The zero Totals counts no units.
type Totals struct {
	// Units that are counted here.
	Units uint64 `json:"units"`
	// Families of boards that moves do not leave. In Rush Hour, boards with the same
	// vehicles line by line, and at least one state; in a Sokoban room, its goal
	// sets; in blocks, the one set of pieces.
	Families uint64 `json:"families"`
	// Clusters of states reachable from one another, and their states. In Sokoban,
	// whose pushes cannot be undone, a cluster is the states from which a goal set
	// can be solved.
	Clusters uint64 `json:"clusters"`
	States   uint64 `json:"states"`
	// Passed counts the states that a reduced sweep does not visit. They are in no
	// other count. In every unit, States and Passed add up to its closed form.
	Passed uint64 `json:"states_passed"`
	// Solvable clusters hold a goal state.
	Solvable       uint64 `json:"solvable_clusters"`
	SolvableStates uint64 `json:"states_in_solvable"`
	// Goals are the goal states.
	Goals uint64 `json:"goal_states"`
	// Puzzles are the solvable clusters that the enumeration counts as puzzles: in
	// Rush Hour the minimal ones, elsewhere those with a state that is not a goal.
	Puzzles      uint64 `json:"puzzles"`
	PuzzleStates uint64 `json:"states_in_puzzles"`
	// Largest is the number of states of the largest cluster.
	Largest uint64 `json:"largest_cluster"`
	// Records that are kept.
	Records uint64 `json:"records"`
	// Distances has an entry for every distance from 0 to the greatest.
	Distances []DistanceTotals `json:"by_distance"`
	// Digest covers all records and the numbers above. [Totals.Seal] sets it when a
	// unit has ended.
	Digest digest.Digest `json:"-"`
	// OfRecords is the digest of the records alone, if whoever adds up has set it
	// ([Totals.DigestOfRecords]). It is not encoded.
	OfRecords digest.Digest `json:"-"`
}

// Covered returns the states of the units done, visited or passed over: as many as
// their closed forms give.
func (t *Totals) Covered() uint64 { return t.States + t.Passed }

// DistanceTotals counts what is at one distance.
type DistanceTotals struct {
	// Puzzles at this distance, and their states.
	Puzzles      uint64 `json:"puzzles"`
	PuzzleStates uint64 `json:"states_in_puzzles"`
	// Clusters are the solvable clusters at this distance.
	Clusters      uint64 `json:"clusters"`
	ClusterStates uint64 `json:"states_in_clusters"`
	// States at this distance from the nearest goal, in any cluster.
	States uint64 `json:"states"`
}

// At returns the entry of a distance, for adding to.
func (t *Totals) At(distance int) *DistanceTotals {
	for len(t.Distances) <= distance {
		t.Distances = append(t.Distances, DistanceTotals{})
	}
	return &t.Distances[distance]
}

// AddSolvable counts a solvable cluster, given its states at each distance.
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

// AddCluster counts a cluster, solvable or not.
func (t *Totals) AddCluster(states uint64) {
	t.Clusters++
	t.States += states
	t.Largest = max(t.Largest, states)
}

// AddRecord adds a record to the count and the digest.
func (t *Totals) AddRecord(r *Record) {
	t.Records++
	t.digestBytes(saltRecord, r.appendDigested(nil))
}

// Salts that distinguish records from counts.
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

// Seal ends the counting of one unit: it digests the unit's number and counts.
func (t *Totals) Seal(unit int) {
	t.Units = 1
	t.digestBytes(saltCounts, t.appendCounts(binary.AppendUvarint(nil, uint64(unit))))
}

// DigestOfRecords returns the digest of the records alone of a sealed unit. It does
// not depend on what was visited to find them.
func (t *Totals) DigestOfRecords(unit int) digest.Digest {
	counts := *t
	counts.Digest = digest.Digest{}
	counts.Seal(unit)
	return digest.Digest{t.Digest[0] - counts.Digest[0], t.Digest[1] - counts.Digest[1]}
}

// AddSealed adds what a unit found, with the digest of its records.
func (t *Totals) AddSealed(unit int, u *Totals) {
	one := *u
	one.OfRecords = u.DigestOfRecords(unit)
	t.Add(&one)
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

// sums returns the counts that add up.
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

// AppendBinary appends the totals' bytes: the digest, then varints, the last of them
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

// AppendSum appends the bytes of totals of several units: those of AppendBinary after
// the digest of the records.
func (t *Totals) AppendSum(b []byte) ([]byte, error) {
	return t.AppendBinary(append(b, t.OfRecords.Bytes()...))
}

// UnmarshalSum reads what AppendSum wrote.
func (t *Totals) UnmarshalSum(b []byte) error {
	if len(b) < digest.Size {
		return errRecord
	}
	of, err := digest.FromBytes(b[:digest.Size])
	if err != nil {
		return err
	}
	if err := t.UnmarshalBinary(b[digest.Size:]); err != nil {
		return err
	}
	t.OfRecords = of
	return nil
}
