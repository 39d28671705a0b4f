package rushhour

import (
	"context"
	"testing"

	"github.com/everystate/everystate/sweep"
)

// benchmark does all units of some rules, on one core, and reports states a
// second.
func benchmark(b *testing.B, rules Rules) {
	b.Helper()
	var states, clusters uint64
	for b.Loop() {
		e, err := New(rules)
		if err != nil {
			b.Fatal(err)
		}
		w := e.Worker()
		var t sweep.Totals
		for i := range e.Units() {
			f, err := w.Do(context.Background(), i)
			if err != nil {
				b.Fatal(err)
			}
			t.Add(&f.Totals)
		}
		states += t.States
		clusters += t.Clusters
	}
	seconds := b.Elapsed().Seconds()
	b.ReportMetric(float64(states)/seconds, "states/s")
	b.ReportMetric(float64(clusters)/seconds, "clusters/s")
}

// BenchmarkSweep5x5 is the whole universe of 5x5.
func BenchmarkSweep5x5(b *testing.B) { benchmark(b, Rules{Size: 5, ExitRow: -1}) }

// BenchmarkSweep6x6Sample is one family in 2000 of 6x6 without walls.
func BenchmarkSweep6x6Sample(b *testing.B) {
	benchmark(b, Rules{Size: 6, ExitRow: -1, Sample: 2000})
}
