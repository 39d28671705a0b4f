package tiles

import "testing"

// BenchmarkTables reports what building the tables of the largest boards takes.
func BenchmarkTables(b *testing.B) {
	for b.Loop() {
		newLanes(shape{4, 4})
	}
}
