package worker

import "github.com/everystate/everystate/puzzle/partition"

// A Tally is what was carried from one sender to one receiver: how many candidates, and
// their sum in any order. Whoever sends and whoever takes keep one each; where they
// differ something was lost, repeated or changed on the way.
type Tally struct {
	Records int64
	Sum     uint64
}

// Add adds the records of a partition.
func (t *Tally) Add(part partition.ID, recs []uint64, stride int) {
	n := int64(len(recs) / stride)
	var a, b, c, d uint64 // four chains, as one would wait for itself
	for len(recs) >= 4 {
		a, b, c, d = a+recs[0], b+recs[1], c+recs[2], d+recs[3]
		recs = recs[4:]
	}
	for _, r := range recs {
		a += r
	}
	// Records do not say of which partition they are.
	const spread = 0x9E3779B97F4A7C15 // 2^64 over the golden ratio
	t.Records += n
	t.Sum += a + b + c + d + uint64(n)*(uint64(part)+1)*spread
}

// Join adds another tally.
func (t *Tally) Join(other Tally) {
	t.Records += other.Records
	t.Sum += other.Sum
}

// JoinAll adds tallies by sender or receiver to others, which it may extend.
func JoinAll(to, from []Tally) []Tally {
	for i, t := range from {
		for len(to) <= i {
			to = append(to, Tally{})
		}
		to[i].Join(t)
	}
	return to
}
