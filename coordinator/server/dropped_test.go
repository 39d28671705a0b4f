package server

import (
	"testing"
	"time"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/store/bucket"
)

// Workers may remove what a run has dropped. Of a run in a bucket they may remove only
// what the bucket's log has dropped, too: until then a run that is resumed from the bucket
// needs it.
func TestDroppedWaitsForTheLog(t *testing.T) {
	t.Parallel()
	const partitions, layers = 1, 8
	spec := history.Spec{Family: "rush-hour", Text: "A", Partitions: partitions, Keep: history.Keep{Frontier: true}}
	entries := journal.Begin(spec)
	entries = append(entries, journal.Session(1, "", 1, history.Identity{1}))
	begin := len(entries)
	for depth := range uint32(layers) {
		entries = append(entries, journal.Layer(history.Layer{
			Phase: history.Forward, Depth: depth, Epoch: depth + 2, States: 1, PartStates: []int64{1}, KeptFrom: max(depth, 1) - 1,
		}))
	}
	_, past, err := journal.Read(entries)
	if err != nil {
		t.Fatal(err)
	}
	keptFrom := func(in *bucket.Bucket, b *backup) uint32 {
		s := &sessionService{Server: &Server{runs: map[string]*run{}, bucket: in}}
		r := &run{name: "r", spec: spec, history: past, backup: b}
		r.job = &layersJob{run: r}
		s.runs["r"] = r
		said := s.dropped(&member{kept: []string{"r", "unknown"}})
		if len(said) != 1 || said[0].GetRun() != "r" {
			t.Fatalf("%v", said)
		}
		return said[0].GetKeptFrom()
	}
	if got := keptFrom(nil, nil); got != layers-2 {
		t.Errorf("without a bucket: from layer %d", got)
	}
	for logged := range layers + 1 {
		b := &backup{ready: true}
		if err := b.copy.Follow(entries, partitions, begin+logged, history.Identity{1}, "w", time.Time{}); err != nil {
			t.Fatal(err)
		}
		want := uint32(max(logged, 2) - 2)
		if got := keptFrom(&bucket.Bucket{}, b); got != want {
			t.Errorf("the log has %d layers: workers keep from layer %d, want %d", logged, got, want)
		}
		b.ready = false // it is not known what the log has
		if got := keptFrom(&bucket.Bucket{}, b); got != 0 {
			t.Errorf("the log has not been read: workers keep from layer %d", got)
		}
	}
}
