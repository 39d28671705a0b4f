package journal

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/everystate/everystate/coordinator/history"
)

// TestCopy has the objects of a journal written in any order: its log is always the
// beginning of the journal, layers with their objects, and taken up anew at any entry
// it goes on as before.
func TestCopy(t *testing.T) {
	t.Parallel()
	const partitions = 4
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 0))
		workers := []string{"a", "b", "c"}[:1+rng.IntN(3)]
		homes := make([]history.WorkerID, partitions)
		var journal Entries
		var id history.Identity
		var c Copy
		now := time.Unix(0, 0)
		alone := ""
		if rng.IntN(4) == 0 {
			alone, workers = "local", []string{"local"}
		}
		place := func() *history.Placement {
			if alone != "" {
				return nil
			}
			return &history.Placement{Workers: workers, Homes: slices.Clone(homes)}
		}
		move := func() {
			for i := range homes {
				homes[i] = history.WorkerID(rng.IntN(len(workers)))
			}
			if p := place(); p != nil {
				journal = append(journal, Placement(*p))
			}
		}
		move()
		owed := make(map[int][]string) // by entry, the writers
		var log Entries
		for depth := uint32(0); depth < 12 || len(log) < len(journal); {
			switch n := rng.IntN(8); {
			case depth < 12 && n == 0:
				move()
			case depth < 12 && n < 3:
				l := history.Layer{Phase: history.Forward, Depth: depth, Epoch: depth + 1, PartStates: make([]int64, partitions), Bytes: 10}
				writers := make(map[string]bool)
				for part := range l.PartStates {
					if l.PartStates[part] = rng.Int64N(3) + int64(1-min(part, 1)); l.PartStates[part] > 0 {
						l.States += l.PartStates[part]
						writers[workers[homes[part]]] = true
					}
				}
				for _, w := range workers {
					if writers[w] {
						owed[len(journal)] = append(owed[len(journal)], w)
					}
				}
				c.Await(len(journal), l, place(), id, alone, now)
				journal = append(journal, Layer(l))
				depth++
			case n < 5:
				if u := c.Pending(); len(u) > 0 {
					u := u[rng.IntN(len(u))]
					s := &u.Shares[rng.IntN(len(u.Shares))]
					s.Written, s.Bytes = true, 7
					owed[u.Entry] = slices.DeleteFunc(owed[u.Entry], func(w string) bool { return w == s.Writer })
				}
			case n == 5 && c.Logged() < len(journal):
				entry, err := c.Next(journal[c.Logged()])
				if err != nil {
					t.Fatal(err)
				}
				if left := owed[c.Logged()]; (entry == nil) != (len(left) > 0) || !slices.Equal(c.Missing(), left) {
					t.Fatalf("seed %d: entry %d is written: %v, it waits for %v, want %v", seed, c.Logged(), entry != nil, c.Missing(), left)
				}
				if entry != nil {
					log = append(log, entry)
					c.Appended()
				}
			case n == 6:
				var again Copy
				if err := again.Follow(journal, partitions, len(log), id, alone, now); err != nil {
					t.Fatal(err)
				}
				for i, u := range again.Pending() {
					for j := range u.Shares {
						u.Shares[j] = c.Pending()[i].Shares[j]
					}
				}
				if !reflect.DeepEqual(withoutTallies(again), withoutTallies(c)) {
					t.Fatalf("seed %d: taken up anew it is\n%+v, and not\n%+v", seed, again, c)
				}
			}
		}
		if same, err := Diverge(journal, log); err != nil || same != len(journal) || c.Layers(history.Forward) != 12 || c.Bytes() != 0 {
			t.Fatalf("seed %d: %d of %d entries are in the log, %d layers, %v", seed, same, len(journal), c.Layers(history.Forward), err)
		}
	}
}

// withoutTallies leaves of the pending layers what a journal tells of them.
func withoutTallies(c Copy) (out []any) {
	out = append(out, c.logged, c.layers)
	for _, u := range c.pending {
		out = append(out, u.Entry, u.Layer.Depth, u.Layer.PartStates, u.Shares)
	}
	return out
}
