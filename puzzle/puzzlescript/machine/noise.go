package machine

import (
	"slices"

	"github.com/everystate/everystate/puzzle/puzzlescript/game"
)

// noise records the sounds of a turn.
type noise struct {
	listening           bool
	created, destroyed  game.Set
	canMove, cannotMove []string
	heard               []string
}

// hearMove records that a layer of a cell moves.
func (m *Machine) hearMove(i, layer int) {
	if !m.listening {
		return
	}
	for _, s := range m.game.Sounds.Move[layer] {
		if s.Objects.Meets(m.board.cell(i)) && s.Movements.Meets(m.board.pending(i)) && !slices.Contains(m.canMove, s.Seed) {
			m.canMove = append(m.canMove, s.Seed)
		}
	}
}

// hearFailure records that a cell cannot move.
func (m *Machine) hearFailure(i int) {
	if !m.listening || m.board.pending(i).Empty() {
		return
	}
	for _, s := range m.game.Sounds.CantMove {
		if s.Objects.Meets(m.board.cell(i)) && s.Movements.Meets(m.board.pending(i)) && !slices.Contains(m.cannotMove, s.Seed) {
			m.cannotMove = append(m.cannotMove, s.Seed)
		}
	}
}

// play adds the sounds of a turn to those heard.
func (m *Machine) play() {
	if !m.listening {
		return
	}
	m.heard = append(append(m.heard, m.cannotMove...), m.canMove...)
	for _, s := range m.game.Sounds.Create {
		if s.Objects.Meets(m.created) {
			m.heard = append(m.heard, s.Seed)
		}
	}
	for _, s := range m.game.Sounds.Destroy {
		if s.Objects.Meets(m.destroyed) {
			m.heard = append(m.heard, s.Seed)
		}
	}
}
