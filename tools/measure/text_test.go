package measure

import (
	"strings"
	"testing"
)

func TestMedian(t *testing.T) {
	t.Parallel()
	for want, of := range map[float64][]float64{1: {1}, 2: {9, 2, 1}, 2.5: {4, 1, 3, 2}} {
		if got := Median(of); got != want {
			t.Errorf("%v: got %v, want %v", of, got, want)
		}
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	Table(&got, [][]string{{"a", "number"}, nil, {"name", Grouped(1234567)}, {"é", Seconds(0.5)}})
	if want := "a        number\n\nname  1,234,567\né         0.500\n"; got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
}
