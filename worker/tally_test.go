package worker

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/everystate/everystate/puzzle/partition"
)

// A tally does not depend on the order of records or on how they are cut into chunks,
// and it notices one that is missing, comes twice, is another, or is of another
// partition.
func TestTally(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	recs := make([]uint64, 101)
	for i := range recs {
		recs[i] = rng.Uint64()
	}
	of := func(part partition.ID, chunks ...[]uint64) (t Tally) {
		for _, c := range chunks {
			t.Add(part, c, 1)
		}
		return t
	}
	want := of(3, recs)
	shuffled := slices.Clone(recs)
	rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	if got := of(3, shuffled[:7], shuffled[7:50], nil, shuffled[50:]); got != want {
		t.Errorf("%v in another order, %v before", got, want)
	}
	bent := slices.Clone(recs)
	bent[50] ^= 1 << 40
	for what, got := range map[string]Tally{
		"missing":           of(3, recs[1:]),
		"twice":             of(3, recs, recs[:1]),
		"another":           of(3, bent),
		"another partition": of(4, recs),
	} {
		if got == want {
			t.Errorf("%s: not noticed", what)
		}
	}
}

// What comes for a partition that has been taken is refused: it would be lost.
func TestLateDelivery(t *testing.T) {
	t.Parallel()
	w := inboxWorker(t, narrowLayout(), 100)
	w.Begin(Attempt{})
	if err := w.Deliver(0, 0, append(w.opts.Chunks.get(), 7)); err != nil {
		t.Fatal(err)
	}
	w.inbox.take(0)
	if err := w.Deliver(0, 0, append(w.opts.Chunks.get(), 8)); err == nil {
		t.Error("it is taken")
	}
	if took := w.inbox.tallies(); len(took) != 1 || took[0].Records != 1 {
		t.Errorf("%v taken", took)
	}
}
