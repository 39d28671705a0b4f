package wasm

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tetratelabs/wazero"

	"github.com/everystate/everystate/puzzle"
)

// game is one board of a module.
type game struct {
	name     string // of the module, for failures
	module   string
	stepsMax int64
	runtime  machine
	compiled wazero.CompiledModule
	draws    bool

	text, metric string // the arguments of es_open
	info         info
	starts       []uint64

	failure atomic.Pointer[ModuleError]

	mu   sync.Mutex
	free []*instance
}

// The kinds of games, by the optional functions that the module has.
type (
	onwardGame         struct{ *game }
	backwardGame       struct{ *game }
	onwardBackwardGame struct{ *game }
)

// Err returns why the module is no longer called.
func (g *game) Err() error {
	if f := g.failure.Load(); f != nil {
		return f
	}
	return nil
}

// fail records the first failure.
func (g *game) fail(what string) {
	g.failure.CompareAndSwap(nil, &ModuleError{Module: g.name, What: what})
}

// take returns an unused instance, or nil after a failure.
func (g *game) take() *instance {
	if g.failure.Load() != nil {
		return nil
	}
	g.mu.Lock()
	if n := len(g.free); n > 0 {
		in := g.free[n-1]
		g.free = g.free[:n-1]
		g.mu.Unlock()
		return in
	}
	g.mu.Unlock()
	in, i, err := g.instance()
	if err == nil && i != g.info {
		err = fmt.Errorf("es_open returns different answers for the same board")
	}
	if err != nil {
		g.fail(err.Error())
		return nil
	}
	return in
}

// instance creates an instance and opens the board in it.
func (g *game) instance() (*instance, info, error) {
	in, err := newInstance(context.Background(), g.runtime, g.compiled, g.stepsMax)
	if err != nil {
		return nil, info{}, err
	}
	i, err := in.open(g.text, g.metric)
	if in.fault != "" {
		err = errors.New(in.fault)
	}
	if err != nil {
		return nil, info{}, errors.Join(err, in.module.Close(context.Background()))
	}
	return in, i, nil
}

// give returns an instance to the pool, and reports whether it is in order.
func (g *game) give(in *instance) bool {
	if in.fault != "" {
		g.fail(in.fault)
		// An error of closing a failed module adds nothing.
		_ = in.module.Close(context.Background())
		return false
	}
	g.mu.Lock()
	g.free = append(g.free, in)
	g.mu.Unlock()
	return true
}

// Layout returns the sizes of keys and moves.
func (g *game) Layout() puzzle.Layout { return g.info.layout }

// Starts returns the start states.
func (g *game) Starts() []uint64 { return slices.Clone(g.starts) }

func (in *instance) readStarts(l puzzle.Layout) []uint64 {
	n, ok := in.call(fnStarts, in.keys, uint32(in.edgesMax))
	count := int(int32(uint32(n)))
	if !ok {
		return nil
	}
	if count < 1 || count > startsMax {
		in.failf("es_starts gives %d states: must be 1 to %d", count, startsMax)
		return nil
	}
	at := in.keys
	if count > in.edgesMax {
		at = in.alloc(count * in.words * 8)
		if again, ok := in.call(fnStarts, at, uint32(count)); ok && again != n {
			in.failf("es_starts gives first %d states and then %d: must always be the same", count, int32(uint32(again)))
		}
	}
	view := in.at(fnStarts, at, count*in.words*8)
	if in.fault != "" {
		return nil
	}
	starts := in.appendKeys(nil, view, l, fnStarts)
	for i := 0; in.fault == "" && i < len(starts); i += in.words {
		in.putStates(starts[i : i+in.words])
		if valid, ok := in.call(fnValid, in.states); ok && uint32(valid) == 0 {
			in.failf("es_valid refuses start %d, key %x", i/in.words, starts[i:i+in.words])
		}
	}
	return starts
}

// appendKeys appends keys from the memory. A key out of range is a fault.
func (in *instance) appendKeys(keys []uint64, view []byte, l puzzle.Layout, f function) []uint64 {
	n := len(keys)
	keys = slices.Grow(keys, len(view)/8)[:n+len(view)/8]
	out := keys[n:]
	var all uint64
	for i := range out {
		out[i] = binary.LittleEndian.Uint64(view[8*i : 8*i+8])
		all |= out[i]
	}
	if l.KeyBits < 64 && all>>l.KeyBits != 0 {
		in.failf("%s gives a key of more than the %d bits in es_info", signatures[f].name, l.KeyBits)
	}
	return keys
}

// Valid reports whether key is the key of a state.
func (g *game) Valid(key []uint64) bool {
	if len(key) != g.info.layout.Words() || g.info.layout.KeyBits < 64 && key[0]>>g.info.layout.KeyBits != 0 {
		return false
	}
	in := g.take()
	if in == nil {
		return false
	}
	valid := in.valid(key)
	return g.give(in) && valid
}

func (in *instance) valid(key []uint64) bool {
	in.putStates(key)
	v, ok := in.call(fnValid, in.states)
	return ok && uint32(v) != 0
}

// Successors appends the successors of each state.
func (g *game) Successors(states []uint64, out *puzzle.Edges) {
	g.expand(fnSuccessors, states, nil, out)
}

// Onward appends the successors of each state except the previous one.
func (g onwardGame) Onward(states []uint64, links []puzzle.Move, out *puzzle.Edges) int {
	g.expand(fnOnward, states, links, out)
	return len(links)
}

// Onward appends the successors of each state except the previous one.
func (g onwardBackwardGame) Onward(states []uint64, links []puzzle.Move, out *puzzle.Edges) int {
	g.expand(fnOnward, states, links, out)
	return len(links)
}

// Predecessors appends the predecessors of each state.
func (g onwardBackwardGame) Predecessors(states []uint64, out *puzzle.Edges) {
	g.expand(fnPredecessors, states, nil, out)
}

// Predecessors appends the predecessors of each state.
func (g backwardGame) Predecessors(states []uint64, out *puzzle.Edges) {
	g.expand(fnPredecessors, states, nil, out)
}

func (g *game) expand(f function, states []uint64, links []puzzle.Move, out *puzzle.Edges) {
	in := g.take()
	if in == nil {
		return
	}
	words := in.words
	for len(states) > 0 && in.fault == "" {
		n := min(batchStates, len(states)/words)
		var some []puzzle.Move
		if links != nil {
			some, links = links[:n], links[n:]
		}
		before := out.Len()
		in.edges(f, states[:n*words], some, out, g.info.layout)
		in.untilAudit -= n
		if in.untilAudit <= 0 && in.fault == "" {
			g.audit(in, f, states[:n*words], some, out, before)
		}
		states = states[n*words:]
	}
	g.give(in)
}

// edges expands states in batches.
func (in *instance) edges(f function, states []uint64, links []puzzle.Move, out *puzzle.Edges, l puzzle.Layout) {
	for len(states) > 0 {
		in.putStates(states)
		n := len(states) / in.words
		var v uint64
		var ok bool
		if f == fnOnward {
			in.putLinks(links)
			v, ok = in.call(f, in.states, in.links, uint32(n), in.keys, in.moves, uint32(in.edgesMax))
		} else {
			v, ok = in.call(f, in.states, uint32(n), in.keys, in.moves, uint32(in.edgesMax))
		}
		taken, edges := uint32(v>>32), uint32(v)
		switch {
		case !ok:
			return
		case taken < 1 || taken > uint32(n):
			in.failf("%s has expanded %d of %d states: must be at least one and at most all", signatures[f].name, taken, n)
			return
		case edges > uint32(in.edgesMax):
			in.failf("%s gives %d edges, but there is room for %d", signatures[f].name, edges, in.edgesMax)
			return
		}
		in.appendEdges(f, int(taken), int(edges), out, l)
		states = states[int(taken)*in.words:]
		if links != nil {
			links = links[taken:]
		}
	}
}

// appendEdges reads edges from the memory and checks what it can without the module:
// that the ids of a state's moves increase.
func (in *instance) appendEdges(f function, states, edges int, out *puzzle.Edges, l puzzle.Layout) {
	keys := in.at(f, in.keys, edges*in.words*8)
	moves := in.at(f, in.moves, edges*2)
	if in.fault != "" {
		return
	}
	out.Keys = in.appendKeys(out.Keys, keys, l, f)
	n := len(out.Moves)
	out.Moves = slices.Grow(out.Moves, edges)[:n+edges]
	runs, last, greatest := 0, 1<<16, 0
	for i := range edges {
		move := int(binary.LittleEndian.Uint16(moves[2*i : 2*i+2]))
		out.Moves[n+i] = puzzle.Move(move)
		if f != fnPredecessors && move <= last {
			runs++
		}
		greatest = max(greatest, move)
		last = move
	}
	switch {
	case edges > 0 && greatest >= l.Moves:
		in.failf("%s gives move %d: ids must be less than %d", signatures[f].name, greatest, l.Moves)
	case runs > states:
		in.failf("%s does not give the moves of a state in increasing order", signatures[f].name)
	}
}

// Apply writes the state that a move leads to.
func (g *game) Apply(dst, state []uint64, m puzzle.Move) bool { return g.move(fnApply, dst, state, m) }

// Undo writes the state that a move comes from.
func (g *game) Undo(dst, state []uint64, m puzzle.Move) bool { return g.move(fnUndo, dst, state, m) }

func (g *game) move(f function, dst, state []uint64, m puzzle.Move) bool {
	if int(m) >= g.info.layout.Moves {
		return false
	}
	in := g.take()
	if in == nil {
		return false
	}
	moved := in.move(f, dst, state, m, g.info.layout)
	return g.give(in) && moved
}

func (in *instance) move(f function, dst, state []uint64, m puzzle.Move, l puzzle.Layout) bool {
	in.putStates(state)
	moved, ok := in.call(f, in.keys, in.states, uint32(m))
	if !ok || uint32(moved) == 0 {
		return false
	}
	view := in.at(f, in.keys, in.words*8)
	if in.fault != "" {
		return false
	}
	var key [puzzle.WordsMax]uint64
	in.appendKeys(key[:0], view, l, f)
	if in.fault != "" {
		return false
	}
	copy(dst, key[:in.words])
	return true
}

// Goals marks the goals.
func (g *game) Goals(states []uint64, marks []bool) {
	clear(marks)
	if !g.info.layout.HasGoal {
		return
	}
	in := g.take()
	if in == nil {
		return
	}
	for len(marks) > 0 {
		n := min(batchStates, len(marks))
		in.putStates(states[:n*in.words])
		if _, ok := in.call(fnGoals, in.states, uint32(n), in.marks); !ok {
			break
		}
		view := in.at(fnGoals, in.marks, n)
		if in.fault != "" {
			break
		}
		for i, mark := range view {
			if mark > 1 {
				in.failf("es_goals gives the mark %d: must be 0 or 1", mark)
			}
			marks[i] = mark == 1
		}
		states, marks = states[n*in.words:], marks[n:]
	}
	g.give(in)
}

// Format writes a state as text.
func (g *game) Format(state []uint64) string { return g.textOf(fnFormat, state) }

// Draw draws a state for people.
func (g *game) Draw(state []uint64) string {
	if !g.draws {
		return g.Format(state)
	}
	return g.textOf(fnDraw, state)
}

func (g *game) textOf(f function, state []uint64) string {
	in := g.take()
	if in == nil {
		return fmt.Sprintf("%x", state)
	}
	text := in.textOf(f, state)
	if !g.give(in) {
		return fmt.Sprintf("%x", state)
	}
	return text
}

const stateBytesMax = 64 << 10

func (in *instance) textOf(f function, state []uint64) string {
	in.putStates(state)
	text, ok := in.packed(f, in.states)
	if !ok {
		return ""
	}
	if len(text) > stateBytesMax || !printable(text) {
		in.failf("%s returns a text that is not lines of printable characters, or is longer than %d bytes", signatures[f].name, stateBytesMax)
	}
	return text
}

// Parse reads a state.
func (g *game) Parse(text string) ([]uint64, error) {
	if len(text) > stateBytesMax {
		return nil, &puzzle.InputError{What: fmt.Sprintf("a state of %d bytes: at most %d", len(text), stateBytesMax)}
	}
	in := g.take()
	if in == nil {
		return nil, g.Err()
	}
	key, err := in.parse(text, g.info.layout)
	if !g.give(in) {
		return nil, g.Err()
	}
	return key, err
}

func (in *instance) parse(text string, l puzzle.Layout) ([]uint64, error) {
	at := in.putText(text)
	status, ok := in.call(fnParse, at, uint32(len(text)), in.keys)
	if !ok {
		return nil, nil
	}
	if uint32(status) != 0 {
		return nil, in.inputError()
	}
	view := in.at(fnParse, in.keys, in.words*8)
	if in.fault != "" {
		return nil, nil
	}
	key := in.appendKeys(nil, view, l, fnParse)
	if in.fault == "" && !in.valid(key) {
		in.failf("es_parse gives the key %x, which es_valid refuses", key)
	}
	return key, nil
}

// FormatMove returns the name of a move.
func (g *game) FormatMove(m puzzle.Move) string {
	none := fmt.Sprintf("no move %d", m)
	if int(m) >= g.info.layout.Moves {
		return none
	}
	in := g.take()
	if in == nil {
		return none
	}
	name, _ := in.packed(fnMoveName, uint32(m))
	name = oneLine(name, nameBytesMax)
	if !g.give(in) {
		return none
	}
	return name
}
