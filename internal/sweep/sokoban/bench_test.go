package sokoban

import "testing"

// BenchmarkUnit does units of an empty room of 5x5 cells.
func BenchmarkUnit(b *testing.B) {
	for _, boxes := range []int{3, 4} {
		e, err := New(Rules{Room: square(5), Boxes: boxes})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(map[int]string{3: "3-boxes", 4: "4-boxes"}[boxes], func(b *testing.B) {
			w := e.Worker()
			states := uint64(0)
			for i := 0; b.Loop(); i++ {
				f, err := w.Do(b.Context(), i%e.Units())
				if err != nil {
					b.Fatal(err)
				}
				states += f.Totals.States
			}
			b.ReportMetric(float64(states)/b.Elapsed().Seconds(), "states/s")
		})
	}
}
