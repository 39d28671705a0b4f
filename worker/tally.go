package worker

import "github.com/everystate/everystate/puzzle/partition"

// A Tally sums up what was carried from one sender to one receiver: the number of
// candidates and their sum, in any order. Sender and receiver keep one each; if they
// differ, something was lost, repeated or changed on the way.
type Tally struct {
	Records int64
	Sum     uint64
}

// Add adds the records of a partition.
func (t *Tally) Add(part partition.ID, recs []uint64, stride int) {
	n := int64(len(recs) / stride)
	var a, b, c, d uint64 // four independent sums, which the processor overlaps
	for len(recs) >= 4 {
		a, b, c, d = a+recs[0], b+recs[1], c+recs[2], d+recs[3]
		recs = recs[4:]
	}
	for _, r := range recs {
		a += r
	}
	// The partition is added because records do not contain it.
	const spread = 0x9E3779B97F4A7C15 // 2^64 over the golden ratio
	t.Records += n
	t.Sum += a + b + c + d + uint64(n)*(uint64(part)+1)*spread
}

// Join adds another tally.
func (t *Tally) Join(other Tally) {
	t.Records += other.Records
	t.Sum += other.Sum
}

// JoinAll adds from to to, element by element, extending to if needed. Both are by
// sender, or both by receiver.
func JoinAll(to, from []Tally) []Tally {
	for i, t := range from {
		for len(to) <= i {
			to = append(to, Tally{})
		}
		to[i].Join(t)
	}
	return to
}
