package conformance

import (
	"fmt"
	"slices"
	"sync"

	"github.com/everystate/everystate/puzzle"
)

// answers are the results of a puzzle's methods for some states.
type answers struct {
	successors   puzzle.Edges
	onward       puzzle.Edges
	predecessors puzzle.Edges
	goals        []bool
	weights      []uint64
	texts        []string
	names        []string
}

// transcript calls every method of a puzzle for some states.
func (c *checker) transcript(p puzzle.Puzzle, states []key) answers {
	var a answers
	keys := c.keysOf(states)
	p.Successors(keys, &a.successors)
	a.goals = make([]bool, len(states))
	p.Goals(keys, a.goals)
	if p, ok := p.(puzzle.Onward); ok {
		p.Onward(a.successors.Keys, a.successors.Moves, &a.onward)
	}
	if p, ok := p.(puzzle.Backward); ok {
		p.Predecessors(keys, &a.predecessors)
	}
	if p, ok := p.(puzzle.Weighted); ok {
		a.weights = make([]uint64, len(states))
		p.Weights(keys, a.weights)
	}
	dst := make([]uint64, c.words)
	for i, m := range a.successors.Moves {
		ok := p.Undo(dst, a.successors.Keys[i*c.words:(i+1)*c.words], m)
		a.names = append(a.names, fmt.Sprint(p.FormatMove(m), ok, dst))
	}
	for _, state := range states {
		text := p.Format(c.wordsOf(state)) + "\n" + p.Draw(c.wordsOf(state))
		if p, ok := p.(puzzle.Pictured); ok {
			text += pictureText(p.Picture(c.wordsOf(state)))
		}
		parsed, err := p.Parse(p.Format(c.wordsOf(state)))
		a.texts = append(a.texts, text+fmt.Sprint(p.Valid(c.wordsOf(state)), parsed, err))
	}
	return a
}

// pictureText writes everything in a picture, including what it points to.
func pictureText(p *puzzle.Picture) string {
	var sprites []puzzle.Sprite
	plain := *p
	plain.Pieces, plain.Tiles = slices.Clone(p.Pieces), nil
	for i := range plain.Pieces {
		if s := plain.Pieces[i].Sprite; s != nil {
			sprites, plain.Pieces[i].Sprite = append(sprites, *s), nil
		}
	}
	for _, s := range slices.Concat(p.Tiles...) {
		sprites = append(sprites, *s)
	}
	return fmt.Sprint(plain, sprites)
}

// differ names the first difference between two answers.
func differ(a, b answers) string {
	same := func(one, two puzzle.Edges) bool {
		return slices.Equal(one.Keys, two.Keys) && slices.Equal(one.Moves, two.Moves)
	}
	switch {
	case !same(a.successors, b.successors):
		return "successors"
	case !slices.Equal(a.goals, b.goals):
		return "goals"
	case !same(a.onward, b.onward):
		return "onward successors"
	case !same(a.predecessors, b.predecessors):
		return "predecessors"
	case !slices.Equal(a.weights, b.weights):
		return "weights"
	case !slices.Equal(a.names, b.names):
		return "move names or predecessors by Undo"
	case !slices.Equal(a.texts, b.texts):
		return "texts or pictures"
	}
	return ""
}

// checkConcurrent calls a puzzle from several goroutines at once: a puzzle not used
// before, if the board can be read again.
func (c *checker) checkConcurrent() {
	const goroutines, statesMax = 4, 60
	states := c.states[:min(len(c.states), statesMax)]
	want := c.transcript(c.p, states)
	p := c.p
	if c.options.Read != nil {
		if boards, err := c.options.Read([]byte(c.board.Text), puzzle.ReadOptions{}); err == nil && len(boards) == 1 {
			p = boards[0].Puzzle
		}
	}
	var said [goroutines]string
	var running sync.WaitGroup
	for i := range said {
		running.Go(func() {
			defer func() {
				if e := recover(); e != nil {
					said[i] = fmt.Sprintf("a call panics: %v", e)
				}
			}()
			if difference := differ(want, c.transcript(p, states)); difference != "" {
				said[i] = "it returns different " + difference
			}
		})
	}
	running.Wait()
	for _, what := range said {
		if what != "" {
			c.fault("concurrent", "called from several goroutines at once, %s: a puzzle must be safe for concurrent use", what)
		}
	}
}

// allocationRuns is how often each call is measured. The counter is that of the whole
// program, so the median is taken: other code may allocate meanwhile.
const allocationRuns = 21

// checkAllocations counts the allocations of calls once out has room.
func (c *checker) checkAllocations() {
	if c.options.AllocsPerRun == nil {
		return
	}
	keys := c.keysOf(c.states[:min(len(c.states), batch)])
	marks := make([]bool, len(keys)/c.words)
	var edges, out puzzle.Edges
	c.p.Successors(keys, &edges)
	dst := make([]uint64, c.words)
	count := func(method string, call func()) {
		c.doing = said(method)
		call()
		var runs [allocationRuns]float64
		for i := range runs {
			runs[i] = c.options.AllocsPerRun(1, call)
		}
		slices.Sort(runs[:])
		if n := runs[allocationRuns/2]; n > 0 {
			c.fault("allocations", "%s of %d states allocates %v times: it may allocate only to grow out", method, len(marks), n)
		}
	}
	count("Successors", func() { out.Reset(); c.p.Successors(keys, &out) })
	count("Goals", func() { c.p.Goals(keys, marks) })
	if p, ok := c.p.(puzzle.Onward); ok {
		count("Onward", func() { out.Reset(); p.Onward(edges.Keys, edges.Moves, &out) })
	}
	if p, ok := c.p.(puzzle.Backward); ok {
		count("Predecessors", func() { out.Reset(); p.Predecessors(keys, &out) })
	}
	if p, ok := c.p.(puzzle.Homeward); ok {
		var before puzzle.Edges
		p.Predecessors(keys, &before)
		count("Homeward", func() { out.Reset(); p.Homeward(before.Keys, before.Moves, &out) })
	}
	count("Apply, Undo and Valid", func() {
		for i, m := range edges.Moves {
			next := edges.Keys[i*c.words : (i+1)*c.words]
			if c.p.Undo(dst, next, m) { // otherwise dst holds no state
				c.p.Apply(dst, dst, m)
			}
			c.p.Valid(next)
		}
	})
}
