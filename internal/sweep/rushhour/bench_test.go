package rushhour

import (
	"testing"

	"github.com/everystate/everystate/internal/platform/processor"
	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// benchmark does every n-th unit of some rules on one core, and reports states
// for each second that the processor was at it: the machine may be busy.
func benchmark(b *testing.B, given rules.Rules, n int) {
	b.Helper()
	var states, clusters uint64
	if processor.Process == nil {
		b.Skip("the system does not tell the time of the processor")
	}
	start := processor.Process()
	for b.Loop() {
		e, err := New(given)
		if err != nil {
			b.Fatal(err)
		}
		w := e.Worker()
		var t sweep.Totals
		for i := 0; i < e.Units(); i += n {
			f, err := w.Do(b.Context(), i)
			if err != nil {
				b.Fatal(err)
			}
			t.Add(&f.Totals)
		}
		states += t.States
		clusters += t.Clusters
	}
	seconds := (processor.Process() - start).Seconds()
	b.ReportMetric(float64(states)/seconds, "states/cpu-s")
	b.ReportMetric(float64(clusters)/seconds, "clusters/cpu-s")
	b.ReportMetric(seconds/float64(b.N), "cpu-s/op")
	b.ReportMetric(float64(states)/float64(b.N), "states/op")
}

// BenchmarkSweep5x5 is the whole universe of 5x5.
func BenchmarkSweep5x5(b *testing.B) {
	benchmark(b, rules.Rules{Size: rules.Square(5), ExitRow: -1}, 1)
}

// BenchmarkSweep6x6Sample is every 251st unit of 6x6 without walls.
func BenchmarkSweep6x6Sample(b *testing.B) {
	benchmark(b, rules.Rules{Size: rules.Square(6), ExitRow: -1}, 251)
}

// BenchmarkReduced6x6Sample is the same, reduced. States are those that are visited.
func BenchmarkReduced6x6Sample(b *testing.B) {
	benchmark(b, rules.Rules{Size: rules.Square(6), ExitRow: -1, Reduced: true}, 251)
}

// BenchmarkBigCluster is the family of the largest cluster among the published
// lines, 108,630 states.
func BenchmarkBigCluster(b *testing.B) {
	benchmark(b, rules.Rules{Family: "xoKCCoDDKooxIJAAMNIJFFMNoooLGGoHHLoo"}, 1)
}
