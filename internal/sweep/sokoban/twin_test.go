package sokoban

import (
	"fmt"
	"slices"
	"strings"
)

// twin knows a room in the slow way: all states as texts, the pushes between them,
// and distances by going through all states again and again. It goes forwards.
type twin struct {
	rows   []string
	width  int
	floor  []int // cells are row*width+column
	boxes  int
	states []string            // in no order
	leads  map[string][]string // what pushes lead to
}

func newTwin(room string, boxes int) *twin {
	t := &twin{rows: strings.Split(room, "/"), boxes: boxes, leads: map[string][]string{}}
	for _, row := range t.rows {
		t.width = max(t.width, len(row))
	}
	man := strings.Index(room, "@")
	at := strings.Count(room[:man], "/")*t.width + man - 1 - strings.LastIndex(room[:man], "/")
	t.floor = t.walk(nil, at)
	var sets [][]int
	t.choose(nil, 0, &sets)
	for _, set := range sets {
		left := slices.DeleteFunc(slices.Clone(t.floor), func(c int) bool { return slices.Contains(set, c) })
		for len(left) > 0 {
			region := t.walk(set, left[0])
			s := state(set, region[0])
			t.states = append(t.states, s)
			for _, box := range set {
				for _, by := range []int{-t.width, t.width, -1, 1} {
					if !slices.Contains(region, box-by) || !slices.Contains(t.floor, box+by) || slices.Contains(set, box+by) {
						continue
					}
					after := slices.Clone(set)
					after[slices.Index(after, box)] = box + by
					slices.Sort(after)
					t.leads[s] = append(t.leads[s], state(after, t.walk(after, box)[0]))
				}
			}
			left = slices.DeleteFunc(left, func(c int) bool { return slices.Contains(region, c) })
		}
	}
	return t
}

func state(boxes []int, man int) string { return fmt.Sprint(boxes, man) }

// choose lists all sets of cells.
func (t *twin) choose(set []int, from int, sets *[][]int) {
	if len(set) == t.boxes {
		*sets = append(*sets, slices.Clone(set))
		return
	}
	for i := from; i < len(t.floor); i++ {
		t.choose(append(set, t.floor[i]), i+1, sets)
	}
}

// walk returns the cells that can be walked to, in order.
func (t *twin) walk(boxes []int, from int) []int {
	found := []int{from}
	for i := 0; i < len(found); i++ {
		for _, by := range []int{-t.width, t.width, -1, 1} {
			to := found[i] + by
			if t.rows[to/t.width][to%t.width] != '#' && !slices.Contains(boxes, to) && !slices.Contains(found, to) {
				found = append(found, to)
			}
		}
	}
	slices.Sort(found)
	return found
}

// level draws a state with targets.
func (t *twin) level(targets []int, s string) string {
	var boxes []int
	var man int
	numbers := strings.Fields(strings.NewReplacer("[", "", "]", "").Replace(s))
	for i, n := range numbers {
		var c int
		_, _ = fmt.Sscan(n, &c) // the twin wrote it
		if i < len(numbers)-1 {
			boxes = append(boxes, c)
		} else {
			man = c
		}
	}
	var rows []string
	for r, row := range t.rows {
		text := ""
		for c := range row {
			at := r*t.width + c
			symbols := " $@"
			if slices.Contains(targets, at) {
				symbols = ".*+"
			}
			switch {
			case row[c] == '#':
				text += "#"
			case slices.Contains(boxes, at):
				text += symbols[1:2]
			case at == man:
				text += symbols[2:]
			default:
				text += symbols[:1]
			}
		}
		rows = append(rows, text)
	}
	return strings.Join(rows, "\n")
}

// found is what there is to say about a goal set.
type found struct {
	layers  []uint64
	hardest string
}

// all returns what there is to say about every goal set, in no order.
func (t *twin) all() (all []found) {
	var sets [][]int
	t.choose(nil, 0, &sets)
	for _, set := range sets {
		distance := map[string]int{}
		var layers []uint64
		var last []string
		prefix := strings.TrimSuffix(state(set, 0), "0")
		for d := 0; ; d++ {
			var layer []string
			for _, s := range t.states {
				if _, known := distance[s]; known {
					continue
				}
				near := d == 0 && strings.HasPrefix(s, prefix)
				for _, to := range t.leads[s] {
					at, known := distance[to]
					near = near || d > 0 && known && at == d-1
				}
				if near {
					layer = append(layer, s)
				}
			}
			if len(layer) == 0 {
				break
			}
			for _, s := range layer {
				distance[s] = d
			}
			layers, last = append(layers, uint64(len(layer))), layer
		}
		var texts []string
		for _, s := range last {
			texts = append(texts, t.level(set, s))
		}
		all = append(all, found{layers, slices.Min(texts)})
	}
	return all
}
