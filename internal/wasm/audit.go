package wasm

import (
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// The first auditsEarly batches of an instance have a state audited in depth, and
// after that one batch in about auditStates states.
const (
	auditsEarly = 16
	auditStates = 1 << 16
)

// audit checks the first or the last state of a batch in depth: alone it must have
// the same edges, and every edge must agree with the other functions.
func (g *game) audit(in *instance, f function, states []uint64, links []puzzle.Move, out *puzzle.Edges, before int) {
	in.audits++
	if in.audits > auditsEarly {
		in.untilAudit = auditStates
	}
	words := in.words
	state, link, first := states[:words], []puzzle.Move(nil), in.audits%2 == 0
	if !first {
		state = states[len(states)-words:]
	}
	if links != nil {
		link = links[:1]
		if !first {
			link = links[len(links)-1:]
		}
	}
	alone := &in.scratch
	alone.Reset()
	in.edges(f, state, link, alone, g.info.layout)
	if in.fault != "" {
		return
	}
	n := alone.Len()
	keys, moves := out.Keys[before*words:], out.Moves[before:]
	if !first && n <= len(moves) {
		keys, moves = keys[len(keys)-n*words:], moves[len(moves)-n:]
	}
	if n > len(moves) || !slices.Equal(alone.Keys, keys[:n*words]) || !slices.Equal(alone.Moves, moves[:n]) {
		in.failf("%s of key %x gives different edges alone than together with other states", signatures[f].name, state)
		return
	}
	g.auditText(in, state)
	for i := range n {
		if in.fault == "" {
			g.auditEdge(in, f, state, alone.Keys[i*words:(i+1)*words], alone.Moves[i])
		}
	}
	switch {
	case in.fault != "":
	case f == fnOnward:
		g.auditOnward(in, state, link[0], n)
	case f == fnSuccessors && g.info.layout.Reversible && n > 0:
		g.auditReturn(in, state, slices.Clone(alone.Keys[:words]))
	}
	if in.fault == "" && f != fnPredecessors && g.info.layout.Alternating {
		g.auditKinds(in, state)
	}
}

// auditEdge checks an edge against es_apply, es_undo and es_valid.
func (g *game) auditEdge(in *instance, f function, state, other []uint64, m puzzle.Move) {
	from, to := state, other
	if f == fnPredecessors {
		from, to = other, state
	}
	var buffer [puzzle.WordsMax]uint64
	got := buffer[:in.words]
	name := signatures[f].name
	switch {
	case !in.valid(other) && in.fault == "":
		in.failf("%s of key %x gives key %x, which es_valid refuses", name, state, other)
	case in.fault == "" && (!in.move(fnApply, got, from, m, g.info.layout) || !slices.Equal(got, to)) && in.fault == "":
		in.failf("move %d leads from key %x to key %x according to %s, but not according to es_apply", m, from, to, name)
	case in.fault == "" && (!in.move(fnUndo, got, to, m, g.info.layout) || !slices.Equal(got, from)) && in.fault == "":
		in.failf("move %d leads from key %x to key %x, but es_undo does not lead back", m, from, to)
	}
}

// auditText checks that a state's text parses to that state.
func (g *game) auditText(in *instance, state []uint64) {
	text := in.textOf(fnFormat, state)
	if in.fault != "" {
		return
	}
	key, err := in.parse(text, g.info.layout)
	switch {
	case in.fault != "":
	case err != nil:
		in.failf("es_parse refuses the text that es_format gives for key %x: %s", state, oneLine(err.Error(), faultBytesMax))
	case !slices.Equal(key, state):
		in.failf("equal states have unequal keys: es_format gives a text for key %x that es_parse reads as key %x", state, key)
	}
}

// auditReturn checks that a move can be undone by a move, as flags claim.
func (g *game) auditReturn(in *instance, state, next []uint64) {
	in.scratch.Reset()
	in.edges(fnSuccessors, next, nil, &in.scratch, g.info.layout)
	for i := 0; i < len(in.scratch.Keys); i += in.words {
		if slices.Equal(in.scratch.Keys[i:i+in.words], state) {
			return
		}
	}
	if in.fault == "" {
		in.failf("es_info says that every move can be undone by a move, but none leads from key %x to key %x", next, state)
	}
}

// auditKinds looks for a cycle of one move or of three, if flags claim that every
// cycle has an even number of moves.
func (g *game) auditKinds(in *instance, state []uint64) {
	words := in.words
	in.scratch.Reset()
	in.edges(fnSuccessors, state, nil, &in.scratch, g.info.layout)
	n := in.scratch.Len()
	if in.fault != "" || n == 0 {
		return
	}
	once, by := slices.Clone(in.scratch.Keys), in.audits%n
	in.scratch.Reset()
	in.edges(fnSuccessors, once[by*words:(by+1)*words], nil, &in.scratch, g.info.layout)
	if in.fault != "" {
		return
	}
	for twice := range slices.Chunk(in.scratch.Keys, words) {
		for key := range slices.Chunk(once, words) {
			if slices.Equal(key, twice) {
				in.failf("es_info says that every move leads from one kind of state to the other, but from key %x both one move and two lead to key %x", state, key)
				return
			}
		}
	}
}

// auditOnward checks that es_onward omits the previous state, and nothing else.
func (g *game) auditOnward(in *instance, state []uint64, link puzzle.Move, n int) {
	var buffer [puzzle.WordsMax]uint64
	before := buffer[:in.words]
	if !in.move(fnUndo, before, state, link, g.info.layout) && in.fault == "" {
		in.failf("es_undo finds no state from which move %d leads to key %x, but that move reached it", link, state)
	}
	onward := puzzle.Edges{Keys: slices.Clone(in.scratch.Keys), Moves: slices.Clone(in.scratch.Moves)}
	in.scratch.Reset()
	in.edges(fnSuccessors, state, nil, &in.scratch, g.info.layout)
	if in.fault != "" {
		return
	}
	all, left := &in.scratch, 0
	for i, m := range all.Moves {
		key := all.Keys[i*in.words : (i+1)*in.words]
		if left < n && onward.Moves[left] == m && slices.Equal(onward.Keys[left*in.words:(left+1)*in.words], key) {
			left++
		} else if !slices.Equal(key, before) {
			in.failf("es_onward of key %x leaves out move %d: it may leave out only the move back to the previous state", state, m)
			return
		}
	}
	if left != n || n != all.Len()-1 {
		in.failf("es_onward of key %x gives %d edges and es_successors %d: it must leave out exactly one", state, n, all.Len())
	}
}
