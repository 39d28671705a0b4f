package machine

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/everystate/everystate/puzzle/puzzlescript/game"
)

func trailing(w uint64) int { return bits.TrailingZeros64(w) }

// Bounds of the language: the rounds of a group, and of a loop of groups.
const (
	groupRoundsMax = 200
	loopRoundsMax  = 200
)

// apply applies groups in order, and returns to the start of a loop that has changed
// something.
func (m *Machine) apply(groups []group, loops []int, banned []bool) {
	changed, rounds := false, 0
	for i := 0; i < len(groups) && m.fault == nil; {
		if len(banned) == 0 || !banned[i] {
			changed = m.applyGroup(&groups[i]) || changed
		}
		if changed && loops[i] != game.NoLoop {
			i, changed = loops[i], false
			if rounds++; rounds > loopRoundsMax {
				return
			}
			continue
		}
		i++
	}
}

// applyGroup applies the rules of a group until none of them changes anything.
func (m *Machine) applyGroup(g *group) (changed bool) {
	if g.Random {
		return m.applyRandom(g)
	}
	since, b := m.since[:len(g.rules)], m.board
	clear(since)
	for round, again := 0, true; again && round < groupRoundsMax; round++ {
		if !m.spend(&g.rules[0], 1+len(g.rules)/8) || !m.mayRepeat(g, round) {
			return changed
		}
		again = false
		for i := range g.rules {
			r := &g.rules[i]
			if !r.needs.within(b.has) || round > 0 && !r.uses.meets(since[i]) && !r.random {
				continue
			}
			since[i], b.touched = kinds{}, kinds{}
			again = m.applyRule(r) || again
			if m.fault != nil {
				return changed
			}
			if b.touched != (kinds{}) {
				for j := range since {
					since[j].or(b.touched)
				}
			}
		}
		changed = changed || again
	}
	return changed
}

// mayRepeat reports whether a group may take one more round.
func (m *Machine) mayRepeat(g *group, rounds int) bool {
	if g.roundsMax == 0 || rounds < g.roundsMax {
		return true
	}
	m.fault = &FaultError{g.Line, fmt.Sprintf("after %d rounds of these rules their order might matter: use --symmetry off", rounds)}
	return false
}

// spend uses up some of the work that the turn may do.
func (m *Machine) spend(r *rule, work int) bool {
	m.work -= work
	if m.work < 0 && m.fault == nil {
		m.fault = &FaultError{r.Line, fmt.Sprintf("this rule does not terminate: a move takes more than %d steps", workMax)}
	}
	return m.fault == nil
}

// findAll finds the matches of all rows of a rule, and reports whether each row has
// one.
func (m *Machine) findAll(r *rule) bool {
	if len(r.patterns) == 0 || !m.spend(r, 1+m.board.planeWords/8) {
		return false
	}
	work := 1
	for i := range r.patterns {
		m.found[i] = m.find(&r.patterns[i], m.found[i][:0])
		if len(m.found[i]) == 0 {
			return false
		}
		work *= min(len(m.found[i]), workMax+1)
		work = min(work, workMax+1)
	}
	return m.spend(r, work)
}

// applyRule applies a rule wherever it matches, and reports whether anything changes.
// It finds all matches first, and checks each except the first again before applying
// it.
func (m *Machine) applyRule(r *rule) (changed bool) {
	if !m.findAll(r) {
		return false
	}
	if r.Replaces {
		rows := len(r.patterns)
		tuple := m.tuple[:rows]
		clear(tuple)
		for first := true; ; first = false {
			if first || m.stillMatches(r, tuple) {
				for row := range rows {
					changed = m.replaceRow(r, row, m.found[row][tuple[row]]) || changed
				}
			}
			row := 0
			for row < rows {
				if tuple[row]++; tuple[row] < len(m.found[row]) {
					break
				}
				tuple[row] = 0
				row++
			}
			if row == rows {
				break
			}
		}
	}
	m.command(r)
	return changed
}

func (m *Machine) stillMatches(r *rule, tuple []int) bool {
	for row, n := range tuple {
		if !m.matches(&r.patterns[row], m.found[row][n]) {
			return false
		}
	}
	return true
}

// applyRandom applies one random match of a rule of a group.
func (m *Machine) applyRandom(g *group) bool {
	m.choices = m.choices[:0]
	for i := range g.rules {
		r := &g.rules[i]
		if !m.findAll(r) {
			if m.fault != nil {
				return false
			}
			continue
		}
		tuples := [][]found{nil}
		for row := range r.patterns {
			var longer [][]found
			for _, f := range m.found[row] {
				for _, t := range tuples {
					longer = append(longer, append(slices.Clone(t), f))
				}
			}
			tuples = longer
		}
		for _, t := range tuples {
			m.choices = append(m.choices, choice{i, t})
		}
	}
	if len(m.choices) == 0 {
		return false
	}
	c := m.choices[m.chance(g.Line, len(m.choices))]
	if m.fault != nil {
		return false
	}
	changed := false
	r := &g.rules[c.rule]
	for row, f := range c.tuple {
		changed = m.replaceRow(r, row, f) || changed
	}
	m.command(r)
	return changed
}

// chance returns a random number less than n.
func (m *Machine) chance(line, n int) int {
	if m.random == nil {
		m.fault = &FaultError{line, "this rule is random"}
		return 0
	}
	return m.random.below(n)
}

// replaceRow replaces the cells of a row.
func (m *Machine) replaceRow(r *rule, row int, f found) (changed bool) {
	p := &r.patterns[row]
	at := f.at
	for k := range p.parts {
		for j := range p.parts[k] {
			if c := &p.parts[k][j]; c.Replacement != nil {
				changed = m.replace(r, c.Replacement, at+c.offset) || changed
			}
		}
		switch k {
		case 0:
			at += f.first * p.step
		case 1:
			at += f.second * p.step
		}
	}
	return changed
}

// replace replaces a cell, and reports whether it changes.
func (m *Machine) replace(r *rule, p *game.Replacement, i int) bool {
	b := m.board
	set, clr, setMoves, clearMoves := p.Set, p.Clear, p.SetMoves, p.ClearMoves
	if !p.RandomObject.Empty() || !p.RandomDirectionLayers.Empty() {
		m.randomize(r, p)
		set, clr, setMoves, clearMoves = m.set, m.clear, m.setMoves, m.clearMoves
	}
	rigid := r.Rigid > 0 && m.markRigid(r, p, i)
	if b.objectWords == 1 && b.moveWords == 1 {
		return m.replaceWords(i, b.cells[i]&^clr[0]|set[0], b.moves[i]&^(clearMoves[0]|p.Layers[0])|setMoves[0]) || rigid
	}
	at, moveAt := i*b.objectWords, i*b.moveWords
	changed := rigid
	for word, s := range set {
		old := b.cells[at+word]
		changed = changed || old&^clr[word]|s != old
	}
	for word, s := range setMoves {
		old := b.moves[moveAt+word]
		changed = changed || old&^(clearMoves[word]|p.Layers[word])|s != old
	}
	if !changed {
		return false
	}
	for word, s := range set {
		old := b.cells[at+word]
		now := old&^clr[word] | s
		m.created[word] |= now &^ old
		m.destroyed[word] |= old &^ now
		b.setCell(i, word, now)
	}
	for word, s := range setMoves {
		b.setMoves(i, word, b.moves[moveAt+word]&^(clearMoves[word]|p.Layers[word])|s)
	}
	return true
}

// replaceWords replaces a cell whose objects and movements take a word each, as they do
// in most games, and reports whether it changes.
func (m *Machine) replaceWords(i int, objects, moves uint64) (changed bool) {
	b := m.board
	if old := b.cells[i]; old != objects {
		m.created[0] |= objects &^ old
		m.destroyed[0] |= old &^ objects
		b.setCell(i, 0, objects)
		changed = true
	}
	if b.moves[i] != moves {
		b.setMoves(i, 0, moves)
		changed = true
	}
	return changed
}

// randomize makes the random choices of a replacement.
func (m *Machine) randomize(r *rule, p *game.Replacement) {
	copy(m.set, p.Set)
	copy(m.clear, p.Clear)
	copy(m.setMoves, p.SetMoves)
	copy(m.clearMoves, p.ClearMoves)
	if choices := p.RandomObject.List(); len(choices) > 0 {
		id := choices[m.chance(r.Line, len(choices))]
		m.set[id>>6] |= 1 << (id & 63)
		layer := m.game.Objects[id].Layer
		for word, bits := range m.game.Layers[layer] {
			m.clear[word] |= bits
		}
		at := game.Movement(layer)
		m.clearMoves[at>>6] |= game.LayerMask << (at & 63)
	}
	for layer := range m.game.Layers {
		if p.RandomDirectionLayers.Field(layer) != 0 {
			at := game.Movement(layer)
			m.setMoves[at>>6] |= 1 << (at&63 + m.chance(r.Line, 4))
		}
	}
}

// markRigid records that a rigid group gives movements to a cell, and reports whether
// that is new.
func (m *Machine) markRigid(r *rule, p *game.Replacement, i int) bool {
	at := i * m.board.moveWords
	groups := m.rigidGroups[at : at+m.board.moveWords]
	moves := m.rigidMoves[at : at+m.board.moveWords]
	newGroup, newMoves := false, false
	const fields = 0x84210842108421 // the lowest bit of each field
	for word, layers := range p.Layers {
		group := fields * uint64(r.Rigid) & layers
		newGroup = newGroup || group&^groups[word] != 0
		newMoves = newMoves || layers&^moves[word] != 0
	}
	if !newGroup || !newMoves {
		return false
	}
	for word, layers := range p.Layers {
		groups[word] |= fields * uint64(r.Rigid) & layers
		moves[word] |= layers
	}
	return true
}

// command queues the commands of a rule. Cancel takes precedence over restart, and
// both over all others.
func (m *Machine) command(r *rule) {
	if len(r.Commands) == 0 || m.has("cancel") {
		return
	}
	is := func(name string) bool {
		return slices.ContainsFunc(r.Commands, func(c game.Command) bool { return c.Name == name })
	}
	if m.has("restart") && !is("cancel") {
		return
	}
	if is("cancel") || is("restart") {
		m.queue = m.queue[:0]
	}
	for _, c := range r.Commands {
		if !m.has(c.Name) {
			m.queue = append(m.queue, queued{c.Name, r.Line})
		}
	}
}
