package machine

import (
	"fmt"
	"slices"

	"github.com/everystate/everystate/puzzle/puzzlescript/game"
)

// A Program is a game prepared for levels of one size. It is immutable, and several
// machines may run it.
type Program struct {
	game  *game.Game
	rules []group
	late  []group
	rows  int // the greatest number of rows of a rule

	rulesMax int // the greatest number of rules of a group

	player     matcher
	conditions []condition

	width, height int
}

type group struct {
	*game.Group
	rules []rule

	// roundsMax, unless it is 0, is the number of rounds after which the order of the
	// rules might matter.
	roundsMax int
}

type rule struct {
	*game.Rule
	patterns []pattern

	// needs must be on the board for a match. If none of uses has come or gone since
	// the rule was last applied, and it has no random choices, then it would change
	// nothing and queue no other commands.
	needs, uses kinds
	random      bool
}

// newRule prepares a rule for boards of one size.
func newRule(source *game.Rule, b *board) rule {
	r := rule{Rule: source}
	for k := range r.Rows {
		r.patterns = append(r.patterns, newPattern(r.Rule, &r.Rows[k], b))
		for n := range r.Rows[k].Cells {
			c := &r.Rows[k].Cells[n]
			r.needs.orObjects(c.Present)
			r.needs.orMoves(c.Moving)
			r.uses.orObjects(c.Missing)
			r.uses.orMoves(c.Still)
			for _, some := range c.Any {
				r.uses.orObjects(some)
			}
			if p := c.Replacement; p != nil {
				r.random = r.random || !p.RandomObject.Empty() || !p.RandomDirectionLayers.Empty()
				r.uses.orObjects(p.Set)
				r.uses.orObjects(p.Clear)
				r.uses.orMoves(p.SetMoves)
				r.uses.orMoves(p.ClearMoves)
				r.uses.orMoves(p.Layers)
			}
		}
	}
	r.uses.or(r.needs)
	return r
}

// NewProgram prepares a game for levels of one size.
func NewProgram(g *game.Game, width, height int) *Program {
	p := &Program{game: g, width: width, height: height}
	b := newBoard(g, width, height)
	prepare := func(groups []game.Group) []group {
		list := make([]group, len(groups))
		for i := range groups {
			list[i].Group = &groups[i]
			for j := range groups[i].Rules {
				r := newRule(&groups[i].Rules[j], b)
				p.rows = max(p.rows, len(r.patterns))
				list[i].rules = append(list[i].rules, r)
			}
			p.rulesMax = max(p.rulesMax, len(list[i].rules))
		}
		return list
	}
	p.rules, p.late = prepare(g.Rules), prepare(g.Late)
	p.player = newMatcher(g, g.Player)
	for _, c := range g.Conditions {
		p.conditions = append(p.conditions, condition{c.Quantifier, newMatcher(g, c.A), newMatcher(g, c.B)})
	}
	return p
}

// Bounded returns a program that aborts a turn in which a group of rules, or of late
// rules, takes more rounds than given; 0 sets no bound.
func (p *Program) Bounded(rules, late []int) *Program {
	bounded := *p
	bounded.rules, bounded.late = slices.Clone(p.rules), slices.Clone(p.late)
	for i, n := range rules {
		bounded.rules[i].roundsMax = n
	}
	for i, n := range late {
		bounded.late[i].roundsMax = n
	}
	return &bounded
}

// A FaultError reports that a turn was aborted because it does not terminate in
// reasonable time.
type FaultError struct {
	Line int // of the rule being applied
	What string
}

func (f *FaultError) Error() string { return fmt.Sprintf("line %d: %s", f.Line, f.What) }

// Machine runs turns.
type Machine struct {
	*Program
	board  *board
	random *Random // nil: a random rule is a fault

	// work counts down with each rule tried and each match; at 0 the turn is aborted,
	// and all that would follow it.
	work  int
	fault *FaultError

	queue   []queued
	players []int // cells of players at the beginning of the turn
	banned  []bool

	start       *board // the board at the start of the turn, for rigid groups
	rigidGroups []uint64
	rigidMoves  []uint64

	noise // the sounds heard

	since       []kinds // by rule of a group: what has come or gone since it was applied
	accumulator []uint64
	found       [][]found
	tuple       []int
	set, clear  game.Set
	setMoves    game.Set
	clearMoves  game.Set
	choices     []choice
}

// queued is a command to be executed at the end of the turn.
type queued struct {
	name string
	line int
}

// choice is a match of a rule of a random group.
type choice struct {
	rule  int
	tuple []found
}

// workMax bounds the work of a move, including the turns that follow it.
const workMax = 1 << 20

// refill restores the work that a move may do.
func (m *Machine) refill() { m.work, m.fault = workMax, nil }

// New returns a machine with an empty level.
func New(p *Program) *Machine {
	m := &Machine{Program: p, board: newBoard(p.game, p.width, p.height)}
	b := m.board
	m.banned = make([]bool, len(p.rules))
	m.since = make([]kinds, p.rulesMax)
	m.accumulator = make([]uint64, b.planeWords)
	m.found = make([][]found, p.rows)
	m.tuple = make([]int, p.rows)
	m.set, m.clear = make(game.Set, b.objectWords), make(game.Set, b.objectWords)
	m.setMoves, m.clearMoves = make(game.Set, b.moveWords), make(game.Set, b.moveWords)
	m.created, m.destroyed = make(game.Set, b.objectWords), make(game.Set, b.objectWords)
	m.refill()
	if len(p.game.Rigid) > 0 {
		m.start = newBoard(p.game, p.width, p.height)
		m.rigidGroups = make([]uint64, len(b.moves))
		m.rigidMoves = make([]uint64, len(b.moves))
	}
	return m
}

// has reports whether a command is queued.
func (m *Machine) has(command string) bool {
	for _, q := range m.queue {
		if q.name == command {
			return true
		}
	}
	return false
}

// roundsMax bounds how often a turn restarts because of rigid groups.
const roundsMax = 50

// turn runs the rules once, with or without a movement of the players.
func (m *Machine) turn(d game.Direction) {
	m.players = m.players[:0]
	if d != 0 {
		m.push(d)
	}
	m.queue = m.queue[:0]
	clear(m.created)
	clear(m.destroyed)
	m.canMove, m.cannotMove = m.canMove[:0], m.cannotMove[:0]
	if m.start == nil {
		m.apply(m.rules, m.game.Loops, nil)
		m.resolve()
		m.apply(m.late, m.game.LateLoops, nil)
		return
	}
	m.start.copyFrom(m.board)
	clear(m.banned)
	for range roundsMax {
		m.apply(m.rules, m.game.Loops, m.banned)
		if !m.resolve() {
			m.apply(m.late, m.game.LateLoops, nil)
			return
		}
		m.board.copyFrom(m.start)
		m.queue = m.queue[:0]
		clear(m.created)
		clear(m.destroyed)
		m.canMove = m.canMove[:0]
	}
}

// push gives a movement to the players.
func (m *Machine) push(d game.Direction) {
	b := m.board
	for n := range b.moving {
		for w := m.player.word(b, n); w != 0; w &= w - 1 {
			i := n<<6 + trailing(w)
			m.players = append(m.players, i)
			objects := b.cell(i)
			for _, id := range m.player.objects {
				if objects.Has(id) {
					at := game.Movement(m.game.Objects[id].Layer)
					b.setMoves(i, at>>6, b.moves[i*b.moveWords+at>>6]|uint64(d)<<(at&63))
				}
			}
		}
	}
}

// playerMoved reports whether a player has left a cell.
func (m *Machine) playerMoved() bool {
	for _, i := range m.players {
		if !m.game.Player.Objects.Meets(m.board.cell(i)) {
			return true
		}
	}
	return false
}

// resolve moves everything that can move until nothing can, and removes all movements.
// It reports whether the turn must restart because a rigid group gave an impossible
// movement.
func (m *Machine) resolve() (again bool) {
	b := m.board
	for moved := true; moved; {
		moved = false
		for n := range b.moving {
			for w := b.moving[n]; w != 0; w &= w - 1 {
				moved = m.moveCell(n<<6+trailing(w)) || moved
			}
		}
	}
	for n := range b.moving {
		for w := b.moving[n]; w != 0; w &= w - 1 {
			i := n<<6 + trailing(w)
			if m.start != nil {
				again = m.checkRigid(i) || again
			}
			m.hearFailure(i)
			for word := range b.moveWords {
				b.setMoves(i, word, 0)
			}
		}
		b.moving[n] = 0
	}
	b.has.moves = 0
	if m.start != nil {
		clear(m.rigidGroups)
		clear(m.rigidMoves)
	}
	return again
}

// moveCell moves the layers of a cell that can move.
func (m *Machine) moveCell(i int) (moved bool) {
	b := m.board
	left := uint64(0)
	for word := range b.moveWords {
		all := b.moves[i*b.moveWords+word]
		for rest := all; rest != 0; {
			inWord := trailing(rest) / game.LayerBits
			at := inWord * game.LayerBits
			d := game.Direction(rest >> at & game.LayerMask)
			rest &^= game.LayerMask << at
			if m.moveLayer(i, word*game.LayersPerWord+inWord, d) {
				all &^= uint64(d) << at
				moved = true
			}
		}
		b.setMoves(i, word, all)
		left |= all
	}
	if left == 0 {
		b.moving[i>>6] &^= 1 << (i & 63)
	}
	return moved
}

// moveLayer moves the object on a layer of a cell, if the next cell has room.
func (m *Machine) moveLayer(i, layer int, d game.Direction) bool {
	b := m.board
	target := i
	switch d {
	case game.Up:
		if i%b.height == 0 {
			return false
		}
		target--
	case game.Down:
		if i%b.height == b.height-1 {
			return false
		}
		target++
	case game.Left:
		target -= b.height
	case game.Right:
		target += b.height
	case game.Action:
	default:
		return false
	}
	if target < 0 || target >= b.size() {
		return false
	}
	mask := m.game.Layers[layer]
	if d != game.Action && mask.Meets(b.cell(target)) {
		return false
	}
	m.hearMove(i, layer)
	if d == game.Action {
		return true
	}
	for word, bits := range mask {
		from, to := b.cells[i*b.objectWords+word], b.cells[target*b.objectWords+word]
		if going := from & bits; going != 0 {
			b.setCell(i, word, from&^going)
			b.setCell(target, word, to|going)
		}
	}
	return true
}

// checkRigid looks for a movement that a rigid group gave to a cell, and bans the
// group. It reports whether the group was not banned before.
func (m *Machine) checkRigid(i int) bool {
	b := m.board
	at := i * b.moveWords
	given := game.Set(m.rigidMoves[at : at+b.moveWords])
	if given.Empty() {
		return false
	}
	for word, w := range given { // sounds, too, depend on these movements from here on
		b.setMoves(i, word, b.moves[at+word]&w)
	}
	moves, groups := b.pending(i), game.Set(m.rigidGroups[at:at+b.moveWords])
	for layer := range m.game.Layers {
		if moves.Field(layer) == 0 {
			continue
		}
		if n := int(groups.Field(layer)); n > 0 && !m.banned[m.game.Rigid[n-1]] {
			m.banned[m.game.Rigid[n-1]] = true
			return true
		}
		return false
	}
	return false
}
