package blocks

import (
	"slices"
	"strings"
)

// twin goes through the placements of a board in the slow way: states are texts, in
// which the piece A keeps its letter and the others have B, C and so on in the order
// of their first cells.
type twin struct {
	rows, cols int
	metric     string
	states     map[string]bool
}

func newTwin(board, metric string) *twin {
	rows := strings.Split(board, "\n")
	t := &twin{rows: len(rows), cols: len(rows[0]), metric: metric, states: map[string]bool{}}
	grid := strings.Join(rows, "")
	var letters []byte
	empty := []byte(grid)
	for i := range empty {
		if empty[i] == '#' || empty[i] == '.' {
			continue
		}
		if !slices.Contains(letters, empty[i]) {
			letters = append(letters, empty[i])
		}
		empty[i] = '.'
	}
	t.place(string(empty), grid, letters)
	return t
}

// place puts the pieces with some letters wherever they fit.
func (t *twin) place(now, from string, letters []byte) {
	if len(letters) == 0 {
		t.states[t.lettered(now)] = true
		return
	}
	for down := -t.rows; down <= t.rows; down++ {
		for right := -t.cols; right <= t.cols; right++ {
			if next, ok := t.put(now, from, letters[0], down, right); ok {
				t.place(next, from, letters[1:])
			}
		}
	}
}

// put puts a piece of one grid into another, so far from where it is.
func (t *twin) put(now, from string, letter byte, down, right int) (string, bool) {
	grid := []byte(now)
	for i := range from {
		if from[i] != letter {
			continue
		}
		r, c := i/t.cols+down, i%t.cols+right
		if r < 0 || r >= t.rows || c < 0 || c >= t.cols || grid[r*t.cols+c] != '.' {
			return "", false
		}
		grid[r*t.cols+c] = letter
	}
	return string(grid), true
}

func (t *twin) lettered(grid string) string {
	names := map[rune]rune{'.': '.', '#': '#', 'A': 'A'}
	next := 'B'
	return strings.Map(func(r rune) rune {
		if names[r] == 0 {
			names[r] = next
			next++
		}
		return names[r]
	}, grid)
}

// leads returns what moves lead to.
func (t *twin) leads(grid string) []string {
	var to []string
	for letter := range strings.SplitSeq(strings.Trim(grid, ""), "") {
		if letter == "." || letter == "#" {
			continue
		}
		without := strings.ReplaceAll(grid, letter, ".")
		ends := map[string]bool{}
		var walk func(at string, d, steps int)
		walk = func(at string, d, steps int) {
			for k, by := range [][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
				if t.metric == "slide" && steps > 0 && k != d || t.metric == "step" && steps > 0 {
					continue
				}
				if next, ok := t.put(without, at, letter[0], by[0], by[1]); ok && !(t.metric == "move" && ends[next]) && next != grid {
					ends[next] = true
					walk(next, k, steps+1)
				}
			}
		}
		walk(grid, 0, 0)
		for end := range ends {
			to = append(to, t.lettered(end))
		}
	}
	return to
}

// found is what there is to say about a cluster.
type found struct {
	states  int
	layers  []uint64
	hardest string
}

// clusters returns what there is to say about all clusters, in no order. A goal has
// the top left cell of A's box there.
func (t *twin) clusters(row, col int) (all []found) {
	left := map[string]bool{}
	for s := range t.states {
		left[s] = true
	}
	for s := range t.states {
		if !left[s] {
			continue
		}
		delete(left, s)
		cluster := []string{s}
		for i := 0; i < len(cluster); i++ {
			for _, to := range t.leads(cluster[i]) {
				if left[to] {
					delete(left, to)
					cluster = append(cluster, to)
				}
			}
		}
		all = append(all, t.measure(cluster, row, col))
	}
	return all
}

func (t *twin) measure(cluster []string, row, col int) found {
	f := found{states: len(cluster)}
	distance := map[string]int{}
	for d := 0; ; d++ {
		var layer []string
		for _, s := range cluster {
			if _, known := distance[s]; known {
				continue
			}
			near := d == 0 && t.solved(s, row, col)
			if d > 0 {
				for _, to := range t.leads(s) {
					at, known := distance[to]
					near = near || known && at == d-1
				}
			}
			if near {
				layer = append(layer, s)
			}
		}
		if len(layer) == 0 {
			return f
		}
		for _, s := range layer {
			distance[s] = d
		}
		f.layers = append(f.layers, uint64(len(layer)))
		least := slices.Min(layer)
		f.hardest = ""
		for r := range t.rows {
			f.hardest += least[r*t.cols:(r+1)*t.cols] + "/"
		}
		f.hardest = strings.TrimSuffix(f.hardest, "/")
	}
}

func (t *twin) solved(grid string, row, col int) bool {
	r, c := t.rows, t.cols
	for i := range grid {
		if grid[i] == 'A' {
			r, c = min(r, i/t.cols), min(c, i%t.cols)
		}
	}
	return r == row && c == col
}
