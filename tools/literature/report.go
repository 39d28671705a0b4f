package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/everystate/everystate/tools/measure"
)

// table writes one line per space.
func table(rows []row) string {
	cells := [][]string{{"puzzle", "states", "layers", "equal are", "to those of", "seconds", "cpu s", "peak MiB", "disk MiB", "digest"}}
	for _, r := range rows {
		cells = append(cells, []string{
			r.name, measure.Grouped(r.found.States), strconv.Itoa(len(r.found.Layers)), r.compared(), r.known,
			measure.Seconds(r.seconds), measure.Seconds(r.cpuSeconds),
			fmt.Sprintf("%.0f", float64(r.peakBytes)/(1<<20)), fmt.Sprintf("%.1f", float64(r.diskBytes)/(1<<20)), r.found.Digest,
		})
	}
	var text strings.Builder
	measure.Table(&text, cells)
	return text.String()
}
