package export

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/everystate/everystate/internal/test/truth"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// TestReadAgain reads states as they are written on one line, of every family, and
// boards with holes in the middle of their rows.
func TestReadAgain(t *testing.T) {
	t.Parallel()
	records, err := truth.ReadAll("../..")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{
		"peg with a gap":          "puzzle: peg\n\n  ooo\n  o.o\n\noo ooo\n  ooo",
		"triangle without a hole": "puzzle: peg-tri\n\n   o\n  o .\n o # o\no o o o",
	}
	few := map[string]int{}
	for i := range records {
		r := &records[i]
		if few[r.Format]++; few[r.Format] > 12 {
			continue
		}
		if texts[r.ID], err = r.Text(); err != nil {
			t.Fatal(err)
		}
	}
	read := map[string]int{}
	for name, text := range texts {
		boards, err := families.Read([]byte(text), puzzle.ReadOptions{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, b := range boards {
			read[b.Family]++
			readAgain(t, name, b.Puzzle)
		}
	}
	for _, f := range families.All() {
		if read[f.Name] == 0 {
			t.Errorf("no board of %s was read", f.Name)
		}
	}
}

// readAgain walks through a space and reads what is written of its states.
func readAgain(t *testing.T, name string, p puzzle.Puzzle) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	state := p.Starts()[:p.Layout().Words()]
	var out puzzle.Edges
	for range 50 {
		line := string(appendOneLine(nil, p.Format(state)))
		if key, err := p.Parse(line); err != nil || !slices.Equal(key, state) {
			t.Errorf("%s: %q is read as %x, not %x: %v", name, line, key, state, err)
			return
		}
		out.Reset()
		p.Successors(state, &out)
		if out.Len() == 0 {
			return
		}
		state = slices.Clone(out.Keys[random.IntN(out.Len())*len(state):][:len(state)])
	}
}
