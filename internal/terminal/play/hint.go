package play

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/everystate/everystate/puzzle"
)

// askPath asks for a path to a goal: for a hint or, if solve is set, to put it after
// the current state.
func (m *Model) askPath(solve bool) tea.Cmd {
	g := m.game()
	switch {
	case m.recall():
		return m.use(solve)
	case isGoal(g.Puzzle, m.line.state()):
		m.note = "this is a goal"
		return nil
	case g.Guide == nil:
		m.note = "no solver is available here"
		return nil
	case m.hint.asking:
		return nil
	}
	m.asked++
	m.hint = hint{asking: true}
	asked, state, ctx := m.asked, m.line.state(), m.questions()
	return func() tea.Msg {
		found, err := g.Guide.Hint(ctx, state)
		return hinted{asked: asked, hint: found, err: err, solve: solve}
	}
}

// takePath handles the answer to askPath.
func (m *Model) takePath(msg hinted) tea.Cmd {
	m.hint = hint{}
	if msg.err != nil {
		m.complain(msg.err)
		return nil
	}
	if msg.hint.Lost {
		m.note = "no goal can be reached from here (proved); u undoes moves"
		return nil
	}
	m.hint.Hint = msg.hint
	if len(msg.hint.Moves) == 0 {
		m.note = "this is a goal"
		return nil
	}
	p, state := m.game().Puzzle, slices.Clone(m.line.state())
	m.hint.states = append(m.hint.states, p.Format(state))
	for _, move := range msg.hint.Moves {
		if !p.Apply(state, state, move) {
			m.hint = hint{}
			m.note = "the hint is not a legal move, which is a bug in everystate"
			return nil
		}
		m.hint.states = append(m.hint.states, p.Format(state))
	}
	return m.use(msg.solve)
}

// recall finds the current state on the known path, and drops what lies before it.
func (m *Model) recall() bool {
	if len(m.hint.states) == 0 {
		return false
	}
	at := slices.Index(m.hint.states, m.game().Puzzle.Format(m.line.state()))
	if at < 0 || at == len(m.hint.states)-1 {
		return false
	}
	m.hint.states, m.hint.Moves = m.hint.states[at:], m.hint.Moves[at:]
	if len(m.hint.Parts) == 0 {
		m.hint.Length -= at
	}
	for parts := m.hint.Parts; at > 0 && len(parts) > 0; parts = m.hint.Parts {
		if parts[0].Moves > at {
			parts[0].Moves -= at
			break
		}
		at -= parts[0].Moves
		m.hint.Parts = parts[1:]
		m.hint.Length--
	}
	return true
}

// use shows the hint, or the path if solve is set.
func (m *Model) use(solve bool) tea.Cmd {
	if !solve {
		m.hint.shown = true
		return nil
	}
	m.line.replaceRest(m.hint.Moves)
	m.stepping, m.selected = true, -1
	m.note = "n steps along it, space plays it"
	return nil
}

// follow makes the next group of moves of the hint.
func (m *Model) follow() tea.Cmd {
	n := 1
	if len(m.hint.Parts) > 0 {
		n = m.hint.Parts[0].Moves
	}
	for _, move := range m.hint.Moves[:n] {
		if !m.line.play(move) {
			return nil
		}
	}
	m.settle(-1)
	return m.look()
}

// hintName returns what the hint says to do.
func (m *Model) hintName() string {
	if len(m.hint.Parts) > 0 {
		return m.hint.Parts[0].Name
	}
	return m.game().Puzzle.FormatMove(m.hint.Moves[0])
}

// distanceAfter returns the goal distance of the state that a move leads to.
func (p *Place) distanceAfter(move puzzle.Move) (int, bool) {
	if p == nil {
		return 0, false
	}
	d, ok := p.After[move]
	return d, ok
}
