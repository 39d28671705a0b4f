package generate

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/everystate/everystate/puzzle/rushhour"
)

// writeHead writes the headers shared by all boards of a file.
func (r *Rules) writeHead(text *bytes.Buffer) {
	fmt.Fprintf(text, "puzzle: %s\nmetric: %s\nnotation: letters-extended\nsize: %dx%d\ngoal: A\nexit: right\n\n",
		rushhour.Family, r.Metric, r.Rows, r.Cols)
}

// File writes boards of one search as a file that can be read again, each with what
// it promises: its moves and states. The comments come first, one per line.
func File(found []Found, comments ...string) []byte {
	var text bytes.Buffer
	for _, c := range comments {
		fmt.Fprintf(&text, "; %s\n", c)
	}
	for i := range found {
		f := &found[i]
		if i == 0 {
			f.board.rules.writeHead(&text)
		} else {
			text.WriteByte('\n')
		}
		for _, line := range f.comments() {
			fmt.Fprintf(&text, "; %s\n", line)
		}
		fmt.Fprintf(&text, "name: generated %d\nmoves: %d\nstates: %d\n", i+1, f.Distance, f.States)
		f.board.write(&text)
	}
	return text.Bytes()
}

// comments describes the space of a board.
func (f *Found) comments() []string {
	var at []string
	for distance, n := range f.Layers {
		at = append(at, fmt.Sprintf("%d: %d", distance, n))
	}
	lines := []string{
		fmt.Sprintf("%d moves to the nearest goal, the most of %d states, %d of which are goals and %d as far.",
			f.Distance, f.States, f.Layers[0], f.Layers[f.Distance]),
		fmt.Sprintf("Vehicles: %d. Walls: %d.", f.Vehicles, f.Walls),
	}
	if f.Minimal {
		lines[1] += " Without any one of them but the goal vehicle it would be easier."
	}
	return append(lines, "States by distance: "+strings.Join(at, ", "))
}
