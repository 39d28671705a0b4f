package puzzletest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/everystate/everystate/puzzle"
)

// walk is a random walk through a puzzle that is checked at every step.
type walk struct {
	t         *testing.T
	p         puzzle.Puzzle
	words     int
	state     []uint64
	out, more puzzle.Edges
}

// Conform walks at random through a puzzle from its start and checks that its
// methods agree with one another at every state, and allocate nothing.
func Conform(t *testing.T, p puzzle.Puzzle, seed uint64, steps int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 7))
	w := &walk{t: t, p: p, words: p.Layout().Words()}
	w.state = p.Starts()[:w.words]
	before, link, came := slices.Clone(w.state), puzzle.Move(0), false
	for range steps {
		w.checkState()
		w.checkMoves()
		if came {
			w.checkBack(before, link)
		}
		if t.Failed() {
			t.Fatalf("seed %d, state %x:\n%s", seed, w.state, p.Format(w.state))
		}
		if w.out.Len() == 0 {
			w.state, came = p.Starts()[:w.words], false
			continue
		}
		i := rng.IntN(w.out.Len())
		before, link, came = w.state, w.out.Moves[i], true
		w.state = slices.Clone(w.at(&w.out, i))
	}
	w.checkAllocations()
}

func (w *walk) at(e *puzzle.Edges, i int) []uint64 { return e.Keys[i*w.words : (i+1)*w.words] }

// checkState checks what is said of a state by itself.
func (w *walk) checkState() {
	w.t.Helper()
	if !w.p.Valid(w.state) {
		w.t.Error("the state is not valid")
	}
	if bits := w.p.Layout().KeyBits; bits < 64 && w.state[0]>>bits != 0 {
		w.t.Errorf("the key has more than %d bits", bits)
	}
	text := w.p.Format(w.state)
	if again, err := w.p.Parse(text); err != nil || !slices.Equal(again, w.state) {
		w.t.Errorf("the text is read as %x, %v", again, err)
	}
	if pictured, ok := w.p.(puzzle.Pictured); ok {
		w.checkPicture(pictured.Picture(w.state))
	}
}

func (w *walk) checkPicture(p *puzzle.Picture) {
	w.t.Helper()
	if len(p.Ground) != p.Rows*p.Cols || len(p.Pieces) == 0 {
		w.t.Errorf("a picture of %d pieces on %dx%d with %d cells of ground", len(p.Pieces), p.Rows, p.Cols, len(p.Ground))
		return
	}
	taken := make([]bool, p.Rows*p.Cols)
	for _, piece := range p.Pieces {
		for _, c := range piece.Cells {
			if c.Row < 0 || c.Col < 0 || c.Row >= p.Rows || c.Col >= p.Cols || taken[c.Row*p.Cols+c.Col] {
				w.t.Errorf("piece %s at %v: outside, or on another piece", piece.Label, c)
				return
			}
			taken[c.Row*p.Cols+c.Col] = true
		}
	}
}

// checkMoves compares Successors with Apply and Undo of every move.
func (w *walk) checkMoves() {
	w.t.Helper()
	w.out.Reset()
	w.p.Successors(w.state, &w.out)
	n := 0
	for id := range w.p.Layout().Moves {
		move := puzzle.Move(id)
		dst := slices.Clone(w.state)
		legal := w.p.Apply(dst, dst, move)
		if listed := n < w.out.Len() && w.out.Moves[n] == move; listed != legal {
			w.t.Errorf("move %d: applied %t, listed %t", id, legal, listed)
			return
		}
		if !legal {
			if !slices.Equal(dst, w.state) {
				w.t.Errorf("move %d is not legal and changed the state", id)
			}
			continue
		}
		if !slices.Equal(dst, w.at(&w.out, n)) {
			w.t.Errorf("move %d: applied %x, listed %x", id, dst, w.at(&w.out, n))
		}
		if !w.p.Undo(dst, dst, move) || !slices.Equal(dst, w.state) {
			w.t.Errorf("move %d taken back gives %x", id, dst)
		}
		n++
	}
	if n != w.out.Len() {
		w.t.Errorf("%d successors, %d legal moves", w.out.Len(), n)
	}
}

// checkBack compares Onward and Predecessors with Successors and Undo.
func (w *walk) checkBack(before []uint64, link puzzle.Move) {
	w.t.Helper()
	if p, ok := w.p.(puzzle.Backward); ok {
		w.checkPredecessors(p, before, link)
	}
	p, ok := w.p.(puzzle.Onward)
	if !ok {
		return
	}
	w.more.Reset()
	p.Onward(w.state, []puzzle.Move{link}, &w.more)
	if w.more.Len() != w.out.Len()-1 {
		w.t.Errorf("%d successors onward of %d", w.more.Len(), w.out.Len())
		return
	}
	left := 0
	for left < w.more.Len() && w.more.Moves[left] == w.out.Moves[left] {
		left++
	}
	if !slices.Equal(w.at(&w.out, left), before) {
		w.t.Errorf("onward leaves out move %d, which does not lead back", w.out.Moves[left])
	}
	if !slices.Equal(w.more.Moves, slices.Delete(slices.Clone(w.out.Moves), left, left+1)) ||
		!slices.Equal(w.more.Keys, slices.Delete(slices.Clone(w.out.Keys), left*w.words, (left+1)*w.words)) {
		w.t.Error("onward differs by more than the move back")
	}
}

func (w *walk) checkPredecessors(p puzzle.Backward, before []uint64, link puzzle.Move) {
	w.t.Helper()
	w.more.Reset()
	p.Predecessors(w.state, &w.more)
	n, found := 0, false
	for id := range w.p.Layout().Moves {
		move := puzzle.Move(id)
		dst := slices.Clone(w.state)
		if !w.p.Undo(dst, dst, move) {
			continue
		}
		if n == w.more.Len() || w.more.Moves[n] != move || !slices.Equal(w.at(&w.more, n), dst) {
			w.t.Errorf("the predecessor by move %d is not listed in its place", id)
			return
		}
		if !w.p.Valid(dst) {
			w.t.Errorf("the predecessor by move %d is not valid", id)
		}
		found = found || move == link && slices.Equal(dst, before)
		n++
	}
	if n != w.more.Len() || !found {
		w.t.Errorf("%d predecessors, %d by Undo; the state before is among them: %t", w.more.Len(), n, found)
	}
}

func (w *walk) checkAllocations() {
	w.t.Helper()
	w.out.Reset()
	w.p.Successors(w.state, &w.out)
	if n := testing.AllocsPerRun(10, func() {
		w.out.Reset()
		w.p.Successors(w.state, &w.out)
	}); n != 0 {
		w.t.Errorf("Successors allocates %v times", n)
	}
}
