package plan

import (
	"fmt"
	"math"

	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/estimate"
	"github.com/everystate/everystate/internal/quantity"
)

// modeJSON is what a run takes that keeps its states in one way: docs/JSON.md.
type modeJSON struct {
	Mode        estimate.Mode `json:"mode"`
	Seconds     *rangeJSON    `json:"seconds"`
	DiskBytes   *rangeJSON    `json:"disk_bytes"`
	MemoryBytes *float64      `json:"memory_bytes"`
	Impossible  string        `json:"impossible,omitempty"`
	Unmerged    bool          `json:"unmerged,omitempty"`
	Pages       bool          `json:"pages,omitempty"`
}

func modesOf(needs []estimate.Need) []modeJSON {
	var all []modeJSON
	for _, n := range needs {
		m := modeJSON{Mode: n.Mode, Impossible: n.Not, Unmerged: n.Unmerged, Pages: n.Pages}
		if n.Not == "" {
			m.Seconds, m.DiskBytes, m.MemoryBytes = new(jsonRange(n.Seconds)), new(jsonRange(n.Disk)), new(math.Round(n.Memory))
		}
		all = append(all, m)
	}
	return all
}

// flagsOf are the flags that choose a mode.
var flagsOf = map[estimate.Mode]string{ //nolint:gochecknoglobals // never changed
	estimate.Layers: "--store layers", estimate.Frontier: "--keep frontier", estimate.Table: "--store table",
}

// printModes lists what a run takes in each mode.
func printModes(env *shell.Env, modes []modeJSON) {
	fmt.Fprintf(env.Out, "\n%-15s  %-12s  %-12s  %s\n", "kept as", "time", "memory from", "disk at its peak")
	for _, m := range modes {
		if m.Impossible != "" {
			fmt.Fprintf(env.Out, "%-15s  not possible: %s\n", flagsOf[m.Mode], m.Impossible)
			continue
		}
		without := ""
		if m.Unmerged {
			without = ", without --symmetry"
		}
		if m.Pages {
			without += ", with the table on disk"
		}
		fmt.Fprintf(env.Out, "%-15s  %-12s  %-12s  %s%s\n", flagsOf[m.Mode], quantity.Seconds(m.Seconds.Likely), inBytes(*m.MemoryBytes), about(*m.DiskBytes, inBytes), without)
	}
}
